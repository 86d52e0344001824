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

/* Most rows differ from the one before in nothing but the CFA's offset, and a register that was stored. So
 * states that are alike but for the offset make a group, which notes the numbers of the rules with small
 * offsets and which group comes of it by storing a register, or by restoring it: what was looked up once is
 * found by its place, without computing or comparing anything. */
#define UNWIND_GROUPS_MAX       4096u
#define UNWIND_GROUP_SLOTS      (2 * UNWIND_GROUPS_MAX)
#define UNWIND_GROUP_OFFSETS    63 /* and one place more, for the offsets that have none */
#define UNWIND_GROUP_FACTORS    16
#define UNWIND_GROUP_RESTORED   0    /* stands where this factor would, which nothing is stored at */
#define UNWIND_GROUP_DATA_ALIGN (-8) /* by which the factors are multiplied */

/* Four cache lines. */
struct unwind_group {
  uint16_t numbers[UNWIND_GROUP_OFFSETS + 1]; /* by offset / 8; 0: not known here, like the last one always */
  uint16_t next[UNWIND_TRACKED + 1][UNWIND_GROUP_FACTORS]; /* by register and factor; 0: not known here */
};

/* What it needs of memory, whatever is in it. */
struct unwind_rules_room {
  struct unwind_state rules[UNWIND_RULES_MAX];
  struct unwind_group groups[UNWIND_GROUPS_MAX];
  struct unwind_state group_states[UNWIND_GROUPS_MAX];
  uint16_t slots[UNWIND_RULE_SLOTS_MAX];
  uint16_t group_slots[UNWIND_GROUP_SLOTS];
};

struct unwind_rules {
  struct unwind_state *rules;
  struct unwind_group *groups;       /* the first is none */
  struct unwind_state *group_states; /* with 0 as the CFA's offset */
  uint16_t *slots;                   /* a rule's number, or 0 */
  uint16_t *group_slots;             /* likewise a group's */
  uint32_t n;
  uint32_t n_groups;
  uint32_t mask;
  bool is_full; /* some rules have no number */
};

/* Rule 0 is there from the beginning. */
void unwind_rules_init(struct unwind_rules *rules, struct unwind_rules_room *room);

/* The number of a state, which may have marks. 0 if there are too many. */
uint16_t unwind_rules_number(struct unwind_rules *rules, struct unwind_state state);

/* The group of a state whose CFA's offset is 0; NULL if there are too many. */
struct unwind_group *unwind_rules_group(struct unwind_rules *rules, struct unwind_state rest);

/* The state of a group, with a CFA offset. */
static inline struct unwind_state unwind_rules_state(const struct unwind_rules *rules,
                                                     const struct unwind_group *group, uint32_t offset)
{
  struct unwind_state state = rules->group_states[group - rules->groups];

  state.low |= offset;
  return state;
}

/* The number of a group's rule with an offset, found out and noted there. */
uint16_t unwind_rules_add_to_group(struct unwind_rules *rules, struct unwind_group *group, uint32_t offset);

#endif
