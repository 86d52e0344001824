/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/flame/stack-chart.h"

#include <glib/gi18n.h>
#include <string.h>

#include "profile/capture/span.h"
#include "viewer/kit/format.h"
#include "viewer/pages/flame/stack-chart-private.h"
#include "viewer/time/time-draw.h"

enum { RULER = 22 };

static guint shown_signal;

G_DEFINE_FINAL_TYPE(ViewerStackChart, viewer_stack_chart, VIEWER_TYPE_BOX_CANVAS)

const ProfileChartBox *viewer_stack_chart_get_box(ViewerStackChart *self, guint box)
{
  guint n;

  return &profile_chart_get_boxes(self->chart, &n)[box];
}

static ProfileStacks *get_stacks(ViewerBoxCanvas *canvas)
{
  ProfileChart *chart = VIEWER_STACK_CHART(canvas)->chart;

  return chart ? profile_filter_get_stacks(profile_sequence_get_filter(profile_chart_get_sequence(chart)))
               : NULL;
}

static guint get_n_rows(ViewerBoxCanvas *canvas)
{
  ProfileChart *chart = VIEWER_STACK_CHART(canvas)->chart;

  return chart ? profile_chart_get_n_rows(chart) : 0;
}

guint64 viewer_stack_chart_get_time(ViewerStackChart *self, double place)
{
  return self->first + (guint64)(CLAMP(place, 0, 1) * (double)(self->end - self->first));
}

double viewer_stack_chart_get_place(ViewerStackChart *self, guint64 time)
{
  return time <= self->first ? 0 : (double)(time - self->first) / (double)(self->end - self->first);
}

static ViewerBoxPlace get_place(ViewerBoxCanvas *canvas, guint box)
{
  ViewerStackChart *self = VIEWER_STACK_CHART(canvas);
  const ProfileChartBox *item = viewer_stack_chart_get_box(self, box);

  return (ViewerBoxPlace){viewer_stack_chart_get_place(self, item->start),
                          viewer_stack_chart_get_place(self, item->end), item->depth};
}

static gboolean stack_chart_find(ViewerBoxCanvas *canvas, guint depth, double place, guint *ret_box)
{
  ViewerStackChart *self = VIEWER_STACK_CHART(canvas);

  return profile_chart_find(self->chart, depth, viewer_stack_chart_get_time(self, place), ret_box);
}

static guint64 get_middle(const ProfileChartBox *box)
{
  return box->start + (box->end - box->start) / 2;
}

guint viewer_stack_chart_get_current(ViewerBoxCanvas *canvas)
{
  ProfileChart *chart = VIEWER_STACK_CHART(canvas)->chart;
  guint n = 0;

  if (!chart)
    return VIEWER_NO_BOX;
  profile_chart_get_boxes(chart, &n);
  return canvas->selected != VIEWER_NO_BOX ? canvas->selected : n > 0 ? 0 : VIEWER_NO_BOX;
}

/* At the time of a box. */
static guint find_at(ProfileChart *chart, guint depth, const ProfileChartBox *box)
{
  guint found;

  return profile_chart_find(chart, depth, get_middle(box), &found) ? found : VIEWER_NO_BOX;
}

static guint get_next(ViewerBoxCanvas *canvas, guint box, ViewerBoxWay way)
{
  ViewerStackChart *self = VIEWER_STACK_CHART(canvas);
  const ProfileChartBox *item = viewer_stack_chart_get_box(self, box);
  guint n, first = profile_chart_get_row(self->chart, item->depth, &n);

  switch (way) {
  case VIEWER_BOX_CALLER:
    return item->depth > 0 ? find_at(self->chart, item->depth - 1, item) : VIEWER_NO_BOX;
  case VIEWER_BOX_CALLEE:
    return find_at(self->chart, item->depth + 1, item);
  case VIEWER_BOX_BEFORE:
    return box > first ? box - 1 : VIEWER_NO_BOX;
  case VIEWER_BOX_AFTER:
  default:
    return box + 1 < first + n ? box + 1 : VIEWER_NO_BOX;
  }
}

static guint64 get_id(ViewerBoxCanvas *canvas, guint box)
{
  const ProfileChartBox *item = viewer_stack_chart_get_box(VIEWER_STACK_CHART(canvas), box);

  return ((item->start * 31 + item->end) * 31 + item->function) * 31 + item->depth;
}

static char *get_name(ViewerBoxCanvas *canvas, guint box, guint n_max)
{
  const ProfileChartBox *item = viewer_stack_chart_get_box(VIEWER_STACK_CHART(canvas), box);

  return viewer_format_name(profile_stacks_get_function_name(get_stacks(canvas), item->function), n_max);
}

