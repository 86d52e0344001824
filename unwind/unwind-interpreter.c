/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-interpreter-private.h"

#include <dwarf.h>

#include "unwind/unwind-bytes-private.h"
#include "unwind/unwind-expression-private.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Compilers nest two states. */
#define DEPTH_MAX 64

/* Later than the headers of some systems. */
#define AARCH64_NEGATE_RA_STATE 0x2d

struct run {
  const struct unwind_section *section;
  const struct unwind_cie *cie;
  const uint8_t *at;
  const uint8_t *end;
  struct unwind_state state;
  uint64_t base;
  uint64_t place; /* from the base: where the state is in force */
  uint64_t floor;
  uint64_t limit;
  int32_t cfa_offset; /* while an expression says where the CFA is: what counts again when a register does */
  unsigned int depth;
  struct unwind_state stack[DEPTH_MAX];
  int32_t cfa_offsets[DEPTH_MAX];
};

static bool counts_from_register(struct unwind_state state)
{
  uint64_t cfa = state.high >> 32 & 0xff;

  return cfa >= UNWIND_CFA_SP && cfa <= UNWIND_CFA_REGISTER;
}

/* Beside an expression an offset is kept for later. */
static void set_cfa_offset(struct run *run, int32_t offset)
{
  if (counts_from_register(run->state))
    run->state = unwind_state_set_cfa_offset(run->state, offset);
  else
    run->cfa_offset = offset;
}

static bool read_cfa_offset(struct run *run, bool is_signed)
{
  uint64_t offset;
  int64_t factored;

  if (!is_signed) {
    if (!unwind_read_uleb(&run->at, run->end, &offset) || offset > INT32_MAX)
      return false;
    set_cfa_offset(run, (int32_t)offset);
    return true;
  }
  if (!unwind_read_sleb(&run->at, run->end, &factored) ||
      __builtin_mul_overflow(factored, run->cie->data_align, &factored) || factored != (int32_t)factored)
    return false;
  set_cfa_offset(run, (int32_t)factored);
  return true;
}

static bool read_cfa_register(struct run *run)
{
  uint64_t number;

  if (!unwind_read_uleb(&run->at, run->end, &number))
    return false;
  if (!counts_from_register(run->state))
    run->state = unwind_state_set_cfa_offset(run->state, run->cfa_offset);
  run->state = unwind_state_set_cfa_register(run->section->machine, run->state, number);
  return true;
}

/* The bytes of an expression, behind their length. */
static bool read_block(struct run *run, const uint8_t **ret_at, const uint8_t **ret_end)
{
  uint64_t length;

  if (!unwind_read_uleb(&run->at, run->end, &length) || length > (uint64_t)(run->end - run->at))
    return false;
  *ret_at = run->at;
  *ret_end = run->at += length;
  return true;
}

static bool read_cfa_expression(struct run *run)
{
  const uint8_t *at, *end;

  if (!read_block(run, &at, &end))
    return false;
  if (counts_from_register(run->state))
    run->cfa_offset = (int32_t)(run->state.low & UNWIND_LOW_CFA_OFFSET);
  run->state = unwind_expression_cfa(run->section->machine, run->state, at, end);
  return true;
}

/* A register is stored at the CFA + offset. What is not stored in a whole word's place, or too far away, is
 * not evaluated. */
static inline struct unwind_state save_at(struct unwind_state state, const struct unwind_register *saved,
                                          int64_t factored, int64_t data_align)
{
  int64_t offset;

  if (__builtin_mul_overflow(factored, data_align, &offset) || offset % 8 != 0 ||
      offset / 8 != (int16_t)(offset / 8))
    return unwind_state_save(state, saved, UNWIND_SAVED_UNSUPPORTED, 0, 0);
  return unwind_state_save(state, saved, UNWIND_SAVED_AT_CFA, (uint16_t)(offset / 8), 0);
}

