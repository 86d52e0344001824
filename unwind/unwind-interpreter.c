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
  uint32_t offset;
  uint32_t cfa_offset;
  int32_t cfa_offset_beside; /* struct unwind_run's cfa_offset */
};

/* What is the same for all of a function, or seldom used. */
struct function {
  struct unwind_run run;
  struct unwind_rows *rows;
  uint64_t floor;
  uint64_t limit;
  uint32_t code_align;
  uint32_t n_factors; /* which offsets of registers are noted in groups */
  uint32_t depth;
  struct remembered stack[DEPTH_MAX];
};

/* What changes all the time, so that it stays in registers: nothing but what is inlined sees it. */
struct hot {
  const uint8_t *at;
  uint64_t place;
  struct unwind_group *group; /* of the state but for the CFA's offset */
  uint32_t offset;     /* the CFA's in words, UNWIND_GROUP_OFFSETS for one that groups have no place for */
  uint32_t cfa_offset; /* in bytes then */
  uint32_t n_rows;
  uint16_t rule; /* of the last row */
};

/* How it goes on after an instruction. */
enum next { NEXT, DAMAGED, ENOUGH };

/* A move by less than 64 and a small CFA offset of whole words, in one: more than half of all instructions.
 */
#define PUSH_MASK   0x87ffc0u
#define PUSH        ((uint32_t)DW_CFA_advance_loc | (uint32_t)DW_CFA_def_cfa_offset << 8)
#define PUSH_OFFSET 19 /* where its words are counted, in four bits */

static ALWAYS_INLINE uint32_t get_cfa_offset(const struct hot *hot)
{
  return hot->offset < UNWIND_GROUP_OFFSETS ? 8 * hot->offset : hot->cfa_offset;
}

static ALWAYS_INLINE void set_cfa_offset(struct hot *hot, uint32_t offset)
{
  hot->offset = offset % 8 == 0 && offset / 8 < UNWIND_GROUP_OFFSETS ? offset / 8 : UNWIND_GROUP_OFFSETS;
  hot->cfa_offset = offset;
}

/* The state is in force from the place on. */
static ALWAYS_INLINE void add_row(struct hot *hot, struct unwind_rows *rows)
{
  uint16_t rule = hot->group->numbers[hot->offset];

  if (__builtin_expect(rule == 0, 0))
    rule = unwind_rules_add_to_group(&rows->rules, hot->group, get_cfa_offset(hot));
  if (rule == hot->rule)
    return;
  hot->rule = rule;
  rows->rows[hot->n_rows++] = (struct unwind_row){(uint16_t)hot->place, rule};
  rows->ends[hot->place >> rows->shift] = hot->n_rows;
}

static ALWAYS_INLINE enum next move(struct hot *hot, const struct function *function, uint64_t delta)
{
  if (delta != 0)
    add_row(hot, function->rows);
  hot->place += delta;
  return hot->place < function->limit ? NEXT : ENOUGH;
}

/* Likewise, where rows may be asked for only from further on. */
static enum next move_to_floor(struct hot *hot, const struct function *function, uint64_t delta)
{
  uint64_t before = function->floor - hot->place;

  if (hot->place >= function->floor)
    return move(hot, function, delta);
  hot->place += delta < before ? delta : before;
  return delta <= before ? NEXT : move(hot, function, delta - before);
}

static bool set_state(struct hot *hot, struct function *function, struct unwind_state state)
{
  set_cfa_offset(hot, (uint32_t)(state.low & UNWIND_LOW_CFA_OFFSET));
  state.low &= ~UNWIND_LOW_CFA_OFFSET;
  hot->group = unwind_rules_group(&function->rows->rules, state);
  return hot->group != NULL;
}

static ALWAYS_INLINE bool remember(struct hot *hot, struct function *function)
{
  hot->at++;
  if (function->depth == DEPTH_MAX)
    return false;
  function->stack[function->depth++] =
      (struct remembered){hot->group, hot->offset, hot->cfa_offset, function->run.cfa_offset};
  return true;
}

