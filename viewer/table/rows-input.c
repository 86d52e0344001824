/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keys and the pointer. */
#include "viewer/table/rows-private.h"

/* Where keys go, from where they do. */
typedef enum { GO_TO_FIRST, GO_TO_LAST, GO_PAGE_UP, GO_PAGE_DOWN, GO_UP, GO_DOWN } Go;

static void rows_input_choose(ViewerRows *self, guint position)
{
  gtk_selection_model_select_item(self->selection, position, TRUE);
  viewer_rows_show(self, position, TRUE);
}

static gboolean rows_input_go(GtkWidget *widget, GVariant *arguments, gpointer data)
{
  ViewerRows *self = VIEWER_ROWS(widget);
  guint n = viewer_rows_get_n(self);
  int height = gtk_widget_get_height(widget);
  gint64 page = self->row_height > 0 ? MAX(height / self->row_height - 1, 1) : 1;

  if (n == 0)
    return FALSE;
  gint64 to = viewer_rows_get_current(self);
  switch ((Go)g_variant_get_int32(arguments)) {
  case GO_TO_FIRST:
    to = 0;
    break;
  case GO_TO_LAST:
    to = n - 1;
    break;
  case GO_PAGE_UP:
    to -= page;
    break;
  case GO_PAGE_DOWN:
    to += page;
    break;
  case GO_UP:
    to--;
    break;
  case GO_DOWN:
    to++;
  }
  rows_input_choose(self, (guint)CLAMP(to, 0, (gint64)n - 1));
  return TRUE;
}

static gboolean activate_current(GtkWidget *widget, GVariant *arguments, gpointer data)
{
  ViewerRows *self = VIEWER_ROWS(widget);

  if (viewer_rows_get_n(self) == 0)
    return FALSE;
  g_signal_emit_by_name(self, "activate", viewer_rows_get_current(self));
  return TRUE;
}

static gboolean select_current(GtkWidget *widget, GVariant *arguments, gpointer data)
{
  ViewerRows *self = VIEWER_ROWS(widget);

  if (viewer_rows_get_n(self) == 0)
    return FALSE;
  rows_input_choose(self, viewer_rows_get_current(self));
  return TRUE;
}

static void rows_input_press(GtkGestureClick *gesture, int n, double x, double y, ViewerRows *self)
{
  guint position = viewer_rows_get_position_at(self, y);
  GdkModifierType modifiers = gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(gesture));

  if (position == GTK_INVALID_LIST_POSITION)
    return;
  if ((modifiers & GDK_CONTROL_MASK) != 0 && position == viewer_rows_get_selected(self)) {
    gtk_selection_model_unselect_item(self->selection, position);
    return;
  }
  rows_input_choose(self, position);
  if (n == 2)
    g_signal_emit_by_name(self, "activate", position);
}

void viewer_rows_add_keys(GtkWidgetClass *class)
{
  static const struct {
    guint key, key_pad;
    Go go;
  } keys[] = {{GDK_KEY_Up, GDK_KEY_KP_Up, GO_UP},
              {GDK_KEY_Down, GDK_KEY_KP_Down, GO_DOWN},
              {GDK_KEY_Page_Up, GDK_KEY_KP_Page_Up, GO_PAGE_UP},
              {GDK_KEY_Page_Down, GDK_KEY_KP_Page_Down, GO_PAGE_DOWN},
              {GDK_KEY_Home, GDK_KEY_KP_Home, GO_TO_FIRST},
              {GDK_KEY_End, GDK_KEY_KP_End, GO_TO_LAST}};
  static const guint activating[] = {GDK_KEY_Return, GDK_KEY_ISO_Enter, GDK_KEY_KP_Enter};

  for (guint i = 0; i < G_N_ELEMENTS(keys); i++) {
    gtk_widget_class_add_binding(class, keys[i].key, 0, rows_input_go, "i", keys[i].go);
    gtk_widget_class_add_binding(class, keys[i].key_pad, 0, rows_input_go, "i", keys[i].go);
  }
  for (guint i = 0; i < G_N_ELEMENTS(activating); i++)
    gtk_widget_class_add_binding(class, activating[i], 0, activate_current, NULL);
  gtk_widget_class_add_binding(class, GDK_KEY_space, 0, select_current, NULL);
  gtk_widget_class_add_binding(class, GDK_KEY_KP_Space, 0, select_current, NULL);
}

void viewer_rows_add_pointer(ViewerRows *self)
{
  GtkGesture *gesture = gtk_gesture_click_new();

  g_signal_connect(gesture, "pressed", G_CALLBACK(rows_input_press), self);
  gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(gesture));
}
