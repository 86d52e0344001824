/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/viewer-stack-chart.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <math.h>

#include "profile/profile-span.h"
#include "viewer/viewer-format.h"
#include "viewer/viewer-stack-chart-private.h"
#include "viewer/viewer-time-draw.h"

enum { PROP_0, PROP_HADJUSTMENT, PROP_VADJUSTMENT, PROP_HSCROLL_POLICY, PROP_VSCROLL_POLICY };

enum { NATURAL_HEIGHT = 240, RULER = 22 };

G_DEFINE_FINAL_TYPE_WITH_CODE(ViewerStackChart, viewer_stack_chart, GTK_TYPE_WIDGET,
                              G_IMPLEMENT_INTERFACE(GTK_TYPE_SCROLLABLE, NULL))

static const ProfileChartBox *get_box(ViewerStackChart *self, guint box)
{
  guint n;

  return &profile_chart_get_boxes(self->chart, &n)[box];
}

static ProfileStacks *get_stacks(ViewerStackChart *self)
{
  return profile_filter_get_stacks(profile_sequence_get_filter(profile_chart_get_sequence(self->chart)));
}

guint64 viewer_stack_chart_get_time(ViewerStackChart *self, double place)
{
  return self->first + (guint64)(CLAMP(place, 0, 1) * (double)(self->end - self->first));
}

double viewer_stack_chart_get_place(ViewerStackChart *self, guint64 time)
{
  return time <= self->first ? 0 : (double)(time - self->first) / (double)(self->end - self->first);
}

static double get_x(ViewerStackChart *self, guint64 time)
{
  return viewer_viewport_to_pixels(self->view, viewer_stack_chart_get_place(self, time),
                                   gtk_widget_get_width(GTK_WIDGET(self)));
}

static double get_y(ViewerStackChart *self, guint depth)
{
  GtkAdjustment *vertical = self->adjustments[GTK_ORIENTATION_VERTICAL];

  return RULER + (double)depth * viewer_box_painter_get_row_height(self->painter) -
         (vertical ? floor(gtk_adjustment_get_value(vertical)) : 0);
}

static void update_adjustments(ViewerStackChart *self)
{
  int width = gtk_widget_get_width(GTK_WIDGET(self)), height = gtk_widget_get_height(GTK_WIDGET(self));
  int row = viewer_box_painter_get_row_height(self->painter);
  double upper = MAX(self->chart ? RULER + (double)profile_chart_get_n_rows(self->chart) * row : 0, height);
  GtkAdjustment *vertical = self->adjustments[GTK_ORIENTATION_VERTICAL];

  if (self->adjustments[GTK_ORIENTATION_HORIZONTAL])
    gtk_adjustment_configure(self->adjustments[GTK_ORIENTATION_HORIZONTAL], 0, 0, width, width, width, width);
  if (vertical)
    gtk_adjustment_configure(vertical, CLAMP(gtk_adjustment_get_value(vertical), 0, upper - height), 0, upper,
                             row * 3, height * 0.9, height);
}

graphene_rect_t viewer_stack_chart_get_bounds(ViewerStackChart *self, guint box)
{
  const ProfileChartBox *item = get_box(self, box);
  int width = gtk_widget_get_width(GTK_WIDGET(self));
  double x = CLAMP(get_x(self, item->start), 0, width), end = CLAMP(get_x(self, item->end), x, width);

  return GRAPHENE_RECT_INIT((float)x, (float)get_y(self, item->depth), (float)(end - x),
                            (float)viewer_box_painter_get_row_height(self->painter));
}

static guint64 get_middle(const ProfileChartBox *box)
{
  return box->start + (box->end - box->start) / 2;
}

/* The box of another depth at the middle of a box. */
guint viewer_stack_chart_get_above(ViewerStackChart *self, guint box, int down)
{
  const ProfileChartBox *item = get_box(self, box);
  guint found = VIEWER_STACK_CHART_NO_BOX;

  if (item->depth == 0 && down < 0)
    return VIEWER_STACK_CHART_NO_BOX;
  if (!profile_chart_find(self->chart, item->depth + (guint)down, get_middle(item), &found))
    return VIEWER_STACK_CHART_NO_BOX;
  return found;
}

