/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * luajit-pairs SCRIPT PAIRS cpu|wall|hook|signal: how much processor time the script's work() takes without
 * sampling and with it, in turns, in one process. A line a pair: nanoseconds without, nanoseconds with,
 * samples' capture in bytes.
 *
 *   cpu      libcapture's sampler, 1000 times a second of processor time, as far as the kernel's tick permits
 *   wall     the same by the wall's clock, which no tick binds
 *   hook     LuaJIT's profiler, as examples/luajit uses it
 *   signal   as wall, but the handler does nothing: what the kernel takes for a timer and its signal
 */
#include "samples.h"
#include "traces.h"

#include <lauxlib.h>
#include <lualib.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint64_t processor_time(void)
{
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void work(lua_State *L)
{
  lua_getglobal(L, "work");
  if (samples_call(L, 0, 0) != 0) {
    fprintf(stderr, "%s\n", lua_tostring(L, -1));
    exit(1);
  }
}

/* A turn: what is compiled anew, is before the time counts. */
static uint64_t measure(lua_State *L)
{
  work(L);
  lua_gc(L, LUA_GCCOLLECT, 0);
  uint64_t begin = processor_time();
  work(L);
  return processor_time() - begin;
}

static void nothing(int number)
{
  (void)number;
}

static timer_t begin_signals(void)
{
  struct sigaction action = {.sa_handler = nothing, .sa_flags = SA_RESTART};
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF};
  struct itimerspec period = {.it_interval.tv_nsec = 1000000, .it_value.tv_nsec = 1000000};
  timer_t timer;
  sigaction(SIGPROF, &action, NULL);
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &period, NULL) != 0)
    exit(1);
  return timer;
}

static void begin_sampler(capture *c, enum capture_clock_of_sampler clock)
{
  struct capture_sampler_options options = {.size = sizeof(options), .clock = clock, .frequency = 1000};
  if (capture_sampler_start(c, &options) < 0)
    exit(1);
}

static uint64_t measure_sampled(capture *c, lua_State *L, const char *way)
{
  timer_t timer = NULL;
  uint64_t time;
  if (strcmp(way, "hook") == 0)
    samples_begin(c, L);
  else if (strcmp(way, "signal") == 0)
    timer = begin_signals();
  else
    begin_sampler(c, strcmp(way, "wall") == 0 ? CAPTURE_SAMPLE_WALL_TIME : CAPTURE_SAMPLE_CPU_TIME);

  time = measure(L);

  if (strcmp(way, "hook") == 0)
    samples_end(L);
  else if (strcmp(way, "signal") == 0)
    timer_delete(timer);
  else
    capture_sampler_stop(c);
  return time;
}

int main(int argc, char **argv)
{
  if (argc != 4)
    return 2;
  int pairs = atoi(argv[2]);
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  FILE *file = tmpfile();
  capture *c = NULL;
  if (!file ||
      capture_create(&c, fileno(file), &(struct capture_options){.size = sizeof(struct capture_options)}) < 0)
    return 1;
  capture_thread_begin(c, NULL);
  traces_begin(c, L);
  if (luaL_dofile(L, argv[1]) != 0)
    return 1;

  for (int i = 0; i < pairs; i++) {
    uint64_t without, with;
    if (i % 2) {
      with = measure_sampled(c, L, argv[3]);
      without = measure(L);
    } else {
      without = measure(L);
      with = measure_sampled(c, L, argv[3]);
    }
    capture_flush(c);
    printf("%llu %llu %lld\n", (unsigned long long)without, (unsigned long long)with,
           (long long)lseek(fileno(file), 0, SEEK_END));
    fflush(stdout);
  }
  capture_close(c);
  lua_close(L);
  fclose(file);
  return 0;
}
