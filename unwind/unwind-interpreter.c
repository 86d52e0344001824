/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-interpreter-private.h"

#include "unwind/unwind-constants-private.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* What is used all the time, so that it stays in registers: nothing but what is inlined sees it. */
struct hot {
  const uint8_t *at;
  uint64_t place;
  const struct unwind_group *group; /* of the state but for the CFA's offset */
  uint64_t offset;                  /* the CFA's in words; UNWIND_GROUP_OFFSETS: the interpreter knows it */
  uint64_t n_rows;
  uint32_t rule; /* of the last row */
  uint32_t shift;
  struct unwind_row *rows;
  uint32_t *ends;
};

/* How it goes on: STOP for the function is done or damaged, SLOWLY for this is not one of the usual cases. */
enum next { NEXT, STOP, SLOWLY };

/* A move by less than 64 and a small CFA offset of whole words, in one: more than half of all instructions.
 */
#define PUSH_MASK   0x87ffc0u
#define PUSH        ((uint32_t)DW_CFA_advance_loc | (uint32_t)DW_CFA_def_cfa_offset << 8)
#define PUSH_OFFSET 19 /* where its words are counted, in four bits */

static uint32_t get_cfa_offset(uint64_t offset, const struct unwind_interpreter *function)
{
  return offset < UNWIND_GROUP_OFFSETS ? 8 * (uint32_t)offset : function->cfa_offset;
}

/* The number of the state's rule when it occurs for the first time, or has no place in the group. */
static __attribute__((noinline)) uint32_t find_rule(const struct unwind_group *group, uint64_t offset,
                                                    struct unwind_interpreter *function)
{
  struct unwind_rules *rules = &function->rows->rules;

  return unwind_rules_add_to_group(rules, &rules->groups[group - rules->groups],
                                   get_cfa_offset(offset, function));
}

/* The state is in force from the place on. */
static ALWAYS_INLINE void add_row(struct hot *hot, struct unwind_interpreter *function)
{
  uint32_t rule = hot->group->numbers[hot->offset];

  if (UNWIND_UNLIKELY(rule == 0))
    rule = find_rule(hot->group, hot->offset, function);
  if (UNWIND_UNLIKELY(rule == hot->rule))
    return;
  hot->rule = rule;
  hot->rows[hot->n_rows].low = (uint16_t)hot->place;
  hot->rows[hot->n_rows].rule = (uint16_t)rule;
  hot->n_rows++;
  hot->ends[hot->place >> hot->shift] = (uint32_t)hot->n_rows;
}

static ALWAYS_INLINE enum next interpreter_move(struct hot *hot, struct unwind_interpreter *function,
                                                uint64_t delta)
{
  add_row(hot, function);
  hot->place += delta;
  return UNWIND_UNLIKELY(hot->place >= function->limit) ? STOP : NEXT;
}

static ALWAYS_INLINE enum next move_if_any(struct hot *hot, struct unwind_interpreter *function,
                                           uint64_t delta)
{
  return UNWIND_UNLIKELY(delta == 0) ? NEXT : interpreter_move(hot, function, delta);
}

/* Likewise, where rows may be asked for only from further on. */
static enum next move_to_floor(struct hot *hot, struct unwind_interpreter *function, uint64_t delta)
{
  uint64_t before = function->floor - hot->place;

  if (hot->place >= function->floor)
    return move_if_any(hot, function, delta);
  hot->place += delta < before ? delta : before;
  return delta <= before ? NEXT : interpreter_move(hot, function, delta - before);
}

static enum next interpreter_damage(struct unwind_interpreter *function)
{
  function->is_damaged = true;
  return STOP;
}

static struct unwind_state get_state(const struct hot *hot, const struct unwind_interpreter *function)
{
  return unwind_rules_state(&function->rows->rules, hot->group, get_cfa_offset(hot->offset, function));
}

