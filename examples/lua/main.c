/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A host of Lua 5.4 that is sampled by signals: Lua's functions come from a shadow stack, between the native
 * frames that call them and those that they call.
 *
 *   lua-host SCRIPT [SECONDS]       of processor time
 */
#include "shadow.h"

#include <lauxlib.h>
#include <lualib.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double end; /* of the work, in seconds of processor time */

static double processor_time(void)
{
  return (double)clock() / CLOCKS_PER_SEC;
}

/* mix(n): n rounds of something that the compiler does not see through. The state lies on the stack: GCC
 * gives functions that need no stack no frame record either. */
__attribute__((noinline)) static uint64_t scramble(uint64_t rounds)
{
  volatile uint64_t state = 88172645463325252;
  for (uint64_t i = 0; i < 8 * rounds; i++) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
  }
  return state;
}

static int mix(lua_State *L)
{
  lua_pushinteger(L, (lua_Integer)scramble((uint64_t)luaL_checkinteger(L, 1)));
  return 1;
}

/* each(n, f): calls f(1) … f(n). */
static int each(lua_State *L)
{
  lua_Integer n = luaL_checkinteger(L, 1);
  for (lua_Integer i = 1; i <= n; i++) {
    lua_pushvalue(L, 2);
    lua_pushinteger(L, i);
    if (shadow_call(L, 1, 0) != LUA_OK)
      return lua_error(L);
  }
  return 0;
}

static int over(lua_State *L)
{
  lua_pushboolean(L, processor_time() >= end);
  return 1;
}

static void publish(lua_State *L, const char *name, lua_CFunction function)
{
  shadow_push_native(L, function);
  lua_setglobal(L, name);
}

__attribute__((noinline)) static int run_script(lua_State *L, const char *path)
{
  if (luaL_loadfile(L, path) == LUA_OK && shadow_call(L, 0, 0) == LUA_OK)
    return 0;
  fprintf(stderr, "%s\n", lua_tostring(L, -1));
  return 1;
}

int main(int argc, char **argv)
{
  if (argc < 2)
    return 2;
  end = argc > 2 ? strtod(argv[2], NULL) : 2;
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  publish(L, "mix", mix);
  publish(L, "each", each);
  publish(L, "over", over);

  capture *c = NULL;
  capture_connect(&c, CAPTURE_OPTIONS(options, .name = "lua"));
  capture_thread_begin(c, NULL);
  shadow_begin(c, L);
  capture_sampler_start(c, CAPTURE_OPTIONS(sampler_options, .stack = shadow_frames));

  int status = run_script(L, argv[1]);

  capture_close(c);
  lua_close(L);
  return status;
}
