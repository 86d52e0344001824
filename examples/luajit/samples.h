/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LuaJIT's own profiler, into a recording. */
#ifndef SAMPLES_H
#define SAMPLES_H

#include <capture-1/capture.h>
#include <lua.h>

/* Samples L, whose thread this is, until samples_end. */
void samples_begin(capture *c, lua_State *L);
void samples_end(lua_State *L);

/* Around the host's calls of Lua: lua_pcall, but its caller appears below Lua's functions. */
int samples_call(lua_State *L, int n_arguments, int n_results);

/* What the host does in C when Lua calls it: LuaJIT says only that it was C. NULL: nothing any more. */
void samples_in_native(const void *function);

#endif
