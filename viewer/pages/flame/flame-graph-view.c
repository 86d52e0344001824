/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which part of which layout is shown: asking for layouts, and the way from one to the next. */
#include <string.h>

#include "viewer/pages/flame/flame-graph-private.h"

#define MIN_PIXELS 1.0 /* narrower boxes are not laid out */

/* Asks for a layout that is as fine as what is going to be seen, unless the latest one is. */
void viewer_flame_graph_request_layout(ViewerFlameGraph *self, gboolean always)
{
  int width = MAX(gtk_widget_get_width(GTK_WIDGET(self)), 100);
  double share = MIN_PIXELS / width * viewer_viewport_get_width(self->canvas.target);
  gboolean fits = self->asked_share <= share * 1.2 && self->asked_share > share / 4;

  if (!self->weights || (!always && fits && viewer_viewport_contains(self->asked, self->canvas.target)))
    return;
  self->asked = viewer_viewport_with_margin(self->canvas.target);
  self->asked_share = share;
  self->settled = FALSE;
  ProfileFlameOptions options = {.inverted = self->inverted,
                                 .focus = (const guint32 *)self->focus->data,
                                 .n_focus = self->focus->len,
                                 .min_share = share,
                                 .first = self->asked.first,
                                 .end = self->asked.end};
  viewer_flame_layouter_request(self->layouter, self->weights, &options, self->search_text);
}

/* How many functions two layouts' ways to their focus have in common. */
static guint count_common(ProfileFlame *a, ProfileFlame *b)
{
  guint n_a, n_b, common = 0;
  const ProfileFlameBox *left = profile_flame_get_boxes(a, &n_a), *right = profile_flame_get_boxes(b, &n_b);
  guint n = MIN(profile_flame_get_n_focus(a), profile_flame_get_n_focus(b));

  while (common < n && left[common + 1].function == right[common + 1].function)
    common++;
  return common;
}

static guint find_deepest(ProfileFlame *flame, double at)
{
  guint box = 0;

  for (guint depth = 1; profile_flame_find(flame, depth, at, &box); depth++)
    ;
  return box;
}

/* A finer layout has boxes between those of a coarser one: what is in the middle shall stay there. */
static ViewerViewport keep_middle(ProfileFlame *from, ProfileFlame *to, ViewerViewport view)
{
  double middle = (view.first + view.end) / 2;
  guint n_path, n_from, n_to, old = find_deepest(from, middle), new;
  g_autofree guint32 *path = viewer_flame_graph_get_path(from, old, &n_path);

  while (!profile_flame_find_path(to, path, n_path, &new))
    old = profile_flame_get_boxes(from, &n_from)[old].parent, n_path--;
  const ProfileFlameBox *before = &profile_flame_get_boxes(from, &n_from)[old];
  const ProfileFlameBox *after = &profile_flame_get_boxes(to, &n_to)[new];
  double within = (middle - before->start) / MAX(before->end - before->start, 1e-9);
  double moved = after->start + within * (after->end - after->start) - middle;
  return viewer_viewport_move(view, moved / viewer_viewport_get_width(view));
}

static ViewerViewport get_extents(ProfileFlame *of, ProfileFlame *in)
{
  guint n_path, box, n;
  g_autofree guint32 *path = viewer_flame_graph_get_path(of, profile_flame_get_n_focus(of), &n_path);

  if (!profile_flame_find_path(in, path, n_path, &box))
    return VIEWER_VIEWPORT_ALL;
  const ProfileFlameBox *item = &profile_flame_get_boxes(in, &n)[box];
  return (ViewerViewport){item->start, item->end};
}

