/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the text of a source file comes from. Any thread; blocking. */
#pragma once

#include "profile/base/source-file.h"
#include "profile/capture/stacks.h"

G_BEGIN_DECLS

typedef struct {
  const char *path;      /* as debug information has it */
  const GArray *maps;    /* ProfilePathMap */
  ProfileStacks *stacks; /* whose function it is of: the binary has the build-id */
  guint32 function;
} ViewerSourceWanted;

/* Tries the ways that there are, one after the other, until one has the text. Never NULL: where none has, the
 * answer of the first says why. */
ProfileSourceFile *viewer_source_find(const ViewerSourceWanted *wanted);

G_END_DECLS
