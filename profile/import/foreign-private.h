/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the decoders of foreign bytes share. */
#pragma once

#include "profile/import/foreign.h"

G_BEGIN_DECLS

/* foreign-syscap.c, foreign-perf-map.c, foreign-jitdump.c: ProfileForeignDecodeFunc
 */
gboolean profile_foreign_decode_syscap(const ProfileForeign *foreign, capture_writer *writer, GError **error);
gboolean profile_foreign_decode_perf_map(const ProfileForeign *foreign, capture_writer *writer,
                                         GError **error);
gboolean profile_foreign_decode_jitdump(const ProfileForeign *foreign, capture_writer *writer,
                                        GError **error);

/* Machine code of one process, on its way into a writer: that of the pid at the time of the earliest code,
 * or, where no times are, the last one. */
typedef struct {
  capture_writer *writer;
  gint32 pid;
  guint32 process, epoch; /* defined so far */
} ProfileForeignCode;

typedef struct {
  guint32 offset, line;
  const char *file; /* NULL: the code's */
} ProfileForeignLine;

typedef struct {
  guint64 start, length, time;
  const char *name;
  gsize name_length;
  const ProfileForeignLine *lines; /* ascending; may be NULL */
  guint n_lines;
} ProfileForeignPiece;

/* A name as V8 writes it, "KIND:FUNCTION FILE:LINE:COLUMN", tells also where the function is. Code that is
 * named otherwise is in the file of its first line.
 *
 * CODE and CODE_END records, in another epoch when one is full. 0 or the writer's error. */
int profile_foreign_add_code(ProfileForeignCode *self, const ProfileForeignPiece *piece);
int profile_foreign_end_code(ProfileForeignCode *self, guint64 start, guint64 length, guint64 time);
/* Says in error that the writer failed. Always false. */
gboolean profile_foreign_fail(const ProfileForeign *foreign, int status, GError **error);

G_END_DECLS