static bool save_register(struct run *run, const struct unwind_register *saved, uint8_t code)
{
  uint64_t factor;
  int64_t factored;

  if (code == DW_CFA_offset_extended_sf) {
    if (!unwind_read_sleb(&run->at, run->end, &factored))
      return false;
  } else {
    if (!unwind_read_uleb(&run->at, run->end, &factor) || factor > INT64_MAX)
      return false;
    factored = code == DW_CFA_GNU_negative_offset_extended ? -(int64_t)factor : (int64_t)factor;
  }
  run->state = save_at(run->state, saved, factored, run->cie->data_align);
  return true;
}

/* Where there is no link register, a return address that is the same is an endless stack. */
static void keep_register(struct run *run, const struct unwind_register *saved, uint64_t number)
{
  const struct unwind_machine *machine = run->section->machine;
  bool endless = number == machine->ra && machine->elf == EM_X86_64;

  run->state =
      unwind_state_save(run->state, saved, endless ? UNWIND_SAVED_UNSUPPORTED : UNWIND_SAVED_SAME, 0, 0);
}

static bool move_register(struct run *run, const struct unwind_register *saved, uint64_t number)
{
  const struct unwind_machine *machine = run->section->machine;
  uint64_t other;

  if (!unwind_read_uleb(&run->at, run->end, &other))
    return false;
  if (other == number)
    keep_register(run, saved, number);
  else if (number == machine->ra && other < machine->registers)
    run->state = unwind_state_save(run->state, saved, UNWIND_SAVED_IN_REGISTER, (uint16_t)other, 0);
  else
    run->state = unwind_state_save(run->state, saved, UNWIND_SAVED_UNSUPPORTED, 0, 0);
  return true;
}

/* Instructions whose first operand is a register. */
static bool change_register(struct run *run, uint8_t code)
{
  const struct unwind_machine *machine = run->section->machine;
  const struct unwind_register *saved;
  const uint8_t *at, *end;
  uint64_t number, ignored;

  if (!unwind_read_uleb(&run->at, run->end, &number))
    return false;
  saved = unwind_machine_register(machine, number);
  switch (code) {
  case DW_CFA_restore_extended:
    run->state = unwind_state_restore(run->state, saved, run->cie->initial);
    return true;
  case DW_CFA_undefined:
    run->state = unwind_state_save(run->state, saved, UNWIND_SAVED_UNDEFINED, 0, 0);
    return true;
  case DW_CFA_same_value:
    keep_register(run, saved, number);
    return true;
  case DW_CFA_register:
    return move_register(run, saved, number);
  case DW_CFA_val_offset:
  case DW_CFA_val_offset_sf:
    run->state = unwind_state_save(run->state, saved, UNWIND_SAVED_UNSUPPORTED, 0, 0);
    return unwind_read_uleb(&run->at, run->end, &ignored);
  case DW_CFA_val_expression:
    run->state = unwind_state_save(run->state, saved, UNWIND_SAVED_UNSUPPORTED, 0, 0);
    return read_block(run, &at, &end);
  case DW_CFA_expression:
    if (!read_block(run, &at, &end))
      return false;
    run->state = unwind_expression_saved(machine, run->state, number, at, end);
    return true;
  default:
    return save_register(run, saved, code);
  }
}

static bool set_place(struct run *run, uint64_t *ret_delta)
{
  uint64_t address;

  if (!unwind_cfi_read_pointer(run->section, &run->at, run->end, run->cie->encoding, &address) ||
      address < run->base || address - run->base < run->place)
    return false;
  *ret_delta = address - run->base - run->place;
  return true;
}

