/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/assembly/assembly-read.h"

#include <stdlib.h>
#include <string.h>

#define CALLED      1    /* that of assembly_called */
#define PENDING_MAX 4096 /* branches that are still to be followed */
#define ENTRIES_MAX 256  /* that one function jumps to */
#define TARGETS_MAX 64   /* of a jump by a register that are tried together */
#define JUMPS       2    /* by registers, that are remembered */
#define ALIGNMENT   16   /* where functions begin, mostly */

/* So many bytes of instructions may be looked at: as often as there are, and more for each instruction that
 * was read. What turns out to be no assembly costs little so. */
#define LOOKS_A_BYTE 1
#define LOOKS_EARNED 16
#define LOOKS_MIN    65536

/* So many failures one after another: it is data, or code of another kind. */
#define MISSES_MAX 32

/* No function has more instructions; who jumps on and on is none. */
#define INSTRUCTIONS_MAX 32768

/* endbr64: what may be called by a register begins with it. */
static const uint8_t landing[] = {0xf3, 0x0f, 0x1e, 0xfa};

/* How a function is tried. */
enum attempt {
  ATTEMPT_NO_ROOT = 1 << 0,   /* rbp is made 0 for another reason */
  ATTEMPT_NO_RETURN = 1 << 1, /* what is called at a function's end does not come back */
  ATTEMPT_DIVIDED = 1 << 2    /* parts of the function stand outside of the stretch that begins with it */
};

struct place {
  uint32_t run;   /* in which it was reached; 0: never */
  uint16_t state; /* its number, unless run is 0 */
  uint8_t length;
  bool is_entry : 1; /* it is called, or a function that was read ends in a jump to it */
  bool is_taken : 1; /* its address is */
  bool is_landing : 1;
  bool is_jump : 1; /* by a register, and was reached */
};

struct reader {
  struct assembly_room *room;
  const uint8_t *code;
  size_t size;
  uint64_t address;
  struct place *places;
  uint64_t looks; /* that may still be made */
  uint32_t misses;
  /* Of the function that is tried: */
  uint32_t run;
  unsigned int attempt;
  bool is_wrong;
  bool has_end;
  bool has_proof; /* the stack was given back, or another function agrees */
  bool has_frame;
  bool has_root;
  bool is_root;       /* from its first instruction on */
  bool has_last_call; /* behind which a function may end */
  bool is_likely;   /* a function often begins so: the stack is aligned where it calls, and that is enough */
  bool is_assembly; /* may call functions of its own with a stack that is not aligned */
  uint32_t n_instructions;
  uint32_t n_reached;
  uint16_t jumped; /* the state of its last jump by a register; 0: none */
  size_t behind_jump;
  uint32_t n_pending;
  uint32_t n_entries;
  uint32_t pending[PENDING_MAX];
  uint32_t entries[ENTRIES_MAX];
  uint32_t reached[INSTRUCTIONS_MAX];
  /* Of functions before: states of jumps by a register, the last one first. */
  uint16_t jumps[JUMPS];
};

static void reader_fail(struct reader *reader)
{
  reader->is_wrong = true;
}

/* The number of a state; 0 if there are too many, which is wrong then. */
static uint16_t reader_number(struct reader *reader, const struct assembly_state *state)
{
  uint16_t number = assembly_room_number(reader->room, state);

  reader->is_wrong |= number == 0;
  return number;
}

static bool reader_look(struct reader *reader, size_t n)
{
  bool may = reader->looks > n;

  reader->looks -= may ? n : reader->looks;
  return may;
}

/* The length of what fills the space between functions; 0: it is something else. */
static size_t padding_length(const uint8_t *code, size_t size)
{
  struct assembly_instruction instruction;

  if (size > 0 && (code[0] == 0xcc || code[0] == 0))
    return 1;
  return assembly_decode(code, size, &instruction) && instruction.kind == ASSEMBLY_PAD ? instruction.length
                                                                                       : 0;
}

static size_t skip_padding(const uint8_t *code, size_t size)
{
  size_t at = 0, length;

  while (at < size && (length = padding_length(code + at, size - at)) > 0)
    at += length;
  return at;
}

bool assembly_is_padding(const uint8_t *code, size_t size)
{
  return skip_padding(code, size) == size;
}

static void reader_push(struct reader *reader, size_t at)
{
  if (reader->n_pending == PENDING_MAX)
    reader_fail(reader);
  else
    reader->pending[reader->n_pending++] = (uint32_t)at;
}

/* A way comes, with that state, to where another function has been found consistent, or this one has been.
 * The state's number then; 0: nothing is news, or it is wrong. */
