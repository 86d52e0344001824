/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose code a function is: what colours tell apart, and what people group by. Thread-safe. */
#pragma once

#include "profile/capture/stacks.h"

G_BEGIN_DECLS

typedef enum {
  PROFILE_KIND_PROGRAM,   /* programs, and whatever lies where no system installs: what people write */
  PROFILE_KIND_LIBRARY,   /* that the system has, and none of the next */
  PROFILE_KIND_TOOLKIT,   /* of windows and drawings, and what these are made of */
  PROFILE_KIND_LANGUAGE,  /* a language's runtime, with its own library */
  PROFILE_KIND_C_LIBRARY, /* of C and C++, with allocators and the dynamic linker */
  PROFILE_KIND_KERNEL,
  PROFILE_KIND_RUN_TIME, /* made at run time, of which no file is known */
  PROFILE_KIND_UNKNOWN,  /* memory of which nothing is known */
  PROFILE_KINDS
} ProfileKind;

/* Of a binary's path, "[kernel]" and the like. */
ProfileKind profile_kind_of_binary(const char *path);
/* Of an index of the stacks' functions. Functions of a language are of the kind that their source file is. */
ProfileKind profile_kind_of_function(const ProfileStacks *stacks, guint32 function);

G_END_DECLS
