/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-expression-private.h"

#include "unwind/unwind-bytes-private.h"
#include "unwind/unwind-constants-private.h"

#define REGISTERS 32

/* register + offset. */
static bool read_place(const uint8_t **at, const uint8_t *end, uint64_t *ret_register, int64_t *ret_offset)
{
  const uint8_t *next = *at;
  uint8_t code;

  if (!unwind_read_uint8(&next, end, &code))
    return false;
  if (code == DW_OP_bregx) {
    if (!unwind_read_uleb(&next, end, ret_register))
      return false;
  } else if (code >= DW_OP_breg0 && code <= DW_OP_breg31) {
    *ret_register = code - DW_OP_breg0;
  } else {
    return false;
  }
  if (!unwind_read_sleb(&next, end, ret_offset))
    return false;
  *at = next;
  return true;
}

/* What follows a dereference: nothing, or something to add. */
static bool read_addend(const uint8_t *at, const uint8_t *end, int16_t *ret)
{
  uint64_t addend = 0;
  uint8_t code;

  if (at < end && (!unwind_read_uint8(&at, end, &code) || code != DW_OP_plus_uconst ||
                   !unwind_read_uleb(&at, end, &addend)))
    return false;
  if (at != end || addend > INT16_MAX)
    return false;
  *ret = (int16_t)addend;
  return true;
}

/* sp + offset + ((ip & 15) >= operand) * 8: where a PLT entry has pushed its number, and where not yet. */
static bool is_plt(const uint8_t *at, const uint8_t *end, uint8_t *ret_operand)
{
  static const uint8_t head[] = {DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and};
  static const uint8_t tail[] = {DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus};
  const uint8_t *literal = at + sizeof head;

  if (end - at != sizeof head + 1 + sizeof tail || memcmp(at, head, sizeof head) != 0 ||
      *literal < DW_OP_lit0 || *literal > DW_OP_lit15 || memcmp(literal + 1, tail, sizeof tail) != 0)
    return false;
  *ret_operand = (uint8_t)(*literal - DW_OP_lit0);
  return true;
}

static struct unwind_state set_deref(const struct unwind_machine *machine, struct unwind_state state,
                                     uint64_t number, int64_t offset, int16_t addend)
{
  enum unwind_cfa cfa = number == machine->sp   ? UNWIND_CFA_SP_DEREF
                        : number == machine->fp ? UNWIND_CFA_FP_DEREF
                                                : UNWIND_CFA_UNSUPPORTED;

  state = unwind_state_set_cfa_offset(state, cfa == UNWIND_CFA_UNSUPPORTED ? 0 : (int32_t)offset);
  state = unwind_state_set_cfa_kind(state, cfa, 0);
  if (cfa != UNWIND_CFA_UNSUPPORTED)
    state.low |= (uint64_t)(uint16_t)addend << 32;
  return state;
}

struct unwind_state unwind_expression_cfa(const struct unwind_machine *machine, struct unwind_state state,
                                          const uint8_t *at, const uint8_t *end)
{
  uint64_t number;
  int64_t offset;
  int16_t addend;
  uint8_t operand;

  if (!read_place(&at, end, &number, &offset) || offset != (int32_t)offset)
    goto unsupported;
  if (at == end)
    return unwind_state_set_cfa_register(machine, unwind_state_set_cfa_offset(state, (int32_t)offset),
                                         number);
  if (*at == DW_OP_deref && read_addend(at + 1, end, &addend))
    return set_deref(machine, state, number, offset, addend);
  if (machine->elf == EM_X86_64 && number == machine->sp && is_plt(at, end, &operand))
    return unwind_state_set_cfa_kind(unwind_state_set_cfa_offset(state, (int32_t)offset), UNWIND_CFA_PLT,
                                     operand);

unsupported:
  return unwind_state_set_cfa_kind(unwind_state_set_cfa_offset(state, 0), UNWIND_CFA_UNSUPPORTED, 0);
}

struct unwind_state unwind_expression_saved(const struct unwind_machine *machine, struct unwind_state state,
                                            uint64_t number, const uint8_t *at, const uint8_t *end)
{
  const struct unwind_register *saved = unwind_machine_register(machine, number);
  uint64_t from, marks;
  int64_t offset;

  if (!read_place(&at, end, &from, &offset) || at != end || offset % 8 != 0 ||
      offset / 8 != (int16_t)(offset / 8))
    return unwind_state_save(state, saved, UNWIND_SAVED_UNSUPPORTED, 0, 0);
  marks = from == machine->sp   ? UNWIND_FP_FROM_SP | UNWIND_BASE_FROM_SP | UNWIND_RA_FROM_SP
          : from == machine->fp ? UNWIND_FP_FROM_FP | UNWIND_BASE_FROM_FP
                                : 0;
  if (!(marks & saved->high))
    return unwind_state_save(state, saved, UNWIND_SAVED_UNSUPPORTED, 0, 0);
  return unwind_state_save(state, saved, UNWIND_SAVED_AT_CFA, (uint16_t)(offset / 8), marks);
}
