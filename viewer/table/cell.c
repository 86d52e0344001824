/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/table/cell.h"

/* Cells that a screen reader is told of at a stretch. */
enum { MOST_TOLD = 16 };

#define BAR_ALPHA 0.14F

typedef struct {
  ViewerCellKind *kind;
  gpointer item;
  gboolean is_watched; /* the item is in sight */
  char *text;          /* NULL: it was not in sight yet */
  double share;        /* of its bar */
  char *told_text;     /* what a screen reader knows; NULL: nothing yet */
  GList to_tell;       /* in cells_to_tell; without data: it is not there */
  PangoAttrList *attributes;
  int indentation;
} ViewerCellPrivate;

G_DEFINE_TYPE_WITH_PRIVATE(ViewerCell, viewer_cell, GTK_TYPE_WIDGET)

static ViewerCellPrivate *get_private(ViewerCell *self)
{
  return viewer_cell_get_instance_private(self);
}

/* Those of which a screen reader does not know yet what they say. */
static GQueue cells_to_tell = G_QUEUE_INIT;

static void forget_to_tell(ViewerCell *self)
{
  ViewerCellPrivate *private = get_private(self);

  if (private->to_tell.data)
    g_queue_unlink(&cells_to_tell, &private->to_tell);
  private->to_tell.data = NULL;
}

void viewer_cell_tell(ViewerCell *self)
{
  ViewerCellPrivate *private = get_private(self);

  if (!private->to_tell.data)
    return;
  forget_to_tell(self);
  VIEWER_CELL_GET_CLASS(self)->tell(self, private->item);
}

static gboolean tell_some(gpointer data)
{
  for (guint i = 0; i < MOST_TOLD && !g_queue_is_empty(&cells_to_tell); i++)
    viewer_cell_tell(cells_to_tell.head->data);
  return !g_queue_is_empty(&cells_to_tell);
}

/* Telling takes a message a cell: rows that are gone again until there is time for it cost none. */
static void tell_later(ViewerCell *self)
{
  ViewerCellPrivate *private = get_private(self);

  if (private->to_tell.data)
    return;
  if (g_queue_is_empty(&cells_to_tell))
    g_idle_add(tell_some, NULL);
  private->to_tell.data = self;
  g_queue_push_tail_link(&cells_to_tell, &private->to_tell);
}

static void tell_text(ViewerCell *self, gpointer item)
{
  ViewerCellPrivate *private = get_private(self);
  const ViewerCellKind *kind = private->kind;

  if (g_strcmp0(private->text, private->told_text) != 0) {
    g_free(private->told_text);
    private->told_text = g_strdup(private->text);
    gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL, private->text, -1);
  }
  if (kind->told)
    kind->told(self, item, kind->data);
}

static void write_text(ViewerCell *self, gpointer item)
{
  ViewerCellPrivate *private = get_private(self);
  const ViewerCellKind *kind = private->kind;
  g_autofree char *text = kind->get_text(item, kind->data);
  double share = kind->get_share ? CLAMP(kind->get_share(item, kind->data), 0, 1) : 0;

  if (g_strcmp0(text, private->text) == 0 && share == private->share)
    return;
  private->share = share;
  g_free(private->text);
  private->text = g_steal_pointer(&text);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void cell_rewrite(ViewerCell *self)
{
  VIEWER_CELL_GET_CLASS(self)->write(self, get_private(self)->item);
  tell_later(self);
}

static gboolean tells_changes(gpointer item)
{
  return g_signal_lookup("changed", G_OBJECT_TYPE(item)) != 0;
}

static void cell_watch(ViewerCell *self)
{
  ViewerCellPrivate *private = get_private(self);

  if (!private->item || private->is_watched)
    return;
  private->is_watched = TRUE;
  if (tells_changes(private->item))
    g_signal_connect_object(private->item, "changed", G_CALLBACK(cell_rewrite), self, G_CONNECT_SWAPPED);
  cell_rewrite(self);
}

static void cell_unwatch(ViewerCell *self)
{
  ViewerCellPrivate *private = get_private(self);

  if (private->is_watched && tells_changes(private->item))
    g_signal_handlers_disconnect_by_data(private->item, self);
  private->is_watched = FALSE;
  forget_to_tell(self);
}

static void viewer_cell_map(GtkWidget *widget)
{
  GTK_WIDGET_CLASS(viewer_cell_parent_class)->map(widget);
  cell_watch(VIEWER_CELL(widget));
}

static void viewer_cell_unmap(GtkWidget *widget)
{
  cell_unwatch(VIEWER_CELL(widget));
  GTK_WIDGET_CLASS(viewer_cell_parent_class)->unmap(widget);
}

/* The same for all cells of a column. */
static void measure_font(ViewerCell *self, ViewerCellKind *kind)
{
  if (kind->char_width > 0)
    return;
  PangoFontMetrics *metrics =
      pango_context_get_metrics(gtk_widget_get_pango_context(GTK_WIDGET(self)), NULL, NULL);
  int width = kind->is_number ? pango_font_metrics_get_approximate_digit_width(metrics)
                              : pango_font_metrics_get_approximate_char_width(metrics);
  kind->char_width = MAX(PANGO_PIXELS_CEIL(width), 1);
  kind->line_height =
      PANGO_PIXELS_CEIL(pango_font_metrics_get_ascent(metrics) + pango_font_metrics_get_descent(metrics));
  pango_font_metrics_unref(metrics);
}

static void viewer_cell_measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                                int *natural, int *minimum_baseline, int *natural_baseline)
{
  ViewerCellKind *kind = get_private(VIEWER_CELL(widget))->kind;

  measure_font(VIEWER_CELL(widget), kind);
  if (orientation == GTK_ORIENTATION_HORIZONTAL) {
    *minimum = (int)kind->chars * kind->char_width + kind->room;
    *natural = (int)MAX(kind->chars, kind->natural) * kind->char_width + kind->room;
  } else {
    *minimum = *natural = kind->line_height;
  }
}

