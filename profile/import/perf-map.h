/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a perf map, /tmp/perf-PID.map: a line a piece of machine code, `hexstart hexsize name`, without
 * times. Every byte is hostile; lines that make no sense are passed over. Pure functions, any thread.
 */
#pragma once

#include "profile/base/bytes.h"

G_BEGIN_DECLS

typedef struct {
  guint64 start, length; /* not empty, and not beyond the end of addresses */
  const char *name;      /* name_length bytes, no NUL */
  gsize name_length;
} ProfilePerfMapLine;

/* The next line that makes sense; bytes goes on behind it. False at the end. */
gboolean profile_perf_map_next(ProfileBytes *bytes, ProfilePerfMapLine *ret);

G_END_DECLS
