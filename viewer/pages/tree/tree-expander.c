/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/tree/tree-expander.h"

#include <glib/gi18n.h>

#include "viewer/kit/format.h"
#include "viewer/table/list.h"

/* Pixels of the arrow and behind it. Longer names are cut: nobody reads them in a row, and to measure them
 * costs. */
enum {
  ARROW = 16,
  GAP = 4,
  LONGEST_NAME = 250,
  LONGEST_TOOLTIP = 2000,
  LEAST_WIDTH = 16 /* in characters */
};

struct _ViewerTreeExpander {
  ViewerCell parent;
  const ViewerTreeIndentation *indentation; /* the view's */
  guint32 depth;
  gboolean can_open, is_open;
};

G_DEFINE_TYPE(ViewerTreeExpander, viewer_tree_expander, VIEWER_TYPE_CELL)

static char *name_node(ViewerTreeModel *model, guint32 node)
{
  char *name = viewer_format_function(viewer_tree_model_get_name(model, node), LONGEST_NAME);
  g_autofree char *plain = NULL;

  if (!viewer_tree_model_get(model, node)->inlined)
    return name;
  plain = name;
  /* Translators: a function that the compiler put into its caller */
  return g_strdup_printf(_("%s (inlined)"), plain);
}

static char *get_name(gpointer row, gpointer data)
{
  guint32 node = viewer_tree_row_get_node(row);

  return node == VIEWER_TREE_NO_NODE ? g_strdup("") : name_node(viewer_tree_row_get_model(row), node);
}

static char *get_tooltip(gpointer row, gpointer data)
{
  guint32 node = viewer_tree_row_get_node(row);
  ViewerTreeModel *model = viewer_tree_row_get_model(row);

  if (node == VIEWER_TREE_NO_NODE)
    return NULL;
  g_autofree char *name = viewer_format_name(viewer_tree_model_get_name(model, node), LONGEST_TOOLTIP);
  g_autofree char *binary = viewer_format_name(viewer_tree_model_get_binary(model, node), LONGEST_NAME);
  return g_strjoin(*binary ? "\n" : "", name, binary, NULL);
}

/* Bold on yellow that lets both light and dark through. */
static PangoAttrList *get_attributes_of_found(void)
{
  static PangoAttrList *attributes;

  if (!attributes) {
    attributes = pango_attr_list_new();
    pango_attr_list_insert(attributes, pango_attr_weight_new(PANGO_WEIGHT_BOLD));
    pango_attr_list_insert(attributes, pango_attr_background_new(0xf5f5, 0xc2c2, 0x1111));
    pango_attr_list_insert(attributes, pango_attr_background_alpha_new(0x5000));
  }
  return attributes;
}

static void name_row(ViewerTreeExpander *self, ViewerTreeModel *model, guint32 node)
{
  const ProfileWeights *weights = viewer_tree_model_get_weights(model);
  const ProfileTreeNode *item = viewer_tree_model_get(model, node);
  g_autofree char *name = name_node(model, node);
  g_autofree char *share = viewer_tree_model_format_share(model, node);
  g_autofree char *total = viewer_format_weight(weights, item->total);
  g_autofree char *own = viewer_format_weight(weights, item->self);
  /* TRANSLATORS: How a screen reader names a row: a function, its total as a share and as an amount, its own
   * amount. */
  g_autofree char *text = g_strdup_printf(_("%s, %s, total %s, self %s"), name, share, total, own);

  viewer_list_name_row(GTK_WIDGET(self), text);
}

static void describe_row(ViewerTreeExpander *self)
{
  GtkWidget *row = viewer_list_get_row(GTK_WIDGET(self));

  if (!row)
    return;
  gtk_accessible_update_property(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_PROPERTY_LEVEL, (int)self->depth + 1,
                                 -1);
  if (self->can_open)
    gtk_accessible_update_state(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_STATE_EXPANDED, self->is_open, -1);
  else
    gtk_accessible_reset_state(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_STATE_EXPANDED);
}

static void write_nothing(ViewerTreeExpander *self, gpointer row)
{
  self->can_open = self->is_open = FALSE;
  self->depth = 0;
  viewer_cell_set_attributes(VIEWER_CELL(self), NULL);
  VIEWER_CELL_CLASS(viewer_tree_expander_parent_class)->write(VIEWER_CELL(self), row);
}

static void viewer_tree_expander_write(ViewerCell *cell, gpointer row)
{
  ViewerTreeExpander *self = VIEWER_TREE_EXPANDER(cell);
  ViewerTreeModel *model = viewer_tree_row_get_model(row);
  guint32 node = viewer_tree_row_get_node(row);

  if (node == VIEWER_TREE_NO_NODE) {
    write_nothing(self, row);
    return;
  }
  gboolean is_found = viewer_tree_model_is_found(model, node);
  self->depth = viewer_tree_model_get(model, node)->depth;
  self->can_open = viewer_tree_model_can_open(model, node);
  self->is_open = viewer_tree_model_is_open(model, node);
  viewer_tree_expander_indent(self);
  viewer_cell_set_attributes(cell, is_found ? get_attributes_of_found() : NULL);
  VIEWER_CELL_CLASS(viewer_tree_expander_parent_class)->write(cell, row);
}