static char *get_description(ViewerBoxCanvas *canvas, guint box)
{
  const ProfileChartBox *item = viewer_stack_chart_get_box(VIEWER_STACK_CHART(canvas), box);
  g_autofree char *duration = viewer_format_duration(item->end - item->start);
  g_autofree char *binary =
      viewer_format_binary(profile_stacks_get_function_binary(get_stacks(canvas), item->function));

  /* Translators: how long, binary */
  return g_strdup_printf(_("%s, in %s"), duration, binary);
}

static void stack_chart_describe(ViewerBoxCanvas *canvas, guint box, char **ret_name, char **ret_description)
{
  *ret_name = get_name(canvas, box, 400);
  *ret_description = get_description(canvas, box);
}

static gboolean query_tooltip(GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  ViewerBoxCanvas *canvas = VIEWER_BOX_CANVAS(widget);
  guint box = viewer_stack_chart_get_current(canvas);

  if (box == VIEWER_NO_BOX || (!keyboard && !viewer_box_canvas_get_box_at(canvas, x, y, &box)))
    return FALSE;
  g_autofree char *name = get_name(canvas, box, 300), *numbers = get_description(canvas, box);
  g_autofree char *text = g_markup_printf_escaped("<b>%s</b>\n%s", name, numbers);
  gtk_tooltip_set_markup(tooltip, text);
  return TRUE;
}

void viewer_stack_chart_shown(ViewerStackChart *self)
{
  g_signal_emit(self, shown_signal, 0);
}

/* From the innermost on: it is the one that most boxes differ in. */
static gboolean has_path(ProfileChart *chart, const ProfileChartBox *box, const GArray *path)
{
  guint found, n;

  for (guint depth = path->len; depth-- > 0;)
    if (!profile_chart_find(chart, depth, get_middle(box), &found) ||
        profile_chart_get_boxes(chart, &n)[found].function != g_array_index(path, guint32, depth))
      return FALSE;
  return box->depth + 1 == path->len;
}

/* What is selected, in another layout. */
static guint find_again(ViewerStackChart *self, ProfileChart *chart)
{
  const ProfileChartBox *box = viewer_stack_chart_get_box(self, self->canvas.selected);
  guint found = find_at(chart, box->depth, box), n;

  return found != VIEWER_NO_BOX && has_path(chart, &profile_chart_get_boxes(chart, &n)[found], self->path)
             ? found
             : VIEWER_NO_BOX;
}

static guint find_longest(ProfileChart *chart, const GArray *path)
{
  guint n, n_boxes, longest = VIEWER_NO_BOX;
  const ProfileChartBox *boxes = profile_chart_get_boxes(chart, &n_boxes);
  guint first = path->len > 0 ? profile_chart_get_row(chart, path->len - 1, &n) : n_boxes;

  for (guint i = first; i < n_boxes && i < first + n; i++) {
    gboolean is_longer =
        longest == VIEWER_NO_BOX || boxes[i].end - boxes[i].start > boxes[longest].end - boxes[longest].start;
    if (is_longer && has_path(chart, &boxes[i], path))
      longest = i;
  }
  return longest;
}

static void scroll_to_selected(ViewerStackChart *self)
{
  graphene_rect_t bounds = viewer_box_canvas_get_bounds(&self->canvas, self->canvas.selected);

  viewer_box_canvas_scroll_to(&self->canvas, bounds.origin.y - RULER, bounds.size.height + RULER);
}

static void show_selected(ViewerStackChart *self)
{
  ViewerViewport shown = self->canvas.target;
  ViewerBoxPlace place = get_place(&self->canvas, self->canvas.selected);

  scroll_to_selected(self);
  if (place.end <= shown.first || place.first >= shown.end)
    viewer_stack_chart_set_view(&self->canvas, viewer_viewport_show(shown, place.first, place.end), TRUE);
}

/* A layout of a part of the time lacks what lies elsewhere: for what is gone to, all is shown. */
static void stack_chart_seek(ViewerStackChart *self)
{
  gboolean goes = self->goes;

  self->seeks = self->goes = FALSE;
  self->canvas.selected = find_longest(self->chart, self->path);
  if (self->canvas.selected != VIEWER_NO_BOX) {
    if (goes)
      show_selected(self);
    else
      scroll_to_selected(self);
  } else if (goes && self->path->len > 0 && !viewer_stack_chart_shows_all(self)) {
    self->seeks = self->goes = TRUE;
    viewer_stack_chart_zoom_reset(self);
  }
}

