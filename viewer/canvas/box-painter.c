/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/canvas/box-painter.h"

#include <glib/gi18n.h>
#include <math.h>

#include "profile/views/tree.h"
#include "viewer/kit/format.h"
#include "viewer/time/time-draw.h"

enum {
  PADDING = 6,
  TEXT_TOP = 2,         /* below the ring of a box */
  TEXT_WIDTH = 30,      /* narrower boxes have no text */
  MIN_LETTERS = 3,      /* fewer of a text say nothing */
  EDGES_WIDTH = 4,      /* narrower boxes have no edges */
  DOTS_WIDTH = 8,       /* narrower boxes do not show that they are inlined */
  NARROW = 8,           /* narrower ones would be filled by a ring of full width */
  MAX_CHARACTERS = 400, /* more than a screen is wide */
  MAX_LABELS = 6000,
  SHAPING_TIME = 3000 /* µs of a frame */
};

/* A name, shaped. */
typedef struct {
  PangoLayout *layout;
  GskRenderNode *node; /* NULL: not drawn yet */
  GdkRGBA color;       /* the node's */
  float *stops;        /* where it may be cut: how wide it is up to the end of each character */
  guint n_stops;
  gboolean from_right; /* it is read from there */
  guint frame;         /* when it was used last */
} Label;

/* Neighbouring boxes that are too narrow to be told apart become one rectangle. */
typedef struct {
  double x, end, y;
  GdkRGBA color;
} Run;

struct _ViewerBoxPainter {
  GtkWidget *widget;
  ProfileStacks *stacks;
  ViewerPalette *palette;
  GHashTable *labels;     /* function → Label */
  Label *ellipsis, *rest; /* NULL: not needed yet */
  gboolean has_edges;     /* for high contrast */
  int row_height;         /* 0: not known yet */
  guint serial;           /* of the fonts that were used */

  GtkSnapshot *snapshot;
  double width;
  gint64 deadline;
  gboolean incomplete;
  guint frame;
  Run run;
};

static void free_label(Label *label)
{
  g_object_unref(label->layout);
  g_clear_pointer(&label->node, gsk_render_node_unref);
  g_free(label->stops);
  g_free(label);
}

ViewerBoxPainter *viewer_box_painter_new(GtkWidget *widget)
{
  ViewerBoxPainter *self = g_new0(ViewerBoxPainter, 1);

  self->widget = widget;
  self->labels = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)free_label);
  return self;
}

void viewer_box_painter_forget(ViewerBoxPainter *self)
{
  g_hash_table_remove_all(self->labels);
  g_clear_pointer(&self->ellipsis, free_label);
  g_clear_pointer(&self->rest, free_label);
  self->row_height = 0;
}

void viewer_box_painter_free(ViewerBoxPainter *self)
{
  viewer_box_painter_forget(self);
  g_hash_table_unref(self->labels);
  g_clear_pointer(&self->palette, viewer_palette_free);
  g_clear_pointer(&self->stacks, profile_stacks_unref);
  g_free(self);
}

void viewer_box_painter_set_stacks(ViewerBoxPainter *self, ProfileStacks *stacks, ViewerPaletteMode mode,
                                   ViewerScheme scheme)
{
  if (self->stacks != stacks)
    g_hash_table_remove_all(self->labels);
  profile_stacks_ref(stacks);
  g_clear_pointer(&self->stacks, profile_stacks_unref);
  self->stacks = stacks;
  g_clear_pointer(&self->palette, viewer_palette_free);
  self->palette = viewer_palette_new(stacks, mode, scheme);
  self->has_edges = scheme.high_contrast;
}

ViewerPalette *viewer_box_painter_get_palette(ViewerBoxPainter *self)
{
  return self->palette;
}

/* What was shaped with other fonts is of no use. */
static void check_fonts(ViewerBoxPainter *self)
{
  guint serial = pango_context_get_serial(gtk_widget_get_pango_context(self->widget));

  if (serial != self->serial)
    viewer_box_painter_forget(self);
  self->serial = serial;
}

int viewer_box_painter_get_row_height(ViewerBoxPainter *self)
{
  int height;

  check_fonts(self);
  if (self->row_height > 0)
    return self->row_height;
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(self->widget, "Äg");
  pango_layout_get_pixel_size(layout, NULL, &height);
  self->row_height = height + 4;
  return self->row_height;
}

static int compare_stops(gconstpointer a, gconstpointer b)
{
  float left = *(const float *)a, right = *(const float *)b;

  return left < right ? -1 : left > right;
}

