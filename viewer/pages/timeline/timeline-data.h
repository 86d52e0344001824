/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the time line is drawn of, made in threads. Of the whole recording: which threads and processes there
 * are, how much was sampled of each, and where marks lie. Of the span shown: densities and counters.
 */
#pragma once

#include "profile/views/counter-bins.h"
#include "profile/views/density.h"
#include "profile/views/mark-lanes.h"
#include "viewer/kit/latest.h"
#include "viewer/time/time-axis.h"

G_BEGIN_DECLS

enum { VIEWER_TIMELINE_MAX_LANES = 12 };

typedef struct {
  ProfileDensity *density; /* of one bin */
  ProfileMarkLanes *lanes;
  GArray *counters; /* guint32: those that moved; others have nothing to show */
} ViewerTimelineWhole;

typedef struct {
  ProfileDensity *density;
  GPtrArray *counters; /* ProfileCounterBins, one a counter of the capture */
} ViewerTimelineShown;

/* All that tracks are drawn of and describe. */
typedef struct {
  const ViewerTimeAxis *axis;
  ProfileCapture *capture; /* NULL: none, and so are the others */
  const ViewerTimelineWhole *whole;
  const ViewerTimelineShown *shown; /* not necessarily of the span on the axis */
} ViewerTimelineScene;

/* They make ViewerTimelineWhole and ViewerTimelineShown. */
ViewerLatest *viewer_timeline_whole_new(void);
ViewerLatest *viewer_timeline_shown_new(void);
/* Filters are taken over. */
void viewer_timeline_whole_request(ViewerLatest *self, ProfileFilter *filter, guint64 first, guint64 end);
void viewer_timeline_shown_request(ViewerLatest *self, ProfileFilter *filter, guint64 first, guint64 end,
                                   guint n_bins);

G_END_DECLS
