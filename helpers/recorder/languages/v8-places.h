/* SPDX-License-Identifier: GPL-3.0-or-later */
/* V8's tables of where in a script code comes from. */
#ifndef RECORDER_V8_PLACES_H
#define RECORDER_V8_PLACES_H

#include <stddef.h>
#include <stdint.h>

/* The place of what stands at an offset of the code, by a table whose bytes are anything; 0: it does not say.
 */
uint64_t recorder_v8_place(const uint8_t *table, size_t size, uint64_t at);

/* How far in its bytecode baseline code is at an offset, by a table as code has it of how long the code of
 * each bytecode is. lengths: of each of n bytecodes, then with wide operands, then with those twice as wide.
 * UINT64_MAX: before the first, or not known. */
uint64_t recorder_v8_bytecode(const uint8_t *table, size_t size, const uint8_t *bytecode,
                              size_t bytecode_size, const uint8_t *lengths, size_t n, uint64_t at);

/* Of a place: where in the script, in characters; UINT32_MAX: nowhere. */
uint32_t recorder_v8_position(uint64_t place);
/* Of which inlined call, counted from 1; 0: of none. */
uint32_t recorder_v8_inlined(uint64_t place);

/* The line of that position, of a function that begins at `start` in the line `first`, and whose n first
 * lines have these lengths from there on. 0: it is not known. */
uint32_t recorder_v8_line(uint32_t start, uint32_t first, const uint32_t *lengths, size_t n,
                          uint32_t position);

#endif
