/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The linker's stubs, which have no symbols. On x86-64 one is known by the slot of the global offset table
 * through which it jumps: relocations say what that slot holds. On aarch64 stubs are taken to stand in the
 * order of their relocations. As in profile/elf/elf-plt.c; here one stub at a time, as few are ever asked
 * for.
 */
#ifndef UNWIND_PLT_PRIVATE_H
#define UNWIND_PLT_PRIVATE_H

#include "unwind/unwind-elf-private.h"

#define UNWIND_PLT_SECTIONS_MAX 3

/* Items of a section, read one by one; they may stand at any address. */
struct unwind_items {
  struct unwind_bytes bytes;
  size_t n;
};

struct unwind_plt_section {
  struct unwind_bytes code;
  uint64_t offset;
  uint64_t address;
  uint64_t step;
};

struct unwind_plt {
  uint16_t machine;
  struct unwind_plt_section sections[UNWIND_PLT_SECTIONS_MAX];
  uint32_t n_sections;
  struct unwind_items relocations; /* of stubs, in their order */
  struct unwind_items others;
  struct unwind_items symbols;
  struct unwind_bytes names;
};

void unwind_plt_open(struct unwind_plt *ret, const struct unwind_elf *elf);
/* Writes the name of the stub that holds a file offset, "NAME@plt", into text, terminated and cut to `room`,
 * and sets where the stub begins and ends. False where there is none, or nobody knows what it leads to. */
bool unwind_plt_find(const struct unwind_plt *plt, uint64_t offset, char *text, size_t room,
                     uint64_t *ret_start, uint64_t *ret_end);
/* Takes from the stretch around offset what stubs stand in. */
void unwind_plt_cut(const struct unwind_plt *plt, uint64_t offset, uint64_t *start, uint64_t *end);

#endif
