/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the elf-reader is talked to: the whole protocol, one SOCK_SEQPACKET socketpair.
 *
 * The elf-reader is started as `capture-elf-reader FD` with its end of the pair as descriptor FD. It gives up
 * every capability, its file system and its network, and lets seccomp kill it for anything but reading the
 * descriptors it is sent, memory, memfds and this socket. It serves one request after the other; end of file
 * on the socket ends it. When it dies of a file, its owner starts another one and remembers the file.
 *
 *   owner                                 elf-reader
 *                                     ◀─  READY, once confined
 *   COMPILE (+ ELF file, read-only)   ─▶
 *                                     ◀─  COMPILED (+ sealed memfd that holds the table), or with an error
 *                                         and none
 *   NAME (+ ELF file), with offsets   ─▶
 *                                     ◀─  NAMED (+ sealed memfd that holds names), likewise
 *
 * The owner believes nothing: it checks seals, size and unwind_table_is_valid or unwind_names_are_valid. The
 * elf-reader does not either: it answers a descriptor that is no regular file, or too large, with an error.
 * What it answers without an error is sealed with ELF_READER_SEALS, so that nobody changes it once it was
 * checked.
 */
#ifndef ELF_READER_PROTOCOL_H
#define ELF_READER_PROTOCOL_H

#include <fcntl.h>
#include <stdint.h>

#define ELF_READER_PROTOCOL_VERSION 2
#define ELF_READER_FILE_MAX         (UINT64_C(4) << 30)
#define ELF_READER_SECONDS_MAX      10   /* of processor time for one file; it dies of more */
#define ELF_READER_OFFSETS_MAX      8192 /* of one NAME */
#define ELF_READER_SEALS            (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

enum elf_reader_message_type {
  ELF_READER_COMPILE = 1,
  ELF_READER_NAME = 2,
  ELF_READER_READY = 64,
  ELF_READER_COMPILED = 65,
  ELF_READER_NAMED = 66
};

enum elf_reader_flags {
  ELF_READER_MEMORY = 1 << 0 /* the descriptor holds what is in memory at its addresses, as the vDSO is */
};

struct elf_reader_message {
  uint32_t type;
  uint32_t size;   /* of the whole message */
  uint64_t cookie; /* of the request; comes back with the answer */
  /* COMPILED, NAMED: 0, or a negative errno: of unwind_compile or unwind_names_find, -EINVAL (no regular
   * file), -EFBIG */
  int32_t error;
  uint32_t version;   /* READY: ELF_READER_PROTOCOL_VERSION */
  uint64_t length;    /* COMPILED, NAMED: bytes of the answer */
  uint32_t flags;     /* COMPILE: enum elf_reader_flags */
  uint32_t n_offsets; /* NAME */
};

/* NAME: which functions (unwind/unwind-names.h) some file offsets lie in, ascending. */
struct elf_reader_name {
  struct elf_reader_message message;
  uint64_t offsets[ELF_READER_OFFSETS_MAX]; /* n_offsets are sent */
};

#endif
