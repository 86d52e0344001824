/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers rules in the order in which they occur. A binary has some hundreds of them and a million rows. */
#ifndef UNWIND_RULES_PRIVATE_H
#define UNWIND_RULES_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/unwind-state-private.h"

#define UNWIND_RULES_MAX      65536u
#define UNWIND_RULE_SLOTS_MIN 2048u
#define UNWIND_RULE_SLOTS_MAX (2 * UNWIND_RULES_MAX)

/* Most rows differ from the one before in nothing but the CFA's offset. So the numbers of rules that are
 * alike but for small offsets stand together: what was looked up once is found by its offset, without
 * comparing anything. */
#define UNWIND_GROUP_OFFSETS 16
#define UNWIND_GROUPS        256

struct unwind_group {
  struct unwind_state rest;               /* with 0 as the CFA's offset */
  uint16_t numbers[UNWIND_GROUP_OFFSETS]; /* by offset / 8; 0: not known here */
};

struct unwind_rules {
  struct unwind_state *rules; /* room for UNWIND_RULES_MAX */
  uint16_t *slots;            /* room for UNWIND_RULE_SLOTS_MAX; zero, or a rule's number */
  uint32_t n;
  uint32_t mask;
  bool is_full; /* some rules have no number */
  struct unwind_group groups[UNWIND_GROUPS];
};

/* The room must be all zero. Rule 0 is there from the beginning. */
void unwind_rules_init(struct unwind_rules *rules, struct unwind_state *room, uint16_t *slots);

/* The number of a state, which may have marks. 0 if there are too many. */
uint16_t unwind_rules_number(struct unwind_rules *rules, struct unwind_state state);

/* The group of a state whose CFA's offset is 0. Valid until the next group is asked for. */
struct unwind_group *unwind_rules_new_group(struct unwind_rules *rules, struct unwind_state rest);

/* The number of a group's rule with an offset, found out and noted there. */
uint16_t unwind_rules_add_to_group(struct unwind_rules *rules, struct unwind_group *group, uint32_t offset);

static inline uint64_t unwind_rules_hash(struct unwind_state state)
{
  return state.low * 0x9e3779b97f4a7c15ull ^ state.high * 0xc2b2ae3d27d4eb4full;
}

static inline struct unwind_group *unwind_rules_group(struct unwind_rules *rules, struct unwind_state rest)
{
  struct unwind_group *group = &rules->groups[(unwind_rules_hash(rest) >> 56) % UNWIND_GROUPS];

  if (__builtin_expect(group->rest.low == rest.low && group->rest.high == rest.high, 1))
    return group;
  return unwind_rules_new_group(rules, rest);
}

static inline uint16_t unwind_rules_in_group(struct unwind_rules *rules, struct unwind_group *group,
                                             uint32_t offset)
{
  uint32_t i = offset >> 3 | offset << 29; /* what is no multiple of 8 is large then */

  if (__builtin_expect(i < UNWIND_GROUP_OFFSETS && group->numbers[i] != 0, 1))
    return group->numbers[i];
  return unwind_rules_add_to_group(rules, group, offset);
}

#endif