/* Another font has other widths. */
static void viewer_cell_system_setting_changed(GtkWidget *widget, GtkSystemSetting setting)
{
  ViewerCellKind *kind = get_private(VIEWER_CELL(widget))->kind;

  if (kind)
    kind->char_width = 0;
  GTK_WIDGET_CLASS(viewer_cell_parent_class)->system_setting_changed(widget, setting);
}

static PangoAttrList *get_attributes_of_numbers(void)
{
  static PangoAttrList *attributes;

  if (!attributes) {
    attributes = pango_attr_list_new();
    pango_attr_list_insert(attributes, pango_attr_font_features_new("tnum=1"));
  }
  return attributes;
}

/* Pango widens the ellipsis to what is left of the layout's width: a gap amid the text. */
static void close_gap(PangoLayout *layout)
{
  for (GSList *i = pango_layout_get_line(layout, 0)->runs; i; i = i->next) {
    const PangoGlyphItem *run = i->data;
    if (!(run->item->analysis.flags & PANGO_ANALYSIS_FLAG_IS_ELLIPSIS))
      continue;
    for (int j = 0; j < run->glyphs->num_glyphs; j++) {
      PangoGlyphInfo *glyph = &run->glyphs->glyphs[j];
      PangoRectangle natural;
      pango_font_get_glyph_extents(run->item->analysis.font, glyph->glyph, NULL, &natural);
      glyph->geometry.width = natural.width;
      glyph->geometry.x_offset = 0;
    }
  }
}

static PangoLayout *make_layout(ViewerCell *self, int width)
{
  const ViewerCellPrivate *private = get_private(self);
  PangoLayout *layout = gtk_widget_create_pango_layout(GTK_WIDGET(self), private->text);

  pango_layout_set_single_paragraph_mode(layout, TRUE);
  pango_layout_set_ellipsize(layout, private->kind->ellipsize);
  pango_layout_set_width(layout, MAX(width, 1) * PANGO_SCALE);
  if (private->kind->is_number)
    pango_layout_set_attributes(layout, get_attributes_of_numbers());
  else if (private->attributes)
    pango_layout_set_attributes(layout, private->attributes);
  if (pango_layout_is_ellipsized(layout))
    close_gap(layout);
  return layout;
}

/* Of the text's own colour, which is legible on it whatever the scheme. */
static void draw_bar(GtkWidget *widget, GtkSnapshot *snapshot)
{
  float width = (float)(get_private(VIEWER_CELL(widget))->share * gtk_widget_get_width(widget));
  GdkRGBA color;

  if (width <= 0)
    return;
  gtk_style_context_get_color(gtk_widget_get_style_context(widget), &color);
  color.alpha *= BAR_ALPHA;
  gtk_snapshot_append_color(snapshot, &color,
                            &GRAPHENE_RECT_INIT(0, 0, width, (float)gtk_widget_get_height(widget)));
}

static void viewer_cell_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  const ViewerCellPrivate *private = get_private(VIEWER_CELL(widget));
  gboolean rtl = gtk_widget_get_direction(widget) == GTK_TEXT_DIR_RTL;
  int width = gtk_widget_get_width(widget) - private->indentation;
  PangoRectangle text;

  if (!private->text || !*private->text || width <= 0)
    return;
  draw_bar(widget, snapshot);
  g_autoptr(PangoLayout) layout = make_layout(VIEWER_CELL(widget), width);
  pango_layout_get_pixel_extents(layout, NULL, &text);
  int x = private->kind->is_number || rtl ? width - text.width : 0;
  int y = (gtk_widget_get_height(widget) - text.height) / 2;
  gtk_snapshot_render_layout(snapshot, gtk_widget_get_style_context(widget),
                             x - text.x + (rtl ? 0 : private->indentation), y - text.y, layout);
}