static uint16_t reader_meet(struct reader *reader, const struct place *place, uint16_t number)
{
  const struct assembly_state *there = &reader->room->states[place->state],
                              *state = &reader->room->states[number];
  struct assembly_state both;

  reader->has_proof |= place->run != reader->run && number != CALLED && there->sp.origin != ASSEMBLY_UNKNOWN;
  if (place->state == number)
    return 0;
  if (there->is_root != state->is_root ||
      (place->run != reader->run && memcmp(&there->sp, &state->sp, sizeof state->sp) != 0))
    reader_fail(reader);
  if (reader->is_wrong || place->run != reader->run)
    return 0;
  both = assembly_state_join(there, state);
  number = reader_number(reader, &both);
  return number == place->state ? 0 : number;
}

/* A way comes to `at`, where a state holds. True: that is news, and what follows is to be looked at. */
static bool reader_arrive(struct reader *reader, size_t at, uint16_t number)
{
  struct place *place = &reader->places[at];

  if (place->is_entry && !assembly_state_is_level(&reader->room->states[number]))
    reader_fail(reader);
  else if (place->run != 0)
    number = reader_meet(reader, place, number);
  if (number == 0 || reader->is_wrong)
    return false;
  if (place->run == 0 && reader->n_reached == INSTRUCTIONS_MAX) {
    reader_fail(reader);
    return false;
  }
  if (place->run == 0)
    reader->reached[reader->n_reached++] = (uint32_t)at;
  place->run = reader->run;
  place->state = number;
  return true;
}

/* A jump out of the stretch goes to another function, whose caller is this one's, or to a part of this. */
static void reader_jump(struct reader *reader, size_t at, int64_t distance)
{
  uint16_t number = reader->places[at].state;
  const struct assembly_state *state = &reader->room->states[number];
  int64_t target = (int64_t)at + distance;

  reader->has_proof |= reader->has_frame && assembly_state_is_level(state);
  if (target < 0 || target >= (int64_t)reader->size) {
    if (state->is_root || (!assembly_state_is_level(state) && !assembly_state_is_lost(state) &&
                           (reader->attempt & ATTEMPT_DIVIDED) == 0))
      reader_fail(reader);
    reader->has_end = true;
  } else if (number == CALLED && reader->places[target].run == 0) {
    /* It is tried as a function of its own. */
    if (reader->n_entries < ENTRIES_MAX)
      reader->entries[reader->n_entries++] = (uint32_t)target;
    reader->has_end = true;
  } else if (reader_arrive(reader, (size_t)target, number)) {
    reader_push(reader, (size_t)target);
  }
}

static bool is_inside(const struct reader *reader, size_t at, const struct assembly_instruction *instruction)
{
  int64_t target = (int64_t)at + instruction->value;

  return instruction->value != 0 && target >= 0 && target < (int64_t)reader->size;
}

/* Whether a call of something that does not come back may be the last of a function that ends at `at`. */
static bool is_end_of_function(const struct reader *reader, size_t at)
{
  size_t next = at + skip_padding(reader->code + at, reader->size - at < 64 ? reader->size - at : 64);

  return next >= reader->size || (reader->address + next) % ALIGNMENT == 0;
}

/* Where something is called the stack is aligned, but for functions of one file of assembly. */
static void reader_check_call(struct reader *reader, size_t at,
                              const struct assembly_instruction *instruction,
                              const struct assembly_state *state)
{
  if (state->sp.origin != ASSEMBLY_CFA || state->is_root || instruction->value == instruction->length)
    return;
  if (state->sp.offset % ALIGNMENT == 0)
    reader->has_proof |= reader->is_likely;
  else if (!reader->is_assembly || !is_inside(reader, at, instruction))
    reader_fail(reader);
}

static bool leave_alike(const struct reader *reader, uint16_t a, uint16_t b)
{
  return a != 0 && memcmp(&reader->room->states[a].sp, &reader->room->states[b].sp,
                          sizeof reader->room->states[a].sp) == 0;
}

/* What a jump by a register leads to, one before may lead to as well: what holds at both does there. */
static uint16_t reader_join_jumps(struct reader *reader, uint16_t before, uint16_t number)
{
  const struct assembly_state *states = reader->room->states;
  struct assembly_state both = assembly_state_join(&states[before != 0 ? before : number], &states[number]);

  return leave_alike(reader, before, number) ? reader_number(reader, &both) : number;
}