static bool set_state(struct hot *hot, struct unwind_interpreter *function, struct unwind_state state)
{
  uint32_t offset = (uint32_t)(state.low & UNWIND_LOW_CFA_OFFSET);
  bool has_place = offset % 8 == 0 && offset / 8 < UNWIND_GROUP_OFFSETS;

  state.low &= ~UNWIND_LOW_CFA_OFFSET;
  hot->group = unwind_rules_group(&function->rows->rules, state);
  hot->offset = has_place ? offset / 8 : UNWIND_GROUP_OFFSETS;
  function->cfa_offset = offset;
  return hot->group != NULL;
}

/* The CFA does not count from a register. */
static bool is_odd(const struct hot *hot, const struct unwind_interpreter *function)
{
  return !unwind_state_counts_from_register(get_state(hot, function));
}

static bool remember_slowly(struct hot *hot, struct unwind_interpreter *function)
{
  hot->at++;
  if (function->depth == UNWIND_DEPTH_MAX)
    return false;
  function->n_odd += is_odd(hot, function);
  function->stack[function->depth++] = (struct unwind_remembered){
      hot->group, (uint32_t)hot->offset, function->cfa_offset, function->run.cfa_offset};
  return true;
}

static bool recall_slowly(struct hot *hot, struct unwind_interpreter *function)
{
  const struct unwind_remembered *remembered;

  hot->at++;
  if (function->depth == 0)
    return false;
  remembered = &function->stack[--function->depth];
  hot->group = remembered->group;
  hot->offset = remembered->offset;
  if (hot->offset == UNWIND_GROUP_OFFSETS)
    function->cfa_offset = remembered->cfa_offset;
  if (is_odd(hot, function)) {
    function->run.cfa_offset = remembered->cfa_offset_beside;
    function->n_odd--;
  }
  return true;
}

/* Notes for the next time what became of a group by an instruction that stores a register near, or restores
 * it. */
static void note_next(const struct hot *hot, const struct unwind_interpreter *function,
                      const struct unwind_group *before, const uint8_t *at)
{
  const struct unwind_machine *machine = function->run.section->machine;
  struct unwind_group *groups = function->rows->rules.groups;
  uint16_t *next = groups[before - groups].next[machine->tracked_index[at[0] & 63]];

  if (!function->is_quick)
    return;
  if ((at[0] & 0xc0) == DW_CFA_restore && (at[0] & 63) != machine->ra)
    next[UNWIND_GROUP_RESTORED] = (uint16_t)(hot->group - groups);
  if ((at[0] & 0xc0) == DW_CFA_offset && at[1] < UNWIND_GROUP_FACTORS && at[1] != UNWIND_GROUP_RESTORED)
    next[at[1]] = (uint16_t)(hot->group - groups);
}

/* An instruction of those that need all of the state. */
static bool execute_in_full(struct hot *hot, struct unwind_interpreter *function, uint64_t *ret_delta)
{
  const struct unwind_group *before = hot->group;
  const uint8_t *at = hot->at;

  function->run.at = at;
  function->run.place = hot->place;
  function->run.state = get_state(hot, function);
  if (!unwind_execute(&function->run, ret_delta) || !set_state(hot, function, function->run.state))
    return false;
  hot->at = function->run.at;
  note_next(hot, function, before, at);
  return true;
}

/* Whether it may go on quickly: rows are asked for, and CFAs count from a register. */
static bool may_be_quick(const struct hot *hot, const struct unwind_interpreter *function)
{
  return function->is_quick && hot->place >= function->floor && function->n_odd == 0 &&
         !is_odd(hot, function);
}

/* Any instruction, wherever it stands. Goes on until it may be done quickly. */
static __attribute__((noinline)) enum next execute_slowly(struct hot *hot,
                                                          struct unwind_interpreter *function)
{
  do {
    uint64_t delta = 0;
    bool is_good = *hot->at == DW_CFA_remember_state  ? remember_slowly(hot, function)
                   : *hot->at == DW_CFA_restore_state ? recall_slowly(hot, function)
                                                      : execute_in_full(hot, function, &delta);

    if (!is_good)
      return interpreter_damage(function);
    if (move_to_floor(hot, function, delta) == STOP)
      return STOP;
  } while (hot->at < function->run.end && !may_be_quick(hot, function));
  return NEXT;
}

