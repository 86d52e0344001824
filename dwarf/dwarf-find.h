/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds lines and inlined functions in DWARF 2 to 5. Every byte of the files is hostile, and costs its places at
 * worst. Thread-safe; several files can be read at once.
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
  uint64_t memory;         /* bytes that decompression and tables may take together; 0: 1 GiB */
};

/* Finds the places of n addresses (ascending, at most DWARF_ADDRESSES_MAX). An address about which nothing is known
 * has no place. *ret is to be freed with free(). 0, or a negative errno with *ret untouched: -ENOEXEC no ELF file of
 * 32 or 64 bits, little-endian; -ENODATA no DWARF; -EINVAL (addresses); -ENOMEM. What ends early is in the
 * outcome, not an error. */
int dwarf_find(const struct dwarf_files *files, const uint64_t *addresses, size_t n, const struct dwarf_limits *limits,
               struct dwarf_places **ret);

#endif
