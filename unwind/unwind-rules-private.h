/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers rules in the order in which they occur. A binary has some hundreds of them and a million rows. */
#ifndef UNWIND_RULES_PRIVATE_H
#define UNWIND_RULES_PRIVATE_H

#include <stdint.h>

#include "unwind/unwind-state-private.h"

#define UNWIND_RULES_MAX      65536u
#define UNWIND_RULE_SLOTS_MIN 2048u
#define UNWIND_RULE_SLOTS_MAX (2 * UNWIND_RULES_MAX)

struct unwind_rules {
  struct unwind_state *rules; /* room for UNWIND_RULES_MAX */
  uint16_t *slots;            /* room for UNWIND_RULE_SLOTS_MAX; zero, or a rule's number */
  uint32_t n;
  uint32_t mask;
};

/* The room must be all zero. Rule 0 is there from the beginning. */
void unwind_rules_init(struct unwind_rules *rules, struct unwind_state *room, uint16_t *slots);

static inline uint32_t unwind_rules_hash(struct unwind_state state)
{
  return (uint32_t)((state.low * 0x9e3779b97f4a7c15ull ^ state.high * 0xc2b2ae3d27d4eb4full) >> 40);
}

/* A state that has marks, or is not yet numbered. 0 if there are too many. */
uint16_t unwind_rules_add(struct unwind_rules *rules, struct unwind_state state);

static inline uint16_t unwind_rules_number(struct unwind_rules *rules, struct unwind_state state)
{
  uint16_t number = rules->slots[unwind_rules_hash(state) & rules->mask];
  struct unwind_state found = rules->rules[number];

  if (__builtin_expect(found.low == state.low && found.high == state.high, 1))
    return number;
  return unwind_rules_add(rules, state);
}

#endif