static ALWAYS_INLINE bool recall(struct hot *hot, struct function *function)
{
  struct remembered remembered;

  hot->at++;
  if (function->depth == 0)
    return false;
  remembered = function->stack[--function->depth];
  hot->group = remembered.group;
  hot->offset = remembered.offset;
  hot->cfa_offset = remembered.cfa_offset;
  function->run.cfa_offset = remembered.cfa_offset_beside;
  return true;
}

/* Notes for the next time what became of a group by an instruction that stores a register near. */
static void note_offset(const struct hot *hot, const struct function *function, struct unwind_group *before,
                        const uint8_t *at)
{
  const uint8_t *tracked = function->run.section->machine->tracked_index;

  if ((at[0] & 0xc0) == DW_CFA_offset && at[1] < function->n_factors)
    before->next[tracked[at[0] & 63]][at[1]] = (uint16_t)(hot->group - function->rows->rules.groups);
}

/* An instruction of those that need all of the state. */
static bool execute_in_full(struct hot *hot, struct function *function, uint64_t *ret_delta)
{
  struct unwind_group *before = hot->group;
  const uint8_t *at = hot->at;

  function->run.at = at;
  function->run.place = hot->place;
  function->run.state = (struct unwind_state){before->rest.low | get_cfa_offset(hot), before->rest.high};
  if (!unwind_execute(&function->run, ret_delta) || !set_state(hot, function, function->run.state))
    return false;
  hot->at = function->run.at;
  note_offset(hot, function, before, at);
  return true;
}

/* Any instruction, wherever it stands. Goes on until what is executed quickly may be: rows are asked for, and
 * the CFA counts from a register. */
static enum next execute_slowly(struct hot *hot, struct function *function)
{
  enum next next;

  do {
    uint64_t delta = 0;
    bool is_good = *hot->at == DW_CFA_remember_state  ? remember(hot, function)
                   : *hot->at == DW_CFA_restore_state ? recall(hot, function)
                                                      : execute_in_full(hot, function, &delta);

    next = is_good ? move_to_floor(hot, function, delta) : DAMAGED;
  } while (next == NEXT && hot->at < function->run.end &&
           (hot->place < function->floor || !hot->group->counts_from_register));
  return next;
}

/* With a copy, so that nobody has the address of what shall stay in registers. */
static ALWAYS_INLINE enum next execute_apart(struct hot *hot, struct function *function)
{
  struct hot copy = *hot;
  enum next next = execute_slowly(&copy, function);

  *hot = copy;
  return next;
}

/* What comes of storing a register near is noted in the group when it first occurs, so nothing is compared or
 * computed. */
static ALWAYS_INLINE enum next execute_offset(struct hot *hot, struct function *function, uint32_t word)
{
  const uint8_t *tracked = function->run.section->machine->tracked_index;
  uint32_t factor = word >> 8 & 0xff;
  uint16_t number = 0;

  if (factor < function->n_factors)
    number = hot->group->next[tracked[word & 63]][factor];
  if (number == 0)
    return execute_apart(hot, function);
  hot->group = &function->rows->rules.groups[number];
  hot->at += 2;
  return NEXT;
}

/* Of one or two bytes; two are as frequent as functions with more than 127 bytes on the stack. */
static ALWAYS_INLINE enum next execute_cfa_offset(struct hot *hot, struct function *function, uint32_t word)
{
  if (!(word & 0x8000)) {
    set_cfa_offset(hot, word >> 8 & 0x7f);
    hot->at += 2;
    return NEXT;
  }
  if (word & 0x800000)
    return execute_apart(hot, function);
  set_cfa_offset(hot, (word >> 8 & 0x7f) | (word >> 9 & 0x3f80));
  hot->at += 3;
  return NEXT;
}

static ALWAYS_INLINE enum next execute_recall(struct hot *hot, struct function *function)
{
  if (!recall(hot, function))
    return DAMAGED;
  if (!hot->group->counts_from_register && hot->at < function->run.end)
    return execute_apart(hot, function);
  return NEXT;
}

