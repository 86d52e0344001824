/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of the flame graph know of each other: its state, drawing and input. */
#pragma once

#include <adwaita.h>

#include "viewer/viewer-box-painter.h"
#include "viewer/viewer-canvas-peers.h"
#include "viewer/viewer-flame-graph.h"
#include "viewer/viewer-flame-layouter.h"

G_BEGIN_DECLS

enum { VIEWER_FLAME_FRAME_TIMES = 2048 };

#define VIEWER_FLAME_NO_BOX G_MAXUINT

struct _ViewerFlameGraph {
  GtkWidget parent_instance;
  GtkAdjustment *adjustments[2]; /* by GtkOrientation */
  GtkScrollablePolicy policies[2];
  ViewerLatest *layouter;
  ViewerBoxPainter *painter;
  ViewerCanvasPeers *peers;

  /* What shall be shown. */
  ProfileWeights *weights;
  gboolean inverted, from_bottom;
  ViewerPaletteMode mode;
  char *search_text;
  GArray *focus; /* guint32: functions of the path to what fills the width */
  GArray *trail; /* guint: how long the focus was before each zoom */
  ViewerViewport target;
  ViewerViewport asked; /* the part, and its share, that the latest layout was asked for */
  double asked_share;

  /* What is shown. */
  ProfileFlame *flame;
  ProfileSearch *search;
  ViewerViewport view; /* of the flame's focus */
  gboolean settled;    /* the flame is what shall be shown */

  AdwAnimation *animation; /* of view */
  ViewerViewport animated_from, animated_to;
  gboolean animating;

  GArray *selection; /* guint32: functions of the path */
  guint selected, hovered;
  double pointer;    /* where it was last, from the left */
  double drag_value; /* of the vertical adjustment when the drag began */
  ViewerViewport drag_view;
  gboolean dragged;

  int width; /* that was allocated last */
  guint32 frame_times[VIEWER_FLAME_FRAME_TIMES];
  guint n_frames;
};

/* Drawing. */
void viewer_flame_graph_snapshot(GtkWidget *widget, GtkSnapshot *snapshot);
/* Place of a box in the widget. */
graphene_rect_t viewer_flame_graph_get_bounds(ViewerFlameGraph *self, guint box);
/* FALSE: there is none. */
gboolean viewer_flame_graph_get_box_at(ViewerFlameGraph *self, double x, double y, guint *ret_box);
/* Tells screen readers of the selected box and its neighbours. */
void viewer_flame_graph_update_peers(ViewerFlameGraph *self);
/* Of those the one with that id; NO_BOX: there is none any more. */
guint viewer_flame_graph_find_neighbour(ViewerFlameGraph *self, guint64 id);

/* Input. */
void viewer_flame_graph_add_controllers(ViewerFlameGraph *self);
gboolean viewer_flame_graph_query_tooltip(GtkWidget *widget, int x, int y, gboolean keyboard,
                                          GtkTooltip *tooltip);

/* View: layouts, and the way from one to the next. */
void viewer_flame_graph_add_view(ViewerFlameGraph *self);
void viewer_flame_graph_remove_view(ViewerFlameGraph *self);
/* Asks for a layout that is as fine as what is going to be seen, unless the latest one is. */
void viewer_flame_graph_request_layout(ViewerFlameGraph *self, gboolean always);
void viewer_flame_graph_stop_animation(ViewerFlameGraph *self);
void viewer_flame_graph_zoom_to_box(ViewerFlameGraph *self, guint box);
/* Shows another part of the focus; smoothly or at once. */
void viewer_flame_graph_set_view(ViewerFlameGraph *self, ViewerViewport view, gboolean smoothly);

/* State. */
const ProfileFlameBox *viewer_flame_graph_get_box(ViewerFlameGraph *self, guint box);
ProfileStacks *viewer_flame_graph_get_stacks(ProfileWeights *weights);
/* Free it; ret_n may be 0. */
guint32 *viewer_flame_graph_get_path(ProfileFlame *flame, guint box, guint *ret_n);
void viewer_flame_graph_set_path(GArray *to, const guint32 *path, guint n);
/* The layout has taken the place of old (NULL: of none). */
void viewer_flame_graph_adopt(ViewerFlameGraph *self, ProfileFlame *old);
/* Something else is seen. */
void viewer_flame_graph_shown(ViewerFlameGraph *self);
/* As the user does: with "selected". */
void viewer_flame_graph_choose(ViewerFlameGraph *self, guint box);

/* The siblings' and others' boxes that keys lead to; NO_BOX: none. */
guint viewer_flame_graph_get_heaviest_child(ViewerFlameGraph *self, guint box);
guint viewer_flame_graph_get_beside(ViewerFlameGraph *self, guint box, int direction);
/* The box that keys start from. */
guint viewer_flame_graph_get_current(ViewerFlameGraph *self);

G_END_DECLS
