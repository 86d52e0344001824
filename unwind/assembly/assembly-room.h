/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The states that were met, each once and by its number, the same one in all stretches. */
#ifndef ASSEMBLY_ROOM_H
#define ASSEMBLY_ROOM_H

#include "unwind/assembly/assembly-state.h"

/* Zero at first. May be used for many stretches, one after another. */
struct assembly_room {
  struct assembly_state *states; /* by their numbers */
  uint32_t *slots;
  uint32_t n_states;
};

/* Before numbers are asked for. False: there is no memory. */
bool assembly_room_provide(struct assembly_room *room);

/* The number of a state; 0: there are too many. */
uint16_t assembly_room_number(struct assembly_room *room, const struct assembly_state *state);

void assembly_room_clear(struct assembly_room *room);

#endif