static void viewer_tree_expander_tell(ViewerCell *cell, gpointer row)
{
  ViewerTreeExpander *self = VIEWER_TREE_EXPANDER(cell);
  ViewerTreeModel *model = viewer_tree_row_get_model(row);
  guint32 node = viewer_tree_row_get_node(row);

  VIEWER_CELL_CLASS(viewer_tree_expander_parent_class)->tell(cell, row);
  if (node == VIEWER_TREE_NO_NODE)
    viewer_list_name_row(GTK_WIDGET(self), "");
  else
    name_row(self, model, node);
  describe_row(self);
}

static int get_arrow_x(ViewerTreeExpander *self)
{
  GtkWidget *widget = GTK_WIDGET(self);
  int indentation = viewer_cell_get_indentation(VIEWER_CELL(self));

  return gtk_widget_get_direction(widget) == GTK_TEXT_DIR_RTL
             ? gtk_widget_get_width(widget) - indentation + GAP
             : indentation - GAP - ARROW;
}

static void draw_arrow(ViewerTreeExpander *self, GtkSnapshot *snapshot)
{
  GtkWidget *widget = GTK_WIDGET(self);
  g_autoptr(GtkIconPaintable) icon = gtk_icon_theme_lookup_icon(
      gtk_icon_theme_get_for_display(gtk_widget_get_display(widget)),
      self->is_open ? "pan-down-symbolic" : "pan-end-symbolic", NULL, ARROW,
      gtk_widget_get_scale_factor(widget), gtk_widget_get_direction(widget), GTK_ICON_LOOKUP_FORCE_SYMBOLIC);
  GdkRGBA color;

  gtk_style_context_get_color(gtk_widget_get_style_context(widget), &color);
  gtk_snapshot_save(snapshot);
  gtk_snapshot_translate(
      snapshot,
      &GRAPHENE_POINT_INIT((float)get_arrow_x(self), (float)((gtk_widget_get_height(widget) - ARROW) / 2)));
  gtk_symbolic_paintable_snapshot_symbolic(GTK_SYMBOLIC_PAINTABLE(icon), snapshot, ARROW, ARROW, &color, 1);
  gtk_snapshot_restore(snapshot);
}

static void viewer_tree_expander_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  ViewerTreeExpander *self = VIEWER_TREE_EXPANDER(widget);

  if (self->can_open)
    draw_arrow(self, snapshot);
  GTK_WIDGET_CLASS(viewer_tree_expander_parent_class)->snapshot(widget, snapshot);
}

static void viewer_tree_expander_class_init(ViewerTreeExpanderClass *class)
{
  VIEWER_CELL_CLASS(class)->write = viewer_tree_expander_write;
  VIEWER_CELL_CLASS(class)->tell = viewer_tree_expander_tell;
  GTK_WIDGET_CLASS(class)->snapshot = viewer_tree_expander_snapshot;
}

static void viewer_tree_expander_init(ViewerTreeExpander *self)
{
  static ViewerCellKind kind = {.get_text = get_name,
                                .get_tooltip = get_tooltip,
                                .ellipsize = PANGO_ELLIPSIZE_MIDDLE,
                                .chars = LEAST_WIDTH};

  viewer_cell_set_kind(VIEWER_CELL(self), &kind);
}

static GtkWidget *tree_expander_make(gpointer data)
{
  ViewerTreeExpander *self = g_object_new(VIEWER_TYPE_TREE_EXPANDER, NULL);

  self->indentation = data;
  return GTK_WIDGET(self);
}

static void tree_expander_bind(GtkWidget *cell, gpointer row, gpointer data)
{
  viewer_cell_set_item(VIEWER_CELL(cell), row);
}

ViewerRowsColumn viewer_tree_expander_get_cells(ViewerTreeIndentation *indentation)
{
  return (ViewerRowsColumn){tree_expander_make, tree_expander_bind, indentation};
}

void viewer_tree_expander_indent(ViewerTreeExpander *self)
{
  int indentation = viewer_tree_indentation_get(self->indentation, self->depth) + ARROW + GAP;

  if (indentation != viewer_cell_get_indentation(VIEWER_CELL(self)))
    viewer_cell_set_indentation(VIEWER_CELL(self), indentation);
}

gboolean viewer_tree_expander_is_arrow(ViewerTreeExpander *self, double x)
{
  int arrow = get_arrow_x(self);

  return self->can_open && x >= arrow && x < arrow + ARROW;
}