/* What an instruction does to the way; the distance to where it goes on, 0: nowhere. */
static size_t reader_step(struct reader *reader, size_t at, const struct assembly_instruction *instruction,
                          struct assembly_state *state)
{
  switch (instruction->kind) {
  case ASSEMBLY_RETURN:
    if (state->is_root || (!assembly_state_is_level(state) && !assembly_state_is_lost(state)))
      reader_fail(reader);
    reader->has_end = true;
    reader->has_proof |= assembly_state_is_level(state);
    return 0;
  case ASSEMBLY_STOP:
    reader->has_end = true;
    return 0;
  case ASSEMBLY_JUMP_BY_MEMORY:
  case ASSEMBLY_JUMP_BY_REGISTER:
    reader->has_end = true;
    reader->has_proof |= reader->has_frame && assembly_state_is_level(state);
    if (state->is_root)
      reader_fail(reader);
    if (instruction->kind == ASSEMBLY_JUMP_BY_REGISTER && !assembly_state_is_lost(state)) {
      reader->places[at].is_jump = true;
      reader->jumped = reader_join_jumps(reader, reader->jumped, reader->places[at].state);
      reader->behind_jump = at + instruction->length;
    }
    return 0;
  case ASSEMBLY_JUMP:
    reader_jump(reader, at, instruction->value);
    return 0;
  case ASSEMBLY_BRANCH:
    reader_jump(reader, at, instruction->value);
    return instruction->length;
  case ASSEMBLY_CALL:
    reader_check_call(reader, at, instruction, state);
    if (is_end_of_function(reader, at + instruction->length)) {
      reader->has_last_call = true;
      if ((reader->attempt & ATTEMPT_NO_RETURN) != 0) {
        reader->has_end = true;
        return 0;
      }
    }
    break;
  default:
    break;
  }
  struct assembly_instruction effect = *instruction;

  if (effect.kind == ASSEMBLY_CALL && effect.value == effect.length) /* to learn where it is */
    effect.kind = ASSEMBLY_PUSH;
  if (effect.kind == ASSEMBLY_ZERO && (reader->attempt & ATTEMPT_NO_ROOT) != 0)
    effect.kind = ASSEMBLY_OTHER;
  if (!assembly_state_pass(state, &effect))
    reader_fail(reader);
  reader->has_root |= state->is_root;
  reader->is_root |= state->is_root && assembly_state_is_level(state) &&
                     (reader->is_assembly || reader->n_instructions == 1);
  return instruction->length;
}

/* Whether another function begins at `at`, of which that is the beginning's state. */
static bool is_elsewhere(const struct reader *reader, size_t at, uint16_t number)
{
  const struct place *place = &reader->places[at];
  const struct assembly_state *state = &reader->room->states[number];

  return !assembly_state_is_level(state) &&
         (place->is_entry || (place->run != 0 && place->run != reader->run && place->state == CALLED));
}

/* Follows a way until it ends, or comes to where nothing is new. */
static void reader_follow(struct reader *reader, size_t at)
{
  struct assembly_instruction instruction;
  bool is_behind_call = false;

  while (!reader->is_wrong) {
    uint16_t number = reader->places[at].state;
    const struct assembly_state *before = &reader->room->states[number];
    struct assembly_state state = *before;
    bool is_known = assembly_decode(reader->code + at, reader->size - at, &instruction);

    if (!is_known || reader->n_instructions++ >= INSTRUCTIONS_MAX ||
        !reader_look(reader, instruction.length)) {
      reader_fail(reader);
      return;
    }
    reader->places[at].length = instruction.length;
    reader->has_frame |= state.sp.origin == ASSEMBLY_CFA && !assembly_state_is_level(&state);
    size_t length = reader_step(reader, at, &instruction, &state);
    if (length == 0 || reader->is_wrong)
      return;
    at += length;
    if (at >= reader->size) {
      if (instruction.kind != ASSEMBLY_CALL)
        reader_fail(reader);
      reader->has_end = true;
      return;
    }
    is_behind_call =
        instruction.kind == ASSEMBLY_CALL || (is_behind_call && instruction.kind == ASSEMBLY_PAD);
    if (is_behind_call && reader->places[at].is_landing) /* of an exception, from wherever it came */
      state.kept_fp = state.kept_base = (struct assembly_kept){0};
    if (memcmp(before, &state, sizeof state) != 0)
      number = reader_number(reader, &state);
    if (is_behind_call && is_elsewhere(reader, at, number)) {
      reader->has_end = true; /* what was called does not come back */
      return;
    }
    if (!reader_arrive(reader, at, number))
      return;
  }
}

static void reader_follow_all(struct reader *reader)
{
  while (reader->n_pending > 0 && !reader->is_wrong)
    reader_follow(reader, reader->pending[--reader->n_pending]);
}

