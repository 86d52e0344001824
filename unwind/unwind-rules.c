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
  for (uint32_t i = (uint32_t)(unwind_rules_hash(state) >> 40);; i++) {
    uint16_t *slot = &rules->slots[i & rules->mask];
    struct unwind_state found = rules->rules[*slot];

    if (*slot == 0 || (found.low == state.low && found.high == state.high))
      return slot;
  }
}

/* Never more than a quarter full, so that a rule is mostly found at once. */
static void grow(struct unwind_rules *rules)
{
  memset(rules->slots, 0, (rules->mask + 1) * sizeof *rules->slots);
  rules->mask = 2 * rules->mask + 1;
  for (uint32_t i = 1; i < rules->n; i++)
    *find_slot(rules, rules->rules[i]) = (uint16_t)i;
}

uint16_t unwind_rules_number(struct unwind_rules *rules, struct unwind_state state)
{
  uint16_t *slot;

  if (state.high & UNWIND_MARKS)
    state = unwind_state_settle(state);
  if (state.low == 0 && state.high == 0)
    return 0;
  slot = find_slot(rules, state);
  if (*slot != 0)
    return *slot;
  if (rules->n == UNWIND_RULES_MAX) {
    rules->is_full = true;
    return 0;
  }
  *slot = (uint16_t)rules->n;
  rules->rules[rules->n++] = state;
  if (4 * rules->n > rules->mask && rules->mask + 1 < UNWIND_RULE_SLOTS_MAX)
    grow(rules);
  return (uint16_t)(rules->n - 1);
}

struct unwind_group *unwind_rules_new_group(struct unwind_rules *rules, struct unwind_state rest)
{
  struct unwind_group *group = &rules->groups[(unwind_rules_hash(rest) >> 56) % UNWIND_GROUPS];

  *group = (struct unwind_group){.rest = rest};
  return group;
}

uint16_t unwind_rules_add_to_group(struct unwind_rules *rules, struct unwind_group *group, uint32_t offset)
{
  struct unwind_state state = {group->rest.low | offset, group->rest.high};
  uint16_t number = unwind_rules_number(rules, state);

  if (offset % 8 == 0 && offset / 8 < UNWIND_GROUP_OFFSETS)
    group->numbers[offset / 8] = number;
  return number;
}