static void find_stops(Label *label)
{
  PangoLayoutIter *iter = pango_layout_get_iter(label->layout);
  g_autoptr(GArray) stops = g_array_new(FALSE, FALSE, sizeof(float));
  PangoRectangle all, extents;

  pango_layout_get_extents(label->layout, NULL, &all);
  do {
    pango_layout_iter_get_cluster_extents(iter, NULL, &extents);
    int end = label->from_right ? all.x + all.width - extents.x : extents.x + extents.width;
    float stop = (float)end / PANGO_SCALE;
    g_array_append_val(stops, stop);
  } while (pango_layout_iter_next_cluster(iter));
  pango_layout_iter_free(iter);
  g_array_sort(stops, compare_stops);
  label->n_stops = stops->len;
  label->stops = (float *)g_array_free(g_steal_pointer(&stops), FALSE);
}

/* Names of functions read from the left, wherever one reads from the right: so do their brackets. What we say
 * ourselves reads as its language does. The widget's context is the same for both: each change of it makes
 * all that was shaped useless. */
static Label *make_label(ViewerBoxPainter *self, const char *text, gboolean is_name)
{
  Label *label = g_new0(Label, 1);

  label->layout = gtk_widget_create_pango_layout(self->widget, NULL);
  pango_context_set_base_dir(pango_layout_get_context(label->layout), PANGO_DIRECTION_LTR);
  pango_layout_set_auto_dir(label->layout, !is_name);
  pango_layout_set_single_paragraph_mode(label->layout, TRUE);
  pango_layout_set_text(label->layout, text, -1);
  label->from_right = pango_layout_get_direction(label->layout, 0) == PANGO_DIRECTION_RTL && !is_name;
  find_stops(label);
  return label;
}

static Label *get_label(ViewerBoxPainter *self, guint32 function)
{
  gpointer key = GUINT_TO_POINTER(function);
  Label *label = g_hash_table_lookup(self->labels, key);

  if (!label && g_get_monotonic_time() > self->deadline) {
    self->incomplete = TRUE;
    return NULL;
  }
  if (!label) {
    gboolean is_root = function == PROFILE_TREE_NO_FUNCTION;
    const char *name = is_root ? _("All Samples") : profile_stacks_get_function_name(self->stacks, function);
    g_autofree char *text = viewer_format_function(name, MAX_CHARACTERS);
    label = make_label(self, text, !is_root);
    g_hash_table_insert(self->labels, key, label);
  }
  label->frame = self->frame;
  return label;
}

static gboolean is_old(gpointer key, gpointer value, gpointer self)
{
  return ((Label *)value)->frame != ((ViewerBoxPainter *)self)->frame;
}

void viewer_box_painter_begin(ViewerBoxPainter *self, GtkSnapshot *snapshot, double width)
{
  check_fonts(self);
  if (g_hash_table_size(self->labels) > MAX_LABELS)
    g_hash_table_foreach_remove(self->labels, is_old, self);
  self->frame++;
  self->snapshot = snapshot;
  self->width = width;
  self->incomplete = FALSE;
  self->deadline = g_get_monotonic_time() + SHAPING_TIME;
  self->run = (Run){0};
}

static void box_painter_append(ViewerBoxPainter *self, const GdkRGBA *color, double x, double y, double width,
                               double height)
{
  gtk_snapshot_append_color(self->snapshot, color,
                            &GRAPHENE_RECT_INIT((float)x, (float)y, (float)width, (float)height));
}

static void end_run(ViewerBoxPainter *self)
{
  const Run *run = &self->run;
  gboolean is_hair = run->end - run->x < 1; /* a pixel of it, since a part of one is not seen */

  if (run->end > run->x)
    box_painter_append(self, &run->color, is_hair ? floor(run->x) : run->x, run->y + self->has_edges,
                       is_hair ? 1 : run->end - run->x, self->row_height - 1);
  self->run = (Run){0};
}

/* A box on whole pixels: a gap parts it from the next ones, or an edge that it shares with them. */
static void append_box(ViewerBoxPainter *self, double x, double end, double y, const ViewerColor *color)
{
  double left = round(x), right = round(end);

  if (!self->has_edges) {
    box_painter_append(self, &color->fill, left, y, right - left - 1, self->row_height - 1);
    return;
  }
  right = MIN(right, self->width - 1);
  box_painter_append(self, &color->text, left, y, right - left + 1, self->row_height + 1);
  box_painter_append(self, &color->fill, left + 1, y + 1, right - left - 1, self->row_height - 1);
}

/* Where boxes have edges, the fill alone is too near to the ground. */
static GdkRGBA get_sliver_color(const ViewerBoxPainter *self, const ViewerColor *color)
{
  return self->has_edges ? viewer_color_mix(color, 0.5f) : color->fill;
}

