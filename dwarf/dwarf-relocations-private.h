/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What object files leave to the linker: addresses, and offsets into other sections. */
#ifndef DWARF_RELOCATIONS_PRIVATE_H
#define DWARF_RELOCATIONS_PRIVATE_H

#include "dwarf/dwarf-budget-private.h"

/* A section of an object file. */
struct dwarf_placed {
  uint64_t address;     /* 0: it is not loaded */
  uint32_t relocations; /* the section that has this one's; 0: none */
};

struct dwarf_relocations {
  struct dwarf_bytes entries; /* Elf64_Rela */
  struct dwarf_bytes symbols; /* Elf64_Sym */
  const struct dwarf_placed *sections;
  uint32_t n_sections;
  uint16_t machine; /* EM_… */
};

/* Whether what debug information needs of a machine's relocations is known. */
bool dwarf_relocations_are_known(uint16_t machine);

/* Writes into the bytes of a section what they refer to. What is beyond them or makes no sense is left as it
 * is, and so is what debug information does not need. 0 or -ETIME. */
int dwarf_relocations_apply(const struct dwarf_relocations *relocations, uint8_t *bytes, size_t size,
                            struct dwarf_budget *budget);

#endif
