/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of the stack chart know of each other: its state and its input. */
#pragma once

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
  guint64 first, end; /* time of the whole width */
  ViewerViewport view, asked;
  int asked_width;
  ProfileSearch *search;
  ProfileChart *chart;

  guint selected, hovered;
  double pointer; /* where it was last, from the left */
  ViewerViewport drag_view;
  double drag_value;
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

gboolean viewer_stack_chart_get_box_at(ViewerStackChart *self, double x, double y, guint *ret_box);
/* As the user does: with "selected". */
void viewer_stack_chart_choose(ViewerStackChart *self, guint box);
void viewer_stack_chart_set_view(ViewerStackChart *self, ViewerViewport view);

/* Input. */
void viewer_stack_chart_add_controllers(ViewerStackChart *self);
gboolean viewer_stack_chart_query_tooltip(GtkWidget *widget, int x, int y, gboolean keyboard,
                                          GtkTooltip *tooltip);

G_END_DECLS
