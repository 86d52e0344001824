/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The marks of a process in lanes: what is too small to be seen costs nothing. Main thread only. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/pages/timeline/timeline-data.h"

G_BEGIN_DECLS

/* The mark at a place, or within a few pixels of it; FALSE: there is none. */
gboolean viewer_track_marks_find(const ViewerTimelineScene *scene, guint32 process, double x, double y,
                                 ProfileMarkItem *ret_item);
/* Where an item of that lane is drawn; outside of the axis when it is not. */
graphene_rect_t viewer_track_marks_get_bounds(const ViewerTimelineScene *scene, guint lane,
                                              const ProfileMarkItem *item);
/* What a mark is, when it was and how long it took. Free it. */
char *viewer_track_marks_describe(const ViewerTimelineScene *scene, const ProfileMarkItem *item);

G_END_DECLS
