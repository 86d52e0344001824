/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-interpreter-private.h"

#include <dwarf.h>

#include "unwind/unwind-bytes-private.h"
#include "unwind/unwind-expression-private.h"

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

/* Almost all descriptions consist of the instructions that are executed here; their variables stay in
 * registers. */
static inline bool interpret(struct run *run, struct unwind_rows *rows)
{
  const struct unwind_register *tracked = run->section->machine->tracked;
  const uint8_t *at = run->at, *const end = run->end;
  struct unwind_state state = run->state, written = {UINT64_MAX, UINT64_MAX};
  uint64_t from = run->place > run->floor ? run->place : run->floor, place = run->place, operand, delta;

  while (at < end) {
    uint8_t code = *at++;

    switch (code) {
    case DW_CFA_nop:
      continue;
    case DW_CFA_advance_loc ... DW_CFA_advance_loc + 63:
      delta = (code & 63u) * run->cie->code_align;
      break;
    case DW_CFA_advance_loc1:
      if (at == end)
        return false;
      delta = *at++ * run->cie->code_align;
      break;
    case DW_CFA_offset ... DW_CFA_offset + 63:
      if (!unwind_read_uleb(&at, end, &operand) || operand > INT64_MAX)
        return false;
      state = save_at(state, &tracked[code & 63], (int64_t)operand, run->cie->data_align);
      continue;
    case DW_CFA_restore ... DW_CFA_restore + 63:
      state = unwind_state_restore(state, &tracked[code & 63], run->cie->initial);
      continue;
    case DW_CFA_def_cfa_offset:
      if (at < end && *at < 0x80 && counts_from_register(state)) {
        state = unwind_state_set_cfa_offset(state, *at++);
        continue;
      }
      goto rare;
    case DW_CFA_remember_state:
      if (!remember(run, state))
        return false;
      continue;
    case DW_CFA_restore_state:
      if (!recall(run, &state))
        return false;
      continue;
    rare:
    default:
      run->at = at;
      run->state = state;
      run->place = place;
      delta = 0;
      if (!execute_rare(run, code, &delta))
        return false;
      at = run->at;
      state = run->state;
    }
    place += delta;
    if (place <= from)
      continue;
    if (state.low != written.low || state.high != written.high)
      unwind_rows_add(rows, from, state);
    written = state;
    from = place;
    if (place >= run->limit)
      return true;
  }
  run->state = state;
  if (from < run->limit)
    unwind_rows_add(rows, from, state);
  return true;
}

bool unwind_interpret_cie(const struct unwind_section *section, struct unwind_cie *cie, const uint8_t *at,
                          const uint8_t *end)
{
  const struct unwind_machine *machine = section->machine;
  enum unwind_saved ra = machine->elf == EM_X86_64 ? UNWIND_SAVED_UNDEFINED : UNWIND_SAVED_SAME;
  struct run run;

  run.section = section;
  run.cie = cie;
  run.at = at;
  run.end = end;
  run.state = unwind_state_save((struct unwind_state){0}, &machine->tracked[machine->ra], ra, 0, 0);
  run.state.high |= cie->signal ? UNWIND_HIGH_SIGNAL : 0;
  cie->initial = run.state;
  run.base = run.place = 0;
  run.floor = run.limit = UINT64_MAX;
  run.depth = 0;
  run.cfa_offset = 0;
  if (!interpret(&run, NULL))
    return false;
  cie->initial = run.state;
  return true;
}

bool unwind_interpret_fde(const struct unwind_section *section, const struct unwind_fde *fde, uint64_t floor,
                          uint64_t limit, struct unwind_rows *rows)
{
  struct run run;

  run.section = section;
  run.cie = fde->cie;
  run.at = fde->program;
  run.end = fde->program_end;
  run.state = fde->cie->initial;
  run.base = rows->base;
  run.place = fde->start - rows->base;
  run.floor = floor;
  run.limit = limit;
  run.depth = 0;
  run.cfa_offset = 0;
  return interpret(&run, rows);
}
