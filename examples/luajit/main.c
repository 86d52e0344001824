/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A host of LuaJIT whose profiler hook delivers samples to a recording, and whose machine code is named
 * there.
 *
 *   luajit-host SCRIPT [SECONDS]       of processor time
 */
#include "samples.h"
#include "traces.h"

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
  for (uint64_t i = 0; i < 4 * rounds; i++) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
  }
  return state;
}

static int mix(lua_State *L)
{
  uint64_t rounds = (uint64_t)luaL_checknumber(L, 1);
  samples_in_native((const void *)(uintptr_t)scramble);
  lua_pushnumber(L, (lua_Number)scramble(rounds));
  samples_in_native(NULL);
  return 1;
}

static int over(lua_State *L)
{
  lua_pushboolean(L, processor_time() >= end);
  return 1;
}

__attribute__((noinline)) static int run_script(lua_State *L, const char *path)
{
  if (luaL_loadfile(L, path) == 0 && samples_call(L, 0, 0) == 0)
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
  lua_register(L, "mix", mix);
  lua_register(L, "over", over);

  capture *c = NULL;
  capture_connect(&c, CAPTURE_OPTIONS(options, .name = "luajit"));
  capture_thread_begin(c, NULL);
  traces_begin(c, L);
  samples_begin(c, L);

  int status = run_script(L, argv[1]);

  samples_end(L);
  capture_close(c);
  lua_close(L);
  return status;
}
