/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The calls of a Lua state, kept where a signal handler can read them. Lua's call hook tells of Lua's
 * functions; the host tells where it calls Lua, and where Lua calls it, so that a sample has its native
 * frames in their places.
 */
#ifndef SHADOW_H
#define SHADOW_H

#include <capture-1/capture.h>
#include <lua.h>

/* Follows the calls of L, and of its coroutines, in this thread. */
void shadow_begin(capture *c, lua_State *L);

/* Around the host's calls of Lua, lua_pcall: like it, but nothing else. */
int shadow_call(lua_State *L, int n_arguments, int n_results);

/* Pushes a function of the host's for Lua to call. */
void shadow_push_native(lua_State *L, lua_CFunction function);

/* The frames of a sample: a capture_stack_fn. */
void shadow_frames(struct capture_stack *stack, const void *ucontext, void *data);

#endif
