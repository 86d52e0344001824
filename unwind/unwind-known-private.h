/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is known of code although nothing describes it: where the kernel begins a program nobody has called
 * it; .init and .fini are put together by the linker from pieces of crti.S and crtn.S, and what a binary does
 * first and last comes from GCC's crtstuff.c, of which no file has a description; the C library describes a
 * new thread's and a coroutine's beginning only in part; Go describes its functions in a form of its own.
 */
#ifndef UNWIND_KNOWN_PRIVATE_H
#define UNWIND_KNOWN_PRIVATE_H

#include "unwind/unwind-elf-private.h"
#include "unwind/unwind-locate-private.h"
#include "unwind/unwind-machine-private.h"

/* How far behind the entry its code may reach: assemblers seldom say. */
#define UNWIND_ENTRY_MAX 128

/* The entry, three pieces each of .init and .fini, those of crtstuff.c, a coroutine's root; on aarch64 the
 * entry, and three pieces each of .plt, .init and .fini. */
#define UNWIND_KNOWN_CRTSTUFF 4
#define UNWIND_KNOWN_AARCH64  9
#define UNWIND_KNOWN_MAX      (1 + 2 * 3 + UNWIND_KNOWN_CRTSTUFF + 1)

struct unwind_known {
  struct unwind_range range;
  struct unwind_state state; /* in all of it */
};

/* Rules for it: the return address is at CFA - 8; the frame is the root. */
extern const struct unwind_rule unwind_known_called, unwind_known_root;

/* Each is a part of unwind_known_find; in any order. Those of crtstuff.c; x86-64 only. */
uint32_t unwind_known_find_crtstuff(const struct unwind_elf *elf, struct unwind_known *ret);
/* .plt, .init and .fini of aarch64. */
uint32_t unwind_known_find_aarch64(const struct unwind_elf *elf, struct unwind_known *ret);
/* Where a coroutine of the C library's returns to: its return address is the first byte of a function that
 * nobody calls. It is looked up minus one. */
uint32_t unwind_known_find_coroutine(const struct unwind_elf *elf, struct unwind_known *ret);

/* Bytes before `start`, where a thread begins: from the system call that began it on, which the thread that
 * made it returns from as well. 0 when other code is there. */
uint32_t unwind_known_clone(const struct unwind_elf *elf, uint64_t start);
struct unwind_state unwind_known_clone_state(void);

/* All that a Go program says of its own code: *ret is an array of *ret_n places in ascending order, to be
 * freed; NULL where there is none. 0 or -ENOMEM. */
int unwind_known_find_go(const struct unwind_elf *elf, const struct unwind_range *ranges, uint32_t n_ranges,
                         struct unwind_known **ret, uint32_t *ret_n);

/* Finds such places, each in one of the executable ranges. Adds them to the n of `ret`, which ascend and
 * have room for UNWIND_KNOWN_MAX more: where two begin together, what was there stays. They are apart from
 * each other then; returns how many there are. */
uint32_t unwind_known_find(const struct unwind_elf *elf, const struct unwind_machine *machine,
                           const struct unwind_range *ranges, uint32_t n_ranges, struct unwind_known *ret,
                           uint32_t n);

#endif