static void append_sliver(ViewerBoxPainter *self, double x, double end, double y, const ViewerColor *color)
{
  GdkRGBA shown = get_sliver_color(self, color);
  Run *run = &self->run;

  if (run->y == y && x - run->end < 1 && run->end - run->x < 8 && gdk_rgba_equal(&run->color, &shown)) {
    run->end = MAX(end, run->end);
    return;
  }
  end_run(self);
  *run = (Run){.x = x, .end = end, .y = y, .color = shown};
}

static void box_painter_fill(ViewerBoxPainter *self, double x, double end, double y, const ViewerColor *color)
{
  if (end - x < (self->has_edges ? EDGES_WIDTH : 2)) {
    append_sliver(self, x, end, y, color);
    return;
  }
  end_run(self);
  append_box(self, x, end, y, color);
}

/* What it stands for: many boxes, side by side. */
static void append_stripes(ViewerBoxPainter *self, double x, double end, double y, const ViewerColor *color)
{
  GdkRGBA line = viewer_color_mix(color, 0.35f);
  float left = (float)round(x) + self->has_edges, right = (float)round(end) - 1;
  GskColorStop stops[] = {{0, line}, {1 / 3.0f, line}, {1 / 3.0f, color->fill}, {1, color->fill}};

  gtk_snapshot_append_repeating_linear_gradient(
      self->snapshot,
      &GRAPHENE_RECT_INIT(left, (float)y + self->has_edges, right - left, (float)self->row_height - 1),
      &GRAPHENE_POINT_INIT(left, 0), &GRAPHENE_POINT_INIT(left + 3, 0), stops, G_N_ELEMENTS(stops));
}

/* How much of a label may be seen when it does not fit; 0: nothing of use. */
static double box_painter_cut(const Label *label, double room)
{
  guint low = 0, high = label->n_stops;

  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (label->stops[middle] <= room)
      low = middle + 1;
    else
      high = middle;
  }
  return low >= MIN_LETTERS ? label->stops[low - 1] : 0;
}

static GskRenderNode *get_node(Label *label, const GdkRGBA *color)
{
  if (label->node && gdk_rgba_equal(&label->color, color))
    return label->node;
  g_clear_pointer(&label->node, gsk_render_node_unref);
  GtkSnapshot *snapshot = gtk_snapshot_new();
  gtk_snapshot_append_layout(snapshot, label->layout, color);
  label->node = gtk_snapshot_free_to_node(snapshot);
  label->color = *color;
  return label->node;
}

static void draw_label(ViewerBoxPainter *self, Label *label, double x, double y, const GdkRGBA *color)
{
  GskRenderNode *node = get_node(label, color);

  if (!node)
    return;
  gtk_snapshot_save(self->snapshot);
  gtk_snapshot_translate(self->snapshot, &GRAPHENE_POINT_INIT((float)round(x), (float)round(y) + TEXT_TOP));
  gtk_snapshot_append_node(self->snapshot, node);
  gtk_snapshot_restore(self->snapshot);
}

static void write_label(ViewerBoxPainter *self, Label *label, double x, double end, double y,
                        const GdkRGBA *color)
{
  double room = end - x - 2 * PADDING, left = x + PADDING;

  if (!label || label->n_stops == 0)
    return;
  if (label->stops[label->n_stops - 1] <= room) {
    draw_label(self, label, left, y, color);
    return;
  }
  if (!self->ellipsis)
    self->ellipsis = make_label(self, "…", TRUE);
  double dots = self->ellipsis->stops[0], seen = box_painter_cut(label, room - dots);
  if (seen <= 0)
    return;
  double begin = label->from_right ? left + dots : left;
  double hidden = label->from_right ? label->stops[label->n_stops - 1] - seen : 0;
  graphene_rect_t clip =
      GRAPHENE_RECT_INIT((float)round(begin), (float)y, (float)ceil(seen), (float)self->row_height);
  gtk_snapshot_push_clip(self->snapshot, &clip);
  draw_label(self, label, begin - hidden, y, color);
  gtk_snapshot_pop(self->snapshot);
  draw_label(self, self->ellipsis, label->from_right ? left : left + seen, y, color);
}

static ViewerColor choose_color(ViewerBoxPainter *self, guint32 function, ViewerBoxLook look)
{
  const ViewerColor *color = viewer_palette_get(self->palette, function);

  if (look == VIEWER_BOX_MATCH)
    return viewer_palette_get_match(self->palette);
  return look == VIEWER_BOX_DIM ? viewer_palette_dim(self->palette, color) : *color;
}