static ALWAYS_INLINE enum next move_on(struct hot *hot, const struct function *function, uint64_t delta,
                                       int size)
{
  hot->at += size;
  return move(hot, function, delta * function->code_align);
}

/* An instruction, whose first bytes are in `word`. */
static ALWAYS_INLINE enum next execute(struct hot *hot, struct function *function, uint32_t word)
{
  switch (word & 0xff) {
  case DW_CFA_nop:
    hot->at += word == 0 ? 4 : __builtin_ctz(word) / 8;
    return NEXT;
  case DW_CFA_advance_loc ... DW_CFA_advance_loc + 63:
    return move_on(hot, function, word & 63, 1);
  case DW_CFA_advance_loc1:
    return move_on(hot, function, word >> 8 & 0xff, 2);
  case DW_CFA_advance_loc2:
    return move_on(hot, function, word >> 8 & 0xffff, 3);
  case DW_CFA_remember_state:
    return remember(hot, function) ? NEXT : DAMAGED;
  case DW_CFA_restore_state:
    return execute_recall(hot, function);
  case DW_CFA_def_cfa_offset:
    return execute_cfa_offset(hot, function, word);
  case DW_CFA_offset ... DW_CFA_offset + 63:
    return execute_offset(hot, function, word);
  default:
    return execute_apart(hot, function);
  }
}

/* The last bytes, mostly DW_CFA_nop, are less than a word. */
static ALWAYS_INLINE enum next execute_last(struct hot *hot, struct function *function)
{
  enum next next = NEXT;

  while (next == NEXT && hot->at < function->run.end) {
    uint32_t word = 0;

    for (int i = 0; i < function->run.end - hot->at; i++)
      word |= (uint32_t)hot->at[i] << 8 * i;
    if (word == 0)
      break;
    next = execute(hot, function, word);
    if (hot->at > function->run.end)
      return DAMAGED;
  }
  return next;
}

static ALWAYS_INLINE enum next execute_all(struct hot *hot, struct function *function)
{
  const uint8_t *const end = function->run.end;
  enum next next = NEXT;
  uint32_t word;

  if (hot->at < end && (hot->place < function->floor || !hot->group->counts_from_register))
    next = execute_apart(hot, function);
  while (next == NEXT && end - hot->at >= (ptrdiff_t)sizeof word) {
    memcpy(&word, hot->at, sizeof word);
    if ((word & PUSH_MASK) == PUSH) {
      next = move_on(hot, function, word & 63, 3);
      hot->offset = word >> PUSH_OFFSET & 15;
    } else {
      next = execute(hot, function, word);
    }
  }
  return next == NEXT ? execute_last(hot, function) : next;
}

/* The state that a function begins with, which few CIEs share. */
static ALWAYS_INLINE bool set_initial_state(struct hot *hot, struct function *function,
                                            struct unwind_state state)
{
  struct unwind_group *group = function->rows->initial;

  if (group && group->rest.low == (state.low & ~UNWIND_LOW_CFA_OFFSET) && group->rest.high == state.high) {
    set_cfa_offset(hot, (uint32_t)(state.low & UNWIND_LOW_CFA_OFFSET));
    hot->group = group;
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
  struct hot hot = {
      .at = fde->program, .place = fde->start - rows->base, .n_rows = rows->n, .rule = rows->rule};
  struct function function;
  enum next next = DAMAGED;

  function.run.section = section;
  function.run.cie = fde->cie;
  function.run.end = fde->program_end;
  function.run.base = rows->base;
  function.run.cfa_offset = 0;
  function.rows = rows;
  function.floor = floor;
  function.limit = limit;
  function.code_align = fde->cie->code_align;
  function.n_factors = fde->cie->data_align == UNWIND_GROUP_DATA_ALIGN ? UNWIND_GROUP_FACTORS : 0;
  function.depth = 0;
  if (set_initial_state(&hot, &function, fde->cie->initial))
    next = execute_all(&hot, &function);
  if (next == NEXT)
    next = move_to_floor(&hot, &function, limit - hot.place);
  rows->n = hot.n_rows;
  rows->rule = hot.rule;
  return next != DAMAGED;
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
