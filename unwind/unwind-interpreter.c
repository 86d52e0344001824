/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-interpreter-private.h"

#include <dwarf.h>

#include "unwind/unwind-instructions-private.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Compilers nest two states. */
#define DEPTH_MAX 64

/* A state that is remembered: all of it, the CFA too. */
struct remembered {
  struct unwind_group *group;
  uint32_t cfa_offset;
  int32_t cfa_offset_beside; /* struct unwind_run's cfa_offset */
};

/* What is the same for all of a function, or seldom used. */
struct function {
  struct unwind_run run;
  struct unwind_rows *rows;
  uint64_t floor;
  uint64_t limit;
  uint32_t depth;
  struct remembered stack[DEPTH_MAX];
};

/* What changes all the time, so that it stays in registers: nothing but what is inlined sees it. */
struct hot {
  const uint8_t *at;
  const uint8_t *end;
  uint64_t place;
  struct unwind_group *group; /* of the state but for the CFA's offset */
  uint32_t cfa_offset;
  uint32_t n_rows;
  uint32_t shift;
  uint32_t code_align;
  uint32_t n_factors; /* which offsets of registers are noted in groups */
  uint16_t rule;      /* of the last row */
};

/* The state is in force from the place on. */
static ALWAYS_INLINE void add_row(struct hot *hot, struct unwind_rows *rows)
{
  uint16_t rule = unwind_rules_in_group(&rows->rules, hot->group, hot->cfa_offset);

  if (rule == hot->rule)
    return;
  hot->rule = rule;
  rows->rows[hot->n_rows++] = (struct unwind_row){(uint16_t)hot->place, rule};
  rows->ends[hot->place >> hot->shift] = hot->n_rows;
}

/* Moves on. False when that is behind what is asked for. */
static ALWAYS_INLINE bool move(struct hot *hot, const struct function *function, uint64_t delta)
{
  uint64_t place = hot->place + delta;

  if (__builtin_expect(hot->place < function->floor, 0)) {
    if (place <= function->floor) {
      hot->place = place;
      return true;
    }
    hot->place = function->floor;
  }
  if (place != hot->place)
    add_row(hot, function->rows);
  hot->place = place;
  return place < function->limit;
}

/* The greater part of all descriptions: a move by less than 64 and a CFA offset below 128, and a register
 * that is stored near. What comes of the latter is noted in the group when it first occurs, so nothing is
 * compared or computed. False when that is behind what is asked for. */
static ALWAYS_INLINE bool execute_pushes(struct hot *hot, const struct function *function)
{
  const uint32_t push_mask = 0x80ffc0, push = DW_CFA_advance_loc | DW_CFA_def_cfa_offset << 8;
  const uint8_t *tracked = function->run.section->machine->tracked_index;
  uint32_t word, factor;
  uint16_t next;

  while (hot->end - hot->at >= (ptrdiff_t)sizeof word) {
    memcpy(&word, hot->at, sizeof word);
    if ((word & push_mask) == push) {
      uint64_t place = hot->place + (word & 63) * hot->code_align;

      if (place != hot->place)
        add_row(hot, function->rows);
      hot->place = place;
      if (place >= function->limit)
        return false;
      hot->cfa_offset = word >> 16 & 0x7f;
      hot->at += 3;
    } else if ((word & 0xc0) == DW_CFA_offset) {
      factor = word >> 8 & 0xff;
      if (factor >= hot->n_factors)
        break;
      next = hot->group->next[tracked[word & 63]][factor];
      if (next == 0)
        break;
      hot->group = &function->rows->rules.groups[next];
      hot->at += 2;
    } else {
      break;
    }
  }
  return true;
}

static ALWAYS_INLINE bool set_state(struct hot *hot, struct function *function, struct unwind_state state)
{
  hot->cfa_offset = (uint32_t)(state.low & UNWIND_LOW_CFA_OFFSET);
  state.low &= ~UNWIND_LOW_CFA_OFFSET;
  hot->group = unwind_rules_group(&function->rows->rules, state);
  return hot->group != NULL;
}

/* Notes for the next time what became of a group by an instruction that stores a register near. */
static void note_offset(const struct hot *hot, struct unwind_rules *rules, struct unwind_group *before,
                        const uint8_t *tracked, const uint8_t *at)
{
  if ((at[0] & 0xc0) == DW_CFA_offset && at[1] < hot->n_factors)
    before->next[tracked[at[0] & 63]][at[1]] = (uint16_t)(hot->group - rules->groups);
}

/* Any instruction, in the state's own terms. */
static bool execute_other(struct hot *hot, struct function *function, uint64_t *ret_delta)
{
  struct unwind_group *before = hot->group;
  const uint8_t *at = hot->at;

  function->run.at = at;
  function->run.place = hot->place;
  function->run.state = (struct unwind_state){before->rest.low | hot->cfa_offset, before->rest.high};
  if (!unwind_execute(&function->run, ret_delta) || !set_state(hot, function, function->run.state))
    return false;
  hot->at = function->run.at;
  note_offset(hot, &function->rows->rules, before, function->run.section->machine->tracked_index, at);
  return true;
}

