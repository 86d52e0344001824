/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/views/tree.h"
#include "viewer/pages/flame/flame-graph-private.h"

enum { WIDE = 8 }; /* pixels: narrower boxes say nothing of what is not laid out above them */

/* What lies above that which one looks at steps back. */
static ViewerBoxLook get_look_of_depth(ViewerFlameGraph *self, guint depth)
{
  return depth < profile_flame_get_n_focus(self->flame) ? VIEWER_BOX_DIM : VIEWER_BOX_PLAIN;
}

static ViewerBoxLook get_look(ViewerFlameGraph *self, const ProfileFlameBox *box)
{
  if (self->search)
    return profile_search_has(self->search, box->function) ? VIEWER_BOX_MATCH : VIEWER_BOX_DIM;
  return get_look_of_depth(self, box->depth);
}

/* The first box of a row that reaches into what is seen; rows ascend by place. */
static guint find_first(ViewerFlameGraph *self, guint low, guint high)
{
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (viewer_flame_graph_get_box(self, middle)->end <= self->canvas.view.first)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void draw_row(ViewerFlameGraph *self, guint depth)
{
  ViewerBoxCanvas *canvas = &self->canvas;
  guint n, first = profile_flame_get_row(self->flame, depth, &n);
  double y = viewer_box_canvas_get_y(canvas, depth);

  for (guint i = find_first(self, first, first + n); i < first + n; i++) {
    const ProfileFlameBox *box = viewer_flame_graph_get_box(self, i);
    if (box->start >= canvas->view.end)
      return;
    double x = viewer_box_canvas_get_x(canvas, box->start), end = viewer_box_canvas_get_x(canvas, box->end);
    viewer_box_painter_draw(canvas->painter, x, y, end - x, box->function, box->inlined, get_look(self, box));
  }
}

/* What the children of a box that are not laid out would fill. */
static void draw_rest(ViewerFlameGraph *self, guint index)
{
  ViewerBoxCanvas *canvas = &self->canvas;
  ProfileWeights *weights = profile_flame_get_weights(self->flame);
  const ProfileFlameBox *box = viewer_flame_graph_get_box(self, index);
  double total = (double)profile_weights_measure(weights, box->total), width = box->end - box->start;
  double alone = total > 0 ? profile_weights_measure(weights, box->self) / total * width : width;
  guint n, first = profile_flame_get_children(self->flame, index, &n);
  double begin = n > 0 ? viewer_flame_graph_get_box(self, first + n - 1)->end : box->start;
  double x = viewer_box_canvas_get_x(canvas, begin);
  double end = viewer_box_canvas_get_x(canvas, box->end - alone);

  viewer_box_painter_draw_rest(canvas->painter, x, viewer_box_canvas_get_y(canvas, box->depth + 1), end - x,
                               self->search ? VIEWER_BOX_DIM : get_look_of_depth(self, box->depth + 1));
}

static void draw_rests(ViewerFlameGraph *self, guint depth)
{
  ViewerBoxCanvas *canvas = &self->canvas;
  guint n, first = profile_flame_get_row(self->flame, depth, &n);

  for (guint i = find_first(self, first, first + n); i < first + n; i++) {
    const ProfileFlameBox *box = viewer_flame_graph_get_box(self, i);
    if (box->start >= canvas->view.end)
      return;
    if (viewer_box_canvas_get_x(canvas, box->end) - viewer_box_canvas_get_x(canvas, box->start) >= WIDE)
      draw_rest(self, i);
  }
}

static void flame_graph_draw_all(ViewerFlameGraph *self, GtkSnapshot *snapshot)
{
  ViewerBoxCanvas *canvas = &self->canvas;
  int height = gtk_widget_get_height(GTK_WIDGET(self)),
      row = viewer_box_painter_get_row_height(canvas->painter);

  viewer_box_painter_begin(canvas->painter, snapshot, gtk_widget_get_width(GTK_WIDGET(self)));
  for (guint depth = 0; depth < profile_flame_get_n_rows(self->flame); depth++) {
    double y = viewer_box_canvas_get_y(canvas, depth);
    if (y + 2 * row > 0 && y < height + row)
      draw_rests(self, depth);
    if (y + row > 0 && y < height)
      draw_row(self, depth);
  }
  viewer_box_canvas_end_boxes(canvas);
  viewer_box_canvas_draw_marks(canvas, snapshot);
}

void viewer_flame_graph_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  ViewerFlameGraph *self = VIEWER_FLAME_GRAPH(widget);
  gint64 begin = g_get_monotonic_time();

  if (!self->flame)
    return;
  flame_graph_draw_all(self, snapshot);
  self->frame_times[self->n_frames++ % VIEWER_FLAME_FRAME_TIMES] = (guint32)(g_get_monotonic_time() - begin);
}
