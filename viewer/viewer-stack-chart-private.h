/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of the stack chart know of each other: its state, its view and its input. */
#pragma once

#include <adwaita.h>

#include "viewer/viewer-box-painter.h"
#include "viewer/viewer-canvas-peers.h"
#include "viewer/viewer-chart-layouter.h"
#include "viewer/viewer-stack-chart.h"
#include "viewer/viewer-viewport.h"

G_BEGIN_DECLS

#define VIEWER_STACK_CHART_NO_BOX G_MAXUINT

struct _ViewerStackChart {
  GtkWidget parent_instance;
  GtkAdjustment *adjustments[2]; /* by GtkOrientation */
  GtkScrollablePolicy policies[2];
  ViewerLatest *layouter;
  ViewerBoxPainter *painter;
  ViewerCanvasPeers *peers;
  ViewerPaletteMode mode;

  ProfileWeights *weights;
  guint generation; /* of the weights */
  guint32 thread;
  guint64 first, end;    /* time of the whole width */
  ViewerViewport target; /* what shall be seen */
  ViewerViewport view;   /* what is seen, on the way there */
  ViewerViewport asked;  /* what the latest layout was asked for */
  int asked_width;
  AdwAnimation *animation; /* of view */
  ViewerViewport animated_from;
  gboolean animating;
  gboolean layout_waits; /* for the end of the animation */
  ProfileSearch *search;
  ProfileChart *chart;

  guint selected, hovered;
  double pointer; /* where it was last, from the left */
  ViewerViewport drag_view;
  double drag_value;
  gboolean dragged;
};

typedef struct {
  guint boxes[5];
  guint n;
} ViewerStackChartNeighbours;

/* The box that keys start from; and where they lead: to the caller's (down -1) or the callee's (1) at its
 * middle, to the one before (-1) or after it (1). NO_BOX: there is none. */
guint viewer_stack_chart_get_current(ViewerStackChart *self);
guint viewer_stack_chart_get_above(ViewerStackChart *self, guint box, int down);
guint viewer_stack_chart_get_beside(ViewerStackChart *self, guint box, int direction);
/* The current box, and those around it. */
ViewerStackChartNeighbours viewer_stack_chart_get_neighbours(ViewerStackChart *self);
/* What a screen reader knows a box by. */
guint64 viewer_stack_chart_get_id(ViewerStackChart *self, guint box);

/* Free both. */
char *viewer_stack_chart_get_name(ViewerStackChart *self, guint box, guint n_max);
char *viewer_stack_chart_describe_box(ViewerStackChart *self, guint box);

/* Place of a box in the widget. */
graphene_rect_t viewer_stack_chart_get_bounds(ViewerStackChart *self, guint box);
gboolean viewer_stack_chart_get_box_at(ViewerStackChart *self, double x, double y, guint *ret_box);
/* As the user does: with "selected". */
void viewer_stack_chart_choose(ViewerStackChart *self, guint box);
void viewer_stack_chart_redraw(ViewerStackChart *self);
/* Shows the newest layout that was made. */
void viewer_stack_chart_take_layout(ViewerStackChart *self);
/* A place is a share of the whole width, 0 … 1. */
guint64 viewer_stack_chart_get_time(ViewerStackChart *self, double place);
double viewer_stack_chart_get_place(ViewerStackChart *self, guint64 time);

/* View: layouts, and the way from one part of the time to another. */
void viewer_stack_chart_add_view(ViewerStackChart *self);
void viewer_stack_chart_remove_view(ViewerStackChart *self);
/* Asks for a layout that is as fine as what is going to be seen, unless the latest one is. */
void viewer_stack_chart_request_layout(ViewerStackChart *self, gboolean always);
/* Shows another part; smoothly or at once. */
void viewer_stack_chart_set_view(ViewerStackChart *self, ViewerViewport view, gboolean smoothly);
/* From the time of first to that of end. */
void viewer_stack_chart_zoom_to(ViewerStackChart *self, guint64 first, guint64 end);
/* Everything is to be seen, at once; nothing is asked for. */
void viewer_stack_chart_forget_view(ViewerStackChart *self);

/* Input. */
void viewer_stack_chart_add_controllers(ViewerStackChart *self);
gboolean viewer_stack_chart_query_tooltip(GtkWidget *widget, int x, int y, gboolean keyboard,
                                          GtkTooltip *tooltip);

G_END_DECLS