void viewer_stack_chart_take_layout(ViewerStackChart *self)
{
  ProfileChart *chart = viewer_chart_layouter_get_chart(self->layouter);

  self->layout_waits = FALSE;
  if (!self->weights)
    return;
  if (self->canvas.selected != VIEWER_NO_BOX)
    self->canvas.selected = find_again(self, chart);
  self->canvas.hovered = VIEWER_NO_BOX;
  profile_chart_ref(chart);
  g_clear_pointer(&self->chart, profile_chart_unref);
  self->chart = chart;
  viewer_box_canvas_update_palette(&self->canvas);
  viewer_box_canvas_update_rows(&self->canvas);
  if (self->canvas.selected == VIEWER_NO_BOX && self->seeks)
    stack_chart_seek(self);
  else
    self->seeks = self->goes = FALSE;
  viewer_box_canvas_redraw(&self->canvas);
  viewer_stack_chart_shown(self);
}

void viewer_stack_chart_select(ViewerStackChart *self, const guint32 *path, guint n)
{
  if (n == self->path->len && (n == 0 || memcmp(path, self->path->data, n * sizeof *path) == 0))
    return;
  g_array_set_size(self->path, 0);
  g_array_append_vals(self->path, path, n);
  self->canvas.selected = VIEWER_NO_BOX;
  self->seeks = self->goes = TRUE;
  if (!self->chart || viewer_latest_is_busy(self->layouter))
    return;
  stack_chart_seek(self);
  viewer_box_canvas_redraw(&self->canvas);
}

void viewer_stack_chart_set_weights(ViewerStackChart *self, ProfileWeights *weights, guint32 thread,
                                    guint64 first, guint64 end)
{
  if (weights)
    profile_weights_ref(weights);
  g_clear_pointer(&self->weights, profile_weights_unref);
  self->weights = weights;
  self->generation++;
  if (first != self->first || end != self->end)
    viewer_stack_chart_forget_view(self);
  if (thread != self->thread)
    self->canvas.selected = VIEWER_NO_BOX;
  self->thread = thread;
  self->seeks = TRUE;
  self->goes = FALSE;
  self->first = first;
  self->end = MAX(end, first + 1);
  if (!weights) {
    g_clear_pointer(&self->chart, profile_chart_unref);
    self->canvas.selected = self->canvas.hovered = VIEWER_NO_BOX;
    viewer_box_canvas_redraw(&self->canvas);
  }
  viewer_stack_chart_request_layout(self, TRUE);
}

void viewer_stack_chart_set_colors(ViewerStackChart *self, ViewerPaletteMode mode)
{
  viewer_box_canvas_set_colors(&self->canvas, mode);
}

void viewer_stack_chart_set_search(ViewerStackChart *self, ProfileSearch *search)
{
  if (search)
    profile_search_ref(search);
  g_clear_pointer(&self->search, profile_search_unref);
  self->search = search;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

guint32 *viewer_stack_chart_get_selection(ViewerStackChart *self, guint *ret_n)
{
  *ret_n = 0;
  if (!self->chart || self->canvas.selected == VIEWER_NO_BOX)
    return NULL;
  const ProfileChartBox *item = viewer_stack_chart_get_box(self, self->canvas.selected);
  guint32 *path = g_new(guint32, item->depth + 1);
  for (guint depth = 0; depth <= item->depth; depth++) {
    guint box;
    if (!profile_chart_find(self->chart, depth, get_middle(item), &box))
      break;
    path[(*ret_n)++] = viewer_stack_chart_get_box(self, box)->function;
  }
  return path;
}

static ViewerBoxLook get_look(ViewerStackChart *self, guint32 function)
{
  if (!self->search)
    return VIEWER_BOX_PLAIN;
  return profile_search_has(self->search, function) ? VIEWER_BOX_MATCH : VIEWER_BOX_DIM;
}

static double get_x(ViewerStackChart *self, guint64 time)
{
  return viewer_box_canvas_get_x(&self->canvas, viewer_stack_chart_get_place(self, time));
}

static void draw_row(ViewerStackChart *self, guint depth)
{
  double y = viewer_box_canvas_get_y(&self->canvas, depth);
  guint n, first = profile_chart_get_row(self->chart, depth, &n);
  guint64 from = viewer_stack_chart_get_time(self, self->canvas.view.first),
          to = viewer_stack_chart_get_time(self, self->canvas.view.end);
  guint low = first, high = first + n;

  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (viewer_stack_chart_get_box(self, middle)->end <= from)
      low = middle + 1;
    else
      high = middle;
  }
  for (guint i = low; i < first + n && viewer_stack_chart_get_box(self, i)->start < to; i++) {
    const ProfileChartBox *box = viewer_stack_chart_get_box(self, i);
    double x = get_x(self, box->start), end = get_x(self, box->end);
    viewer_box_painter_draw(self->canvas.painter, x, y, end - x, box->function, FALSE,
                            get_look(self, box->function));
  }
}

