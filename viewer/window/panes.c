/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/window/panes.h"

/* Pixels from which on both have room, and from which on the content is still of use behind the sidebar. */
enum { BESIDE_WIDTH = 860, OVER_WIDTH = 600 };

struct _ViewerPanes {
  GtkWidget parent;

  GtkWidget *sidebar, *content;
  GtkWidget *shade; /* over the content while the sidebar is: a click there closes it */
  ViewerPanesLayout layout;
  gboolean is_open;
  guint telling;
};

G_DEFINE_FINAL_TYPE(ViewerPanes, viewer_panes, GTK_TYPE_WIDGET)

enum { PROPERTY_SIDEBAR = 1, PROPERTY_CONTENT, N_PROPERTIES };
static GParamSpec *properties[N_PROPERTIES];

enum { CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static gboolean shows_sidebar(ViewerPanes *self)
{
  return self->layout == VIEWER_PANES_BESIDE || self->is_open;
}

static gboolean shows_content(ViewerPanes *self)
{
  return self->layout != VIEWER_PANES_ONE || !self->is_open;
}

/* GTK lets what has no place be read. */
static void hide_from_readers(GtkWidget *child, gboolean hidden)
{
  gtk_accessible_update_state(GTK_ACCESSIBLE(child), GTK_ACCESSIBLE_STATE_HIDDEN, hidden, -1);
}

static gboolean panes_tell(gpointer data)
{
  ViewerPanes *self = data;

  self->telling = 0;
  hide_from_readers(self->sidebar, !shows_sidebar(self));
  hide_from_readers(self->content, !shows_content(self));
  g_signal_emit(self, signals[CHANGED], 0);
  return G_SOURCE_REMOVE;
}

/* Not while widgets get their places: who is told changes others. */
static void tell_later(ViewerPanes *self)
{
  if (!self->telling)
    self->telling = g_idle_add_full(G_PRIORITY_HIGH_IDLE, panes_tell, self, NULL);
}

static ViewerPanesLayout choose_layout(int width)
{
  return width >= BESIDE_WIDTH ? VIEWER_PANES_BESIDE
         : width >= OVER_WIDTH ? VIEWER_PANES_OVER
                               : VIEWER_PANES_ONE;
}

static void viewer_panes_measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                                 int *natural, int *minimum_baseline, int *natural_baseline)
{
  ViewerPanes *self = VIEWER_PANES(widget);
  int sidebar_minimum, sidebar_natural, content_minimum, content_natural;

  gtk_widget_measure(self->sidebar, orientation, -1, &sidebar_minimum, &sidebar_natural, NULL, NULL);
  gtk_widget_measure(self->content, orientation, -1, &content_minimum, &content_natural, NULL, NULL);
  *minimum = MAX(sidebar_minimum, content_minimum);
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? sidebar_natural + content_natural
                                                       : MAX(sidebar_natural, content_natural);
}

static void place_pane(GtkWidget *child, int x, int width, int height)
{
  gtk_widget_size_allocate(child, &(GtkAllocation){x, 0, width, height}, -1);
}

/* A widget without a place has to have one while it is measured, so what is out of sight stays where it was.
 */
static void viewer_panes_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  ViewerPanes *self = VIEWER_PANES(widget);
  gboolean is_mirrored = gtk_widget_get_direction(widget) == GTK_TEXT_DIR_RTL;
  ViewerPanesLayout layout = choose_layout(width);
  int side;

  if (layout != self->layout) {
    self->is_open = FALSE;
    tell_later(self);
  }
  self->layout = layout;
  gtk_widget_measure(self->sidebar, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &side, NULL, NULL);
  side = layout == VIEWER_PANES_ONE ? width : MIN(side, width);
  gtk_widget_set_child_visible(self->sidebar, shows_sidebar(self));
  gtk_widget_set_child_visible(self->content, shows_content(self));
  gtk_widget_set_child_visible(self->shade, layout == VIEWER_PANES_OVER && self->is_open);
  if (shows_sidebar(self))
    place_pane(self->sidebar, is_mirrored ? width - side : 0, side, height);
  int taken = layout == VIEWER_PANES_BESIDE ? side : 0;
  if (shows_content(self))
    place_pane(self->content, is_mirrored ? 0 : taken, width - taken, height);
  if (gtk_widget_get_child_visible(self->shade))
    place_pane(self->shade, 0, width, height);
}

