/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/source/source-side.h"

#include "viewer/kit/settings.h"
#include "viewer/pages/source/code-view.h"
#include "viewer/pages/source/source-lines.h"

struct _ViewerSourceSide {
  GtkWidget parent;
  GtkWidget *content;
  GtkStack *views;
  ViewerSourceLines *lines;
  ViewerCodeView *code;
};

G_DEFINE_FINAL_TYPE(ViewerSourceSide, viewer_source_side, GTK_TYPE_WIDGET)

enum { LINE_CHOSEN, LINE_ENTERED, FUNCTION_CHOSEN, N_SIGNALS };
static guint signals[N_SIGNALS];

void viewer_source_side_show(ViewerSourceSide *self, const ViewerSource *source, guint32 line)
{
  viewer_source_lines_show(self->lines, source);
  viewer_source_lines_select(self->lines, line);
  viewer_code_view_show(self->code, source, line);
}

void viewer_source_side_select(ViewerSourceSide *self, guint32 line)
{
  viewer_source_lines_select(self->lines, line);
  viewer_code_view_select(self->code, line);
}

guint32 viewer_source_side_get_next(ViewerSourceSide *self, int direction)
{
  return viewer_source_lines_get_next(self->lines, direction);
}

ViewerCopyRows viewer_source_side_get_copied(ViewerSourceSide *self)
{
  return gtk_widget_get_mapped(GTK_WIDGET(self->code)) ? viewer_code_view_get_copied(self->code)
                                                       : viewer_source_lines_get_copied(self->lines);
}

static void choose_line(ViewerSourceSide *self, guint line)
{
  g_signal_emit(self, signals[LINE_CHOSEN], 0, line);
}

static void enter_line(ViewerSourceSide *self, guint line)
{
  g_signal_emit(self, signals[LINE_ENTERED], 0, line);
}

static void choose_function(ViewerSourceSide *self, guint function)
{
  g_signal_emit(self, signals[FUNCTION_CHOSEN], 0, function);
}

static gboolean viewer_source_side_grab_focus(GtkWidget *widget)
{
  return gtk_widget_grab_focus(gtk_stack_get_visible_child(VIEWER_SOURCE_SIDE(widget)->views));
}

static void viewer_source_side_dispose(GObject *object)
{
  g_clear_pointer(&VIEWER_SOURCE_SIDE(object)->content, gtk_widget_unparent);
  G_OBJECT_CLASS(viewer_source_side_parent_class)->dispose(object);
}

static void viewer_source_side_class_init(ViewerSourceSideClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
  GType type = G_TYPE_FROM_CLASS(class);
  const char *const names[N_SIGNALS] = {"line-chosen", "line-entered", "function-chosen"};

  G_OBJECT_CLASS(class)->dispose = viewer_source_side_dispose;
  widget_class->grab_focus = viewer_source_side_grab_focus;
  for (guint i = 0; i < N_SIGNALS; i++)
    signals[i] =
        g_signal_new(names[i], type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
  g_type_ensure(VIEWER_TYPE_CODE_VIEW);
  g_type_ensure(VIEWER_TYPE_SOURCE_LINES);
  gtk_widget_class_set_css_name(widget_class, "sourceside");
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/org/capturectl/Viewer/pages/source/source-side.ui");
  gtk_widget_class_bind_template_child(widget_class, ViewerSourceSide, content);
  gtk_widget_class_bind_template_child(widget_class, ViewerSourceSide, views);
  gtk_widget_class_bind_template_child(widget_class, ViewerSourceSide, lines);
  gtk_widget_class_bind_template_child(widget_class, ViewerSourceSide, code);
  gtk_widget_class_bind_template_callback(widget_class, choose_function);
  gtk_widget_class_bind_template_callback(widget_class, choose_line);
  gtk_widget_class_bind_template_callback(widget_class, enter_line);
}

static void viewer_source_side_init(ViewerSourceSide *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  g_settings_bind(viewer_settings_get(), "source-side", self->views, "visible-child-name",
                  G_SETTINGS_BIND_DEFAULT);
}