guint viewer_stack_chart_get_beside(ViewerStackChart *self, guint box, int direction)
{
  guint n, first = profile_chart_get_row(self->chart, get_box(self, box)->depth, &n);

  if (direction < 0)
    return box > first ? box - 1 : VIEWER_STACK_CHART_NO_BOX;
  return box + 1 < first + n ? box + 1 : VIEWER_STACK_CHART_NO_BOX;
}

guint viewer_stack_chart_get_current(ViewerStackChart *self)
{
  guint n = 0;

  if (!self->chart)
    return VIEWER_STACK_CHART_NO_BOX;
  profile_chart_get_boxes(self->chart, &n);
  return self->selected != VIEWER_STACK_CHART_NO_BOX ? self->selected : n > 0 ? 0 : VIEWER_STACK_CHART_NO_BOX;
}

char *viewer_stack_chart_get_name(ViewerStackChart *self, guint box, guint n_max)
{
  return viewer_format_name(profile_stacks_get_function_name(get_stacks(self), get_box(self, box)->function),
                            n_max);
}

char *viewer_stack_chart_describe_box(ViewerStackChart *self, guint box)
{
  const ProfileChartBox *item = get_box(self, box);
  g_autofree char *duration = viewer_format_duration(item->end - item->start);
  g_autofree char *binary =
      viewer_format_binary(profile_stacks_get_function_binary(get_stacks(self), item->function));

  /* Translators: how long, binary */
  return g_strdup_printf(_("%s, in %s"), duration, binary);
}

ViewerStackChartNeighbours viewer_stack_chart_get_neighbours(ViewerStackChart *self)
{
  guint current = viewer_stack_chart_get_current(self);
  ViewerStackChartNeighbours found = {.n = 0};

  if (current == VIEWER_STACK_CHART_NO_BOX)
    return found;
  guint boxes[] = {current, viewer_stack_chart_get_above(self, current, -1),
                   viewer_stack_chart_get_above(self, current, 1),
                   viewer_stack_chart_get_beside(self, current, -1),
                   viewer_stack_chart_get_beside(self, current, 1)};
  for (guint i = 0; i < G_N_ELEMENTS(boxes); i++)
    if (boxes[i] != VIEWER_STACK_CHART_NO_BOX)
      found.boxes[found.n++] = boxes[i];
  return found;
}

guint64 viewer_stack_chart_get_id(ViewerStackChart *self, guint box)
{
  const ProfileChartBox *item = get_box(self, box);

  return ((item->start * 31 + item->end) * 31 + item->function) * 31 + item->depth;
}

static void update_peers(ViewerStackChart *self)
{
  ViewerStackChartNeighbours neighbours = viewer_stack_chart_get_neighbours(self);
  ViewerCanvasItem items[G_N_ELEMENTS(neighbours.boxes)];

  for (guint i = 0; i < neighbours.n; i++) {
    guint box = neighbours.boxes[i];
    items[i] = (ViewerCanvasItem){.id = viewer_stack_chart_get_id(self, box),
                                  .name = viewer_stack_chart_get_name(self, box, 400),
                                  .description = viewer_stack_chart_describe_box(self, box),
                                  .bounds = viewer_stack_chart_get_bounds(self, box)};
  }
  viewer_canvas_peers_show(self->peers, items, neighbours.n);
  for (guint i = 0; i < neighbours.n; i++) {
    g_free((char *)items[i].name);
    g_free((char *)items[i].description);
  }
}

