/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "profile/profile-tree.h"
#include "viewer/viewer-flame-graph-private.h"
#include "viewer/viewer-flame-text.h"

enum { WIDE = 8 }; /* pixels: narrower boxes say nothing of what is not laid out above them */

static double get_scroll(ViewerFlameGraph *self)
{
  GtkAdjustment *vertical = self->adjustments[GTK_ORIENTATION_VERTICAL];

  return vertical ? gtk_adjustment_get_value(vertical) : 0;
}

static double get_y(ViewerFlameGraph *self, guint depth)
{
  int row = viewer_box_painter_get_row_height(self->painter);
  double height =
      MAX(gtk_widget_get_height(GTK_WIDGET(self)), (int)profile_flame_get_n_rows(self->flame) * row);

  return (self->from_bottom ? height - (depth + 1.0) * row : (double)depth * row) - floor(get_scroll(self));
}

static double get_x(ViewerFlameGraph *self, double place)
{
  return viewer_viewport_to_pixels(self->view, place, gtk_widget_get_width(GTK_WIDGET(self)));
}

graphene_rect_t viewer_flame_graph_get_bounds(ViewerFlameGraph *self, guint box)
{
  const ProfileFlameBox *item = viewer_flame_graph_get_box(self, box);
  double x = get_x(self, item->start), end = get_x(self, item->end);
  double left = CLAMP(x, 0, gtk_widget_get_width(GTK_WIDGET(self)));
  double right = CLAMP(end, left, gtk_widget_get_width(GTK_WIDGET(self)));

  return GRAPHENE_RECT_INIT((float)left, (float)get_y(self, item->depth), (float)(right - left),
                            (float)viewer_box_painter_get_row_height(self->painter));
}

gboolean viewer_flame_graph_get_box_at(ViewerFlameGraph *self, double x, double y, guint *ret_box)
{
  int row = viewer_box_painter_get_row_height(self->painter), width = gtk_widget_get_width(GTK_WIDGET(self));

  if (!self->flame || x < 0 || x >= width)
    return FALSE;
  double depth = self->from_bottom ? ceil((get_y(self, 0) - y) / row) : floor((y - get_y(self, 0)) / row);
  return depth >= 0 && depth < profile_flame_get_n_rows(self->flame) &&
         profile_flame_find(self->flame, (guint)depth, viewer_viewport_from_pixels(self->view, x, width),
                            ret_box);
}

static ViewerBoxLook get_look(ViewerFlameGraph *self, const ProfileFlameBox *box)
{
  if (self->search)
    return profile_search_has(self->search, box->function) ? VIEWER_BOX_MATCH : VIEWER_BOX_DIM;
  return box->depth < profile_flame_get_n_focus(self->flame) ? VIEWER_BOX_DIM : VIEWER_BOX_PLAIN;
}

/* The first box of a row that reaches into what is seen; rows ascend by place. */
static guint find_first(ViewerFlameGraph *self, guint low, guint high)
{
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (viewer_flame_graph_get_box(self, middle)->end <= self->view.first)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void draw_row(ViewerFlameGraph *self, guint depth)
{
  guint n, first = profile_flame_get_row(self->flame, depth, &n);
  double y = get_y(self, depth);

  for (guint i = find_first(self, first, first + n); i < first + n; i++) {
    const ProfileFlameBox *box = viewer_flame_graph_get_box(self, i);
    if (box->start >= self->view.end)
      return;
    double x = get_x(self, box->start);
    viewer_box_painter_draw(self->painter, x, y, get_x(self, box->end) - x, box->function,
                            get_look(self, box));
  }
}

/* What the children of a box that are not laid out would fill. */
static void draw_rest(ViewerFlameGraph *self, guint index)
{
  ProfileWeights *weights = profile_flame_get_weights(self->flame);
  const ProfileFlameBox *box = viewer_flame_graph_get_box(self, index);
  double total = (double)profile_weights_measure(weights, box->total), width = box->end - box->start;
  double alone = total > 0 ? profile_weights_measure(weights, box->self) / total * width : width;
  guint n, first = profile_flame_get_children(self->flame, index, &n);
  double begin = n > 0 ? viewer_flame_graph_get_box(self, first + n - 1)->end : box->start;
  double x = get_x(self, begin), end = get_x(self, box->end - alone);

  viewer_box_painter_draw_rest(self->painter, x, get_y(self, box->depth + 1), end - x);
}

static void draw_rests(ViewerFlameGraph *self, guint depth)
{
  guint n, first = profile_flame_get_row(self->flame, depth, &n);

  for (guint i = find_first(self, first, first + n); i < first + n; i++) {
    const ProfileFlameBox *box = viewer_flame_graph_get_box(self, i);
    if (box->start >= self->view.end)
      return;
    if (get_x(self, box->end) - get_x(self, box->start) >= WIDE)
      draw_rest(self, i);
  }
}

static void draw_marks(ViewerFlameGraph *self, GtkSnapshot *snapshot)
{
  gboolean focused = viewer_canvas_peers_have_focus(self->peers);
  guint current = focused ? viewer_flame_graph_get_current(self) : self->selected;

  if (self->hovered != VIEWER_FLAME_NO_BOX) {
    graphene_rect_t at = viewer_flame_graph_get_bounds(self, self->hovered);
    viewer_box_painter_highlight(self->painter, snapshot, at.origin.x, at.origin.y, at.size.width);
  }
  if (current != VIEWER_FLAME_NO_BOX) {
    graphene_rect_t at = viewer_flame_graph_get_bounds(self, current);
    GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(self));
    gboolean strong = focused && GTK_IS_WINDOW(root) && gtk_window_get_focus_visible(GTK_WINDOW(root));
    viewer_box_painter_outline(self->painter, snapshot, at.origin.x, at.origin.y, at.size.width, strong);
  }
}

