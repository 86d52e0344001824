/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the elf-reader is talked to: the whole protocol, one SOCK_SEQPACKET socketpair.
 *
 * The elf-reader is started as `capture-elf-reader FD` with its end of the pair as descriptor FD. It gives up every capability,
 * its file system and its network, and lets seccomp kill it for anything but reading the descriptors it is sent,
 * memory, memfds and this socket. It serves one request after the other; end of file on the socket ends it. When it dies of a
 * file, its owner starts another one and remembers the file.
 *
 *   owner                                 elf-reader
 *                                     ◀─  READY, once confined
 *   COMPILE (+ ELF file, read-only)   ─▶
 *                                     ◀─  COMPILED (+ sealed memfd that holds the table), or with an error and none
 *
 * The owner believes nothing: it checks seals, size and unwind_table_is_valid.
 */
#ifndef ELF_READER_PROTOCOL_H
#define ELF_READER_PROTOCOL_H

#include <stdint.h>

#define ELF_READER_PROTOCOL_VERSION 1
#define ELF_READER_FILE_MAX (UINT64_C(4) << 30)

enum elf_reader_message_type {
  ELF_READER_COMPILE = 1,
  ELF_READER_READY = 64,
  ELF_READER_COMPILED = 65
};

struct elf_reader_message {
  uint32_t type;
  uint32_t size;   /* of the whole message */
  uint64_t cookie; /* of the request; comes back with the answer */
  int32_t error;   /* COMPILED: 0, or a negative errno of unwind_compile */
  uint32_t version; /* READY: ELF_READER_PROTOCOL_VERSION */
  uint64_t length; /* COMPILED: bytes of the table */
};

#endif
