/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A row of the time line: what it shows, and whether what belongs to it is shown below. Main thread only. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define VIEWER_TYPE_TRACK (viewer_track_get_type())
G_DECLARE_FINAL_TYPE(ViewerTrack, viewer_track, VIEWER, TRACK, GObject)

typedef enum {
  VIEWER_TRACK_MACHINE, /* index: of its first counter, which stands for all of them */
  VIEWER_TRACK_PROCESS, /* index: of a process */
  VIEWER_TRACK_THREAD,  /* index: of a thread */
  VIEWER_TRACK_COUNTER, /* index: of a counter */
  VIEWER_TRACK_MARKS    /* index: of the process whose marks they are */
} ViewerTrackKind;

/* A number for a kind and an index, different from that of all others. */
#define VIEWER_TRACK_KEY(kind, index) ((guint64)(kind) << 32 | (index))

ViewerTrack *viewer_track_new(ViewerTrackKind kind, guint32 index);
ViewerTrackKind viewer_track_get_kind(ViewerTrack *self);
guint32 viewer_track_get_index(ViewerTrack *self);
/* 0: stands by itself, 1: belongs to the one above that does. */
guint viewer_track_get_depth(ViewerTrack *self);

/* Texts for people. Emits "notify::title" when one of them changes. */
void viewer_track_set_texts(ViewerTrack *self, const char *title, const char *detail);
const char *viewer_track_get_title(ViewerTrack *self);
const char *viewer_track_get_detail(ViewerTrack *self);

/* How many belong to it; 0: it cannot be expanded. */
void viewer_track_set_n_children(ViewerTrack *self, guint n);
guint viewer_track_get_n_children(ViewerTrack *self);
/* Property "expanded". */
void viewer_track_set_expanded(ViewerTrack *self, gboolean expanded);
gboolean viewer_track_get_expanded(ViewerTrack *self);

G_END_DECLS
