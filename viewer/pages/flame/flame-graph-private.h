/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of the flame graph know of each other: its state, drawing and input. */
#pragma once

#include "viewer/pages/flame/flame-graph.h"
#include "viewer/pages/flame/flame-layouter.h"

G_BEGIN_DECLS

enum { VIEWER_FLAME_FRAME_TIMES = 2048 };

struct _ViewerFlameGraph {
  ViewerBoxCanvas canvas; /* of the flame's focus it shows a part */
  ViewerLatest *layouter;

  /* What shall be shown. */
  ProfileWeights *weights;
  gboolean inverted;
  char *search_text;
  GArray *focus;        /* guint32: functions of the path to what fills the width */
  GArray *trail;        /* guint: how long the focus was before each zoom */
  ViewerViewport asked; /* the part, and its share, that the latest layout was asked for */
  double asked_share;

  /* What is shown. */
  ProfileFlame *flame;
  ProfileSearch *search;
  gboolean settled; /* the flame is what shall be shown */

  GArray *selection; /* guint32: functions of the path */

  guint32 frame_times[VIEWER_FLAME_FRAME_TIMES];
  guint n_frames;
};

/* Drawing. */
void viewer_flame_graph_snapshot(GtkWidget *widget, GtkSnapshot *snapshot);

/* Input. */
guint viewer_flame_graph_get_current(ViewerBoxCanvas *canvas);
guint viewer_flame_graph_get_next(ViewerBoxCanvas *canvas, guint box, ViewerBoxWay way);
gboolean viewer_flame_graph_press(ViewerBoxCanvas *canvas, guint key);
gboolean viewer_flame_graph_query_tooltip(GtkWidget *widget, int x, int y, gboolean keyboard,
                                          GtkTooltip *tooltip);

/* View: layouts, and the way from one to the next. */
void viewer_flame_graph_add_layouter(ViewerFlameGraph *self);
void viewer_flame_graph_remove_layouter(ViewerFlameGraph *self);
/* Asks for a layout that is as fine as what is going to be seen, unless the latest one is. */
void viewer_flame_graph_request_layout(ViewerFlameGraph *self, gboolean always);
void viewer_flame_graph_zoom_to_box(ViewerBoxCanvas *canvas, guint box);
/* Shows another part of the focus; smoothly or at once. */
void viewer_flame_graph_set_view(ViewerBoxCanvas *canvas, ViewerViewport view, gboolean smoothly);
void viewer_flame_graph_arrived(ViewerBoxCanvas *canvas);

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

G_END_DECLS