/* Stays while rows scroll below it. Its texts are as large as those of other axes, not as those of boxes. */
static void draw_ruler(ViewerStackChart *self, GtkSnapshot *snapshot)
{
  int width = gtk_widget_get_width(GTK_WIDGET(self));
  graphene_rect_t area = GRAPHENE_RECT_INIT(0, 0, (float)width, RULER);
  GdkRGBA ground = viewer_time_draw_get_color(GTK_WIDGET(self), "view_bg_color", "#ffffff");
  guint64 first, end;
  ViewerTimeAxis axis;

  profile_span_get(profile_weights_get_capture(self->weights), &first, &end);
  viewer_time_axis_init(&axis, MIN(first, self->first), MAX(end, self->end));
  viewer_time_axis_set_width(&axis, width);
  viewer_time_axis_show(&axis, viewer_stack_chart_get_time(self, self->canvas.view.first),
                        viewer_stack_chart_get_time(self, self->canvas.view.end));
  gtk_snapshot_append_color(snapshot, &ground, &area);
  viewer_time_draw_ticks(gtk_widget_get_parent(GTK_WIDGET(self)), snapshot, &axis, &area);
}

static void stack_chart_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  ViewerStackChart *self = VIEWER_STACK_CHART(widget);
  ViewerBoxCanvas *canvas = &self->canvas;
  int height = gtk_widget_get_height(widget), row = viewer_box_painter_get_row_height(canvas->painter);

  if (!self->chart || !self->weights)
    return;
  viewer_box_painter_begin(canvas->painter, snapshot, gtk_widget_get_width(widget));
  for (guint depth = 0; depth < profile_chart_get_n_rows(self->chart); depth++) {
    double y = viewer_box_canvas_get_y(canvas, depth);
    if (y + row > 0 && y < height)
      draw_row(self, depth);
  }
  viewer_box_canvas_end_boxes(canvas);
  viewer_box_canvas_draw_marks(canvas, snapshot);
  draw_ruler(self, snapshot);
}

void viewer_stack_chart_choose(ViewerBoxCanvas *canvas, guint box)
{
  ViewerStackChart *self = VIEWER_STACK_CHART(canvas);
  guint n;

  canvas->selected = box;
  g_autofree guint32 *path = viewer_stack_chart_get_selection(self, &n);
  g_array_set_size(self->path, 0);
  g_array_append_vals(self->path, path, n);
  show_selected(self);
  viewer_box_canvas_redraw(canvas);
  g_signal_emit_by_name(canvas, "selected");
}

static void request_layout(ViewerBoxCanvas *canvas)
{
  viewer_stack_chart_request_layout(VIEWER_STACK_CHART(canvas), FALSE);
}

static void stack_chart_dispose(GObject *object)
{
  ViewerStackChart *self = VIEWER_STACK_CHART(object);

  g_clear_pointer(&self->weights, profile_weights_unref);
  g_clear_pointer(&self->search, profile_search_unref);
  g_clear_pointer(&self->chart, profile_chart_unref);
  viewer_stack_chart_remove_layouter(self);
  G_OBJECT_CLASS(viewer_stack_chart_parent_class)->dispose(object);
}

static void stack_chart_finalize(GObject *object)
{
  g_array_unref(VIEWER_STACK_CHART(object)->path);
  G_OBJECT_CLASS(viewer_stack_chart_parent_class)->finalize(object);
}

static void viewer_stack_chart_class_init(ViewerStackChartClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  ViewerBoxCanvasClass *canvas_class = VIEWER_BOX_CANVAS_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = stack_chart_dispose;
  G_OBJECT_CLASS(klass)->finalize = stack_chart_finalize;
  widget_class->snapshot = stack_chart_snapshot;
  widget_class->query_tooltip = query_tooltip;
  canvas_class->get_stacks = get_stacks;
  canvas_class->get_n_rows = get_n_rows;
  canvas_class->get_place = get_place;
  canvas_class->find = stack_chart_find;
  canvas_class->get_current = viewer_stack_chart_get_current;
  canvas_class->get_next = get_next;
  canvas_class->get_id = get_id;
  canvas_class->describe = stack_chart_describe;
  canvas_class->choose = viewer_stack_chart_choose;
  canvas_class->zoom_to_box = viewer_stack_chart_zoom_to_box;
  canvas_class->press = viewer_stack_chart_press;
  canvas_class->set_view = viewer_stack_chart_set_view;
  canvas_class->arrived = viewer_stack_chart_arrived;
  canvas_class->request_layout = request_layout;
  shown_signal =
      g_signal_new("shown", VIEWER_TYPE_STACK_CHART, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_css_name(widget_class, "stackchart");
}

static void viewer_stack_chart_init(ViewerStackChart *self)
{
  self->canvas.top = RULER;
  self->path = g_array_new(FALSE, FALSE, sizeof(guint32));
  viewer_stack_chart_add_layouter(self);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Stack chart"), -1);
}

GtkWidget *viewer_stack_chart_new(void)
{
  return g_object_new(VIEWER_TYPE_STACK_CHART, NULL);
}