/* The new layout shall seem to grow out of the old one, which is shown still. */
static void change_view(ViewerFlameGraph *self, ProfileFlame *old)
{
  ProfileFlame *new = self->flame;
  gboolean comparable = old && profile_flame_is_inverted(old) == profile_flame_is_inverted(new) &&
                        profile_weights_get_capture(profile_flame_get_weights(old)) ==
                            profile_weights_get_capture(profile_flame_get_weights(new));
  guint n_old = old ? profile_flame_get_n_focus(old) : 0, n_new = profile_flame_get_n_focus(new);
  guint common = comparable ? count_common(old, new) : 0;

  if (comparable && common == n_old && common == n_new && !viewer_viewport_is_all(self->canvas.target))
    self->canvas.target = keep_middle(old, new, self->canvas.target);
  if (comparable && common == n_new && n_new < n_old)
    viewer_box_canvas_animate(&self->canvas, get_extents(old, new), self->canvas.target);
  else
    self->canvas.view = self->canvas.target;
}

/* Of what is not the latest that was asked for: whether it shows the same place, with other weights. */
static gboolean has_same_focus(ViewerFlameGraph *self, ProfileFlame *flame)
{
  guint n = profile_flame_get_n_focus(flame);

  return self->flame && n == self->focus->len && n == profile_flame_get_n_focus(self->flame) &&
         count_common(self->flame, flame) == n;
}

static void take_layout(ViewerFlameGraph *self)
{
  ProfileFlame *flame = viewer_flame_layouter_get_flame(self->layouter), *old = self->flame;
  ProfileSearch *search = viewer_flame_layouter_get_search(self->layouter);
  gboolean is_latest = !viewer_latest_is_busy(self->layouter);

  if (!flame || flame == old || !self->weights || (!is_latest && !has_same_focus(self, flame)))
    return;
  self->settled = is_latest;
  self->flame = profile_flame_ref(flame);
  g_clear_pointer(&self->search, profile_search_unref);
  self->search = search ? profile_search_ref(search) : NULL;
  viewer_flame_graph_adopt(self, old);
  change_view(self, old);
  g_clear_pointer(&old, profile_flame_unref);
}

void viewer_flame_graph_arrived(ViewerBoxCanvas *canvas)
{
  ViewerFlameGraph *self = VIEWER_FLAME_GRAPH(canvas);

  if (self->settled)
    canvas->view = canvas->target;
  else
    take_layout(self);
  viewer_flame_graph_shown(self);
}

static void flame_graph_view_ready(ViewerFlameGraph *self)
{
  if (self->canvas.animating)
    return;
  take_layout(self);
  viewer_flame_graph_shown(self);
}

void viewer_flame_graph_set_view(ViewerBoxCanvas *canvas, ViewerViewport view, gboolean smoothly)
{
  ViewerFlameGraph *self = VIEWER_FLAME_GRAPH(canvas);

  canvas->target = view;
  if (self->flame && self->settled && smoothly) {
    viewer_box_canvas_animate(canvas, canvas->view, view);
  } else if (self->flame && self->settled && !canvas->animating) {
    canvas->view = view;
    viewer_flame_graph_shown(self);
  }
  viewer_flame_graph_request_layout(self, FALSE);
}

/* Towards what is inside the shown layout goes smoothly at once; the way out when the wider one is there. */
static void set_focus(ViewerFlameGraph *self, const guint32 *path, guint n)
{
  guint box;
  gboolean is_shown = self->flame && self->settled && profile_flame_find_path(self->flame, path, n, &box) &&
                      n > profile_flame_get_n_focus(self->flame);

  viewer_flame_graph_set_path(self->focus, path, n);
  self->canvas.target = VIEWER_VIEWPORT_ALL;
  if (is_shown) {
    const ProfileFlameBox *item = viewer_flame_graph_get_box(self, box);
    self->settled = FALSE;
    viewer_box_canvas_animate(&self->canvas, self->canvas.view, (ViewerViewport){item->start, item->end});
  }
  viewer_flame_graph_request_layout(self, TRUE);
}