static bool read_advance(struct run *run, uint8_t code, uint64_t *ret_delta)
{
  uint64_t wide;
  uint32_t word;
  uint16_t half;

  if (code == DW_CFA_set_loc)
    return set_place(run, ret_delta);
  if (code == DW_CFA_advance_loc2 && unwind_read_uint16(&run->at, run->end, &half)) {
    *ret_delta = (uint64_t)half * run->cie->code_align;
    return true;
  }
  if (code == DW_CFA_advance_loc4 && unwind_read_uint32(&run->at, run->end, &word)) {
    *ret_delta = (uint64_t)word * run->cie->code_align;
    return true;
  }
  return code == DW_CFA_MIPS_advance_loc8 && unwind_read_uint64(&run->at, run->end, &wide) &&
         !__builtin_mul_overflow(wide, run->cie->code_align, ret_delta) && wide <= UINT32_MAX;
}

/* Instructions that are rare; *ret_delta is how far on the place is moved. */
static bool execute_rare(struct run *run, uint8_t code, uint64_t *ret_delta)
{
  uint64_t ignored;

  switch (code) {
  case DW_CFA_set_loc:
  case DW_CFA_advance_loc2:
  case DW_CFA_advance_loc4:
  case DW_CFA_MIPS_advance_loc8:
    return read_advance(run, code, ret_delta);
  case DW_CFA_def_cfa:
    return read_cfa_register(run) && read_cfa_offset(run, false);
  case DW_CFA_def_cfa_sf:
    return read_cfa_register(run) && read_cfa_offset(run, true);
  case DW_CFA_def_cfa_register:
    return read_cfa_register(run);
  case DW_CFA_def_cfa_offset:
    return read_cfa_offset(run, false);
  case DW_CFA_def_cfa_offset_sf:
    return read_cfa_offset(run, true);
  case DW_CFA_def_cfa_expression:
    return read_cfa_expression(run);
  case DW_CFA_offset_extended:
  case DW_CFA_offset_extended_sf:
  case DW_CFA_GNU_negative_offset_extended:
  case DW_CFA_restore_extended:
  case DW_CFA_undefined:
  case DW_CFA_same_value:
  case DW_CFA_register:
  case DW_CFA_expression:
  case DW_CFA_val_expression:
  case DW_CFA_val_offset:
  case DW_CFA_val_offset_sf:
    return change_register(run, code);
  case DW_CFA_GNU_args_size: /* for landing pads only: the CFA does not count them */
    return unwind_read_uleb(&run->at, run->end, &ignored);
  case AARCH64_NEGATE_RA_STATE:
    run->state.high ^= UNWIND_HIGH_SIGNED;
    return run->section->machine->elf == EM_AARCH64;
  default:
    return false;
  }
}

/* The state stack: all of the state is on it, the CFA too. */
static bool remember(struct run *run, struct unwind_state state)
{
  if (run->depth == DEPTH_MAX)
    return false;
  run->cfa_offsets[run->depth] = run->cfa_offset;
  run->stack[run->depth++] = state;
  return true;
}

static bool recall(struct run *run, struct unwind_state *ret)
{
  if (run->depth == 0)
    return false;
  *ret = run->stack[--run->depth];
  run->cfa_offset = run->cfa_offsets[run->depth];
  return true;
}

/* What changes all the time, so that it stays in registers: nothing but what is inlined sees it. */
struct hot {
  const uint8_t *at;
  uint64_t place;
  struct unwind_state rest; /* the state but for the CFA's offset */
  uint32_t cfa_offset;
  struct unwind_group *group; /* of `rest`; NULL: to be looked up */
  struct unwind_row *row;     /* the next one */
  uint16_t rule;              /* of the one before */
};

static ALWAYS_INLINE void set_state(struct hot *hot, struct unwind_state state)
{
  hot->cfa_offset = (uint32_t)(state.low & UNWIND_LOW_CFA_OFFSET);
  hot->rest = (struct unwind_state){state.low & ~UNWIND_LOW_CFA_OFFSET, state.high};
  hot->group = NULL;
}

static ALWAYS_INLINE struct unwind_state get_state(const struct hot *hot)
{
  return (struct unwind_state){hot->rest.low | hot->cfa_offset, hot->rest.high};
}

