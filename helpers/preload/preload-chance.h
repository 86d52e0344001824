/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which allocations are sampled, by bytes: those of at least the interval are all sampled and stand for
 * themselves; of smaller ones each byte is the end of an interval with the chance 1 / interval, whatever was
 * before, and a sample stands for as many intervals as ended in it. So the sums are right on average for any
 * pattern of sizes, and with an interval of 1 exactly.
 */
#ifndef PRELOAD_CHANCE_H
#define PRELOAD_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

/* One thread's, zero at first. */
struct preload_chance {
  int64_t bytes_left; /* to the end of the interval */
  uint64_t random;    /* the generator's state */
  bool is_seeded;
};

/* Bytes to the end of an interval: exponentially distributed, at least 1. */
int64_t preload_chance_draw(struct preload_chance *chance, uint64_t interval);
/* What is left of preload_chance_weight when an interval has ended. */
uint64_t preload_chance_end(struct preload_chance *chance, uint64_t interval);

/* For how many bytes an allocation of that size stands; 0: it is not sampled. */
static inline uint64_t preload_chance_weight(struct preload_chance *chance, uint64_t size, uint64_t interval)
{
  if (size >= interval)
    return size;
  chance->bytes_left -= (int64_t)size;
  return __builtin_expect(chance->bytes_left > 0, 1) ? 0 : preload_chance_end(chance, interval);
}

#endif