/* A function that jumps by a register, and nothing proves it yet, goes on behind that jump: what it jumps to
 * stands there, mostly. */
static bool reader_go_behind_jump(struct reader *reader)
{
  size_t at = reader->behind_jump, step;
  uint16_t jumped = reader->jumped;

  if (reader->is_wrong || reader->has_proof || jumped <= CALLED)
    return false;
  while (at < reader->size && reader_look(reader, 1)) {
    const struct place *place = &reader->places[at];

    if (place->run != 0 && place->run != reader->run)
      return false;
    step = place->run != 0 ? place->length : padding_length(reader->code + at, reader->size - at);
    if (step == 0)
      break;
    at += step;
  }
  if (at >= reader->size || !reader_arrive(reader, at, jumped))
    return false;
  reader->attempt &= ~(unsigned int)ATTEMPT_DIVIDED; /* too much would be guessed */
  reader->behind_jump = at;
  reader_push(reader, at);
  return true;
}

/* Takes back what was reached. */
static void reader_forget(struct reader *reader)
{
  for (uint32_t i = 0; i < reader->n_reached; i++) {
    struct place *place = &reader->places[reader->reached[i]];

    *place = (struct place){
        .is_entry = place->is_entry, .is_taken = place->is_taken, .is_landing = place->is_landing};
  }
}

/* Remembers what was reached. */
static void reader_keep(struct reader *reader)
{
  reader->looks += LOOKS_EARNED * (uint64_t)reader->n_reached;
  for (uint32_t i = 0; i < reader->n_entries; i++)
    reader->places[reader->entries[i]].is_entry = true;
}

/* Tries whether a function begins at `at`, or goes on there, with that state. */
static bool reader_try(struct reader *reader, size_t at, const struct assembly_state *state,
                       unsigned int attempt)
{
  reader->run++;
  reader->attempt = attempt;
  reader->is_wrong = reader->has_end = reader->has_root = reader->is_root = false;
  reader->has_last_call = reader->has_frame = false;
  reader->has_proof = reader->places[at].is_entry;
  reader->n_pending = reader->n_entries = reader->n_instructions = reader->n_reached = 0;
  reader->jumped = 0;
  if (reader_arrive(reader, at, reader_number(reader, state)))
    reader_push(reader, at);
  reader_follow_all(reader);
  for (unsigned int i = 0; i < TARGETS_MAX && reader_go_behind_jump(reader); i++)
    reader_follow_all(reader);
  if (!reader->is_wrong && (reader->has_proof || (reader->is_root && reader->has_end))) {
    reader_keep(reader);
    return true;
  }
  reader_forget(reader);
  return false;
}

/* Where one behind a jump by a register may have led to, whose targets nobody knows. */
static bool reader_try_jumps(struct reader *reader, size_t at)
{
  reader->is_assembly = true;
  reader->is_likely = false;
  for (unsigned int i = 0; i < JUMPS && reader->jumps[i] != 0; i++) {
    const struct assembly_state state = reader->room->states[reader->jumps[i]];

    if (reader_try(reader, at, &state, 0) ||
        (reader->has_last_call && reader_try(reader, at, &state, ATTEMPT_NO_RETURN)))
      return true;
  }
  return false;
}

static bool reader_try_function(struct reader *reader, size_t at)
{
  const struct place *place = &reader->places[at];

  reader->is_assembly = place->is_entry || (reader->address + at) % ALIGNMENT == 0;
  reader->is_likely = place->is_entry || place->is_taken;
  for (unsigned int attempt = 0; attempt < (at == 0 ? 2 : 1) * ATTEMPT_DIVIDED; attempt++) {
    if (((attempt & ATTEMPT_NO_ROOT) != 0 && !reader->has_root) ||
        ((attempt & ~(unsigned int)ATTEMPT_DIVIDED) == ATTEMPT_NO_RETURN && !reader->has_last_call))
      continue;
    if (reader_try(reader, at, &assembly_called, attempt))
      return true;
  }
  return false;
}

/* Behind the next instruction that nothing goes on behind, from `at` on, which is in no function; or where a
 * function may begin. */