/* With a copy, so that nobody has the address of what shall stay in registers. */
static ALWAYS_INLINE enum next execute_apart(struct hot *hot, struct unwind_interpreter *function)
{
  struct hot copy = *hot;
  enum next next = execute_slowly(&copy, function);

  hot->at = copy.at;
  hot->place = copy.place;
  hot->group = copy.group;
  hot->offset = copy.offset;
  hot->n_rows = copy.n_rows;
  hot->rule = copy.rule;
  return next;
}

/* States that have their place in groups are remembered by it. */
static ALWAYS_INLINE enum next interpreter_remember(struct hot *hot, struct unwind_interpreter *function)
{
  if (UNWIND_UNLIKELY(function->depth == UNWIND_DEPTH_MAX || hot->offset == UNWIND_GROUP_OFFSETS))
    return SLOWLY;
  struct unwind_remembered *remembered = &function->stack[function->depth];
  function->depth++;
  remembered->group = hot->group;
  remembered->offset = (uint32_t)hot->offset;
  hot->at++;
  return NEXT;
}

static ALWAYS_INLINE enum next interpreter_recall(struct hot *hot, struct unwind_interpreter *function)
{
  if (UNWIND_UNLIKELY(function->depth == 0))
    return SLOWLY;
  const struct unwind_remembered *remembered = &function->stack[function->depth - 1];
  if (UNWIND_UNLIKELY(remembered->offset == UNWIND_GROUP_OFFSETS))
    return SLOWLY;
  function->depth--;
  hot->group = remembered->group;
  hot->offset = remembered->offset;
  hot->at++;
  return NEXT;
}

/* What comes of storing or restoring a register is noted in the group when it first occurs, so nothing is
 * compared or computed. */
static ALWAYS_INLINE enum next execute_noted(struct hot *hot, struct unwind_interpreter *function,
                                             uint32_t word, uint32_t factor, int size)
{
  uint32_t number = hot->group->next[function->tracked_index[word & 63]][factor];

  if (UNWIND_UNLIKELY(number == 0))
    return SLOWLY;
  hot->group = &function->groups[number];
  hot->at += size;
  return NEXT;
}

static ALWAYS_INLINE enum next execute_offset(struct hot *hot, struct unwind_interpreter *function,
                                              uint32_t word)
{
  uint32_t factor = word >> 8 & 0xff;

  if (UNWIND_UNLIKELY(factor - 1 >= UNWIND_GROUP_FACTORS - 1))
    return SLOWLY;
  return execute_noted(hot, function, word, factor, 2);
}

/* Of one or two bytes; two are as frequent as functions with more than 127 bytes on the stack. */
static ALWAYS_INLINE enum next execute_cfa_offset(struct hot *hot, struct unwind_interpreter *function,
                                                  uint32_t word)
{
  bool is_long = word & 0x8000;
  uint32_t offset = is_long ? (word >> 8 & 0x7f) | (word >> 9 & 0x3f80) : word >> 8 & 0x7f;

  if (UNWIND_UNLIKELY((is_long && word & 0x800000) || offset % 8 != 0))
    return SLOWLY;
  hot->at += is_long ? 3 : 2;
  hot->offset = offset / 8;
  if (UNWIND_UNLIKELY(offset / 8 >= UNWIND_GROUP_OFFSETS)) {
    hot->offset = UNWIND_GROUP_OFFSETS;
    function->cfa_offset = offset;
  }
  return NEXT;
}

