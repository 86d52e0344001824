/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is known of code although nothing describes it: where the kernel begins a program nobody has called
 * it, and .init and .fini are put together by the linker from pieces of crti.S and crtn.S, of which no file
 * has a description.
 */
#ifndef UNWIND_KNOWN_PRIVATE_H
#define UNWIND_KNOWN_PRIVATE_H

#include "unwind/unwind-elf-private.h"
#include "unwind/unwind-locate-private.h"
#include "unwind/unwind-machine-private.h"

/* How far behind the entry its code may reach: assemblers seldom say. */
#define UNWIND_ENTRY_MAX 128

/* The entry, and three pieces each of .init and .fini. */
#define UNWIND_KNOWN_MAX 7

struct unwind_known {
  struct unwind_range range;
  struct unwind_state state; /* in all of it */
};

/* Finds such places, each in one of the executable ranges. Writes them to `ret`, an array of
 * UNWIND_KNOWN_MAX, in ascending order and apart from each other; returns how many. */
uint32_t unwind_known_find(const struct unwind_elf *elf, const struct unwind_machine *machine,
                           const struct unwind_range *ranges, uint32_t n_ranges, struct unwind_known *ret);

#endif
