/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/flame/flame-graph.h"

#include <glib/gi18n.h>
#include <string.h>

#include "profile/capture/translate.h"
#include "viewer/pages/flame/flame-graph-private.h"
#include "viewer/pages/flame/flame-text.h"

static guint shown_signal;

G_DEFINE_FINAL_TYPE(ViewerFlameGraph, viewer_flame_graph, VIEWER_TYPE_BOX_CANVAS)

const ProfileFlameBox *viewer_flame_graph_get_box(ViewerFlameGraph *self, guint box)
{
  guint n;

  return &profile_flame_get_boxes(self->flame, &n)[box];
}

ProfileStacks *viewer_flame_graph_get_stacks(ProfileWeights *weights)
{
  return profile_filter_get_stacks(profile_weights_get_filter(weights));
}

guint32 *viewer_flame_graph_get_path(ProfileFlame *flame, guint box, guint *ret_n)
{
  guint n;
  const ProfileFlameBox *boxes = profile_flame_get_boxes(flame, &n);
  guint32 *path = g_new(guint32, boxes[box].depth + 1);

  *ret_n = boxes[box].depth;
  profile_flame_get_path(flame, box, path);
  return path;
}

void viewer_flame_graph_set_path(GArray *to, const guint32 *path, guint n)
{
  g_array_set_size(to, 0);
  if (n > 0)
    g_array_append_vals(to, path, n);
}

void viewer_flame_graph_shown(ViewerFlameGraph *self)
{
  viewer_box_canvas_redraw(&self->canvas);
  g_signal_emit(self, shown_signal, 0);
}

static void update_selected(ViewerFlameGraph *self)
{
  self->canvas.selected = VIEWER_NO_BOX;
  if (self->flame && self->selection->len > 0)
    profile_flame_find_path(self->flame, (const guint32 *)self->selection->data, self->selection->len,
                            &self->canvas.selected);
}

void viewer_flame_graph_adopt(ViewerFlameGraph *self, ProfileFlame *old)
{
  ProfileStacks *stacks = viewer_flame_graph_get_stacks(profile_flame_get_weights(self->flame));

  self->canvas.hovered = VIEWER_NO_BOX;
  if (!old || viewer_flame_graph_get_stacks(profile_flame_get_weights(old)) != stacks)
    viewer_box_canvas_update_palette(&self->canvas);
  update_selected(self);
  viewer_box_canvas_update_rows(&self->canvas);
}

static void forget_paths(ViewerFlameGraph *self)
{
  viewer_box_canvas_stop_animation(&self->canvas);
  g_array_set_size(self->focus, 0);
  g_array_set_size(self->trail, 0);
  g_array_set_size(self->selection, 0);
  self->canvas.selected = self->canvas.hovered = VIEWER_NO_BOX;
  self->canvas.target = self->canvas.view = VIEWER_VIEWPORT_ALL;
}

static void flame_graph_clear(ViewerFlameGraph *self)
{
  forget_paths(self);
  g_clear_pointer(&self->flame, profile_flame_unref);
  g_clear_pointer(&self->search, profile_search_unref);
  g_clear_pointer(&self->weights, profile_weights_unref);
}

/* As far as the other capture has the same functions. */
static void translate_path(GArray *path, ProfileCapture *from, ProfileCapture *to)
{
  guint32 *functions = (guint32 *)path->data;

  if (path->len == 0)
    return;
  profile_capture_translate_functions(from, to, functions, path->len, functions);
  for (guint i = 0; i < path->len; i++)
    if (functions[i] == PROFILE_TRANSLATE_NOTHING)
      g_array_set_size(path, i);
}

static void translate_paths(ViewerFlameGraph *self, ProfileCapture *from, ProfileCapture *to)
{
  if (from == to)
    return;
  translate_path(self->focus, from, to);
  translate_path(self->selection, from, to);
}

void viewer_flame_graph_set_weights(ViewerFlameGraph *self, ProfileWeights *weights)
{
  if (!weights) {
    flame_graph_clear(self);
    viewer_flame_graph_shown(self);
    return;
  }
  if (self->weights)
    translate_paths(self, profile_weights_get_capture(self->weights), profile_weights_get_capture(weights));
  profile_weights_ref(weights);
  g_clear_pointer(&self->weights, profile_weights_unref);
  self->weights = weights;
  viewer_flame_graph_request_layout(self, TRUE);
}

