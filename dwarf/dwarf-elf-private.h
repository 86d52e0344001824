/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sections of an ELF file of 32 or 64 bits by name, decompressed when they are first asked for, and settled
 * where no linker has done so; and where its code stands. */
#ifndef DWARF_ELF_PRIVATE_H
#define DWARF_ELF_PRIVATE_H

#include "dwarf/dwarf-relocations-private.h"

enum dwarf_section {
  DWARF_SECTION_ABBREV,
  DWARF_SECTION_ADDR,
  DWARF_SECTION_CU_INDEX,
  DWARF_SECTION_INFO,
  DWARF_SECTION_LINE,
  DWARF_SECTION_LINE_STR,
  DWARF_SECTION_RANGES,
  DWARF_SECTION_RNGLISTS,
  DWARF_SECTION_STR,
  DWARF_SECTION_STR_OFFSETS,
  DWARF_SECTION_SUP,
  DWARF_SECTION_TYPES,
  DWARF_SECTION_ALTLINK,
  DWARF_N_SECTIONS
};

struct dwarf_stretch {
  uint64_t start;
  uint64_t end;
};

struct dwarf_elf {
  struct dwarf_bytes file;
  struct dwarf_budget *budget;
  bool wide;                   /* 64 bits */
  uint16_t machine;            /* EM_… */
  bool is_object;              /* not linked */
  struct dwarf_placed *placed; /* then one a section; NULL: what it refers to cannot be settled */
  bool split;                  /* sections' names end in .dwo */
  uint64_t sections_at;
  uint32_t n_sections;
  struct dwarf_bytes names;
  struct dwarf_bytes sections[DWARF_N_SECTIONS];
  uint32_t first[DWARF_N_SECTIONS]; /* which section it is; 0: none */
  bool is_read[DWARF_N_SECTIONS];
  struct dwarf_bytes *memory; /* of those that are not as in the file */
  uint32_t n_memory;
  uint32_t memory_capacity;
  struct dwarf_stretch *code; /* ascending, apart */
  uint32_t n_code;
  uint32_t code_capacity;
};

/* 0, -ENOEXEC, or -ENOMEM; to be closed only after 0. `bytes` stay the caller's. */
int dwarf_elf_open(struct dwarf_elf *ret, const struct dwarf_bytes *bytes, bool split,
                   struct dwarf_budget *budget);

void dwarf_elf_close(struct dwarf_elf *elf);

/* Empty where there is none, or where it cannot be decompressed, but never NULL: to that no offset may be
 * added, not even 0. */
struct dwarf_bytes dwarf_elf_section(struct dwarf_elf *elf, enum dwarf_section kind);

/* The first section of a kind from *i on, after which *i stands; false: there is none. Object files have
 * several of one name. */
bool dwarf_elf_next(struct dwarf_elf *elf, enum dwarf_section kind, uint32_t *i, struct dwarf_bytes *ret);

/* Whether code may stand at an address. Addresses of removed code are 0, 1 or the largest ones, which are
 * addresses of code in other files. */
bool dwarf_elf_has_code(const struct dwarf_elf *elf, uint64_t address);

#endif