/* Dots along the lower edge. */
static void append_dots(ViewerBoxPainter *self, double x, double end, double y, const ViewerColor *color)
{
  GdkRGBA dot = viewer_color_mix(color, 0.7f);
  float left = (float)round(x) + 1 + self->has_edges, right = (float)round(end) - 2;
  GskColorStop stops[] = {{0, dot}, {0.5f, dot}, {0.5f, color->fill}, {1, color->fill}};

  gtk_snapshot_append_repeating_linear_gradient(
      self->snapshot, &GRAPHENE_RECT_INIT(left, (float)y + (float)self->row_height - 3, right - left, 1),
      &GRAPHENE_POINT_INIT(left, 0), &GRAPHENE_POINT_INIT(left + 4, 0), stops, G_N_ELEMENTS(stops));
}

void viewer_box_painter_draw(ViewerBoxPainter *self, double x, double y, double width, guint32 function,
                             gboolean inlined, ViewerBoxLook look)
{
  double end = MIN(x + width, self->width + 1);
  ViewerColor color = choose_color(self, function, look);

  x = MAX(x, 0);
  if (end <= x)
    return;
  box_painter_fill(self, x, end, y, &color);
  if (inlined && end - x >= DOTS_WIDTH)
    append_dots(self, x, end, y, &color);
  if (end - x >= TEXT_WIDTH)
    write_label(self, get_label(self, function), x, end - 1, y, &color.text);
}

void viewer_box_painter_draw_rest(ViewerBoxPainter *self, double x, double y, double width,
                                  ViewerBoxLook look)
{
  double end = MIN(x + width, self->width + 1);
  ViewerColor color = viewer_palette_get_rest(self->palette);

  if (look == VIEWER_BOX_DIM)
    color = viewer_palette_dim(self->palette, &color);
  x = MAX(x, 0);
  if (end - x < 2)
    return;
  box_painter_fill(self, x, end, y, &color);
  if (end - x >= EDGES_WIDTH)
    append_stripes(self, x, end, y, &color);
  if (!self->rest)
    self->rest = make_label(self, _("Many small functions"), FALSE);
  if (end - x >= TEXT_WIDTH)
    write_label(self, self->rest, x, end - 1, y, &color.text);
}

gboolean viewer_box_painter_end(ViewerBoxPainter *self)
{
  end_run(self);
  self->snapshot = NULL;
  return !self->incomplete;
}

/* What of a box is filled, and a bit more of what is hardly to be seen. */
static graphene_rect_t get_frame(ViewerBoxPainter *self, double x, double y, double width)
{
  double left = round(x), filled = round(x + width) - left + (self->has_edges ? 1 : -1);

  return GRAPHENE_RECT_INIT((float)left, (float)y, (float)MAX(filled, 4),
                            (float)viewer_box_painter_get_row_height(self) + (self->has_edges ? 1 : -1));
}

static void append_dashes(GtkSnapshot *snapshot, const graphene_rect_t *frame, double line,
                          const GdkRGBA *color)
{
  cairo_t *cairo = gtk_snapshot_append_cairo(snapshot, frame);

  gdk_cairo_set_source_rgba(cairo, color);
  cairo_set_line_width(cairo, line);
  cairo_set_dash(cairo, (double[]){4, 3}, 2, 0);
  cairo_rectangle(cairo, frame->origin.x + line / 2, frame->origin.y + line / 2, frame->size.width - line,
                  frame->size.height - line);
  cairo_stroke(cairo);
  cairo_destroy(cairo);
}

void viewer_box_painter_outline(ViewerBoxPainter *self, GtkSnapshot *snapshot, double x, double y,
                                double width, gboolean selected, gboolean focused)
{
  graphene_rect_t frame = get_frame(self, x, y, width);
  float line = frame.size.width < NARROW ? 1 : self->has_edges ? 3 : 2;
  GdkRGBA color, accent = viewer_time_draw_get_color(self->widget, "accent_color", "#1c71d8");
  GskRoundedRect ring;

  gtk_style_context_get_color(gtk_widget_get_style_context(self->widget), &color);
  if (self->has_edges && frame.size.width < NARROW) { /* among edges, only what lies around them is found */
    graphene_rect_inset(&frame, -EDGES_WIDTH, -EDGES_WIDTH);
    line = EDGES_WIDTH;
    color = accent;
  }
  gsk_rounded_rect_init_from_rect(&ring, &frame, 0);
  if (selected)
    gtk_snapshot_append_border(snapshot, &ring, (float[4]){line, line, line, line},
                               (GdkRGBA[4]){color, color, color, color});
  if (focused)
    append_dashes(snapshot, &frame, selected || self->has_edges ? line : 1, selected ? &accent : &color);
}

void viewer_box_painter_highlight(ViewerBoxPainter *self, GtkSnapshot *snapshot, double x, double y,
                                  double width)
{
  graphene_rect_t frame = get_frame(self, x, y, width);
  GdkRGBA color;

  gtk_style_context_get_color(gtk_widget_get_style_context(self->widget), &color);
  color.alpha = 0.15f;
  gtk_snapshot_append_color(snapshot, &color, &frame);
}