void viewer_flame_graph_set_inverted(ViewerFlameGraph *self, gboolean inverted)
{
  if (self->inverted == inverted)
    return;
  self->inverted = inverted;
  forget_paths(self);
  viewer_flame_graph_request_layout(self, TRUE);
}

void viewer_flame_graph_set_from_bottom(ViewerFlameGraph *self, gboolean from_bottom)
{
  viewer_box_canvas_set_from_bottom(&self->canvas, from_bottom);
  viewer_flame_graph_shown(self);
}

gboolean viewer_flame_graph_is_from_bottom(ViewerFlameGraph *self)
{
  return self->canvas.from_bottom;
}

void viewer_flame_graph_set_colors(ViewerFlameGraph *self, ViewerPaletteMode mode)
{
  viewer_box_canvas_set_colors(&self->canvas, mode);
  g_signal_emit(self, shown_signal, 0);
}

void viewer_flame_graph_set_search(ViewerFlameGraph *self, const char *text)
{
  if (g_strcmp0(text ? text : "", self->search_text ? self->search_text : "") == 0)
    return;
  g_free(self->search_text);
  self->search_text = g_strdup(text);
  viewer_flame_graph_request_layout(self, TRUE);
}

ProfileSearch *viewer_flame_graph_get_search(ViewerFlameGraph *self)
{
  return self->search;
}

ProfileFlame *viewer_flame_graph_get_flame(ViewerFlameGraph *self)
{
  return self->flame;
}

static void scroll_to_selected(ViewerFlameGraph *self)
{
  ViewerBoxCanvas *canvas = &self->canvas;

  if (canvas->selected == VIEWER_NO_BOX)
    return;
  const ProfileFlameBox *box = viewer_flame_graph_get_box(self, canvas->selected);
  graphene_rect_t bounds = viewer_box_canvas_get_bounds(canvas, canvas->selected);
  viewer_box_canvas_scroll_to(canvas, bounds.origin.y, bounds.size.height);
  gboolean outside = box->end <= canvas->target.first || box->start >= canvas->target.end;
  if (outside && !canvas->animating)
    viewer_flame_graph_set_view(canvas, viewer_viewport_show(canvas->target, box->start, box->end), TRUE);
}

void viewer_flame_graph_select(ViewerFlameGraph *self, const guint32 *path, guint n)
{
  if (n == self->selection->len && (n == 0 || memcmp(path, self->selection->data, n * sizeof *path) == 0))
    return;
  viewer_flame_graph_set_path(self->selection, path, n);
  update_selected(self);
  scroll_to_selected(self);
  viewer_box_canvas_redraw(&self->canvas);
}

void viewer_flame_graph_choose(ViewerFlameGraph *self, guint box)
{
  guint n;
  g_autofree guint32 *path = viewer_flame_graph_get_path(self->flame, box, &n);

  viewer_flame_graph_set_path(self->selection, path, n);
  self->canvas.selected = box;
  scroll_to_selected(self);
  viewer_box_canvas_redraw(&self->canvas);
  g_signal_emit_by_name(self, "selected");
}

const guint32 *viewer_flame_graph_get_selection(ViewerFlameGraph *self, guint *ret_n)
{
  *ret_n = self->selection->len;
  return (const guint32 *)self->selection->data;
}

gboolean viewer_flame_graph_get_selected_box(ViewerFlameGraph *self, guint *ret_box)
{
  if (!self->flame || self->canvas.selected == VIEWER_NO_BOX)
    return FALSE;
  *ret_box = self->canvas.selected;
  return TRUE;
}

ViewerPalette *viewer_flame_graph_get_palette(ViewerFlameGraph *self)
{
  return viewer_box_painter_get_palette(self->canvas.painter);
}

const guint32 *viewer_flame_graph_get_frame_times(ViewerFlameGraph *self, guint *ret_n)
{
  *ret_n = MIN(self->n_frames, VIEWER_FLAME_FRAME_TIMES);
  return self->frame_times;
}

static ProfileStacks *get_stacks(ViewerBoxCanvas *canvas)
{
  ProfileFlame *flame = VIEWER_FLAME_GRAPH(canvas)->flame;

  return flame ? viewer_flame_graph_get_stacks(profile_flame_get_weights(flame)) : NULL;
}

static guint get_n_rows(ViewerBoxCanvas *canvas)
{
  ProfileFlame *flame = VIEWER_FLAME_GRAPH(canvas)->flame;

  return flame ? profile_flame_get_n_rows(flame) : 0;
}

