/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of the stack chart know of each other: its state and its view. */
#pragma once

#include "viewer/pages/flame/chart-layouter.h"
#include "viewer/pages/flame/stack-chart.h"

G_BEGIN_DECLS

struct _ViewerStackChart {
  ViewerBoxCanvas canvas; /* of the time from first to end it shows a part */
  ViewerLatest *layouter;

  ProfileWeights *weights;
  guint generation; /* of the weights */
  guint32 thread;
  guint64 first, end;
  ViewerViewport asked; /* what the latest layout was asked for */
  int asked_width;
  gboolean layout_waits; /* for the end of the animation */
  ProfileSearch *search;
  ProfileChart *chart;

  GArray *path;   /* guint32: functions of what is selected, from the outermost */
  gboolean seeks; /* the next layout may have it elsewhere */
  gboolean goes;  /* … and it is to be seen there, whatever is shown now */
};

/* State. */
const ProfileChartBox *viewer_stack_chart_get_box(ViewerStackChart *self, guint box);
guint viewer_stack_chart_get_current(ViewerBoxCanvas *canvas);
/* As the user does: with "selected". */
void viewer_stack_chart_choose(ViewerBoxCanvas *canvas, guint box);
/* Shows the newest layout that was made. */
void viewer_stack_chart_take_layout(ViewerStackChart *self);
/* A place is a share of the whole width, 0 … 1. */
guint64 viewer_stack_chart_get_time(ViewerStackChart *self, double place);
double viewer_stack_chart_get_place(ViewerStackChart *self, guint64 time);

/* Tells that something else is shown. */
void viewer_stack_chart_shown(ViewerStackChart *self);

/* View: layouts, and the way from one part of the time to another. */
void viewer_stack_chart_add_layouter(ViewerStackChart *self);
void viewer_stack_chart_remove_layouter(ViewerStackChart *self);
/* Asks for a layout that is as fine as what is going to be seen, unless the latest one is. */
void viewer_stack_chart_request_layout(ViewerStackChart *self, gboolean always);
/* Shows another part; smoothly or at once. */
void viewer_stack_chart_set_view(ViewerBoxCanvas *canvas, ViewerViewport view, gboolean smoothly);
void viewer_stack_chart_arrived(ViewerBoxCanvas *canvas);
/* Everything is to be seen, at once; nothing is asked for. */
void viewer_stack_chart_forget_view(ViewerStackChart *self);
void viewer_stack_chart_zoom_to_box(ViewerBoxCanvas *canvas, guint box);
gboolean viewer_stack_chart_press(ViewerBoxCanvas *canvas, guint key);

G_END_DECLS
