/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the time line page shows, without a widget: a list of tracks, the axis that they share, and the data
 * for the span on it, which follows in threads when the axis or the query changes. Main thread only.
 *
 * Signals:
 *   "changed"  the axis or what is drawn along it: draw again
 */
#pragma once

#include "viewer/document/document.h"
#include "viewer/pages/timeline/timeline-data.h"
#include "viewer/pages/timeline/track.h"
#include "viewer/time/time-axis.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_TIMELINE (viewer_timeline_get_type())
G_DECLARE_FINAL_TYPE(ViewerTimeline, viewer_timeline, VIEWER, TIMELINE, GObject)

ViewerTimeline *viewer_timeline_new(void);
void viewer_timeline_set_document(ViewerTimeline *self, ViewerDocument *document);
ViewerDocument *viewer_timeline_get_document(ViewerTimeline *self);
/* Looks at what the document shows now. Nothing is counted anew when only the time changed. */
void viewer_timeline_update(ViewerTimeline *self);

/* Of ViewerTrack: the machine's counters, then processes, those with most samples first; below each what
 * belongs to it, when it is expanded. */
GListModel *viewer_timeline_get_tracks(ViewerTimeline *self);
void viewer_timeline_set_expanded(ViewerTimeline *self, ViewerTrack *track, gboolean expanded);
/* Whether it is known what there is: an empty list means that there is nothing then. */
gboolean viewer_timeline_is_loaded(ViewerTimeline *self);

/* Its address stays; change it by these. */
const ViewerTimeAxis *viewer_timeline_get_axis(ViewerTimeline *self);
void viewer_timeline_set_width(ViewerTimeline *self, double width);
void viewer_timeline_show(ViewerTimeline *self, guint64 first, guint64 end);
void viewer_timeline_show_all(ViewerTimeline *self);
void viewer_timeline_zoom(ViewerTimeline *self, double factor, double x);
void viewer_timeline_pan(ViewerTimeline *self, double pixels);

/* What there is by now; whole and shown are NULL when there is nothing yet. Valid until the next call. */
const ViewerTimelineScene *viewer_timeline_get_scene(ViewerTimeline *self);
/* NULL: none. */
ProfileCapture *viewer_timeline_get_capture(ViewerTimeline *self);

G_END_DECLS