static void close_sidebar(ViewerPanes *self)
{
  viewer_panes_set_open(self, FALSE);
}

static gboolean close_by_key(GtkWidget *widget, GVariant *arguments, gpointer data)
{
  ViewerPanes *self = VIEWER_PANES(widget);
  gboolean closes = self->layout == VIEWER_PANES_OVER && self->is_open;

  if (closes)
    close_sidebar(self);
  return closes;
}

static void viewer_panes_set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  ViewerPanes *self = VIEWER_PANES(object);
  GtkWidget *child = g_value_get_object(value);

  if (!child)
    return;
  if (id == PROPERTY_SIDEBAR) {
    self->sidebar = child;
    gtk_widget_set_parent(child, GTK_WIDGET(self));
  } else {
    self->content = child;
    gtk_widget_insert_before(child, GTK_WIDGET(self), self->shade);
  }
}

static void viewer_panes_dispose(GObject *object)
{
  ViewerPanes *self = VIEWER_PANES(object);

  g_clear_handle_id(&self->telling, g_source_remove);
  g_clear_pointer(&self->content, gtk_widget_unparent);
  g_clear_pointer(&self->shade, gtk_widget_unparent);
  g_clear_pointer(&self->sidebar, gtk_widget_unparent);
  G_OBJECT_CLASS(viewer_panes_parent_class)->dispose(object);
}

static void viewer_panes_class_init(ViewerPanesClass *class)
{
  GObjectClass *object_class = G_OBJECT_CLASS(class);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
  GParamFlags flags = G_PARAM_WRITABLE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS;

  object_class->dispose = viewer_panes_dispose;
  object_class->set_property = viewer_panes_set_property;
  widget_class->measure = viewer_panes_measure;
  widget_class->size_allocate = viewer_panes_size_allocate;
  properties[PROPERTY_SIDEBAR] = g_param_spec_object("sidebar", NULL, NULL, GTK_TYPE_WIDGET, flags);
  properties[PROPERTY_CONTENT] = g_param_spec_object("content", NULL, NULL, GTK_TYPE_WIDGET, flags);
  g_object_class_install_properties(object_class, N_PROPERTIES, properties);
  signals[CHANGED] =
      g_signal_new("changed", VIEWER_TYPE_PANES, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_add_binding(widget_class, GDK_KEY_Escape, 0, close_by_key, NULL);
  gtk_widget_class_set_css_name(widget_class, "panes");
}

static void viewer_panes_init(ViewerPanes *self)
{
  GtkGesture *click = gtk_gesture_click_new();

  self->shade = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  gtk_widget_add_css_class(self->shade, "shade");
  gtk_widget_set_parent(self->shade, GTK_WIDGET(self));
  g_signal_connect_object(click, "pressed", G_CALLBACK(close_sidebar), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller(self->shade, GTK_EVENT_CONTROLLER(click));
}

ViewerPanesLayout viewer_panes_get_layout(ViewerPanes *self)
{
  g_return_val_if_fail(VIEWER_IS_PANES(self), VIEWER_PANES_BESIDE);
  return self->layout;
}

gboolean viewer_panes_is_open(ViewerPanes *self)
{
  g_return_val_if_fail(VIEWER_IS_PANES(self), FALSE);
  return shows_sidebar(self);
}

void viewer_panes_set_open(ViewerPanes *self, gboolean open)
{
  g_return_if_fail(VIEWER_IS_PANES(self));
  if (self->is_open == open)
    return;
  self->is_open = open;
  gtk_widget_queue_resize(GTK_WIDGET(self));
  tell_later(self);
}
