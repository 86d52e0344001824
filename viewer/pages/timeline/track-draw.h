/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What kinds of tracks share. Main thread only. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/pages/timeline/timeline-data.h"

G_BEGIN_DECLS

/* The area without the gap to the track above. */
graphene_rect_t viewer_track_get_inner(const graphene_rect_t *area);
/* The time at x, and what stands there below it. Takes what, which may be NULL: then there is nothing. */
char *viewer_track_add_time(const ViewerTimelineScene *scene, double x, char *what);

G_END_DECLS
