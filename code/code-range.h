/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where code of an ELF file is in memory. */
#ifndef CODE_RANGE_H
#define CODE_RANGE_H

#include <stddef.h>
#include <stdint.h>

struct code_range {
  const void *bytes;
  size_t size;
  uint64_t address; /* as the file has it; the file offset where no segment holds it, as in a kernel module */
  uint16_t machine; /* EM_… */
};

/* A stretch of file offsets of an ELF file that nobody vouches for. 0, or a negative errno with *ret
 * untouched: -ENOEXEC no ELF file of 32 or 64 bits, little-endian; -ERANGE not in the file; -EFBIG longer
 * than CODE_BYTES_MAX. */
int code_range_find(const void *elf, size_t size, uint64_t offset, uint64_t length, struct code_range *ret);

/* The same of a file that has no header: bytes of a machine at an address, with -ERANGE and -EFBIG. */
int code_range_cut(const void *file, size_t size, uint64_t offset, uint64_t length, struct code_range *ret);

#endif
