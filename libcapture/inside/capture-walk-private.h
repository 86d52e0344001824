/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Follows frame pointers on the calling thread's own stack, from where it was interrupted.
 *
 * Nothing outside of the stack's bounds, nothing below the interrupted stack pointer and nothing twice is
 * read, whatever the registers and the memory say: a chain that is bad, cyclic or misaligned ends the walk
 * with an outcome. All of it is async-signal-safe, calls nobody and takes less than 200 bytes of stack.
 *
 * What a frame looks like:
 *
 *   x86-64   rbp points to {caller's rbp, return address}
 *   aarch64  x29 points to {caller's x29, return address}
 *   riscv64  s0 points behind {caller's s0, return address}
 *
 * The interrupted function may have no such frame yet, or none any more. Taken for granted, its caller would
 * be missing. So the interrupted instruction is looked at, if it stands in text that may be read: a prologue
 * or a return tells where the return address is (x86-64: on top of the stack or right below it; else in the
 * link register). So does, but on riscv64, a stack pointer that points to what the frame pointer holds. The
 * link register is believed at such an instruction and nowhere else, since elsewhere it may be left over from
 * an earlier call. A leaf function that never makes a frame hides its caller at its other instructions; on
 * riscv64, where compilers let leaf functions push s0 without ra, such a frame is recognized by a value where
 * the return address should be that can only be the caller's s0.
 */
#ifndef CAPTURE_WALK_PRIVATE_H
#define CAPTURE_WALK_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture_registers {
  uint64_t ip;
  uint64_t sp;
  uint64_t fp;
  uint64_t lr; /* 0 where there is none */
};

/* From a ucontext_t; all zero on other architectures. */
void capture_registers_read(struct capture_registers *ret, const void *ucontext);

/* Where a walk may read. */
struct capture_walk_bounds {
  uintptr_t low, high;                  /* of the stack */
  const struct capture_walk_text *text; /* NULL: no instruction is looked at */
};

/* Ranges of memory that hold instructions and may be read, ascending. */
#define CAPTURE_WALK_TEXT_MAX 1024u
struct capture_walk_text {
  uint32_t count;
  struct capture_walk_range {
    uintptr_t start, end;
  } ranges[CAPTURE_WALK_TEXT_MAX];
};

bool capture_walk_is_text(const struct capture_walk_text *text, uint64_t address, size_t length);

/*
 * Fills frames with the interrupted instruction and then return addresses, max at most, and sps[i] with a
 * place in frame i: no frame that it called reaches it, and its callers lie above it. Returns how many there
 * are; *ret_outcome is FRAME_POINTERS when the chain ended with a zero; TRUNCATED after max frames;
 * UNREADABLE when the stack pointer or the next frame is outside of the stack; BAD_FRAME when the next one
 * is misaligned or not above this one; UNSUPPORTED on other architectures.
 */
uint32_t capture_walk(const struct capture_registers *registers, const struct capture_walk_bounds *bounds,
                      uint64_t *frames, uint64_t *sps, uint32_t max, uint32_t *ret_outcome);

/* The same, beginning with the caller of the function whose frame pointer is fp. */
uint32_t capture_walk_callers(uint64_t fp, const struct capture_walk_bounds *bounds, uint64_t *frames,
                              uint64_t *sps, uint32_t max, uint32_t *ret_outcome);
/* What stands in sps for the frame with which the chain ends that begins at fp: a C library without frame
 * pointers does not end it with a zero, but with what it keeps in the register. 0 when there is none. */
uint64_t capture_walk_end(uint64_t fp, uintptr_t low, uintptr_t high);
/* What stands in sps for the function whose frame pointer is fp. */
uint64_t capture_walk_place(uint64_t fp);

/* What the interrupted instruction says of its function's frame. */
enum capture_walk_edge {
  CAPTURE_WALK_INSIDE,    /* the frame pointer is the function's */
  CAPTURE_WALK_AT_TOP,    /* it is the caller's still; the return address is on top of the stack */
  CAPTURE_WALK_BELOW_TOP, /* … one word below the top */
  CAPTURE_WALK_IN_LINK    /* … in the link register */
};

enum capture_walk_edge capture_walk_look(const struct capture_walk_text *text, uint64_t ip);

#endif
