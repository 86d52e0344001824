/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/assembly/assembly-state.h"

#include <string.h>

#define WORD 8

/* No frame is larger: offsets that code adds up stay far from what an int32_t holds. */
#define OFFSET_MAX (1 << 28)

const struct assembly_state assembly_called = {.sp = {-WORD, ASSEMBLY_CFA},
                                               .other_register = ASSEMBLY_NO_REGISTER,
                                               .kept_fp = {.holds = true},
                                               .kept_base = {.holds = true}};

/* What a callee may change. */
static const uint16_t call_writes = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 6 | 1 << 7 | 0xf << 8;

static struct assembly_value *value_of(struct assembly_state *state, unsigned int reg)
{
  switch (reg) {
  case ASSEMBLY_RSP:
    return &state->sp;
  case ASSEMBLY_RBP:
    return &state->fp;
  case ASSEMBLY_RBX:
    return &state->base;
  default:
    return reg == state->other_register ? &state->other : NULL;
  }
}

static struct assembly_kept *kept_of(struct assembly_state *state, unsigned int reg)
{
  return reg == ASSEMBLY_RBP ? &state->kept_fp : reg == ASSEMBLY_RBX ? &state->kept_base : NULL;
}

static struct assembly_value value_add(struct assembly_value value, int64_t offset)
{
  int64_t sum = value.offset + offset;

  if (value.origin == ASSEMBLY_UNKNOWN || offset > OFFSET_MAX || offset < -OFFSET_MAX || sum > OFFSET_MAX ||
      sum < -OFFSET_MAX)
    return (struct assembly_value){0};
  return (struct assembly_value){(int32_t)sum, value.origin};
}

static bool is_at(struct assembly_value value, enum assembly_origin origin, int32_t offset)
{
  return value.origin == (uint32_t)origin && value.offset == offset;
}

static void state_forget_kept(struct assembly_state *state, struct assembly_kept *kept)
{
  if (kept->at != 0 && state->sp.origin == ASSEMBLY_CFA && kept->at < state->sp.offset)
    kept->at = 0;
}

/* rsp has moved: what lies below it is no longer there. */
static void state_move_stack(struct assembly_state *state, struct assembly_value to)
{
  state->sp = to;
  state_forget_kept(state, &state->kept_fp);
  state_forget_kept(state, &state->kept_base);
}

static void state_write(struct assembly_state *state, unsigned int reg, struct assembly_value value)
{
  struct assembly_kept *kept = kept_of(state, reg);
  struct assembly_value *place = value_of(state, reg);

  if (kept)
    kept->holds = false;
  if (reg == ASSEMBLY_RSP)
    state_move_stack(state, value);
  else if (place)
    *place = value;
  if (reg == state->other_register && value.origin == ASSEMBLY_UNKNOWN) {
    state->other_register = ASSEMBLY_NO_REGISTER;
    state->other = (struct assembly_value){0};
  }
  if (!place && reg < ASSEMBLY_NO_REGISTER && value.origin == ASSEMBLY_CFA) {
    state->other_register = reg;
    state->other = value;
  }
}

static void state_write_all(struct assembly_state *state, uint16_t writes)
{
  for (unsigned int reg = 0; writes != 0; reg++, writes = (uint16_t)(writes >> 1)) {
    if (writes & 1)
      state_write(state, reg, (struct assembly_value){0});
  }
}

/* Of a function that takes away its return address, or puts something else in its place, no more can be said.
 */
static void state_lose(struct assembly_state *state)
{
  *state = (struct assembly_state){.other_register = ASSEMBLY_NO_REGISTER};
}

/* A register's value is stored there; of none: something else is. */
static void state_store(struct assembly_state *state, unsigned int reg, struct assembly_value to)
{
  struct assembly_kept *kept = kept_of(state, reg), *all[] = {&state->kept_fp, &state->kept_base};
  struct assembly_value *value = value_of(state, reg);

  if (is_at(to, ASSEMBLY_CFA, -WORD)) {
    state_lose(state);
    return;
  }
  for (unsigned int i = 0; i < 2; i++) {
    if (to.origin == ASSEMBLY_CFA && all[i]->at == to.offset && !(all[i] == kept && kept->holds))
      all[i]->at = 0;
  }
  if (kept && kept->holds && kept->at == 0 && to.origin == ASSEMBLY_CFA && to.offset < 0 &&
      to.offset % WORD == 0)
    kept->at = to.offset;
  if (state->slot.origin != ASSEMBLY_UNKNOWN && is_at(to, state->slot.origin, state->slot.offset))
    state->slot = (struct assembly_value){0};
  if (to.origin == ASSEMBLY_ALIGNED && value && value->origin == ASSEMBLY_CFA) {
    state->slot = to;
    state->slot_holds = value->offset;
  }
}

static void state_load(struct assembly_state *state, unsigned int reg, struct assembly_value from)
{
  struct assembly_kept *kept = kept_of(state, reg);
  bool is_own = kept && kept->at != 0 && is_at(from, ASSEMBLY_CFA, kept->at);
  struct assembly_value value = {0};

  if (from.origin == ASSEMBLY_ALIGNED && state->slot.origin != ASSEMBLY_UNKNOWN &&
      is_at(from, ASSEMBLY_ALIGNED, state->slot.offset))
    value = (struct assembly_value){state->slot_holds, ASSEMBLY_CFA};
  state_write(state, reg, value);
  if (is_own)
    kept->holds = true;
}

/* Registers that belong to the caller: what they are restored from is never the return address. */
static bool is_callers(unsigned int reg)
{
  return reg >= ASSEMBLY_RBX && reg != ASSEMBLY_RSI && reg != ASSEMBLY_RDI &&
         (reg <= ASSEMBLY_RBP || reg > ASSEMBLY_R11) && reg != ASSEMBLY_NO_REGISTER;
}