static gboolean draw_again(gpointer widget)
{
  gtk_widget_queue_draw(widget);
  return G_SOURCE_REMOVE;
}

static void draw(ViewerFlameGraph *self, GtkSnapshot *snapshot)
{
  int height = gtk_widget_get_height(GTK_WIDGET(self)),
      row = viewer_box_painter_get_row_height(self->painter);

  viewer_box_painter_begin(self->painter, snapshot, gtk_widget_get_width(GTK_WIDGET(self)));
  for (guint depth = 0; depth < profile_flame_get_n_rows(self->flame); depth++) {
    double y = get_y(self, depth);
    if (y + 2 * row > 0 && y < height + row)
      draw_rests(self, depth);
    if (y + row > 0 && y < height)
      draw_row(self, depth);
  }
  if (!viewer_box_painter_end(self->painter))
    g_idle_add_full(G_PRIORITY_DEFAULT_IDLE, draw_again, g_object_ref(self), g_object_unref);
  draw_marks(self, snapshot);
}

void viewer_flame_graph_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  ViewerFlameGraph *self = VIEWER_FLAME_GRAPH(widget);
  gint64 begin = g_get_monotonic_time();

  if (!self->flame)
    return;
  draw(self, snapshot);
  self->frame_times[self->n_frames++ % VIEWER_FLAME_FRAME_TIMES] = (guint32)(g_get_monotonic_time() - begin);
}

/* The same for the same path of functions, whatever the layout. */
static guint64 get_id(ViewerFlameGraph *self, guint box)
{
  guint n;
  g_autofree guint32 *path = viewer_flame_graph_get_path(self->flame, box, &n);
  guint64 id = 14695981039346656037u;

  for (guint i = 0; i < n; i++)
    id = (id ^ path[i]) * 1099511628211u;
  return id;
}

enum { MAX_ITEMS = 5 };

typedef struct {
  ViewerCanvasItem items[MAX_ITEMS];
  guint n;
} Items;

static void add_item(ViewerFlameGraph *self, Items *items, guint box)
{
  if (box == VIEWER_FLAME_NO_BOX)
    return;
  ViewerCanvasItem item = {.id = get_id(self, box),
                           .name = viewer_flame_text_get_name(self->flame, box, 400),
                           .description = viewer_flame_text_describe(self->flame, box),
                           .bounds = viewer_flame_graph_get_bounds(self, box)};
  items->items[items->n++] = item;
}

void viewer_flame_graph_update_peers(ViewerFlameGraph *self)
{
  Items items = {.n = 0};
  guint current = self->flame ? viewer_flame_graph_get_current(self) : VIEWER_FLAME_NO_BOX;

  if (!self->peers)
    return;
  if (current != VIEWER_FLAME_NO_BOX) {
    add_item(self, &items, current);
    if (current > 0)
      add_item(self, &items, viewer_flame_graph_get_box(self, current)->parent);
    add_item(self, &items, viewer_flame_graph_get_heaviest_child(self, current));
    add_item(self, &items, viewer_flame_graph_get_beside(self, current, -1));
    add_item(self, &items, viewer_flame_graph_get_beside(self, current, 1));
  }
  viewer_canvas_peers_show(self->peers, items.items, items.n);
  for (guint i = 0; i < items.n; i++) {
    g_free((char *)items.items[i].name);
    g_free((char *)items.items[i].description);
  }
}

/* Of the neighbours that were told of, the one that somebody went to. */
guint viewer_flame_graph_find_neighbour(ViewerFlameGraph *self, guint64 id)
{
  guint current = viewer_flame_graph_get_current(self);
  guint boxes[MAX_ITEMS] = {current, viewer_flame_graph_get_box(self, current)->parent,
                            viewer_flame_graph_get_heaviest_child(self, current),
                            viewer_flame_graph_get_beside(self, current, -1),
                            viewer_flame_graph_get_beside(self, current, 1)};

  for (guint i = 0; i < MAX_ITEMS; i++)
    if (boxes[i] != VIEWER_FLAME_NO_BOX && get_id(self, boxes[i]) == id)
      return boxes[i];
  return VIEWER_FLAME_NO_BOX;
}