void viewer_flame_graph_zoom_to(ViewerFlameGraph *self, const guint32 *path, guint n)
{
  guint length = self->focus->len;

  if (n == length && (n == 0 || memcmp(path, self->focus->data, n * sizeof *path) == 0)) {
    viewer_flame_graph_set_view(&self->canvas, VIEWER_VIEWPORT_ALL, TRUE);
    return;
  }
  if (n > length)
    g_array_append_val(self->trail, length);
  g_autofree guint32 *copy = g_memdup2(path, n * sizeof *path);
  set_focus(self, copy, n);
}

void viewer_flame_graph_zoom_to_box(ViewerBoxCanvas *canvas, guint box)
{
  ViewerFlameGraph *self = VIEWER_FLAME_GRAPH(canvas);
  guint n;
  g_autofree guint32 *path = viewer_flame_graph_get_path(self->flame, box, &n);

  viewer_flame_graph_zoom_to(self, path, n);
}

void viewer_flame_graph_zoom_by(ViewerFlameGraph *self, double at, double factor)
{
  viewer_flame_graph_set_view(&self->canvas, viewer_viewport_zoom(self->canvas.target, at, factor), FALSE);
}

gboolean viewer_flame_graph_zoom_back(ViewerFlameGraph *self)
{
  guint n = 0;

  if (!viewer_viewport_is_all(self->canvas.target)) {
    viewer_flame_graph_set_view(&self->canvas, VIEWER_VIEWPORT_ALL, TRUE);
    return TRUE;
  }
  if (self->focus->len == 0)
    return FALSE;
  while (self->trail->len > 0) {
    n = g_array_index(self->trail, guint, self->trail->len - 1);
    g_array_set_size(self->trail, self->trail->len - 1);
    if (n < self->focus->len)
      break;
  }
  n = MIN(n, self->focus->len - 1);
  g_autofree guint32 *path = g_memdup2(self->focus->data, n * sizeof *path);
  set_focus(self, path, n);
  return TRUE;
}

void viewer_flame_graph_zoom_reset(ViewerFlameGraph *self)
{
  g_array_set_size(self->trail, 0);
  viewer_flame_graph_zoom_to(self, NULL, 0);
}

gboolean viewer_flame_graph_is_zoomed(ViewerFlameGraph *self)
{
  return self->focus->len > 0 || !viewer_viewport_is_all(self->canvas.target);
}

ProfileFlame *viewer_flame_graph_get_overview(ViewerFlameGraph *self)
{
  return self->flame ? viewer_flame_layouter_get_overview(self->layouter) : NULL;
}

ViewerViewport viewer_flame_graph_get_part(ViewerFlameGraph *self)
{
  ProfileFlame *overview = viewer_flame_graph_get_overview(self);

  if (!overview)
    return VIEWER_VIEWPORT_ALL;
  ViewerViewport focus = get_extents(self->flame, overview);
  double width = viewer_viewport_get_width(focus);
  return (ViewerViewport){focus.first + self->canvas.view.first * width,
                          focus.first + self->canvas.view.end * width};
}

void viewer_flame_graph_show_part(ViewerFlameGraph *self, ViewerViewport part)
{
  gboolean was_focused = self->focus->len > 0;

  g_array_set_size(self->focus, 0);
  g_array_set_size(self->trail, 0);
  if (was_focused) {
    viewer_box_canvas_stop_animation(&self->canvas);
    self->canvas.target = part;
    viewer_flame_graph_request_layout(self, TRUE);
  } else {
    viewer_flame_graph_set_view(&self->canvas, part, FALSE);
  }
}

void viewer_flame_graph_add_layouter(ViewerFlameGraph *self)
{
  self->layouter = viewer_flame_layouter_new();
  g_signal_connect_swapped(self->layouter, "ready", G_CALLBACK(flame_graph_view_ready), self);
}

void viewer_flame_graph_remove_layouter(ViewerFlameGraph *self)
{
  if (self->layouter)
    g_signal_handlers_disconnect_by_data(self->layouter, self);
  g_clear_object(&self->layouter);
}
