/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "profile/elf/kallsyms.h"

/* Columns over the text, which is either memory of ours or a mapped cache file. */
struct _ProfileKallsyms {
  const guint64 *addresses; /* ascending, equal ones in the text's order */
  const guint32 *names;     /* where the name begins in text */
  gsize n;
  const char *text;
  gsize text_length;
  gboolean hidden;
  guint64 *owned; /* addresses and names, when they were allocated */
  guint32 *owned_names;
  char *owned_text;
  GMappedFile *map; /* NULL: not from the cache */
};