static ViewerBoxPlace get_place(ViewerBoxCanvas *canvas, guint box)
{
  const ProfileFlameBox *item = viewer_flame_graph_get_box(VIEWER_FLAME_GRAPH(canvas), box);

  return (ViewerBoxPlace){item->start, item->end, item->depth};
}

static gboolean flame_graph_find(ViewerBoxCanvas *canvas, guint depth, double place, guint *ret_box)
{
  return profile_flame_find(VIEWER_FLAME_GRAPH(canvas)->flame, depth, place, ret_box);
}

/* The same for the same path of functions, whatever the layout. */
static guint64 get_id(ViewerBoxCanvas *canvas, guint box)
{
  guint n;
  g_autofree guint32 *path = viewer_flame_graph_get_path(VIEWER_FLAME_GRAPH(canvas)->flame, box, &n);
  guint64 id = 14695981039346656037u;

  for (guint i = 0; i < n; i++)
    id = (id ^ path[i]) * 1099511628211u;
  return id;
}

static void flame_graph_describe(ViewerBoxCanvas *canvas, guint box, char **ret_name, char **ret_description)
{
  ProfileFlame *flame = VIEWER_FLAME_GRAPH(canvas)->flame;

  *ret_name = viewer_flame_text_get_name(flame, box, 400);
  *ret_description = viewer_flame_text_describe(flame, box);
}

/* What is selected, whoever listens knows already. */
static void flame_graph_choose(ViewerBoxCanvas *canvas, guint box)
{
  if (box != canvas->selected)
    viewer_flame_graph_choose(VIEWER_FLAME_GRAPH(canvas), box);
}

static void request_layout(ViewerBoxCanvas *canvas)
{
  viewer_flame_graph_request_layout(VIEWER_FLAME_GRAPH(canvas), FALSE);
}

static void flame_graph_dispose(GObject *object)
{
  flame_graph_clear(VIEWER_FLAME_GRAPH(object));
  viewer_flame_graph_remove_layouter(VIEWER_FLAME_GRAPH(object));
  G_OBJECT_CLASS(viewer_flame_graph_parent_class)->dispose(object);
}

static void flame_graph_finalize(GObject *object)
{
  ViewerFlameGraph *self = VIEWER_FLAME_GRAPH(object);

  g_array_unref(self->focus);
  g_array_unref(self->trail);
  g_array_unref(self->selection);
  g_free(self->search_text);
  G_OBJECT_CLASS(viewer_flame_graph_parent_class)->finalize(object);
}

static void viewer_flame_graph_class_init(ViewerFlameGraphClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  ViewerBoxCanvasClass *canvas_class = VIEWER_BOX_CANVAS_CLASS(klass);

  object_class->dispose = flame_graph_dispose;
  object_class->finalize = flame_graph_finalize;
  widget_class->snapshot = viewer_flame_graph_snapshot;
  widget_class->query_tooltip = viewer_flame_graph_query_tooltip;
  canvas_class->get_stacks = get_stacks;
  canvas_class->get_n_rows = get_n_rows;
  canvas_class->get_place = get_place;
  canvas_class->find = flame_graph_find;
  canvas_class->get_current = viewer_flame_graph_get_current;
  canvas_class->get_next = viewer_flame_graph_get_next;
  canvas_class->get_id = get_id;
  canvas_class->describe = flame_graph_describe;
  canvas_class->choose = flame_graph_choose;
  canvas_class->zoom_to_box = viewer_flame_graph_zoom_to_box;
  canvas_class->press = viewer_flame_graph_press;
  canvas_class->set_view = viewer_flame_graph_set_view;
  canvas_class->arrived = viewer_flame_graph_arrived;
  canvas_class->request_layout = request_layout;
  shown_signal =
      g_signal_new("shown", VIEWER_TYPE_FLAME_GRAPH, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_css_name(widget_class, "flamegraph");
}

static void viewer_flame_graph_init(ViewerFlameGraph *self)
{
  self->focus = g_array_new(FALSE, FALSE, sizeof(guint32));
  self->trail = g_array_new(FALSE, FALSE, sizeof(guint));
  self->selection = g_array_new(FALSE, FALSE, sizeof(guint32));
  viewer_flame_graph_add_layouter(self);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Flame graph"), -1);
}

GtkWidget *viewer_flame_graph_new(void)
{
  return g_object_new(VIEWER_TYPE_FLAME_GRAPH, NULL);
}
