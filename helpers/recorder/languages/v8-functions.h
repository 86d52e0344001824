/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a frame of V8's code to the lines of the functions that it stands for. */
#ifndef RECORDER_V8_FUNCTIONS_H
#define RECORDER_V8_FUNCTIONS_H

#include "helpers/recorder/languages/functions.h"

/* Calls that are inlined in each other. */
#define RECORDER_V8_DEPTH 16

/* The functions that a WALK_WORD stands for, the innermost first, as WALK_WORDs whose unit is the line
 * (WALK_WORD_LINE): one, or those that are inlined there and the one that they are inlined in. Returns how
 * many; 0: the word is not V8's. */
uint32_t recorder_v8_expand(const struct recorder_functions *functions, uint64_t word,
                            uint64_t ret[RECORDER_V8_DEPTH]);

#endif
