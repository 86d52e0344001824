/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/preload/preload-chance.h"

#include <time.h>

/* xorshift64*, Marsaglia and Vigna. */
static uint64_t next_random(struct preload_chance *chance)
{
  chance->random ^= chance->random >> 12;
  chance->random ^= chance->random << 25;
  chance->random ^= chance->random >> 27;
  return chance->random * UINT64_C(0x2545f4914f6cdd1d);
}

/* -ln of a number in (0, 1] of so many 2^-53. By a series for the mantissa: right to 1e-6. */
static double minus_logarithm(uint64_t n)
{
  int exponent = 63 - __builtin_clzll(n);
  double mantissa = (double)n / (double)(UINT64_C(1) << exponent); /* 1 to 2 */
  double z = (mantissa - 1) / (mantissa + 1), zz = z * z;
  double ln = 2 * z * (1 + zz * (1. / 3 + zz * (1. / 5 + zz * (1. / 7 + zz * (1. / 9 + zz / 11)))));
  return (53 - exponent) * 0.69314718055994530942 - ln;
}

int64_t preload_chance_draw(struct preload_chance *chance, uint64_t interval)
{
  uint64_t n = (next_random(chance) >> 11) + 1;
  double mean = (double)interval;
  /* What is rounded up to whole bytes has the mean that is wanted: 1 / -ln(1 - 1 / mean), as a series. */
  double scale = mean - 1. / 2 - 1 / (12 * mean) - 1 / (24 * mean * mean);
  return (int64_t)(scale * minus_logarithm(n)) + 1;
}

static void preload_chance_seed(struct preload_chance *chance, uint64_t interval)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  chance->is_seeded = true;
  chance->random = (uint64_t)now.tv_sec << 30 ^ (uint64_t)now.tv_nsec;
  chance->random = (chance->random ^ (uint64_t)(uintptr_t)chance) * UINT64_C(0x9e3779b97f4a7c15) | 1;
  chance->bytes_left += preload_chance_draw(chance, interval);
}

uint64_t preload_chance_end(struct preload_chance *chance, uint64_t interval)
{
  uint64_t ends = 0;
  if (!chance->is_seeded)
    preload_chance_seed(chance, interval);
  for (; chance->bytes_left <= 0; ends++)
    chance->bytes_left += preload_chance_draw(chance, interval);
  return ends * interval;
}