void viewer_stack_chart_redraw(ViewerStackChart *self)
{
  update_peers(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
  gtk_widget_queue_allocate(GTK_WIDGET(self));
}

static void update_palette(ViewerStackChart *self)
{
  if (self->chart)
    viewer_box_painter_set_stacks(self->painter, get_stacks(self), self->mode, viewer_scheme_get_current());
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static guint find_again(ProfileChart *chart, ProfileChartBox box)
{
  guint found;

  return profile_chart_find(chart, box.depth, get_middle(&box), &found) ? found : VIEWER_STACK_CHART_NO_BOX;
}

void viewer_stack_chart_take_layout(ViewerStackChart *self)
{
  ProfileChart *chart = viewer_chart_layouter_get_chart(self->layouter);

  self->layout_waits = FALSE;
  if (!self->weights)
    return;
  if (self->selected != VIEWER_STACK_CHART_NO_BOX)
    self->selected = find_again(chart, *get_box(self, self->selected));
  self->hovered = VIEWER_STACK_CHART_NO_BOX;
  profile_chart_ref(chart);
  g_clear_pointer(&self->chart, profile_chart_unref);
  self->chart = chart;
  update_palette(self);
  update_adjustments(self);
  viewer_stack_chart_redraw(self);
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
  self->thread = thread;
  self->first = first;
  self->end = MAX(end, first + 1);
  if (!weights) {
    g_clear_pointer(&self->chart, profile_chart_unref);
    self->selected = self->hovered = VIEWER_STACK_CHART_NO_BOX;
    viewer_stack_chart_redraw(self);
  }
  viewer_stack_chart_request_layout(self, TRUE);
}

void viewer_stack_chart_set_colors(ViewerStackChart *self, ViewerPaletteMode mode)
{
  self->mode = mode;
  update_palette(self);
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
  if (!self->chart || self->selected == VIEWER_STACK_CHART_NO_BOX)
    return NULL;
  const ProfileChartBox *item = get_box(self, self->selected);
  guint32 *path = g_new(guint32, item->depth + 1);
  for (guint depth = 0; depth <= item->depth; depth++) {
    guint box;
    if (!profile_chart_find(self->chart, depth, get_middle(item), &box))
      break;
    path[(*ret_n)++] = get_box(self, box)->function;
  }
  return path;
}

static ViewerBoxLook get_look(ViewerStackChart *self, guint32 function)
{
  if (!self->search)
    return VIEWER_BOX_PLAIN;
  return profile_search_has(self->search, function) ? VIEWER_BOX_MATCH : VIEWER_BOX_DIM;
}

static void draw_row(ViewerStackChart *self, guint depth)
{
  guint n, first = profile_chart_get_row(self->chart, depth, &n);
  guint64 from = viewer_stack_chart_get_time(self, self->view.first),
          to = viewer_stack_chart_get_time(self, self->view.end);
  guint low = first, high = first + n;

  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (get_box(self, middle)->end <= from)
      low = middle + 1;
    else
      high = middle;
  }
  for (guint i = low; i < first + n && get_box(self, i)->start < to; i++) {
    const ProfileChartBox *box = get_box(self, i);
    double x = get_x(self, box->start);
    viewer_box_painter_draw(self->painter, x, get_y(self, depth), get_x(self, box->end) - x, box->function,
                            get_look(self, box->function));
  }
}

static void draw_marks(ViewerStackChart *self, GtkSnapshot *snapshot)
{
  gboolean focused = viewer_canvas_peers_have_focus(self->peers);
  guint current = focused ? viewer_stack_chart_get_current(self) : self->selected;

  if (self->hovered != VIEWER_STACK_CHART_NO_BOX) {
    graphene_rect_t at = viewer_stack_chart_get_bounds(self, self->hovered);
    viewer_box_painter_highlight(self->painter, snapshot, at.origin.x, at.origin.y, at.size.width);
  }
  if (current != VIEWER_STACK_CHART_NO_BOX) {
    graphene_rect_t at = viewer_stack_chart_get_bounds(self, current);
    viewer_box_painter_outline(self->painter, snapshot, at.origin.x, at.origin.y, at.size.width, focused);
  }
}

/* Stays while rows scroll below it. */
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
  viewer_time_axis_show(&axis, viewer_stack_chart_get_time(self, self->view.first),
                        viewer_stack_chart_get_time(self, self->view.end));
  gtk_snapshot_append_color(snapshot, &ground, &area);
  viewer_time_draw_ticks(GTK_WIDGET(self), snapshot, &axis, &area);
}

