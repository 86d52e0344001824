/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library for stacks.c to load: calls back, through a frame of its own, until the time has come. */
#include <stdint.h>
#include <time.h>

static volatile unsigned long sink;

static uint64_t now(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

__attribute__((noinline)) static void in_library(void (*callback)(void))
{
  callback();
  sink++;
}

void call(void (*callback)(void), uint64_t end)
{
  while (now() < end)
    in_library(callback);
  sink++;
}
