/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/viewer-tree-expander.h"

#include <glib/gi18n.h>

#include "viewer/viewer-format.h"
#include "viewer/viewer-list.h"

/* Indentation in pixels a level, of how many levels; then less, of how many; then none. Longer names are cut:
 * nobody reads them in a row, and to measure them costs. */
enum {
  STEP = 14,
  N_STEPS = 20,
  SMALL_STEP = 3,
  N_SMALL_STEPS = 60,
  LONGEST_NAME = 250,
  LONGEST_TOOLTIP = 2000
};

struct _ViewerTreeExpander {
  GtkWidget parent;
  GtkWidget *arrow, *label;
  ViewerTreeRow *row;
  gboolean is_stale; /* the row changed while nobody saw it */
};

G_DEFINE_TYPE(ViewerTreeExpander, viewer_tree_expander, GTK_TYPE_WIDGET)

static int get_indentation(guint32 depth)
{
  return (int)(MIN(depth, N_STEPS) * STEP + CLAMP((int)depth - N_STEPS, 0, N_SMALL_STEPS) * SMALL_STEP);
}

/* Bold on yellow that lets both light and dark through. */
static PangoAttrList *make_found_attributes(void)
{
  PangoAttrList *attributes = pango_attr_list_new();

  pango_attr_list_insert(attributes, pango_attr_weight_new(PANGO_WEIGHT_BOLD));
  pango_attr_list_insert(attributes, pango_attr_background_new(0xf5f5, 0xc2c2, 0x1111));
  pango_attr_list_insert(attributes, pango_attr_background_alpha_new(0x5000));
  return attributes;
}

static void show_found(ViewerTreeExpander *self, gboolean found)
{
  g_autoptr(PangoAttrList) attributes = found ? make_found_attributes() : NULL;

  gtk_label_set_attributes(GTK_LABEL(self->label), attributes);
}

static void show_state(ViewerTreeExpander *self, ViewerTreeModel *model, guint32 node)
{
  GtkWidget *row = viewer_list_get_row(GTK_WIDGET(self));
  gboolean can_open = viewer_tree_model_can_open(model, node), open = viewer_tree_model_is_open(model, node);
  guint32 depth = viewer_tree_model_get(model, node)->depth;

  gtk_image_set_from_icon_name(GTK_IMAGE(self->arrow), open ? "pan-down-symbolic" : "pan-end-symbolic");
  gtk_widget_set_opacity(self->arrow, can_open ? 1 : 0);
  gtk_widget_set_can_target(self->arrow, can_open);
  gtk_widget_set_margin_start(self->arrow, get_indentation(depth));
  if (!row)
    return;
  gtk_accessible_update_property(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_PROPERTY_LEVEL, (int)depth + 1, -1);
  if (can_open)
    gtk_accessible_update_state(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_STATE_EXPANDED, open, -1);
  else
    gtk_accessible_reset_state(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_STATE_EXPANDED);
}

static void describe(ViewerTreeExpander *self, ViewerTreeModel *model, guint32 node)
{
  const ProfileWeights *weights = viewer_tree_model_get_weights(model);
  const ProfileTreeNode *item = viewer_tree_model_get(model, node);
  g_autofree char *name = viewer_format_name(viewer_tree_model_get_name(model, node), LONGEST_NAME);
  g_autofree char *share = viewer_format_weight_share(weights, item->total);
  g_autofree char *total = viewer_format_weight(weights, item->total);
  g_autofree char *own = viewer_format_weight(weights, item->self);
  /* TRANSLATORS: How a screen reader names a row: a function, its total as a share and as an amount, its own
   * amount. */
  g_autofree char *text = g_strdup_printf(_("%s, %s, total %s, self %s"), name, share, total, own);

  gtk_label_set_text(GTK_LABEL(self->label), name);
  viewer_list_name_row(GTK_WIDGET(self), text);
}

static void update(ViewerTreeExpander *self)
{
  ViewerTreeModel *model = viewer_tree_row_get_model(self->row);
  guint32 node = viewer_tree_row_get_node(self->row);

  if (node == VIEWER_TREE_NO_NODE)
    return;
  describe(self, model, node);
  show_state(self, model, node);
  show_found(self, viewer_tree_model_is_found(model, node));
}

