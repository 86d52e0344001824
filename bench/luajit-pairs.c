/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * luajit-pairs SCRIPT PAIRS sampler|hook: how much processor time the script's work() takes without sampling
 * and with it, in turns, in one process. A line a pair: nanoseconds without, nanoseconds with, samples'
 * capture in bytes.
 *
 *   sampler   libcapture's, by the wall's clock 1000 times a second, native frames and LuaJIT's machine code
 *   hook      LuaJIT's profiler, as examples/luajit uses it
 */
#include "samples.h"
#include "traces.h"

#include <lauxlib.h>
#include <lualib.h>

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

static uint64_t measure_sampled(capture *c, lua_State *L, int hook)
{
  if (hook)
    samples_begin(c, L);
  else if (capture_sampler_start(
               c, &(struct capture_sampler_options){.size = sizeof(struct capture_sampler_options),
                                                    .clock = CAPTURE_SAMPLE_WALL_TIME,
                                                    .frequency = 1000}) < 0)
    exit(1);
  uint64_t time = measure(L);
  if (hook)
    samples_end(L);
  else
    capture_sampler_stop(c);
  return time;
}

int main(int argc, char **argv)
{
  if (argc != 4)
    return 2;
  int pairs = atoi(argv[2]), hook = strcmp(argv[3], "hook") == 0;
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
      with = measure_sampled(c, L, hook);
      without = measure(L);
    } else {
      without = measure(L);
      with = measure_sampled(c, L, hook);
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