static gboolean draw_again(gpointer widget)
{
  gtk_widget_queue_draw(widget);
  return G_SOURCE_REMOVE;
}

static void snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  ViewerStackChart *self = VIEWER_STACK_CHART(widget);
  int height = gtk_widget_get_height(widget), row = viewer_box_painter_get_row_height(self->painter);

  if (!self->chart || !self->weights)
    return;
  viewer_box_painter_begin(self->painter, snapshot, gtk_widget_get_width(widget));
  for (guint depth = 0; depth < profile_chart_get_n_rows(self->chart); depth++)
    if (get_y(self, depth) + row > 0 && get_y(self, depth) < height)
      draw_row(self, depth);
  if (!viewer_box_painter_end(self->painter))
    g_idle_add_full(G_PRIORITY_DEFAULT_IDLE, draw_again, g_object_ref(self), g_object_unref);
  draw_marks(self, snapshot);
  draw_ruler(self, snapshot);
}

void viewer_stack_chart_choose(ViewerStackChart *self, guint box)
{
  const ProfileChartBox *item = get_box(self, box);
  GtkAdjustment *vertical = self->adjustments[GTK_ORIENTATION_VERTICAL];

  self->selected = box;
  if (vertical) {
    double y = get_y(self, item->depth) + gtk_adjustment_get_value(vertical);
    gtk_adjustment_clamp_page(vertical, y - RULER, y + viewer_box_painter_get_row_height(self->painter));
  }
  double first = viewer_stack_chart_get_place(self, item->start),
         end = viewer_stack_chart_get_place(self, item->end);
  if (end <= self->target.first || first >= self->target.end)
    viewer_stack_chart_set_view(self, viewer_viewport_show(self->target, first, end), TRUE);
  viewer_stack_chart_redraw(self);
  g_signal_emit_by_name(self, "selected");
}

gboolean viewer_stack_chart_get_box_at(ViewerStackChart *self, double x, double y, guint *ret_box)
{
  double depth = floor((y - get_y(self, 0)) / viewer_box_painter_get_row_height(self->painter));
  double place = viewer_viewport_from_pixels(self->view, x, gtk_widget_get_width(GTK_WIDGET(self)));

  return self->chart && y >= RULER && depth >= 0 &&
         profile_chart_find(self->chart, (guint)depth, viewer_stack_chart_get_time(self, place), ret_box);
}

static void set_adjustment(ViewerStackChart *self, GtkOrientation orientation, GtkAdjustment *adjustment)
{
  GtkAdjustment **slot = &self->adjustments[orientation];

  if (*slot)
    g_signal_handlers_disconnect_by_func(*slot, viewer_stack_chart_redraw, self);
  g_clear_object(slot);
  if (!adjustment)
    return;
  *slot = g_object_ref_sink(adjustment);
  g_signal_connect_swapped(adjustment, "value-changed", G_CALLBACK(viewer_stack_chart_redraw), self);
  update_adjustments(self);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  ViewerStackChart *self = VIEWER_STACK_CHART(object);

  if (id == PROP_HADJUSTMENT || id == PROP_VADJUSTMENT)
    g_value_set_object(value, self->adjustments[id - PROP_HADJUSTMENT]);
  else
    g_value_set_enum(value, (gint)self->policies[id - PROP_HSCROLL_POLICY]);
}

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  ViewerStackChart *self = VIEWER_STACK_CHART(object);

  if (id == PROP_HADJUSTMENT || id == PROP_VADJUSTMENT)
    set_adjustment(self, (GtkOrientation)(id - PROP_HADJUSTMENT), g_value_get_object(value));
  else
    self->policies[id - PROP_HSCROLL_POLICY] = (GtkScrollablePolicy)g_value_get_enum(value);
}

