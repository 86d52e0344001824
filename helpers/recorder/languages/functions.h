/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions of languages that BPF programs told of, by the numbers by which stacks name them, and how
 * they come into the stream.
 */
#ifndef RECORDER_FUNCTIONS_H
#define RECORDER_FUNCTIONS_H

#include "helpers/recorder/bpf/raw.h"
#include "helpers/recorder/common/table.h"
#include "helpers/recorder/stream/output.h"

struct recorder_functions {
  struct recorder_table told;        /* struct function, by number */
  struct recorder_table identifiers; /* in `epoch`: by number and line, a FUNCTION's or FUNCTION_LINE's */
  struct recorder_table expanded;    /* struct expanded, by word */
  uint32_t epoch;
  uint64_t size;    /* bytes of what was told */
  uint64_t unnamed; /* frames of functions of which nothing was told, or that was beyond the bound */
};

void recorder_functions_init(struct recorder_functions *functions);
void recorder_functions_clear(struct recorder_functions *functions);

/* Takes what a record told. False when it is damaged. */
bool recorder_functions_add(struct recorder_functions *functions, const struct recorder_raw *raw,
                            uint32_t size);

/* The addresses of a stack with each WALK_WORD that stands for several functions, or says no line by itself,
 * replaced by words that do. Returns how many: `room` at most, which is not less than count. */
uint32_t recorder_functions_expand(struct recorder_functions *functions, const uint64_t *addresses,
                                   uint32_t count, uint64_t *ret, uint32_t room);

/* Whether more cannot be learnt of that WALK_WORD: what it stands for was told, or never will be. */
bool recorder_functions_know(const struct recorder_functions *functions, uint64_t word);

/* The frame of that WALK_WORD, of an expanded stack, in the process, which is defined in this epoch; or as
 * recorder_output's. */
int64_t recorder_functions_frame(struct recorder_functions *functions, struct recorder_output *output,
                                 const struct recorder_process *process, uint64_t word);

#endif
