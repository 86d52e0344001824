/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/assembly/assembly-room.h"

#include <stdlib.h>
#include <string.h>

#define STATES_MAX 65535u /* numbers of 16 bits, the first for no state */
#define SLOTS      (2 * (STATES_MAX + 1))

static uint32_t state_hash(const struct assembly_state *state)
{
  uint32_t words[sizeof *state / 4], hash = 0;

  memcpy(words, state, sizeof words);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    hash = (hash ^ words[i]) * 0x9e3779b1u;
  return hash >> 8;
}

uint16_t assembly_room_number(struct assembly_room *room, const struct assembly_state *state)
{
  for (uint32_t i = state_hash(state);; i++) {
    uint32_t *slot = &room->slots[i % SLOTS];

    if (*slot != 0 && memcmp(&room->states[*slot], state, sizeof *state) == 0)
      return (uint16_t)*slot;
    if (*slot != 0)
      continue;
    if (room->n_states > STATES_MAX)
      return 0;
    *slot = room->n_states;
    room->states[room->n_states++] = *state;
    return (uint16_t)*slot;
  }
}

bool assembly_room_provide(struct assembly_room *room)
{
  if (room->states)
    return true;
  room->states = malloc((STATES_MAX + 1) * sizeof *room->states);
  room->slots = calloc(SLOTS, sizeof *room->slots);
  room->n_states = 1;
  if (room->states && room->slots)
    return true;
  assembly_room_clear(room);
  return false;
}

void assembly_room_clear(struct assembly_room *room)
{
  free(room->states);
  free(room->slots);
  *room = (struct assembly_room){0};
}
