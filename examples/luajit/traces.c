/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces.h"

#include <lauxlib.h>

#include <stdio.h>
#include <string.h>

/* jit.util's function of a trace's number: pushes its results. */
static void ask(lua_State *L, const char *function, int trace, int n_results)
{
  lua_getglobal(L, "require");
  lua_pushliteral(L, "jit.util");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, function);
  lua_remove(L, -2);
  lua_pushinteger(L, trace);
  lua_call(L, 1, n_results);
}

/* A trace has been compiled; it begins in the function at `index`, whose source and line name it. */
static void add(capture *c, lua_State *L, int trace, int index)
{
  lua_Debug function;
  lua_pushvalue(L, index);
  lua_getinfo(L, ">S", &function);
  const char *file = *function.source == '@' ? function.source + 1 : function.short_src;
  char name[128];
  snprintf(name, sizeof(name), "trace %d of %s:%d", trace, file, function.linedefined);

  ask(L, "tracemc", trace, 2); /* the code, as a string, and its address */
  capture_code_add(c,
                   CAPTURE_OPTIONS(code, .start = (const void *)(uintptr_t)lua_tonumber(L, -1),
                                   .length = lua_objlen(L, -2), .name = capture_string(c, name, CAPTURE_NUL),
                                   .file = capture_string(c, file, CAPTURE_NUL),
                                   .line = (uint32_t)function.linedefined));
  lua_pop(L, 2);
}

/* jit.attach's callback: (what, trace, function, …). */
static int happened(lua_State *L)
{
  capture *c = lua_touserdata(L, lua_upvalueindex(1));
  const char *what = luaL_checkstring(L, 1);
  if (strcmp(what, "stop") == 0)
    add(c, L, (int)luaL_checkinteger(L, 2), 3);
  else if (strcmp(what, "flush") == 0)
    capture_code_remove(c, NULL, SIZE_MAX);
  return 0;
}

void traces_begin(capture *c, lua_State *L)
{
  if (!c)
    return;
  lua_getglobal(L, "jit");
  lua_getfield(L, -1, "attach");
  lua_pushlightuserdata(L, c);
  lua_pushcclosure(L, happened, 1);
  lua_pushliteral(L, "trace");
  lua_call(L, 2, 0);
  lua_pop(L, 1);
}
