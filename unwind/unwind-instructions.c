/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-instructions-private.h"

#include "unwind/unwind-bytes-private.h"
#include "unwind/unwind-constants-private.h"
#include "unwind/unwind-expression-private.h"

/* Beside an expression an offset is kept for later. */
static void set_cfa_offset(struct unwind_run *run, int32_t offset)
{
  if (unwind_state_counts_from_register(run->state))
    run->state = unwind_state_set_cfa_offset(run->state, offset);
  else
    run->cfa_offset = offset;
}

static bool read_cfa_offset(struct unwind_run *run, bool is_signed)
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

static bool read_cfa_register(struct unwind_run *run)
{
  uint64_t number;

  if (!unwind_read_uleb(&run->at, run->end, &number))
    return false;
  if (!unwind_state_counts_from_register(run->state))
    run->state = unwind_state_set_cfa_offset(run->state, run->cfa_offset);
  run->state = unwind_state_set_cfa_register(run->section->machine, run->state, number);
  return true;
}

/* The bytes of an expression, behind their length. */
static bool read_block(struct unwind_run *run, const uint8_t **ret_at, const uint8_t **ret_end)
{
  uint64_t length;

  if (!unwind_read_uleb(&run->at, run->end, &length) || length > (uint64_t)(run->end - run->at))
    return false;
  *ret_at = run->at;
  *ret_end = run->at += length;
  return true;
}

static bool read_cfa_expression(struct unwind_run *run)
{
  const uint8_t *at, *end;

  if (!read_block(run, &at, &end))
    return false;
  if (unwind_state_counts_from_register(run->state))
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

static bool save_register(struct unwind_run *run, const struct unwind_register *saved, uint8_t code)
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
static void keep_register(struct unwind_run *run, const struct unwind_register *saved, uint64_t number)
{
  const struct unwind_machine *machine = run->section->machine;
  bool endless = number == machine->ra && machine->elf == EM_X86_64;

  run->state =
      unwind_state_save(run->state, saved, endless ? UNWIND_SAVED_UNSUPPORTED : UNWIND_SAVED_SAME, 0, 0);
}

static bool move_register(struct unwind_run *run, const struct unwind_register *saved, uint64_t number)
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
static bool change_register(struct unwind_run *run, uint8_t code)
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

static bool set_place(struct unwind_run *run, uint64_t *ret_delta)
{
  uint64_t address;

  if (!unwind_cfi_read_pointer(run->section, &run->at, run->end, run->cie->encoding, &address) ||
      address < run->base || address - run->base < run->place)
    return false;
  *ret_delta = address - run->base - run->place;
  return true;
}

static bool read_advance(struct unwind_run *run, uint8_t code, uint64_t *ret_delta)
{
  uint64_t wide;
  uint32_t word;
  uint16_t half;
  uint8_t byte;

  if (code == DW_CFA_set_loc)
    return set_place(run, ret_delta);
  if (code == DW_CFA_advance_loc1 && unwind_read_uint8(&run->at, run->end, &byte)) {
    *ret_delta = (uint64_t)byte * run->cie->code_align;
    return true;
  }
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

/* Instructions that have their first operand in the same byte. */
static bool execute_short(struct unwind_run *run, uint8_t code, uint64_t *ret_delta)
{
  const struct unwind_register *saved = unwind_machine_register(run->section->machine, code & 63);

  switch (code & 0xc0) {
  case DW_CFA_advance_loc:
    *ret_delta = (uint64_t)(code & 63) * run->cie->code_align;
    return true;
  case DW_CFA_offset:
    return save_register(run, saved, DW_CFA_offset_extended);
  case DW_CFA_restore:
    run->state = unwind_state_restore(run->state, saved, run->cie->initial);
    return true;
  default:
    return false;
  }
}

bool unwind_execute(struct unwind_run *run, uint64_t *ret_delta)
{
  uint8_t code = *run->at++;
  uint64_t ignored;

  *ret_delta = 0;
  switch (code) {
  case DW_CFA_nop:
    return true;
  case DW_CFA_set_loc:
  case DW_CFA_advance_loc1:
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
  case DW_CFA_AARCH64_negate_ra_state:
    run->state.high ^= UNWIND_HIGH_SIGNED;
    return run->section->machine->elf == EM_AARCH64;
  default:
    return execute_short(run, code, ret_delta);
  }
}