/* NULL: it is seen whole. Free it. */
static char *get_cut_text(ViewerCell *self)
{
  const ViewerCellPrivate *private = get_private(self);
  int width = gtk_widget_get_width(GTK_WIDGET(self)) - private->indentation;
  g_autoptr(PangoLayout) layout = private->text ? make_layout(self, width) : NULL;

  return layout && pango_layout_is_ellipsized(layout) ? g_strdup(private->text) : NULL;
}

static gboolean viewer_cell_query_tooltip(GtkWidget *widget, int x, int y, gboolean keyboard,
                                          GtkTooltip *tooltip)
{
  ViewerCell *self = VIEWER_CELL(widget);
  const ViewerCellKind *kind = get_private(self)->kind;
  gpointer item = get_private(self)->item;
  g_autofree char *text = NULL;

  if (!item)
    return FALSE;
  text = kind->get_tooltip ? kind->get_tooltip(item, kind->data) : get_cut_text(self);
  gtk_tooltip_set_text(tooltip, text);
  return text != NULL;
}

static void viewer_cell_dispose(GObject *object)
{
  viewer_cell_set_item(VIEWER_CELL(object), NULL);
  G_OBJECT_CLASS(viewer_cell_parent_class)->dispose(object);
}

static void viewer_cell_finalize(GObject *object)
{
  ViewerCellPrivate *private = get_private(VIEWER_CELL(object));

  g_free(private->text);
  g_free(private->told_text);
  g_clear_pointer(&private->attributes, pango_attr_list_unref);
  G_OBJECT_CLASS(viewer_cell_parent_class)->finalize(object);
}

static void viewer_cell_class_init(ViewerCellClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  class->write = write_text;
  class->tell = tell_text;
  G_OBJECT_CLASS(class)->dispose = viewer_cell_dispose;
  G_OBJECT_CLASS(class)->finalize = viewer_cell_finalize;
  widget_class->map = viewer_cell_map;
  widget_class->unmap = viewer_cell_unmap;
  widget_class->measure = viewer_cell_measure;
  widget_class->snapshot = viewer_cell_snapshot;
  widget_class->query_tooltip = viewer_cell_query_tooltip;
  widget_class->system_setting_changed = viewer_cell_system_setting_changed;
  gtk_widget_class_set_css_name(widget_class, "cell");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_GRID_CELL);
}

static void viewer_cell_init(ViewerCell *self)
{
  gtk_widget_set_has_tooltip(GTK_WIDGET(self), TRUE);
}

GtkWidget *viewer_cell_new(ViewerCellKind *kind)
{
  ViewerCell *self = g_object_new(VIEWER_TYPE_CELL, NULL);

  viewer_cell_set_kind(self, kind);
  return GTK_WIDGET(self);
}

GtkWidget *viewer_cell_new_label(ViewerCellKind *kind)
{
  ViewerCell *self =
      g_object_new(VIEWER_TYPE_CELL, "css-name", "label", "accessible-role", GTK_ACCESSIBLE_ROLE_LABEL, NULL);

  viewer_cell_set_kind(self, kind);
  return GTK_WIDGET(self);
}

void viewer_cell_set_kind(ViewerCell *self, ViewerCellKind *kind)
{
  get_private(self)->kind = kind;
  if (kind->is_number) /* units stand below units in every language */
    gtk_widget_set_direction(GTK_WIDGET(self), GTK_TEXT_DIR_LTR);
}

void viewer_cell_set_item(ViewerCell *self, gpointer item)
{
  ViewerCellPrivate *private = get_private(self);

  if (item == private->item)
    return;
  cell_unwatch(self);
  g_set_object((GObject **)&private->item, item);
  if (gtk_widget_get_mapped(GTK_WIDGET(self)))
    cell_watch(self);
}

gpointer viewer_cell_get_item(ViewerCell *self)
{
  return get_private(self)->item;
}

void viewer_cell_update(ViewerCell *self)
{
  if (get_private(self)->is_watched)
    cell_rewrite(self);
}

void viewer_cell_set_indentation(ViewerCell *self, int pixels)
{
  get_private(self)->indentation = pixels;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

int viewer_cell_get_indentation(ViewerCell *self)
{
  return get_private(self)->indentation;
}

void viewer_cell_set_attributes(ViewerCell *self, PangoAttrList *attributes)
{
  ViewerCellPrivate *private = get_private(self);

  if (attributes)
    pango_attr_list_ref(attributes);
  g_clear_pointer(&private->attributes, pango_attr_list_unref);
  private->attributes = attributes;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}
