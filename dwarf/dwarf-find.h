/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds lines and inlined functions in DWARF 2 to 5, and in Go programs without it. Every byte of the files
 * is hostile, and costs its places at worst. Thread-safe; several files can be read at once.
 */
#ifndef DWARF_FIND_H
#define DWARF_FIND_H

#include "dwarf/dwarf-places.h"

struct dwarf_bytes {
  const void *bytes; /* of an ELF file; NULL: not given */
  size_t size;
};

struct dwarf_files {
  struct dwarf_bytes main;       /* the file with .debug_info: the binary, its debug file, or vmlinux */
  struct dwarf_bytes alternate;  /* what .gnu_debugaltlink of main names (dwz) */
  struct dwarf_bytes package;    /* .dwp */
  const struct dwarf_bytes *dwo; /* split units, in any order */
  size_t n_dwo;
};

struct dwarf_limits {
  uint64_t processor_time; /* nanoseconds of this thread; 0: none */
  uint64_t deadline;       /* nanoseconds of CLOCK_MONOTONIC; 0: none */
  uint64_t memory;         /* bytes that decompression and tables may take together; 0: 1 GiB */
};

/* A file that is asked several times: what is the same for all questions is read once. For one thread at a
 * time. */
struct dwarf_reader;

/* Opens a file, which takes little time: what is needed is read when addresses are asked for. The bytes stay
 * the caller's, and must stay until dwarf_reader_close(). 0, or a negative errno with *ret untouched:
 * -ENOEXEC no ELF file of 32 or 64 bits, little-endian; -ENODATA neither DWARF nor what Go has, or an object
 * file of a machine other than x86-64 and AArch64; -ENOMEM. In object files addresses are those of
 * dwarf-object.h. */
int dwarf_reader_open(const struct dwarf_files *files, const struct dwarf_limits *limits,
                      struct dwarf_reader **ret);

/* Finds the places of n addresses (ascending, at most DWARF_ADDRESSES_MAX). An address about which nothing is
 * known has no place. The limit of time is for each call, that of memory for the reader. *ret is to be freed
 * with free(). 0, or a negative errno with *ret untouched: -EINVAL (addresses); -ENOMEM. What ends early is
 * in the outcome, not an error. What was refused for its memory, or is damaged, is so in all later calls too.
 */
int dwarf_reader_find(struct dwarf_reader *reader, const uint64_t *addresses, size_t n,
                      struct dwarf_places **ret);

/* Of all later calls. */
void dwarf_reader_set_deadline(struct dwarf_reader *reader, uint64_t deadline);

void dwarf_reader_close(struct dwarf_reader *reader);

/* All three at once. */
int dwarf_find(const struct dwarf_files *files, const uint64_t *addresses, size_t n,
               const struct dwarf_limits *limits, struct dwarf_places **ret);

#endif
