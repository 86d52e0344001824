/* SPDX-License-Identifier: GPL-3.0-or-later */
/* work SECONDS [sleep]: computes at the end of twenty calls; with sleep it also waits in between. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) static unsigned deep(unsigned depth, unsigned seed)
{
  volatile unsigned value = seed * 2654435761u;

  if (depth > 0)
    return deep(depth - 1, value) + 1;
  for (int i = 0; i < 20000; i++)
    value = value * 1664525u + 1013904223u;
  return value;
}

static double now(void)
{
  struct timespec time;

  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
  double end = now() + (argc > 1 ? atof(argv[1]) : 1);
  unsigned sum = 0;

  while (now() < end) {
    sum += deep(20, sum);
    if (argc > 2)
      usleep(2000);
  }
  return sum == 1;
}
