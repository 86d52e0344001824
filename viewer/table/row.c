/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/table/row.h"

#include <adwaita.h>

#include "viewer/table/cell.h"

struct _ViewerRow {
  GtkWidget parent_instance;
  const GArray *places; /* the list's */
  GPtrArray *children;  /* what was added */
  guint position;
  gpointer item;
};

G_DEFINE_FINAL_TYPE(ViewerRow, viewer_row, GTK_TYPE_WIDGET)

static void viewer_row_measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                               int *natural, int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural = 0;
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    return; /* columns are as wide as their titles say */
  for (GtkWidget *cell = gtk_widget_get_first_child(widget); cell; cell = gtk_widget_get_next_sibling(cell)) {
    int least, good;
    gtk_widget_measure(cell, orientation, -1, &least, &good, NULL, NULL);
    *minimum = MAX(*minimum, least);
    *natural = MAX(*natural, good);
  }
}

static void show_cell(GtkWidget *cell, gboolean visible)
{
  if (gtk_widget_get_child_visible(cell) == visible)
    return;
  gtk_widget_set_child_visible(cell, visible);
  gtk_accessible_update_state(GTK_ACCESSIBLE(cell), GTK_ACCESSIBLE_STATE_HIDDEN, !visible, -1);
}

static void viewer_row_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  GtkWidget *cell = gtk_widget_get_first_child(widget);

  for (guint i = 0; cell; i++, cell = gtk_widget_get_next_sibling(cell)) {
    const ViewerRowPlace *place = &g_array_index(VIEWER_ROW(widget)->places, ViewerRowPlace, i);
    show_cell(cell, place->width > 0);
    if (place->width > 0)
      gtk_widget_size_allocate(cell, &(GtkAllocation){place->x, 0, place->width, height}, -1);
  }
}

/* NULL: what was added there has no text. */
static ViewerCell *find_cell(GtkWidget *child)
{
  while (child && !VIEWER_IS_CELL(child))
    child = gtk_widget_get_last_child(child);
  return child ? VIEWER_CELL(child) : NULL;
}

/* A screen reader reads a row that gets the focus at once. */
static gboolean viewer_row_grab_focus(GtkWidget *widget)
{
  const GPtrArray *children = VIEWER_ROW(widget)->children;

  for (guint i = 0; i < children->len; i++) {
    ViewerCell *cell = find_cell(children->pdata[i]);
    if (cell)
      viewer_cell_tell(cell);
  }
  return GTK_WIDGET_CLASS(viewer_row_parent_class)->grab_focus(widget);
}

static void viewer_row_dispose(GObject *object)
{
  ViewerRow *self = VIEWER_ROW(object);
  GtkWidget *cell;

  while ((cell = gtk_widget_get_first_child(GTK_WIDGET(self))))
    gtk_widget_unparent(cell);
  g_ptr_array_set_size(self->children, 0);
  g_clear_object(&self->item);
  G_OBJECT_CLASS(viewer_row_parent_class)->dispose(object);
}

static void viewer_row_finalize(GObject *object)
{
  g_ptr_array_unref(VIEWER_ROW(object)->children);
  G_OBJECT_CLASS(viewer_row_parent_class)->finalize(object);
}

static void viewer_row_class_init(ViewerRowClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  G_OBJECT_CLASS(class)->dispose = viewer_row_dispose;
  G_OBJECT_CLASS(class)->finalize = viewer_row_finalize;
  widget_class->measure = viewer_row_measure;
  widget_class->size_allocate = viewer_row_size_allocate;
  widget_class->grab_focus = viewer_row_grab_focus;
  gtk_widget_class_set_css_name(widget_class, "row");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_ROW);
}

static void viewer_row_init(ViewerRow *self)
{
  self->children = g_ptr_array_new();
  self->position = GTK_INVALID_LIST_POSITION;
  gtk_widget_set_focusable(GTK_WIDGET(self), TRUE);
  gtk_widget_add_css_class(GTK_WIDGET(self), "activatable");
  gtk_accessible_update_state(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_STATE_SELECTED, FALSE, -1);
}

ViewerRow *viewer_row_new(const GArray *places)
{
  ViewerRow *self = g_object_new(VIEWER_TYPE_ROW, NULL);

  self->places = places;
  return self;
}

void viewer_row_add(ViewerRow *self, GtkWidget *child)
{
  GtkWidget *cell = child;

  if (!VIEWER_IS_CELL(child))
    cell = g_object_new(ADW_TYPE_BIN, "css-name", "cell", "accessible-role", GTK_ACCESSIBLE_ROLE_GRID_CELL,
                        "child", child, NULL);
  gtk_widget_insert_before(cell, GTK_WIDGET(self), NULL);
  g_ptr_array_add(self->children, child);
}

GtkWidget *viewer_row_get(ViewerRow *self, guint column)
{
  return self->children->pdata[column];
}

void viewer_row_set_position(ViewerRow *self, guint position)
{
  self->position = position;
}

guint viewer_row_get_position(ViewerRow *self)
{
  return self->position;
}

gboolean viewer_row_set_item(ViewerRow *self, gpointer item)
{
  return g_set_object((GObject **)&self->item, item);
}

void viewer_row_set_selected(ViewerRow *self, gboolean selected)
{
  GtkWidget *widget = GTK_WIDGET(self);
  gboolean was_selected = (gtk_widget_get_state_flags(widget) & GTK_STATE_FLAG_SELECTED) != 0;

  if (selected == was_selected)
    return;
  if (selected)
    gtk_widget_set_state_flags(widget, GTK_STATE_FLAG_SELECTED, FALSE);
  else
    gtk_widget_unset_state_flags(widget, GTK_STATE_FLAG_SELECTED);
  gtk_accessible_update_state(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_STATE_SELECTED, selected, -1);
}
