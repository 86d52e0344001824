/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A window that says what was done to it, so that the tests of the window can be tested themselves. */
#include <gtk/gtk.h>

#include "small-application.h"

static GtkWidget *told;

G_GNUC_PRINTF(1, 2) static void tell(const char *format, ...)
{
  va_list arguments;
  g_autofree char *text = NULL;

  va_start(arguments, format);
  text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  gtk_label_set_text(GTK_LABEL(told), text);
}

static void pressed(GtkGestureClick *gesture, int n, double x, double y)
{
  tell("pressed %d at %.0f, %.0f", n, x, y);
}

static void dragged(GtkGestureDrag *gesture, double x, double y)
{
  if (x || y)
    tell("dragged by %.0f, %.0f", x, y);
}

static gboolean scrolled(GtkEventControllerScroll *scroll, double x, double y)
{
  GdkModifierType state = gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(scroll));

  tell("scrolled %.0f%s", y, state & GDK_CONTROL_MASK ? " with Control" : "");
  return TRUE;
}

static void changed(GtkEditable *entry)
{
  tell("typed %s", gtk_editable_get_text(entry));
}

static void warn(void)
{
  g_warning("This is what the test waits for.");
}

static void draw(GtkDrawingArea *area, cairo_t *cairo, int width, int height, gpointer data)
{
  cairo_set_source_rgb(cairo, 1, 0, 0);
  cairo_paint(cairo);
}

static GtkWidget *make_canvas(void)
{
  GtkWidget *canvas = g_object_new(GTK_TYPE_DRAWING_AREA, "accessible-role", GTK_ACCESSIBLE_ROLE_IMG, NULL);
  GtkGesture *click = gtk_gesture_click_new(), *drag = gtk_gesture_drag_new();
  GtkEventController *scroll = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);

  gtk_accessible_update_property(GTK_ACCESSIBLE(canvas), GTK_ACCESSIBLE_PROPERTY_LABEL, "Canvas", -1);
  gtk_widget_set_vexpand(canvas, TRUE);
  gtk_drawing_area_set_draw_func(GTK_DRAWING_AREA(canvas), draw, NULL, NULL);
  g_signal_connect(click, "pressed", G_CALLBACK(pressed), NULL);
  g_signal_connect(drag, "drag-end", G_CALLBACK(dragged), NULL);
  g_signal_connect(scroll, "scroll", G_CALLBACK(scrolled), NULL);
  gtk_widget_add_controller(canvas, GTK_EVENT_CONTROLLER(click));
  gtk_widget_add_controller(canvas, GTK_EVENT_CONTROLLER(drag));
  gtk_widget_add_controller(canvas, scroll);
  return canvas;
}

static void activate(GtkApplication *application)
{
  GtkWidget *window = gtk_application_window_new(application),
            *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *button = gtk_button_new_with_label("Warn"), *entry = gtk_entry_new();

  told = gtk_label_new("nothing yet");
  g_signal_connect(entry, "changed", G_CALLBACK(changed), NULL);
  g_signal_connect(button, "clicked", G_CALLBACK(warn), NULL);
  gtk_box_append(GTK_BOX(box), entry);
  gtk_box_append(GTK_BOX(box), button);
  gtk_box_append(GTK_BOX(box), told);
  gtk_box_append(GTK_BOX(box), make_canvas());
  gtk_window_set_child(GTK_WINDOW(window), box);
  gtk_window_present(GTK_WINDOW(window));
}

int main(int argc, char **argv)
{
  g_autoptr(GtkApplication) application =
      gtk_application_new("org.capturectl.Probe", G_APPLICATION_DEFAULT_FLAGS);

  return small_application_run(application, "activate", G_CALLBACK(activate), argc, argv);
}
