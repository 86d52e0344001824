/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What x86-64 code that nothing describes says of its frames: functions are followed from their first
 * instruction on, over all branches. Nobody says where functions begin, unless endbr64 does, so each place is
 * tried that a function may begin at: behind the end of another one. What was read is believed only if it is
 * consistent: all ways to a place leave the stack alike, and each return finds the return address. Every byte
 * is hostile: time and memory are bounded by the size of the code.
 */
#ifndef ASSEMBLY_READ_H
#define ASSEMBLY_READ_H

#include <stddef.h>

#include "unwind/assembly/assembly-room.h"

/* No more of a stretch of code is read. */
#define ASSEMBLY_STRETCH_MAX ((size_t)16 << 20)

/* Told in ascending order of what holds from `at` on, counted from the stretch's beginning, where that is
 * first; NULL: nothing is known. */
typedef void (*assembly_told)(void *data, size_t at, const struct assembly_state *state);

/* Whether code is nothing but what fills the space between functions. */
bool assembly_is_padding(const uint8_t *code, size_t size);

/* Reads a stretch of code that is loaded at an address. Without memory nothing is known. */
void assembly_read(struct assembly_room *room, const uint8_t *code, size_t size, uint64_t address,
                   assembly_told told, void *data);

#endif
