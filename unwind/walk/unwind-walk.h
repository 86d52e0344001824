/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walker (walk.h) over memory that is at hand: registers and a piece of a stack that were recorded.
 * Thread-safe; allocates nothing.
 */
#ifndef UNWIND_WALK_H
#define UNWIND_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include "unwind/walk/walk-types.h"

/* What walk-types.h calls the area. */
struct unwind_area {
  const void *bytes; /* aligned to 8 */
  size_t size;       /* a power of two, 8 at least */
};

/* `size` bytes as they stood at that address of the thread's memory; at any alignment. */
struct unwind_piece {
  uint64_t address;
  const void *bytes;
  size_t size;
};

struct unwind_memory {
  const struct unwind_piece *pieces; /* the first that holds a word is taken */
  size_t n_pieces;
  /* Asked for what no piece holds: 0 and the word, or the enum walk_end that the walk shall have. NULL:
   * WALK_UNREADABLE. */
  int (*read)(void *data, uint64_t address, uint64_t *ret_word);
  void *data;
};

struct unwind_start {
  const struct walk_process *process;
  const struct walk_registers *registers;
  uint32_t machine; /* WALK_X86_64 or WALK_AARCH64 */
  bool in_kernel;   /* the thread had entered the kernel with these registers */
};

/* Writes the stack's addresses into frames, the innermost first, and says how the walk ended; `max` is at
 * least 1. Returns their number. Each frame that was reached is delivered, also that one at which the walk
 * ended; registers that stand at what WALK_IS_WORD is true for give 0. *ret_end may have
 * WALK_END_BY_FRAME_POINTERS beside it. */
uint32_t unwind_walk(const struct unwind_area *area, const struct unwind_start *start,
                     const struct unwind_memory *memory, uint64_t *frames, uint32_t max,
                     enum walk_end *ret_end);

/* Fills in registers from those by DWARF's numbers, as struct walk_registers and BPF's misses have them: on
 * x86-64 17 words, ip last; on aarch64 33, x0 to x30, sp, pc. */
void unwind_registers_set(struct walk_registers *registers, uint32_t machine, const uint64_t *general);

/* The registers of PERF_SAMPLE_REGS_USER to ask for. */
uint64_t unwind_registers_perf_mask(uint32_t machine);
/* Fills in registers from those of a sample: one value for each bit of the mask, which must hold all that
 * unwind_registers_perf_mask says. False when it does not. */
bool unwind_registers_set_perf(struct walk_registers *registers, uint32_t machine, uint64_t mask,
                               const uint64_t *values);

#endif
