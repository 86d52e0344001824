/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the elf-reader is talked to: the whole protocol, one SOCK_SEQPACKET socketpair.
 *
 * The elf-reader is started as `capture-elf-reader FD` with its end of the pair as descriptor FD, or, for
 * DISASSEMBLE and nothing else, as `capture-code-reader FD`, because that takes longer to start. It gives up
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
 *   RESOLVE (+ ELF files), with       ─▶
 *   addresses                         ◀─  RESOLVED (+ sealed memfd that holds places), likewise
 *   DISASSEMBLE (+ machine code),     ─▶
 *   with what it is                   ◀─  DISASSEMBLED (+ sealed memfd that holds instructions), likewise
 *
 * RESOLVE brings the file that has the DWARF, then, as its flags say, the alternate file and the package,
 * then split units. What was read of them serves the next RESOLVE too, if the first asked to KEEP them, the
 * next asks AGAIN and nothing else was asked between: so nobody needs to tell whether two files are the same.
 *
 * The owner believes nothing: it checks seals, size and unwind_table_is_valid, unwind_names_are_valid,
 * dwarf_places_are_valid or code_instructions_are_valid. The elf-reader does not either: it answers a
 * descriptor that is no regular file, or too large, with an error. What it answers without an error is sealed
 * with ELF_READER_SEALS, so that nobody changes it once it was checked.
 */
#ifndef ELF_READER_PROTOCOL_H
#define ELF_READER_PROTOCOL_H

#include <fcntl.h>
#include <stdint.h>

#define ELF_READER_PROTOCOL_VERSION 5
#define ELF_READER_FILE_MAX         (UINT64_C(4) << 30) /* all files of a RESOLVE together */
#define ELF_READER_SECONDS_MAX      10                  /* of processor time for one file; it dies of more */
#define ELF_READER_OFFSETS_MAX      8192                /* of one NAME or RESOLVE */
#define ELF_READER_SPLIT_MAX        64                  /* .dwo of one RESOLVE */
#define ELF_READER_DESCRIPTORS_MAX  (ELF_READER_SPLIT_MAX + 3)
#define ELF_READER_SEALS            (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

enum elf_reader_message_type {
  ELF_READER_COMPILE = 1,
  ELF_READER_NAME = 2,
  ELF_READER_RESOLVE = 3,
  ELF_READER_DISASSEMBLE = 4,
  ELF_READER_READY = 64, /* an answer has the type of its question and this */
  ELF_READER_COMPILED = ELF_READER_READY + ELF_READER_COMPILE,
  ELF_READER_NAMED = ELF_READER_READY + ELF_READER_NAME,
  ELF_READER_RESOLVED = ELF_READER_READY + ELF_READER_RESOLVE,
  ELF_READER_DISASSEMBLED = ELF_READER_READY + ELF_READER_DISASSEMBLE
};

enum elf_reader_flags {
  ELF_READER_MEMORY = 1 << 0, /* COMPILE: the file holds what is in memory at its addresses, as the vDSO is */
  /* RESOLVE: */
  ELF_READER_KEEP = 1 << 1,      /* the files are asked for AGAIN */
  ELF_READER_AGAIN = 1 << 2,     /* those that were kept; without descriptors, and without the flags below */
  ELF_READER_ALTERNATE = 1 << 3, /* the next descriptor is the alternate file's (dwz) */
  ELF_READER_PACKAGE = 1 << 4    /* the next one is a .dwp */
};

struct elf_reader_message {
  uint32_t type;
  uint32_t size;   /* of the whole message */
  uint64_t cookie; /* of the request; comes back with the answer */
  /* Of an answer: 0, or a negative errno: of unwind_compile, unwind_names_find, dwarf_reader_open,
   * dwarf_reader_find or code_disassemble, -EINVAL (no regular file), -EFBIG, -ENODATA (nothing was kept) */
  int32_t error;
  uint32_t version;   /* READY: ELF_READER_PROTOCOL_VERSION */
  uint64_t length;    /* bytes of an answer */
  uint32_t flags;     /* COMPILE, RESOLVE: enum elf_reader_flags */
  uint32_t n_offsets; /* NAME, RESOLVE */
  uint64_t deadline;  /* RESOLVE: when it ends with what it has, nanoseconds of CLOCK_MONOTONIC; 0: never */
};

/* NAME: which functions (unwind/names/unwind-names.h) some file offsets lie in, ascending. RESOLVE: which
 * places (dwarf/dwarf-places.h) some addresses lie in, likewise. */
struct elf_reader_question {
  struct elf_reader_message message;
  uint64_t offsets[ELF_READER_OFFSETS_MAX]; /* n_offsets are sent */
};

/* What the machine code in a file is. */
struct elf_reader_code {
  uint64_t address; /* of its first byte */
  uint32_t machine; /* EM_… */
  uint32_t reserved;
};

/* DISASSEMBLE: which instructions (code/code-instructions.h) all bytes of a file are. */
struct elf_reader_code_question {
  struct elf_reader_message message;
  struct elf_reader_code code;
};

/* Seconds of processor time after which a RESOLVE of files of so many bytes ends with what it has. It dies
 * ELF_READER_SECONDS_MAX later, should it not. */
static inline uint32_t elf_reader_resolve_seconds(uint64_t bytes)
{
  return ELF_READER_SECONDS_MAX + (uint32_t)(bytes / 20000000);
}

#endif
