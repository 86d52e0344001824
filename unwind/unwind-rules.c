/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-rules-private.h"

#include <string.h>

void unwind_rules_init(struct unwind_rules *rules, struct unwind_state *room, uint16_t *slots)
{
  *rules = (struct unwind_rules){.rules = room, .slots = slots, .n = 1, .mask = UNWIND_RULE_SLOTS_MIN - 1};
}

/* The slot that holds the state, or an empty one. */
static uint16_t *find_slot(struct unwind_rules *rules, struct unwind_state state)
{
  for (uint32_t i = unwind_rules_hash(state);; i++) {
    uint16_t *slot = &rules->slots[i & rules->mask];
    struct unwind_state found = rules->rules[*slot];

    if (*slot == 0 || (found.low == state.low && found.high == state.high))
      return slot;
  }
}

/* Never more than half full, so that a rule is mostly found at once. */
static void grow(struct unwind_rules *rules)
{
  memset(rules->slots, 0, (rules->mask + 1) * sizeof *rules->slots);
  rules->mask = 2 * rules->mask + 1;
  for (uint32_t i = 1; i < rules->n; i++)
    *find_slot(rules, rules->rules[i]) = (uint16_t)i;
}

uint16_t unwind_rules_add(struct unwind_rules *rules, struct unwind_state state)
{
  uint16_t *slot;

  if (state.high & UNWIND_MARKS)
    state = unwind_state_settle(state);
  if (state.low == 0 && state.high == 0)
    return 0;
  slot = find_slot(rules, state);
  if (*slot != 0)
    return *slot;
  if (rules->n == UNWIND_RULES_MAX)
    return 0;
  *slot = (uint16_t)rules->n;
  rules->rules[rules->n++] = state;
  if (2 * rules->n > rules->mask && rules->mask + 1 < UNWIND_RULE_SLOTS_MAX)
    grow(rules);
  return (uint16_t)(rules->n - 1);
}