static void measure(GtkWidget *widget, GtkOrientation orientation, int size, int *minimum, int *natural,
                    int *minimum_baseline, int *natural_baseline)
{
  *minimum = 1;
  *natural = NATURAL_HEIGHT;
}

static void size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  ViewerStackChart *self = VIEWER_STACK_CHART(widget);

  update_adjustments(self);
  viewer_stack_chart_request_layout(self, FALSE);
  viewer_canvas_peers_allocate(self->peers);
}

static gboolean focus(GtkWidget *widget, GtkDirectionType direction)
{
  return viewer_canvas_peers_focus(VIEWER_STACK_CHART(widget)->peers);
}

static gboolean grab_focus(GtkWidget *widget)
{
  return viewer_canvas_peers_grab_focus(VIEWER_STACK_CHART(widget)->peers);
}

static void dispose(GObject *object)
{
  ViewerStackChart *self = VIEWER_STACK_CHART(object);

  g_clear_pointer(&self->weights, profile_weights_unref);
  g_clear_pointer(&self->search, profile_search_unref);
  g_clear_pointer(&self->chart, profile_chart_unref);
  viewer_stack_chart_remove_view(self);
  set_adjustment(self, GTK_ORIENTATION_HORIZONTAL, NULL);
  set_adjustment(self, GTK_ORIENTATION_VERTICAL, NULL);
  if (self->peers)
    g_object_run_dispose(G_OBJECT(self->peers));
  g_clear_object(&self->peers);
  G_OBJECT_CLASS(viewer_stack_chart_parent_class)->dispose(object);
}

static void finalize(GObject *object)
{
  viewer_box_painter_free(VIEWER_STACK_CHART(object)->painter);
  G_OBJECT_CLASS(viewer_stack_chart_parent_class)->finalize(object);
}

static void viewer_stack_chart_class_init(ViewerStackChartClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  object_class->get_property = get_property;
  object_class->set_property = set_property;
  object_class->dispose = dispose;
  object_class->finalize = finalize;
  widget_class->measure = measure;
  widget_class->size_allocate = size_allocate;
  widget_class->snapshot = snapshot;
  widget_class->query_tooltip = viewer_stack_chart_query_tooltip;
  widget_class->focus = focus;
  widget_class->grab_focus = grab_focus;
  g_object_class_override_property(object_class, PROP_HADJUSTMENT, "hadjustment");
  g_object_class_override_property(object_class, PROP_VADJUSTMENT, "vadjustment");
  g_object_class_override_property(object_class, PROP_HSCROLL_POLICY, "hscroll-policy");
  g_object_class_override_property(object_class, PROP_VSCROLL_POLICY, "vscroll-policy");
  g_signal_new("selected", VIEWER_TYPE_STACK_CHART, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  g_signal_new("menu", VIEWER_TYPE_STACK_CHART, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
               G_TYPE_DOUBLE, G_TYPE_DOUBLE);
  gtk_widget_class_set_css_name(widget_class, "stackchart");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_TREE);
}

static void viewer_stack_chart_init(ViewerStackChart *self)
{
  GtkWidget *widget = GTK_WIDGET(self);
  AdwStyleManager *style = adw_style_manager_get_default();

  self->selected = self->hovered = VIEWER_STACK_CHART_NO_BOX;
  viewer_stack_chart_add_view(self);
  self->painter = viewer_box_painter_new(widget);
  self->peers = viewer_canvas_peers_new(widget, GTK_ACCESSIBLE_ROLE_TREE_ITEM);
  g_signal_connect_object(style, "notify::dark", G_CALLBACK(update_palette), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(style, "notify::high-contrast", G_CALLBACK(update_palette), self,
                          G_CONNECT_SWAPPED);
  gtk_widget_set_overflow(widget, GTK_OVERFLOW_HIDDEN);
  gtk_widget_set_has_tooltip(widget, TRUE);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Stack chart"), -1);
  viewer_stack_chart_add_controllers(self);
}

GtkWidget *viewer_stack_chart_new(void)
{
  return g_object_new(VIEWER_TYPE_STACK_CHART, NULL);
}
