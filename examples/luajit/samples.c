/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "samples.h"

#include <luajit.h>

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

/* Of one thread, since LuaJIT's profiler is one a process. */
static struct {
  capture *c;
  uint32_t event;
  uint64_t last;    /* time of the thread up to which there are samples */
  const void *host; /* frame of the call into Lua */
  struct sigaction signal;
} sampler;

static _Atomic(const void *) in_native, interrupted_native;

static uint64_t thread_time(void)
{
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static uint64_t identifier(const char *name, const char *file, int line)
{
  uint32_t function =
      capture_function(sampler.c, capture_string(sampler.c, name, CAPTURE_NUL),
                       capture_string(sampler.c, file, CAPTURE_NUL), line > 0 ? (uint32_t)line : 0);
  return CAPTURE_IDENTIFIER(function);
}

static void add_lua_frames(struct capture_stack *stack, lua_State *L)
{
  lua_Debug call;
  for (int level = 0; lua_getstack(L, level, &call); level++) {
    lua_getinfo(L, "nS", &call);
    const char *file = *call.source == '@' ? call.source + 1 : call.short_src;
    char place[LUA_IDSIZE + 32];
    snprintf(place, sizeof(place), *call.what == 'm' ? "main chunk" : "function <%s:%d>", file,
             call.linedefined);
    capture_sample_frame(stack, identifier(call.name ? call.name : place, file, call.linedefined));
  }
}

/* LuaJIT's profiler hook. Its timer may be coarser than asked for, so a sample stands for the time that
 * passed. */
static void take(void *data, lua_State *L, int samples, int state)
{
  (void)data, (void)samples;
  struct capture_stack stack;
  const void *native = atomic_exchange(&interrupted_native, NULL);
  uint64_t now = thread_time(), weight = now - sampler.last;
  sampler.last = now;
  if (capture_sample_begin(sampler.c, &stack,
                           CAPTURE_OPTIONS(sample_options, .event = sampler.event, .weight = weight)) < 0)
    return;

  if (state == 'C' && native)
    capture_sample_frame(&stack, (uintptr_t)native);
  else if (state == 'G')
    capture_sample_frame(&stack, identifier("(garbage collector)", NULL, 0));
  else if (state == 'J')
    capture_sample_frame(&stack, identifier("(compiler)", NULL, 0));
  add_lua_frames(&stack, L);
  capture_sample_skip(&stack, sampler.host);
  capture_sample_native(&stack, NULL);
  capture_sample_end(&stack);
}

/* LuaJIT calls its hook only when the C function has returned: which one it was is noted when the signal
 * comes. */
static void note_native(int number, siginfo_t *info, void *context)
{
  atomic_store(&interrupted_native, atomic_load(&in_native));
  if (sampler.signal.sa_flags & SA_SIGINFO)
    sampler.signal.sa_sigaction(number, info, context);
  else
    sampler.signal.sa_handler(number);
}

void samples_begin(capture *c, lua_State *L)
{
  if (!c)
    return;
  sampler.c = c;
  sampler.event = capture_event(c, "luajit", CAPTURE_EVENT_NANOSECONDS, 1000000);
  sampler.last = thread_time();
  luaJIT_profile_start(L, "li1", take, NULL);

  struct sigaction action = {.sa_sigaction = note_native, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigaction(SIGPROF, NULL, &sampler.signal);
  sigaction(SIGPROF, &action, NULL);
}

void samples_end(lua_State *L)
{
  if (sampler.c)
    luaJIT_profile_stop(L);
  sampler.c = NULL;
}

__attribute__((noinline)) int samples_call(lua_State *L, int n_arguments, int n_results)
{
  const void *before = sampler.host;
  sampler.host = __builtin_frame_address(0);
  int status = lua_pcall(L, n_arguments, n_results, 0);
  sampler.host = before;
  return status;
}

void samples_in_native(const void *function)
{
  atomic_store_explicit(&in_native, function, memory_order_relaxed);
}