static bool state_pop(struct assembly_state *state, unsigned int reg)
{
  struct assembly_value from = state->sp;

  if (from.origin == ASSEMBLY_CFA && from.offset >= -WORD) {
    state_lose(state);
    return !is_callers(reg);
  }
  if (reg != ASSEMBLY_NO_REGISTER)
    state_load(state, reg, from);
  if (reg != ASSEMBLY_RSP)
    state_move_stack(state, value_add(from, WORD));
  return true;
}

static void state_push(struct assembly_state *state, unsigned int reg)
{
  struct assembly_value pushed = reg == ASSEMBLY_RSP ? state->sp : (struct assembly_value){0};

  state->sp = value_add(state->sp, -WORD);
  state_store(state, pushed.origin == ASSEMBLY_UNKNOWN ? reg : ASSEMBLY_NO_REGISTER, state->sp);
}

static void state_copy(struct assembly_state *state, const struct assembly_instruction *instruction)
{
  struct assembly_value *from = value_of(state, instruction->base);
  struct assembly_value value = from ? value_add(*from, instruction->value) : (struct assembly_value){0};

  if (instruction->reg == instruction->base && instruction->value == 0)
    return;
  state_write(state, instruction->reg, value);
}

/* What was counted from where rsp was rounded down to before is counted from nothing now. */
static void state_align(struct assembly_state *state)
{
  struct assembly_value *all[] = {&state->fp, &state->base, &state->other, &state->slot};

  for (unsigned int i = 0; i < sizeof all / sizeof *all; i++) {
    if (all[i]->origin == ASSEMBLY_ALIGNED)
      *all[i] = (struct assembly_value){0};
  }
  state->sp.origin = state->sp.origin == ASSEMBLY_CFA ? ASSEMBLY_ALIGNED : ASSEMBLY_UNKNOWN;
  state->sp.offset = 0;
}

/* rbp is made 0 that nobody saved: so the innermost end of a stack is marked. */
static bool is_mark_of_root(const struct assembly_state *state,
                            const struct assembly_instruction *instruction)
{
  return instruction->reg == ASSEMBLY_RBP && state->kept_fp.holds && state->kept_fp.at == 0;
}

/* rsp must not come to lie above the return address. */
static bool is_below(const struct assembly_state *state)
{
  return state->sp.origin != ASSEMBLY_CFA || state->sp.offset <= -WORD;
}

bool assembly_state_pass(struct assembly_state *state, const struct assembly_instruction *instruction)
{
  const struct assembly_value *from;

  if (state->is_root)
    return true;
  switch (instruction->kind) {
  case ASSEMBLY_PUSH:
    state_push(state, instruction->reg);
    return true;
  case ASSEMBLY_POP:
    return state_pop(state, instruction->reg) && is_below(state);
  case ASSEMBLY_MOVE:
    state_copy(state, instruction);
    return is_below(state);
  case ASSEMBLY_ALIGN:
    state_align(state);
    return true;
  case ASSEMBLY_STORE:
    from = value_of(state, instruction->base);
    state_store(state, instruction->reg,
                from ? value_add(*from, instruction->value) : (struct assembly_value){0});
    return true;
  case ASSEMBLY_LOAD:
    from = value_of(state, instruction->base);
    state_load(state, instruction->reg,
               from ? value_add(*from, instruction->value) : (struct assembly_value){0});
    return is_below(state);
  case ASSEMBLY_ZERO:
    if (is_mark_of_root(state, instruction))
      state->is_root = true;
    state_write_all(state, instruction->writes);
    return true;
  case ASSEMBLY_LEAVE:
    state->sp = state->fp;
    return state_pop(state, ASSEMBLY_RBP);
  case ASSEMBLY_CALL:
    state_write_all(state, call_writes);
    return true;
  default:
    state_write_all(state, instruction->writes);
    return true;
  }
}

static struct assembly_value value_join(struct assembly_value a, struct assembly_value b)
{
  return a.origin == b.origin && a.offset == b.offset ? a : (struct assembly_value){0};
}

static struct assembly_kept kept_join(struct assembly_kept a, struct assembly_kept b)
{
  return (struct assembly_kept){.at = a.at == b.at ? a.at : 0, .holds = a.holds && b.holds};
}

struct assembly_state assembly_state_join(const struct assembly_state *a, const struct assembly_state *b)
{
  struct assembly_state state = {.sp = value_join(a->sp, b->sp),
                                 .fp = value_join(a->fp, b->fp),
                                 .base = value_join(a->base, b->base),
                                 .slot = value_join(a->slot, b->slot),
                                 .slot_holds = a->slot_holds,
                                 .other_register = ASSEMBLY_NO_REGISTER,
                                 .kept_fp = kept_join(a->kept_fp, b->kept_fp),
                                 .kept_base = kept_join(a->kept_base, b->kept_base),
                                 .is_root = a->is_root && b->is_root};

  if (a->slot_holds != b->slot_holds)
    state.slot = (struct assembly_value){0};
  if (a->other_register == b->other_register) {
    state.other = value_join(a->other, b->other);
    if (state.other.origin != ASSEMBLY_UNKNOWN)
      state.other_register = a->other_register;
  }
  return state;
}

bool assembly_state_is_lost(const struct assembly_state *state)
{
  return state->sp.origin == ASSEMBLY_UNKNOWN;
}

bool assembly_state_is_level(const struct assembly_state *state)
{
  return is_at(state->sp, ASSEMBLY_CFA, -WORD);
}
