/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An ELF file's bytes, by address and by section name. Nothing in it is believed: all that is handed out lies
 * inside. */
#ifndef UNWIND_ELF_PRIVATE_H
#define UNWIND_ELF_PRIVATE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unwind_elf {
  const uint8_t *bytes;
  size_t size;
  bool in_memory; /* bytes stand where their addresses say, not where their file offsets do */
  uint16_t machine;
  uint16_t type;
  uint64_t entry;      /* where the kernel begins the program; 0: nowhere */
  uint32_t n_programs; /* program headers that lie inside */
  uint64_t programs_at;
  uint32_t n_sections; /* section headers that lie inside; 0 where they are stripped or damaged */
  uint64_t sections_at;
  uint32_t names; /* index of the section with sections' names */
  uint64_t memory_base;
};

struct unwind_bytes {
  const uint8_t *bytes;
  size_t size;
};

/* 0, or -ENOEXEC. `bytes` stay the caller's. */
int unwind_elf_open(struct unwind_elf *ret, const void *bytes, size_t size, bool in_memory);

Elf64_Phdr unwind_elf_program(const struct unwind_elf *elf, uint32_t i);

/* What is stored of the segment at an address, from there to the segment's end. */
bool unwind_elf_find_address(const struct unwind_elf *elf, uint64_t address, struct unwind_bytes *ret);

/* Of section i, which is less than n_sections. */
Elf64_Shdr unwind_elf_section(const struct unwind_elf *elf, uint32_t i);

/* The first section of a name. */
bool unwind_elf_find_section(const struct unwind_elf *elf, const char *name, Elf64_Shdr *ret);

/* A section's bytes as they are stored; false where nothing is (SHT_NOBITS). */
bool unwind_elf_section_bytes(const struct unwind_elf *elf, const Elf64_Shdr *section,
                              struct unwind_bytes *ret);

#endif