static size_t reader_skip(struct reader *reader, size_t at)
{
  struct assembly_instruction instruction;

  while (at < reader->size && reader->places[at].run == 0 && reader_look(reader, 1)) {
    if (!assembly_decode(reader->code + at, reader->size - at, &instruction))
      return at + ALIGNMENT - (reader->address + at) % ALIGNMENT;
    at += instruction.length;
    if (at < reader->size && (reader->places[at].is_entry || reader->places[at].is_taken))
      break;
    if (reader->misses > MISSES_MAX) {
      if (instruction.kind == ASSEMBLY_PAD && (reader->address + at) % ALIGNMENT == 0)
        break;
      continue;
    }
    if (instruction.kind == ASSEMBLY_RETURN || instruction.kind == ASSEMBLY_STOP ||
        (instruction.kind >= ASSEMBLY_JUMP && instruction.kind <= ASSEMBLY_JUMP_BY_MEMORY))
      break;
  }
  return at;
}

/* Marks what is called in the stretch, and whose address is taken. Where instructions begin is not known yet,
 * so a few marks are wrong. */
static void reader_mark(struct reader *reader)
{
  struct assembly_instruction instruction;

  for (size_t at = 0; at < reader->size; at += instruction.length) {
    if (!assembly_decode(reader->code + at, reader->size - at, &instruction)) {
      instruction.length = 1;
      continue;
    }
    if (instruction.length == sizeof landing && memcmp(reader->code + at, landing, sizeof landing) == 0)
      reader->places[at].is_landing = reader->places[at].is_taken = true;
    if (!is_inside(reader, at, &instruction) || instruction.value == instruction.length)
      continue;
    struct place *target = &reader->places[(int64_t)at + instruction.value];
    target->is_entry |= instruction.kind == ASSEMBLY_CALL;
    target->is_taken |= instruction.kind == ASSEMBLY_ADDRESS;
  }
}

/* Functions that are sure to be some come first: what jumps into another one's middle is a part of it then,
 * and not taken for a function. */
static void reader_try_landings(struct reader *reader)
{
  for (size_t at = 0; at < reader->size; at++) {
    if (reader->places[at].is_landing && reader->places[at].run == 0)
      reader_try_function(reader, at);
  }
}

static void reader_remember_jump(struct reader *reader, uint16_t jumped)
{
  if (!leave_alike(reader, reader->jumps[0], jumped))
    memmove(reader->jumps + 1, reader->jumps, (JUMPS - 1) * sizeof *reader->jumps);
  reader->jumps[0] = reader_join_jumps(reader, reader->jumps[0], jumped);
}

/* Goes over an instruction that was read. What functions before jumped to ends where another one begins. */
static size_t reader_pass(struct reader *reader, size_t at)
{
  const struct place *place = &reader->places[at];

  if (place->is_landing && place->state == CALLED)
    memset(reader->jumps, 0, sizeof reader->jumps);
  if (place->is_jump && place->state != CALLED)
    reader_remember_jump(reader, place->state);
  return place->length;
}

static void reader_sweep(struct reader *reader)
{
  size_t at = 0, padding;

  while (at < reader->size && reader_look(reader, 1)) {
    if (reader->places[at].run != 0)
      at += reader_pass(reader, at);
    else if ((padding = padding_length(reader->code + at, reader->size - at)) > 0)
      at += padding;
    else if ((!reader->places[at].is_entry && reader_try_jumps(reader, at)) ||
             reader_try_function(reader, at))
      reader->misses = 0;
    else {
      reader->misses++;
      at = reader_skip(reader, at);
    }
  }
}

static void reader_tell(const struct reader *reader, assembly_told told, void *data)
{
  uint32_t last = UINT32_MAX;
  size_t known_until = 0;

  for (size_t at = 0; at < reader->size; at++) {
    const struct place *place = &reader->places[at];

    if (place->run == 0 && at < known_until)
      continue;
    if (place->run != 0)
      known_until = at + place->length;
    uint32_t number = place->run == 0 ? 0 : place->state;
    if (number != last)
      told(data, at, number == 0 ? NULL : &reader->room->states[number]);
    last = number;
  }
}

void assembly_read(struct assembly_room *room, const uint8_t *code, size_t size, uint64_t address,
                   assembly_told told, void *data)
{
  struct reader *reader = calloc(1, sizeof *reader);

  size = size < ASSEMBLY_STRETCH_MAX ? size : ASSEMBLY_STRETCH_MAX;
  if (!reader || !assembly_room_provide(room) ||
      !(reader->places = calloc(size + 1, sizeof *reader->places))) {
    free(reader);
    told(data, 0, NULL);
    return;
  }
  reader->room = room;
  reader->code = code;
  reader->size = size;
  reader->address = address;
  reader->looks = LOOKS_MIN + LOOKS_A_BYTE * (uint64_t)size;
  reader_number(reader, &assembly_called);
  reader_mark(reader);
  reader_try_landings(reader);
  reader_sweep(reader);
  reader_tell(reader, told, data);
  free(reader->places);
  free(reader);
}
