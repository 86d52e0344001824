/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LuaJIT's machine code, named for a recording. */
#ifndef TRACES_H
#define TRACES_H

#include <capture-1/capture.h>
#include <lua.h>

/* Tells c of each trace that L compiles from now on, and when all are thrown away. Leaves the stack as it is.
 */
void traces_begin(capture *c, lua_State *L);

#endif
