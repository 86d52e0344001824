/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which span of a recording stands on how many pixels, and how that changes when one zooms and moves. A plain
 * value: main thread only. Times are on the capture's clock; texts count from the beginning of the recording.
 *
 * Always low ≤ first < end ≤ high, whatever it is asked for.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  guint64 low, high;  /* the recording; never beyond */
  guint64 first, end; /* what is shown: first ≤ time < end */
  double width;       /* pixels on which it stands, at least 1 */
} ViewerTimeAxis;

/* Shows all of low … high - 1. */
void viewer_time_axis_init(ViewerTimeAxis *self, guint64 low, guint64 high);
/* Another recording, or one that grew. What was shown stays; who saw all sees all. */
void viewer_time_axis_set_limits(ViewerTimeAxis *self, guint64 low, guint64 high);
void viewer_time_axis_set_width(ViewerTimeAxis *self, double width);

/* The pixel at which a time stands, outside of 0 … width for times that are not shown; the time that stands
 * at a pixel, within the recording. */
double viewer_time_axis_get_x(const ViewerTimeAxis *self, guint64 time);
guint64 viewer_time_axis_get_time(const ViewerTimeAxis *self, double x);
/* Nanoseconds on a pixel. */
double viewer_time_axis_get_scale(const ViewerTimeAxis *self);
gboolean viewer_time_axis_shows_all(const ViewerTimeAxis *self);

/* Shows as much of first … end - 1 as there is. False: that is what is shown already. */
gboolean viewer_time_axis_show(ViewerTimeAxis *self, guint64 first, guint64 end);
/* Shows factor times less (above 1: nearer); the time at pixel x stays there if it can. False: no change. */
gboolean viewer_time_axis_zoom(ViewerTimeAxis *self, double factor, double x);
/* Later by so many pixels, earlier when negative, without changing the scale. False: no change. */
gboolean viewer_time_axis_pan(ViewerTimeAxis *self, double pixels);

/* Nanoseconds from tick to tick: a round number, so that they are at least that many pixels apart. Ticks
 * stand at multiples of it from low on. */
guint64 viewer_time_axis_get_step(const ViewerTimeAxis *self, double distance);
/* The first tick that is shown; add the step for the next one. */
guint64 viewer_time_axis_get_first_tick(const ViewerTimeAxis *self, guint64 step);
/* A time from the beginning of the recording, as exactly as step needs: "2.5 s", "1:05". Free it. */
char *viewer_time_axis_format(const ViewerTimeAxis *self, guint64 time, guint64 step);
/* The same as exactly as pixels show it: for tooltips. Free it. */
char *viewer_time_axis_format_exactly(const ViewerTimeAxis *self, guint64 time);
/* "1.20 s – 1.45 s". Free it. */
char *viewer_time_axis_format_span(const ViewerTimeAxis *self, guint64 first, guint64 end);

G_END_DECLS