/* What mostly follows a move that is none of a push's: how a function's end is left behind, or begun. */
static ALWAYS_INLINE enum next execute_after_move(struct hot *hot, struct unwind_interpreter *function)
{
  uint32_t word;

  if (UNWIND_UNLIKELY(hot->at > function->last_word))
    return NEXT;
  memcpy(&word, hot->at, sizeof word);
  if ((word & 0xff) == DW_CFA_restore_state)
    return interpreter_recall(hot, function);
  if ((word & 0xffff) == (DW_CFA_remember_state | DW_CFA_def_cfa_offset << 8)) {
    if (interpreter_remember(hot, function) != NEXT)
      return SLOWLY;
    word >>= 8;
  }
  return (word & 0xff) == DW_CFA_def_cfa_offset ? execute_cfa_offset(hot, function, word) : NEXT;
}

/* By an operand of six bits, one or two bytes. How many it has depends on the size of functions and cannot be
 * foreseen, so no branch asks for it here. */
static ALWAYS_INLINE enum next execute_move(struct hot *hot, struct unwind_interpreter *function,
                                            uint32_t word, uint64_t code_align)
{
  uint32_t n_bytes = word & 0x40 ? 0 : (word & 0xff) - DW_CFA_advance_loc1 + 1;
  uint32_t operand = word & 0x40 ? word & 63 : word >> 8 & ((1u << 8 * n_bytes) - 1);

  hot->at += 1 + n_bytes;
  if (move_if_any(hot, function, operand * code_align) == STOP)
    return STOP;
  return execute_after_move(hot, function);
}

/* An instruction, whose first bytes are in `word`. */
static ALWAYS_INLINE enum next interpreter_execute(struct hot *hot, struct unwind_interpreter *function,
                                                   uint32_t word, uint64_t code_align)
{
  if (word & 0x80)
    return word & 0x40 ? execute_noted(hot, function, word, UNWIND_GROUP_RESTORED, 1)
                       : execute_offset(hot, function, word);
  if (word & 0x40 || (word & 0xff) - DW_CFA_advance_loc1 < 2)
    return execute_move(hot, function, word, code_align);
  switch (word & 0xff) {
  case DW_CFA_nop:
    hot->at++;
    return NEXT;
  case DW_CFA_remember_state:
    return interpreter_remember(hot, function);
  case DW_CFA_restore_state:
    return interpreter_recall(hot, function);
  case DW_CFA_def_cfa_offset:
    return execute_cfa_offset(hot, function, word);
  default:
    return SLOWLY;
  }
}

/* The last bytes, less than a word; nothing but DW_CFA_nop is 0. */
static ALWAYS_INLINE uint32_t read_last(const struct hot *hot, const struct unwind_interpreter *function)
{
  ptrdiff_t left = function->run.end - hot->at;
  uint32_t word;

  if (left <= 0)
    return 0;
  memcpy(&word, hot->at, sizeof word);
  return word & ((1u << 8 * left) - 1);
}

static ALWAYS_INLINE enum next execute_next(struct hot *hot, struct unwind_interpreter *function,
                                            uint64_t code_align)
{
  enum next next;
  uint32_t word;

  if (UNWIND_UNLIKELY(hot->at > function->last_word)) {
    word = read_last(hot, function);
    if (word == 0)
      return STOP;
  } else {
    memcpy(&word, hot->at, sizeof word);
  }
  if ((word & PUSH_MASK) == PUSH && (word & 63) != 0) {
    if (interpreter_move(hot, function, (word & 63) * code_align) == STOP)
      return STOP;
    hot->offset = word >> PUSH_OFFSET & 15;
    hot->at += 3;
    return NEXT;
  }
  next = interpreter_execute(hot, function, word, code_align);
  return UNWIND_UNLIKELY(next == SLOWLY) ? execute_apart(hot, function) : next;
}