/* The state is in force from the place on. */
static ALWAYS_INLINE void add_row(struct hot *hot, struct unwind_rows *rows)
{
  uint16_t rule;

  if (!hot->group)
    hot->group = unwind_rules_group(&rows->rules, hot->rest);
  rule = unwind_rules_in_group(&rows->rules, hot->group, hot->cfa_offset);
  if (rule == hot->rule)
    return;
  hot->rule = rule;
  *hot->row++ = (struct unwind_row){(uint16_t)hot->place, rule};
  rows->ends[hot->place >> rows->shift] = (uint32_t)(hot->row - rows->rows);
}

/* Moves on. False when that is behind what is asked for. */
static ALWAYS_INLINE bool move(struct hot *hot, const struct run *run, struct unwind_rows *rows,
                               uint64_t delta)
{
  uint64_t place = hot->place + delta;

  if (__builtin_expect(hot->place < run->floor, 0)) {
    if (place <= run->floor) {
      hot->place = place;
      return true;
    }
    hot->place = run->floor;
  }
  if (place != hot->place)
    add_row(hot, rows);
  hot->place = place;
  return place < run->limit;
}

/* A move by less than 64 and a CFA offset below 128, again and again: the greater part of all descriptions.
 */
static ALWAYS_INLINE bool execute_pushes(struct hot *hot, const struct run *run, struct unwind_rows *rows)
{
  const uint32_t mask = 0x80ffc0, code = DW_CFA_advance_loc | DW_CFA_def_cfa_offset << 8;
  uint32_t word;

  while (run->end - hot->at >= (ptrdiff_t)sizeof word) {
    memcpy(&word, hot->at, sizeof word);
    if ((word & mask) != code)
      break;
    if (!move(hot, run, rows, (word & 63) * run->cie->code_align))
      return false;
    hot->cfa_offset = word >> 16 & 0x7f;
    hot->at += 3;
  }
  return true;
}

static ALWAYS_INLINE bool execute_cfa_offset(struct hot *hot, const uint8_t *end)
{
  uint64_t offset;

  if (!unwind_read_uleb(&hot->at, end, &offset) || offset > INT32_MAX)
    return false;
  hot->cfa_offset = (uint32_t)offset;
  return true;
}

static ALWAYS_INLINE bool execute_offset(struct hot *hot, const struct run *run, uint8_t code)
{
  const struct unwind_register *saved = &run->section->machine->tracked[code & 63];
  uint64_t factor;

  if (!unwind_read_uleb(&hot->at, run->end, &factor) || factor > INT64_MAX)
    return false;
  if (saved->high != 0) {
    hot->rest = save_at(hot->rest, saved, (int64_t)factor, run->cie->data_align);
    hot->group = NULL;
  }
  return true;
}

/* Descriptions end in up to 7 of them. */
static ALWAYS_INLINE void skip_nops(struct hot *hot, const uint8_t *end)
{
  while (hot->at < end && *hot->at == DW_CFA_nop)
    hot->at++;
}

static ALWAYS_INLINE bool execute_other(struct hot *hot, struct run *run, uint8_t code, uint64_t *ret_delta)
{
  run->at = hot->at;
  run->place = hot->place;
  run->state = get_state(hot);
  if (!execute_rare(run, code, ret_delta))
    return false;
  hot->at = run->at;
  set_state(hot, run->state);
  return true;
}

/* One instruction; *ret_delta is how far on the place is moved. Almost all descriptions consist of those that
 * are executed here. */
