/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is known of a frame at one of its instructions, seen from the canonical frame address (CFA), which is
 * what rsp was in the caller before the call.
 */
#ifndef ASSEMBLY_STATE_H
#define ASSEMBLY_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/assembly/assembly-x86.h"

/* What a value is an offset of. */
enum assembly_origin {
  ASSEMBLY_UNKNOWN, /* nothing */
  ASSEMBLY_CFA,
  ASSEMBLY_ALIGNED /* what rsp became when it was rounded down */
};

struct assembly_value {
  int32_t offset;
  uint32_t origin; /* enum assembly_origin */
};

/* A register that a function has to give back as it was. */
struct assembly_kept {
  int32_t at;     /* stored at CFA + at, which is below 0; 0: nowhere */
  uint32_t holds; /* it is still as the caller left it */
};

struct assembly_state {
  struct assembly_value sp;
  struct assembly_value fp;    /* rbp */
  struct assembly_value base;  /* rbx */
  struct assembly_value other; /* of other_register, which has rsp as it was before it was rounded down */
  struct assembly_value slot;  /* a place counted from ASSEMBLY_ALIGNED that holds CFA + slot_holds */
  int32_t slot_holds;
  uint32_t other_register;
  struct assembly_kept kept_fp;
  struct assembly_kept kept_base;
  uint32_t is_root; /* nobody called this */
};

/* At a function's first instruction. */
extern const struct assembly_state assembly_called;

/* What holds behind an instruction that goes on. False: more is taken from the stack than the function has
 * put there. */
bool assembly_state_pass(struct assembly_state *state, const struct assembly_instruction *instruction);

/* What holds in both. */
struct assembly_state assembly_state_join(const struct assembly_state *a, const struct assembly_state *b);

/* Whether nothing is known of rsp. */
bool assembly_state_is_lost(const struct assembly_state *state);

/* Whether rsp is where it was at the beginning. */
bool assembly_state_is_level(const struct assembly_state *state);

#endif
