/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opened late by recorder-target. */
#include <time.h>

unsigned recorder_test_burn(double length);

static double cpu_time(void)
{
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

unsigned recorder_test_burn(double length)
{
  unsigned value = 1;
  for (double end = cpu_time() + length; cpu_time() < end;)
    for (volatile int i = 0; i < 100000; i++)
      value = value * 1664525 + 1013904223;
  return value;
}
