/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-rules-private.h"

#include <string.h>

static uint32_t rules_hash(struct unwind_state state)
{
  return (uint32_t)((state.low * 0x9e3779b97f4a7c15ull ^ state.high * 0xc2b2ae3d27d4eb4full) >> 40);
}

static bool is_same(struct unwind_state a, struct unwind_state b)
{
  return a.low == b.low && a.high == b.high;
}

void unwind_rules_init(struct unwind_rules *rules, struct unwind_rules_room *room)
{
  *rules = (struct unwind_rules){.rules = room->rules,
                                 .groups = room->groups,
                                 .group_states = room->group_states,
                                 .slots = room->slots,
                                 .group_slots = room->group_slots,
                                 .n = 1,
                                 .n_groups = 1,
                                 .mask = UNWIND_RULE_SLOTS_MIN - 1};
  room->rules[0] = (struct unwind_state){0, 0};
  memset(room->slots, 0, UNWIND_RULE_SLOTS_MIN * sizeof *room->slots);
  memset(room->group_slots, 0, sizeof room->group_slots);
}

/* The slot that holds the state, or an empty one. */
static uint16_t *find_slot(struct unwind_rules *rules, struct unwind_state state)
{
  for (uint32_t i = rules_hash(state);; i++) {
    uint16_t *slot = &rules->slots[i & rules->mask];

    if (*slot == 0 || is_same(rules->rules[*slot], state))
      return slot;
  }
}

/* Never more than a quarter full, so that a rule is mostly found at once. */
static void rules_grow(struct unwind_rules *rules)
{
  rules->mask = 2 * rules->mask + 1;
  memset(rules->slots, 0, (rules->mask + 1) * sizeof *rules->slots);
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
    rules_grow(rules);
  return (uint16_t)(rules->n - 1);
}

/* Registers that are not tracked change nothing. */
static void init_group(struct unwind_group *group, uint16_t number)
{
  *group = (struct unwind_group){0};
  for (int i = 0; i < UNWIND_GROUP_FACTORS; i++)
    group->next[0][i] = number;
}

struct unwind_group *unwind_rules_group(struct unwind_rules *rules, struct unwind_state rest)
{
  for (uint32_t i = rules_hash(rest);; i++) {
    uint16_t *slot = &rules->group_slots[i % UNWIND_GROUP_SLOTS];

    if (*slot != 0 && is_same(rules->group_states[*slot], rest))
      return &rules->groups[*slot];
    if (*slot != 0)
      continue;
    if (rules->n_groups == UNWIND_GROUPS_MAX)
      return NULL;
    *slot = (uint16_t)rules->n_groups++;
    rules->group_states[*slot] = rest;
    init_group(&rules->groups[*slot], *slot);
    return &rules->groups[*slot];
  }
}

uint16_t unwind_rules_add_to_group(struct unwind_rules *rules, struct unwind_group *group, uint32_t offset)
{
  uint16_t number = unwind_rules_number(rules, unwind_rules_state(rules, group, offset));

  if (offset % 8 == 0 && offset / 8 < UNWIND_GROUP_OFFSETS)
    group->numbers[offset / 8] = number;
  return number;
}