static ALWAYS_INLINE bool execute(struct hot *hot, struct run *run, uint64_t *ret_delta)
{
  uint8_t code = *hot->at++;
  struct unwind_state state;

  switch (code) {
  case DW_CFA_nop:
    skip_nops(hot, run->end);
    return true;
  case DW_CFA_advance_loc ... DW_CFA_advance_loc + 63:
    *ret_delta = (code & 63u) * run->cie->code_align;
    return true;
  case DW_CFA_advance_loc1:
    if (hot->at == run->end)
      return false;
    *ret_delta = *hot->at++ * run->cie->code_align;
    return true;
  case DW_CFA_offset ... DW_CFA_offset + 63:
    return execute_offset(hot, run, code);
  case DW_CFA_restore ... DW_CFA_restore + 63:
    hot->rest =
        unwind_state_restore(hot->rest, &run->section->machine->tracked[code & 63], run->cie->initial);
    hot->group = NULL;
    return true;
  case DW_CFA_def_cfa_offset:
    if (counts_from_register(hot->rest))
      return execute_cfa_offset(hot, run->end);
    return execute_other(hot, run, code, ret_delta);
  case DW_CFA_remember_state:
    return remember(run, get_state(hot));
  case DW_CFA_restore_state:
    if (!recall(run, &state))
      return false;
    set_state(hot, state);
    return true;
  default:
    return execute_other(hot, run, code, ret_delta);
  }
}

static ALWAYS_INLINE bool execute_all(struct hot *hot, struct run *run, struct unwind_rows *rows)
{
  while (hot->at < run->end) {
    uint64_t delta = 0;

    if (hot->place >= run->floor && counts_from_register(hot->rest) && !execute_pushes(hot, run, rows))
      return true;
    if (hot->at == run->end)
      break;
    if (!execute(hot, run, &delta))
      return false;
    if (delta != 0 && !move(hot, run, rows, delta))
      return true;
  }
  move(hot, run, rows, run->limit - hot->place);
  return true;
}

static void begin(struct run *run, const struct unwind_section *section, const struct unwind_cie *cie,
                  const uint8_t *at, const uint8_t *end)
{
  run->section = section;
  run->cie = cie;
  run->at = at;
  run->end = end;
  run->base = run->place = 0;
  run->cfa_offset = 0;
  run->depth = 0;
}

/* Instructions that move on nowhere; no rows are made of them. */
static bool execute_initial(struct run *run)
{
  struct hot hot = {.at = run->at};

  set_state(&hot, run->state);
  while (hot.at < run->end) {
    uint64_t delta = 0;

    if (!execute(&hot, run, &delta) || delta != 0)
      return false;
  }
  run->state = get_state(&hot);
  return true;
}

bool unwind_interpret_cie(const struct unwind_section *section, struct unwind_cie *cie, const uint8_t *at,
                          const uint8_t *end)
{
  const struct unwind_machine *machine = section->machine;
  enum unwind_saved ra = machine->elf == EM_X86_64 ? UNWIND_SAVED_UNDEFINED : UNWIND_SAVED_SAME;
  struct run run;

  begin(&run, section, cie, at, end);
  run.state = unwind_state_save((struct unwind_state){0}, &machine->tracked[machine->ra], ra, 0, 0);
  run.state.high |= cie->signal ? UNWIND_HIGH_SIGNAL : 0;
  cie->initial = run.state;
  if (!execute_initial(&run))
    return false;
  cie->initial = run.state;
  return true;
}

bool unwind_interpret_fde(const struct unwind_section *section, const struct unwind_fde *fde, uint64_t floor,
                          uint64_t limit, struct unwind_rows *rows)
{
  struct hot hot = {
      .at = fde->program, .place = fde->start - rows->base, .row = rows->rows + rows->n, .rule = rows->rule};
  struct run run;
  bool is_good;

  begin(&run, section, fde->cie, fde->program, fde->program_end);
  run.base = rows->base;
  run.floor = floor;
  run.limit = limit;
  set_state(&hot, fde->cie->initial);
  is_good = execute_all(&hot, &run, rows);
  rows->n = (uint32_t)(hot.row - rows->rows);
  rows->rule = hot.rule;
  return is_good;
}