/* Until all is executed; behind the end when the last instruction is not whole. */
static ALWAYS_INLINE void execute_all(struct hot *hot, struct unwind_interpreter *function)
{
  if (UNWIND_UNLIKELY(!function->is_quick || function->initial_is_odd || hot->place < function->floor)) {
    if (hot->at < function->run.end && execute_apart(hot, function) == STOP)
      return;
  }
  /* By a constant where it is none, as always on x86-64. */
  if (function->code_align == 1)
    while (execute_next(hot, function, 1) == NEXT)
      ;
  else
    while (execute_next(hot, function, function->code_align) == NEXT)
      ;
  function->is_damaged |= hot->at > function->run.end;
}

/* The state that a CIE's functions begin with. */
static bool set_cie(struct unwind_interpreter *interpreter, const struct unwind_section *section,
                    const struct unwind_cie *cie)
{
  struct hot hot;

  interpreter->run.section = NULL;
  if (!set_state(&hot, interpreter, cie->initial))
    return false;
  interpreter->run.section = section;
  interpreter->tracked_index = section->machine->tracked_index;
  interpreter->cie_offset = cie->offset;
  interpreter->code_align = cie->code_align;
  interpreter->initial = hot.group;
  interpreter->initial_offset = (uint32_t)hot.offset;
  interpreter->initial_cfa_offset = interpreter->cfa_offset;
  interpreter->initial_is_odd = is_odd(&hot, interpreter);
  return true;
}

static inline void interpreter_begin(struct unwind_interpreter *function, const struct unwind_fde *fde,
                                     uint64_t floor, uint64_t limit)
{
  const struct unwind_section *section = function->run.section;
  uint64_t left = (uint64_t)(section->bytes + section->size - fde->program_end);

  function->run.cie = fde->cie;
  function->run.end = fde->program_end;
  function->run.cfa_offset = 0;
  function->floor = floor;
  function->limit = limit;
  function->last_word = fde->program_end - sizeof(uint32_t);
  function->depth = 0;
  function->n_odd = 0;
  function->cfa_offset = function->initial_cfa_offset;
  function->is_quick = fde->cie->is_usual && left >= sizeof(uint32_t);
  function->is_damaged = false;
}

bool unwind_interpret_fde(struct unwind_interpreter *interpreter, const struct unwind_section *section,
                          const struct unwind_fde *fde, uint64_t floor, uint64_t limit)
{
  struct unwind_rows *rows = interpreter->rows;
  uint32_t end = rows->ends[floor >> rows->shift];
  struct hot hot;

  if (UNWIND_UNLIKELY(interpreter->run.section != section || interpreter->cie_offset != fde->cie->offset) &&
      !set_cie(interpreter, section, fde->cie))
    return false;
  interpreter_begin(interpreter, fde, floor, limit);
  hot.at = fde->program;
  hot.place = fde->start - rows->base;
  hot.group = interpreter->initial;
  hot.offset = interpreter->initial_offset;
  hot.n_rows = rows->n;
  hot.rule = rows->rule;
  hot.shift = rows->shift;
  hot.rows = rows->rows;
  hot.ends = rows->ends;
  execute_all(&hot, interpreter);
  if (!interpreter->is_damaged && hot.place < limit)
    move_to_floor(&hot, interpreter, limit - hot.place);
  if (UNWIND_UNLIKELY(interpreter->is_damaged)) {
    unwind_rows_forget(rows, floor, limit, end);
    return false;
  }
  rows->n = (uint32_t)hot.n_rows;
  rows->rule = (uint16_t)hot.rule;
  return true;
}

/* What groups note holds for functions that begin with nothing stored but the return address, and for the
 * factor that all compilers use. */
static bool is_cie_usual(const struct unwind_cie *cie)
{
  const uint64_t high = UNWIND_HIGH_BASE_AT | UNWIND_HIGH_FP | UNWIND_HIGH_BASE | UNWIND_MARKS;

  return cie->data_align == UNWIND_GROUP_DATA_ALIGN && !(cie->initial.low & UNWIND_LOW_FP_AT) &&
         !(cie->initial.high & high);
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
  cie->is_usual = is_cie_usual(cie);
  return true;
}
