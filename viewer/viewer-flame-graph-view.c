/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which part of which layout is shown: asking for layouts, and the way from one to the next. */
#include <string.h>

#include "viewer/viewer-flame-graph-private.h"

#define MIN_PIXELS     1.0 /* narrower boxes are not laid out */
#define ANIMATION_TIME 150

/* Asks for a layout that is as fine as what is going to be seen, unless the latest one is. */
void viewer_flame_graph_request_layout(ViewerFlameGraph *self, gboolean always)
{
  int width = MAX(gtk_widget_get_width(GTK_WIDGET(self)), 100);
  double share = MIN_PIXELS / width * viewer_viewport_get_width(self->target);
  gboolean fits = self->asked_share <= share * 1.2 && self->asked_share > share / 4;

  if (!self->weights || (!always && fits && viewer_viewport_contains(self->asked, self->target)))
    return;
  self->asked = viewer_viewport_with_margin(self->target);
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

static void animate(double value, gpointer data)
{
  ViewerFlameGraph *self = data;

  self->view = viewer_viewport_mix(self->animated_from, self->animated_to, value);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void take_layout(ViewerFlameGraph *self);

static void end_animation(ViewerFlameGraph *self)
{
  self->animating = FALSE;
  self->view = self->settled ? self->target : self->animated_to;
  if (!self->settled)
    take_layout(self);
  viewer_flame_graph_shown(self);
}

void viewer_flame_graph_stop_animation(ViewerFlameGraph *self)
{
  if (self->animating)
    adw_animation_pause(self->animation);
  self->animating = FALSE;
}

/* Where animations are not wanted it ends before this returns. */
static void begin_animation(ViewerFlameGraph *self, ViewerViewport from, ViewerViewport to)
{
  viewer_flame_graph_stop_animation(self);
  self->animated_from = self->view = from;
  self->animated_to = to;
  self->animating = TRUE;
  adw_animation_reset(self->animation);
  adw_animation_play(self->animation);
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

  if (comparable && common == n_old && common == n_new && !viewer_viewport_is_all(self->target))
    self->target = keep_middle(old, new, self->target);
  if (comparable && common == n_new && n_new < n_old)
    begin_animation(self, get_extents(old, new), self->target);
  else
    self->view = self->target;
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

static void ready(ViewerFlameGraph *self)
{
  if (self->animating)
    return;
  take_layout(self);
  viewer_flame_graph_shown(self);
}

void viewer_flame_graph_set_view(ViewerFlameGraph *self, ViewerViewport view, gboolean smoothly)
{
  self->target = view;
  if (self->flame && self->settled && smoothly) {
    begin_animation(self, self->view, view);
  } else if (self->flame && self->settled && !self->animating) {
    self->view = view;
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
  self->target = VIEWER_VIEWPORT_ALL;
  if (is_shown) {
    const ProfileFlameBox *item = viewer_flame_graph_get_box(self, box);
    self->settled = FALSE;
    begin_animation(self, self->view, (ViewerViewport){item->start, item->end});
  }
  viewer_flame_graph_request_layout(self, TRUE);
}

void viewer_flame_graph_zoom_to(ViewerFlameGraph *self, const guint32 *path, guint n)
{
  guint length = self->focus->len;

  if (n == length && (n == 0 || memcmp(path, self->focus->data, n * sizeof *path) == 0)) {
    viewer_flame_graph_set_view(self, VIEWER_VIEWPORT_ALL, TRUE);
    return;
  }
  if (n > length)
    g_array_append_val(self->trail, length);
  g_autofree guint32 *copy = g_memdup2(path, n * sizeof *path);
  set_focus(self, copy, n);
}

void viewer_flame_graph_zoom_to_box(ViewerFlameGraph *self, guint box)
{
  guint n;
  g_autofree guint32 *path = viewer_flame_graph_get_path(self->flame, box, &n);

  viewer_flame_graph_zoom_to(self, path, n);
}

void viewer_flame_graph_zoom_by(ViewerFlameGraph *self, double at, double factor)
{
  viewer_flame_graph_set_view(self, viewer_viewport_zoom(self->target, at, factor), FALSE);
}

gboolean viewer_flame_graph_zoom_back(ViewerFlameGraph *self)
{
  guint n = 0;

  if (!viewer_viewport_is_all(self->target)) {
    viewer_flame_graph_set_view(self, VIEWER_VIEWPORT_ALL, TRUE);
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
  return self->focus->len > 0 || !viewer_viewport_is_all(self->target);
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
  return (ViewerViewport){focus.first + self->view.first * width, focus.first + self->view.end * width};
}

void viewer_flame_graph_show_part(ViewerFlameGraph *self, ViewerViewport part)
{
  gboolean was_focused = self->focus->len > 0;

  g_array_set_size(self->focus, 0);
  g_array_set_size(self->trail, 0);
  if (was_focused) {
    viewer_flame_graph_stop_animation(self);
    self->target = part;
    viewer_flame_graph_request_layout(self, TRUE);
  } else {
    viewer_flame_graph_set_view(self, part, FALSE);
  }
}

void viewer_flame_graph_add_view(ViewerFlameGraph *self)
{
  AdwAnimationTarget *target = adw_callback_animation_target_new(animate, self, NULL);

  self->layouter = viewer_flame_layouter_new();
  self->animation = adw_timed_animation_new(GTK_WIDGET(self), 0, 1, ANIMATION_TIME, target);
  g_signal_connect_swapped(self->animation, "done", G_CALLBACK(end_animation), self);
  g_signal_connect_swapped(self->layouter, "ready", G_CALLBACK(ready), self);
}

void viewer_flame_graph_remove_view(ViewerFlameGraph *self)
{
  viewer_flame_graph_stop_animation(self);
  if (self->layouter)
    g_signal_handlers_disconnect_by_data(self->layouter, self);
  g_clear_object(&self->layouter);
  g_clear_object(&self->animation);
}
