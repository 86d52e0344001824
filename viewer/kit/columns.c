/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/kit/columns.h"

struct _ViewerColumns {
  GtkLayoutManager parent_instance;

  int min_width, max_width, spacing;
};

G_DEFINE_FINAL_TYPE(ViewerColumns, viewer_columns, GTK_TYPE_LAYOUT_MANAGER)

enum { PROP_MIN_WIDTH = 1, PROP_MAX_WIDTH, PROP_SPACING, N_PROPERTIES };
static GParamSpec *properties[N_PROPERTIES];

static GtkWidget *next_child(GtkWidget *child)
{
  while (child && !gtk_widget_should_layout(child))
    child = gtk_widget_get_next_sibling(child);
  return child;
}

/* What is visible in a widget. */
typedef struct {
  int n;
  int least; /* the width in which each of them has room */
} Children;

static Children look_at(GtkWidget *widget)
{
  Children children = {0};

  for (GtkWidget *child = next_child(gtk_widget_get_first_child(widget)); child;
       child = next_child(gtk_widget_get_next_sibling(child))) {
    int least;
    gtk_widget_measure(child, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
    children.least = MAX(children.least, least);
    children.n++;
  }
  return children;
}

/* All of them side by side, or none. */
static gboolean is_wide(const ViewerColumns *self, Children children, int width)
{
  int column = MAX(self->min_width, children.least);

  return children.n > 1 && width >= children.n * column + (children.n - 1) * self->spacing;
}

static int get_column_width(const ViewerColumns *self, Children children, int width)
{
  if (is_wide(self, children, width))
    width = (width - (children.n - 1) * self->spacing) / children.n;
  return MIN(width, MAX(self->max_width, children.least));
}

static int get_natural_width(const ViewerColumns *self, Children children)
{
  return children.n * MAX(self->max_width, children.least) + MAX(children.n - 1, 0) * self->spacing;
}

static void measure_width(ViewerColumns *self, GtkWidget *widget, int *minimum, int *natural)
{
  Children children = look_at(widget);

  *minimum = children.least;
  *natural = get_natural_width(self, children);
}

/* Without a width it is the least height of all, which is that of columns side by side. */
static void measure_height(ViewerColumns *self, GtkWidget *widget, int width, int *minimum, int *natural)
{
  Children children = look_at(widget);
  int available = width < 0 ? get_natural_width(self, children) : width;
  gboolean wide = is_wide(self, children, available);
  int column = get_column_width(self, children, available);

  for (GtkWidget *child = next_child(gtk_widget_get_first_child(widget)); child;
       child = next_child(gtk_widget_get_next_sibling(child))) {
    int least, usual;
    gtk_widget_measure(child, GTK_ORIENTATION_VERTICAL, column, &least, &usual, NULL, NULL);
    *minimum = wide ? MAX(*minimum, least) : *minimum + least;
    *natural = wide ? MAX(*natural, usual) : *natural + usual;
  }
  *minimum += wide ? 0 : MAX(children.n - 1, 0) * self->spacing;
  *natural += wide ? 0 : MAX(children.n - 1, 0) * self->spacing;
}

static void viewer_columns_measure(GtkLayoutManager *manager, GtkWidget *widget, GtkOrientation orientation,
                                   int for_size, int *minimum, int *natural, int *minimum_baseline,
                                   int *natural_baseline)
{
  *minimum = *natural = 0;
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    measure_width(VIEWER_COLUMNS(manager), widget, minimum, natural);
  else
    measure_height(VIEWER_COLUMNS(manager), widget, for_size, minimum, natural);
}

static GtkSizeRequestMode viewer_columns_get_request_mode(GtkLayoutManager *manager, GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static int get_height(GtkWidget *child, int width)
{
  int natural;

  gtk_widget_measure(child, GTK_ORIENTATION_VERTICAL, width, NULL, &natural, NULL, NULL);
  return natural;
}

static void viewer_columns_allocate(GtkLayoutManager *manager, GtkWidget *widget, int width, int height,
                                    int baseline)
{
  ViewerColumns *self = VIEWER_COLUMNS(manager);
  Children children = look_at(widget);
  gboolean wide = is_wide(self, children, width),
           mirrored = gtk_widget_get_direction(widget) == GTK_TEXT_DIR_RTL;
  int column = get_column_width(self, children, width);
  int used = wide ? children.n * column + (children.n - 1) * self->spacing : column;
  int x = (width - used) / 2, y = 0;

  for (GtkWidget *child = next_child(gtk_widget_get_first_child(widget)); child;
       child = next_child(gtk_widget_get_next_sibling(child))) {
    int own_height = wide ? height : get_height(child, column);
    GtkAllocation place = {mirrored ? width - x - column : x, y, column, own_height};
    gtk_widget_size_allocate(child, &place, -1);
    x += wide ? column + self->spacing : 0;
    y += wide ? 0 : own_height + self->spacing;
  }
}

static int *find_value(ViewerColumns *self, guint id)
{
  return id == PROP_MIN_WIDTH ? &self->min_width : id == PROP_MAX_WIDTH ? &self->max_width : &self->spacing;
}

static void viewer_columns_get_property(GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  g_value_set_int(value, *find_value(VIEWER_COLUMNS(object), id));
}

static void viewer_columns_set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  *find_value(VIEWER_COLUMNS(object), id) = g_value_get_int(value);
  gtk_layout_manager_layout_changed(GTK_LAYOUT_MANAGER(object));
}

static void viewer_columns_class_init(ViewerColumnsClass *class)
{
  GObjectClass *object_class = G_OBJECT_CLASS(class);
  GtkLayoutManagerClass *manager_class = GTK_LAYOUT_MANAGER_CLASS(class);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_CONSTRUCT | G_PARAM_STATIC_STRINGS;

  object_class->get_property = viewer_columns_get_property;
  object_class->set_property = viewer_columns_set_property;
  manager_class->get_request_mode = viewer_columns_get_request_mode;
  manager_class->measure = viewer_columns_measure;
  manager_class->allocate = viewer_columns_allocate;
  properties[PROP_MIN_WIDTH] = g_param_spec_int("min-width", NULL, NULL, 1, 10000, 400, flags);
  properties[PROP_MAX_WIDTH] = g_param_spec_int("max-width", NULL, NULL, 1, 10000, 600, flags);
  properties[PROP_SPACING] = g_param_spec_int("spacing", NULL, NULL, 0, 1000, 24, flags);
  g_object_class_install_properties(object_class, N_PROPERTIES, properties);
}

static void viewer_columns_init(ViewerColumns *self)
{
}

GtkLayoutManager *viewer_columns_new(void)
{
  return g_object_new(VIEWER_TYPE_COLUMNS, NULL);
}
