/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A capture that was made or opened lately. Immutable, made and read on any thread. */
#pragma once

#include <gdk/gdk.h>

G_BEGIN_DECLS

#define VIEWER_TYPE_RECENT (viewer_recent_get_type())
G_DECLARE_FINAL_TYPE(ViewerRecent, viewer_recent, VIEWER, RECENT, GObject)

typedef struct {
  GFile *file;
  const char *title; /* what was recorded */
  gint64 time;       /* when it was made or opened last: seconds since 1970 */
  guint64 samples;
  guint64 duration;  /* nanoseconds */
  GBytes *thumbnail; /* a PNG; NULL: none */
  gint64 recorded;   /* when it was: seconds since 1970; 0: the capture does not say so */
} ViewerRecentFacts;

/* Copies the facts; decodes the thumbnail, and has none where that is no picture; looks whether the file is
 * there, which may take its time. */
ViewerRecent *viewer_recent_new(const ViewerRecentFacts *facts);

/* Everything in it is the recent's. */
const ViewerRecentFacts *viewer_recent_get_facts(ViewerRecent *self);
/* NULL: none. The recent's. */
GdkTexture *viewer_recent_get_texture(ViewerRecent *self);
/* Whether there was no such file when this was made. */
gboolean viewer_recent_is_missing(ViewerRecent *self);
/* Whether it was a recording then that nobody had saved (recordings.h). */
gboolean viewer_recent_is_unsaved(ViewerRecent *self);
/* "Today 14:05 · 12,345 samples in 3.2 s", as of now: when it was recorded, else made or opened; of a missing
 * or unsaved one that it is. Free it. */
char *viewer_recent_describe(ViewerRecent *self);
/* Whether both look the same. */
gboolean viewer_recent_equal(ViewerRecent *self, ViewerRecent *other);

G_END_DECLS