static void handle_changed(ViewerTreeExpander *self)
{
  self->is_stale = !gtk_widget_get_mapped(GTK_WIDGET(self));
  if (!self->is_stale)
    update(self);
}

static void viewer_tree_expander_map(GtkWidget *widget)
{
  ViewerTreeExpander *self = VIEWER_TREE_EXPANDER(widget);

  GTK_WIDGET_CLASS(viewer_tree_expander_parent_class)->map(widget);
  if (self->is_stale && self->row)
    update(self);
  self->is_stale = FALSE;
}

static gboolean show_tooltip(ViewerTreeExpander *self, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  guint32 node = self->row ? viewer_tree_row_get_node(self->row) : VIEWER_TREE_NO_NODE;

  if (node == VIEWER_TREE_NO_NODE)
    return FALSE;
  ViewerTreeModel *model = viewer_tree_row_get_model(self->row);
  g_autofree char *name = viewer_format_name(viewer_tree_model_get_name(model, node), LONGEST_TOOLTIP);
  g_autofree char *binary = viewer_format_name(viewer_tree_model_get_binary(model, node), LONGEST_NAME);
  g_autofree char *text = g_strjoin(*binary ? "\n" : "", name, binary, NULL);
  gtk_tooltip_set_text(tooltip, text);
  return TRUE;
}

static void toggle(ViewerTreeExpander *self)
{
  gtk_widget_activate_action(GTK_WIDGET(self), "tree.toggle", "u", viewer_tree_row_get_node(self->row));
}

static void press(GtkGestureClick *gesture, int n, double x, double y, ViewerTreeExpander *self)
{
  gtk_gesture_set_state(GTK_GESTURE(gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  if (self->row && viewer_tree_row_get_node(self->row) != VIEWER_TREE_NO_NODE)
    toggle(self);
}

static void viewer_tree_expander_dispose(GObject *object)
{
  ViewerTreeExpander *self = VIEWER_TREE_EXPANDER(object);

  viewer_tree_expander_set_row(self, NULL);
  g_clear_pointer(&self->arrow, gtk_widget_unparent);
  g_clear_pointer(&self->label, gtk_widget_unparent);
  G_OBJECT_CLASS(viewer_tree_expander_parent_class)->dispose(object);
}

static void viewer_tree_expander_class_init(ViewerTreeExpanderClass *class)
{
  G_OBJECT_CLASS(class)->dispose = viewer_tree_expander_dispose;
  GTK_WIDGET_CLASS(class)->map = viewer_tree_expander_map;
  gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(class), GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(class), "treeexpander");
}

static void viewer_tree_expander_init(ViewerTreeExpander *self)
{
  GtkGesture *click = gtk_gesture_click_new();

  self->arrow = gtk_image_new();
  gtk_widget_set_parent(self->arrow, GTK_WIDGET(self));
  gtk_widget_add_controller(self->arrow, GTK_EVENT_CONTROLLER(click));
  g_signal_connect(click, "pressed", G_CALLBACK(press), self);
  self->label = gtk_label_new(NULL);
  gtk_label_set_xalign(GTK_LABEL(self->label), 0);
  gtk_label_set_ellipsize(GTK_LABEL(self->label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_single_line_mode(GTK_LABEL(self->label), TRUE);
  gtk_widget_set_hexpand(self->label, TRUE);
  gtk_widget_set_parent(self->label, GTK_WIDGET(self));
  gtk_widget_set_has_tooltip(GTK_WIDGET(self), TRUE);
  g_signal_connect(self, "query-tooltip", G_CALLBACK(show_tooltip), NULL);
}

GtkWidget *viewer_tree_expander_new(void)
{
  return g_object_new(VIEWER_TYPE_TREE_EXPANDER, NULL);
}

void viewer_tree_expander_set_row(ViewerTreeExpander *self, ViewerTreeRow *row)
{
  if (self->row)
    g_signal_handlers_disconnect_by_data(self->row, self);
  g_set_object(&self->row, row);
  self->is_stale = FALSE;
  if (!row)
    return;
  g_signal_connect_object(row, "changed", G_CALLBACK(handle_changed), self, G_CONNECT_SWAPPED);
  update(self);
}
