/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shadow.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { CAPACITY = 4096 };

enum kind {
  CALLED,  /* a function of Lua's, or of a library in C: has a name */
  ENTERED, /* the host called Lua: native frames go on outside of `native` */
  LEFT,    /* Lua called the host: native frames inside of `native` */
};

struct entry {
  enum kind kind;
  uint64_t frame;
  const void *native;          /* a frame's address */
  const lua_State *L;          /* whose call it is */
  const struct CallInfo *call; /* which one; only compared */
};

static capture *recording;
static struct entry entries[CAPACITY];
static _Atomic unsigned depth; /* a handler sees no entry that is not whole */

static void cut(unsigned to)
{
  atomic_store_explicit(&depth, to, memory_order_release);
}

static void push(struct entry entry)
{
  if (depth < CAPACITY) {
    entries[depth] = entry;
    cut(depth + 1);
  }
}

static void push_function(lua_State *L, lua_Debug *call)
{
  lua_getinfo(L, "nS", call);
  const char *file = *call->source == '@' ? call->source + 1 : call->short_src;
  char place[LUA_IDSIZE + 32];
  snprintf(place, sizeof(place), *call->what == 'm' ? "main chunk" : "function <%s:%d>", file,
           call->linedefined);
  const char *name = call->name ? call->name : place;
  uint32_t line = call->linedefined > 0 ? (uint32_t)call->linedefined : 0;
  uint32_t function = capture_function(recording, capture_string(recording, name, CAPTURE_NUL),
                                       capture_string(recording, file, CAPTURE_NUL), line);
  push((struct entry){.frame = CAPTURE_IDENTIFIER(function), .L = L, .call = call->i_ci});
}

/* The top was not called by L's present caller: a coroutine goes on, whose functions are not there any more.
 * Those that called `host`, the function of the host's that called Lua again, are. */
static void push_callers(lua_State *L, const struct CallInfo *host)
{
  lua_Debug call;
  int level = 1;
  while (lua_getstack(L, level, &call) && call.i_ci != host)
    level++;
  while (--level > 0 && lua_getstack(L, level, &call))
    push_function(L, &call);
}

/* Makes the function that called the present one the top. Errors, yields and tail calls end functions without
 * a word, so what is above it goes by comparing, not by counting. */
static void find_caller(lua_State *L)
{
  lua_Debug caller;
  bool exists = lua_getstack(L, 1, &caller);
  unsigned top = depth, bottom;
  for (bottom = top; bottom > 0 && entries[bottom - 1].kind != ENTERED; bottom--)
    if (exists && entries[bottom - 1].L == L && entries[bottom - 1].call == caller.i_ci) {
      cut(bottom);
      return;
    }
  if (exists && top == CAPACITY)
    return;
  while (top > bottom && entries[top - 1].L == L)
    top--;
  cut(top);
  if (exists)
    push_callers(L, bottom > 1 ? entries[bottom - 2].call : NULL);
}

static void hook(lua_State *L, lua_Debug *call)
{
  find_caller(L);
  if (call->event != LUA_HOOKRET)
    push_function(L, call);
}

void shadow_begin(capture *c, lua_State *L)
{
  recording = c;
  if (c)
    lua_sethook(L, hook, LUA_MASKCALL | LUA_MASKRET, 0);
}

__attribute__((noinline)) int shadow_call(lua_State *L, int n_arguments, int n_results)
{
  unsigned before = depth;
  push((struct entry){.kind = ENTERED, .native = __builtin_frame_address(0)});
  int status = lua_pcall(L, n_arguments, n_results, 0);
  cut(before);
  return status;
}

/* What Lua calls instead of the host's function. The hook has pushed it already. */
static int call_native(lua_State *L)
{
  lua_Debug call;
  if (recording && depth > 0 && depth < CAPACITY && lua_getstack(L, 0, &call) &&
      entries[depth - 1].call == call.i_ci) {
    struct entry *top = &entries[depth - 1];
    top->native = __builtin_frame_address(0);
    atomic_signal_fence(memory_order_release);
    top->kind = LEFT;
  }
  lua_CFunction function;
  memcpy(&function, lua_touserdata(L, lua_upvalueindex(1)), sizeof(function));
  return function(L);
}

void shadow_push_native(lua_State *L, lua_CFunction function)
{
  memcpy(lua_newuserdatauv(L, sizeof(function), 0), &function, sizeof(function));
  lua_pushcclosure(L, call_native, 1);
}

void shadow_frames(struct capture_stack *stack, const void *ucontext, void *data)
{
  (void)ucontext, (void)data;
  for (unsigned i = atomic_load_explicit(&depth, memory_order_acquire); i > 0; i--) {
    const struct entry *entry = &entries[i - 1];
    if (entry->kind == LEFT)
      capture_sample_native(stack, entry->native);
    else if (entry->kind == ENTERED)
      capture_sample_skip(stack, entry->native);
    else
      capture_sample_frame(stack, entry->frame);
  }
  capture_sample_native(stack, NULL);
}