/* With a copy, so that nobody has the address of what shall stay in registers. */
static ALWAYS_INLINE bool execute_other_apart(struct hot *hot, struct function *function, uint64_t *ret_delta)
{
  struct hot copy = *hot;
  uint64_t delta = 0;
  bool is_good = execute_other(&copy, function, &delta);

  *hot = copy;
  *ret_delta = delta;
  return is_good;
}

static ALWAYS_INLINE bool remember(const struct hot *hot, struct function *function)
{
  if (function->depth == DEPTH_MAX)
    return false;
  function->stack[function->depth++] =
      (struct remembered){hot->group, hot->cfa_offset, function->run.cfa_offset};
  return true;
}

static ALWAYS_INLINE bool recall(struct hot *hot, struct function *function)
{
  struct remembered remembered;

  if (function->depth == 0)
    return false;
  remembered = function->stack[--function->depth];
  hot->group = remembered.group;
  hot->cfa_offset = remembered.cfa_offset;
  function->run.cfa_offset = remembered.cfa_offset_beside;
  return true;
}

/* One instruction; *ret_delta is how far on the place is moved. */
static ALWAYS_INLINE bool execute(struct hot *hot, struct function *function, uint64_t *ret_delta)
{
  uint8_t code = *hot->at;
  ptrdiff_t left = hot->end - hot->at;

  if ((code & 0xc0) == DW_CFA_advance_loc) {
    *ret_delta = (code & 63) * hot->code_align;
    hot->at++;
  } else if (code == DW_CFA_nop) {
    hot->at++;
  } else if (code == DW_CFA_remember_state) {
    hot->at++;
    return remember(hot, function);
  } else if (code == DW_CFA_restore_state) {
    hot->at++;
    return recall(hot, function);
  } else if (code == DW_CFA_def_cfa_offset && left > 1 && hot->at[1] < 0x80 &&
             hot->group->counts_from_register) {
    hot->cfa_offset = hot->at[1];
    hot->at += 2;
  } else if (code == DW_CFA_advance_loc1 && left > 1) {
    *ret_delta = hot->at[1] * hot->code_align;
    hot->at += 2;
  } else {
    return execute_other_apart(hot, function, ret_delta);
  }
  return true;
}

static ALWAYS_INLINE bool execute_all(struct hot *hot, struct function *function)
{
  while (hot->at < hot->end) {
    uint64_t delta = 0;

    if (hot->place >= function->floor && hot->group->counts_from_register && !execute_pushes(hot, function))
      return true;
    if (hot->at == hot->end)
      break;
    if (!execute(hot, function, &delta))
      return false;
    if (delta != 0 && !move(hot, function, delta))
      return true;
  }
  move(hot, function, function->limit - hot->place);
  return true;
}

/* The state that a function begins with, which few CIEs share. */
static ALWAYS_INLINE bool set_initial_state(struct hot *hot, struct function *function,
                                            struct unwind_state state)
{
  struct unwind_group *group = function->rows->initial;

  if (group && group->rest.low == (state.low & ~UNWIND_LOW_CFA_OFFSET) && group->rest.high == state.high) {
    hot->group = group;
    hot->cfa_offset = (uint32_t)(state.low & UNWIND_LOW_CFA_OFFSET);
    return true;
  }
  if (!set_state(hot, function, state))
    return false;
  function->rows->initial = hot->group;
  return true;
}

bool unwind_interpret_fde(const struct unwind_section *section, const struct unwind_fde *fde, uint64_t floor,
                          uint64_t limit, struct unwind_rows *rows)
{
  struct hot hot = {.at = fde->program,
                    .end = fde->program_end,
                    .place = fde->start - rows->base,
                    .n_rows = rows->n,
                    .shift = rows->shift,
                    .code_align = fde->cie->code_align,
                    .n_factors = fde->cie->data_align == UNWIND_GROUP_DATA_ALIGN ? UNWIND_GROUP_FACTORS : 0,
                    .rule = rows->rule};
  struct function function;
  bool is_good;

  function.run.section = section;
  function.run.cie = fde->cie;
  function.run.end = fde->program_end;
  function.run.base = rows->base;
  function.run.cfa_offset = 0;
  function.rows = rows;
  function.floor = floor;
  function.limit = limit;
  function.depth = 0;
  is_good = set_initial_state(&hot, &function, fde->cie->initial) && execute_all(&hot, &function);
  rows->n = hot.n_rows;
  rows->rule = hot.rule;
  return is_good;
}

bool unwind_interpret_cie(const struct unwind_section *section, struct unwind_cie *cie, const uint8_t *at,
                          const uint8_t *end)
{
  const struct unwind_machine *machine = section->machine;
  enum unwind_saved ra = machine->elf == EM_X86_64 ? UNWIND_SAVED_UNDEFINED : UNWIND_SAVED_SAME;
  struct unwind_run run = {.section = section, .cie = cie, .at = at, .end = end};
  uint64_t delta;

  run.state = unwind_state_save(run.state, &machine->tracked[machine->ra], ra, 0, 0);
  run.state.high |= cie->signal ? UNWIND_HIGH_SIGNAL : 0;
  cie->initial = run.state;
  while (run.at < run.end) {
    if (!unwind_execute(&run, &delta) || delta != 0)
      return false;
  }
  cie->initial = run.state;
  return true;
}
