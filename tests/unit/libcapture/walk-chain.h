/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that call one another in a known way, and what a walk from anywhere in them must find. Needs libc
 * alone, so that it can be compiled for other machines. */
#ifndef WALK_CHAIN_H
#define WALK_CHAIN_H

#include <stdint.h>

/* Calls outer, which calls middle, which calls inner, which calls leaf; returns what they computed. */
unsigned walk_chain_run(unsigned rounds);

enum walk_chain_verdict {
  WALK_CHAIN_ELSEWHERE, /* the interrupted instruction is in none of them */
  WALK_CHAIN_COMPLETE,
  WALK_CHAIN_NO_CALLER, /* the interrupted function's caller is missing, and nothing else */
  WALK_CHAIN_WRONG
};

/* frames as capture_walk filled them. */
enum walk_chain_verdict walk_chain_judge(const uint64_t *frames, uint32_t count);

#endif
