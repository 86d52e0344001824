/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is in force at one place of a function, while its description is read: a struct unwind_rule as two
 * words, so that rows are compared and numbered without looking at fields, plus marks for what is not counted
 * from the CFA. A mark is settled when the CFA is known, which is when a row is written
 * (unwind_state_settle).
 */
#ifndef UNWIND_STATE_PRIVATE_H
#define UNWIND_STATE_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "unwind/unwind-table.h"

struct unwind_state {
  uint64_t low;  /* cfa_offset, cfa_add, fp_at */
  uint64_t high; /* base_at, ra_at, cfa, operand, saved, flags */
};

/* Where the fields of struct unwind_rule are in the words. */
#define UNWIND_LOW_CFA_OFFSET 0xffffffffull
#define UNWIND_LOW_CFA_ADD    0xffff00000000ull
#define UNWIND_LOW_FP_AT      0xffff000000000000ull
#define UNWIND_HIGH_BASE_AT   0xffffull
#define UNWIND_HIGH_RA_AT     0xffff0000ull
#define UNWIND_HIGH_CFA       0xff00000000ull
#define UNWIND_HIGH_OPERAND   0xff0000000000ull
#define UNWIND_HIGH_FP        (3ull << 48)
#define UNWIND_HIGH_BASE      (3ull << 50)
#define UNWIND_HIGH_RA        (7ull << 52)
#define UNWIND_HIGH_SIGNAL    ((uint64_t)UNWIND_RULE_SIGNAL << 56)
#define UNWIND_HIGH_SIGNED    ((uint64_t)UNWIND_RULE_SIGNED << 56)

/* Marks, in bits that rules do not use, or (UNWIND_RULE_FRAME) only when all are there. */
#define UNWIND_FP_FROM_SP   (1ull << 55)
#define UNWIND_BASE_FROM_SP (1ull << 58)
#define UNWIND_RA_FROM_SP   (1ull << 61)
#define UNWIND_FP_FROM_FP   (1ull << 62)
#define UNWIND_BASE_FROM_FP (1ull << 63)
#define UNWIND_MARKS                                                                                         \
  (UNWIND_FP_FROM_SP | UNWIND_BASE_FROM_SP | UNWIND_RA_FROM_SP | UNWIND_FP_FROM_FP | UNWIND_BASE_FROM_FP)

/* The bits that belong to one register: what becomes of it is written by exchanging them. */
struct unwind_register {
  uint64_t low;     /* mask */
  uint64_t high;    /* mask, its marks included */
  uint64_t high_at; /* mask of the field alone */
  uint64_t one;     /* enum unwind_saved times this is where it stands */
};

/* Registers with greater numbers are never tracked. */
#define UNWIND_REGISTERS 64

/* How many registers are tracked at most. */
#define UNWIND_TRACKED 3

/* `at` is cut to 16 bits: whether it fits is the caller's to see. */
static inline struct unwind_state unwind_state_save(struct unwind_state state,
                                                    const struct unwind_register *r, enum unwind_saved saved,
                                                    uint16_t at, uint64_t marks)
{
  state.low = (state.low & ~r->low) | ((uint64_t)at << 48 & r->low);
  state.high = (state.high & ~r->high) | (((uint64_t)at << 16 | at) & r->high_at) | (uint64_t)saved * r->one |
               (marks & r->high);
  return state;
}

static inline struct unwind_state
unwind_state_restore(struct unwind_state state, const struct unwind_register *r, struct unwind_state initial)
{
  state.low = (state.low & ~r->low) | (initial.low & r->low);
  state.high = (state.high & ~r->high) | (initial.high & r->high);
  return state;
}

static inline struct unwind_state unwind_state_set_cfa_offset(struct unwind_state state, int32_t offset)
{
  state.low = (state.low & ~UNWIND_LOW_CFA_OFFSET) | (uint32_t)offset;
  return state;
}

static inline struct unwind_state unwind_state_set_cfa_kind(struct unwind_state state, enum unwind_cfa cfa,
                                                            uint8_t operand)
{
  state.low &= ~UNWIND_LOW_CFA_ADD;
  state.high =
      (state.high & ~(UNWIND_HIGH_CFA | UNWIND_HIGH_OPERAND)) | (uint64_t)cfa << 32 | (uint64_t)operand << 40;
  return state;
}

static inline struct unwind_state unwind_state_from_rule(struct unwind_rule rule)
{
  struct unwind_state state;

  memcpy(&state, &rule, sizeof state);
  return state;
}

static inline struct unwind_rule unwind_state_to_rule(struct unwind_state state)
{
  struct unwind_rule rule;

  memcpy(&rule, &state, sizeof rule);
  return rule;
}

/* The rule that a state with marks means. */
struct unwind_state unwind_state_settle(struct unwind_state state);

#endif
