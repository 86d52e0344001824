/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files with DWARF, open from one RESOLVE to the next of the same files. */
#ifndef ELF_READER_RESOLVE_H
#define ELF_READER_RESOLVE_H

#include "dwarf/dwarf-find.h"
#include "helpers/elf-reader-protocol.h"

struct elf_reader_resolver {
  struct dwarf_reader *reader; /* NULL: nothing is open */
  uint64_t bytes;              /* of all files */
  struct dwarf_bytes files[ELF_READER_DESCRIPTORS_MAX];
  uint32_t n_files;
};

/* Opens the files that are in `descriptors` in the order of RESOLVE, which stay the caller's; what was open
 * before is closed. Those but the first that cannot be read count as not given. 0, or -errno with nothing
 * open. */
int elf_reader_resolver_open(struct elf_reader_resolver *resolver, const int *descriptors, uint32_t n,
                             uint32_t flags);
/* The descriptor of the places of some addresses, found until the deadline of the question; or -errno. */
int elf_reader_resolver_find(struct elf_reader_resolver *resolver, const uint64_t *addresses, uint32_t n,
                             uint64_t deadline, uint64_t *ret_length);
void elf_reader_resolver_clear(struct elf_reader_resolver *resolver);

#endif
