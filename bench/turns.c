/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Preloaded into a program, notes how long each turn of its main loop took: from when something was there to
 * be done until it waits for more. A line a turn of half a millisecond or longer goes to the file
 * CAPTURE_BENCH_TURNS: microseconds of the clock, and of processor time.
 */
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <time.h>

enum { SHORTEST = 500 };

static int file = -1;
static gint64 begin, begin_cpu;

static gint64 get_cpu(void)
{
  struct timespec time;

  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * G_GINT64_CONSTANT(1000000) + time.tv_nsec / 1000;
}

static gint wait_for_turn(GPollFD *fds, guint n, gint timeout)
{
  gint64 elapsed = g_get_monotonic_time() - begin, cpu = get_cpu() - begin_cpu;

  if (begin > 0 && elapsed >= SHORTEST)
    dprintf(file, "%" G_GINT64_FORMAT " %" G_GINT64_FORMAT "\n", elapsed, cpu);
  gint result = g_poll(fds, n, timeout);
  begin = g_get_monotonic_time();
  begin_cpu = get_cpu();
  return result;
}

__attribute__((constructor)) static void start(void)
{
  const char *path = g_getenv("CAPTURE_BENCH_TURNS");

  file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
  if (file >= 0)
    g_main_context_set_poll_func(NULL, wait_for_turn);
}
