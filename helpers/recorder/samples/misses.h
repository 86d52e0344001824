/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stacks that were missed when a thread left the CPU or woke another one, until the record of that comes. */
#ifndef RECORDER_MISSES_H
#define RECORDER_MISSES_H

#include <stddef.h>

#include "helpers/recorder/bpf/raw.h"
#include "helpers/recorder/common/table.h"

struct recorder_miss;

struct recorder_misses {
  struct recorder_table table;
  struct recorder_miss *first; /* the oldest */
  struct recorder_miss *last;
  size_t size; /* bytes of all */
};

void recorder_misses_init(struct recorder_misses *misses);
void recorder_misses_clear(struct recorder_misses *misses);

/* Keeps a copy of the raw record of `size` bytes that thread tid left. A thread that leaves the CPU takes the
 * place of what it left before: it has been back. The oldest are given up when all are too much. */
void recorder_misses_add(struct recorder_misses *misses, int32_t tid, const struct recorder_raw *raw,
                         size_t size);
/* Takes out what that thread left as that kind under that time (raw->ip); NULL: nothing. Free it with
 * recorder_miss_free. */
struct recorder_miss *recorder_misses_take(struct recorder_misses *misses, enum recorder_raw_kind kind,
                                           int32_t tid, uint64_t since);
const struct recorder_raw *recorder_miss_raw(const struct recorder_miss *miss);
void recorder_miss_free(struct recorder_miss *miss);

#endif
