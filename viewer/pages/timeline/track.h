/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A row of the time line: what it shows, and whether what belongs to it is shown below. Main thread only. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define VIEWER_TYPE_TRACK (viewer_track_get_type())
G_DECLARE_FINAL_TYPE(ViewerTrack, viewer_track, VIEWER, TRACK, GObject)

/* track-kind.h; static. */
typedef struct _ViewerTrackKind ViewerTrackKind;

ViewerTrack *viewer_track_new(const ViewerTrackKind *kind, guint32 index);
const ViewerTrackKind *viewer_track_get_kind(ViewerTrack *self);
/* What it is of the kind. */
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
