/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/record/start-page.h"

#include "viewer/kit/columns.h"
#include "viewer/kit/toast.h"
#include "viewer/record/findings.h"
#include "viewer/record/recent-list.h"
#include "viewer/record/record-form.h"

struct _ViewerStartPage {
  AdwBin parent_instance;

  ViewerRecordForm *form;
  ViewerRecentList *recent;
  ViewerFindings *findings;
  GtkWindow *window; /* that it is shown in */
};

G_DEFINE_FINAL_TYPE(ViewerStartPage, viewer_start_page, ADW_TYPE_BIN)

enum { RECORD, N_SIGNALS };
static guint signals[N_SIGNALS];

static void start_page_record(ViewerStartPage *self, gpointer options)
{
  g_signal_emit(self, signals[RECORD], 0, options);
}

static void show_rights(ViewerStartPage *self)
{
  viewer_record_form_set_rights(self->form, viewer_findings_get_diagnosis(self->findings));
}

/* Somebody may have followed the advice in a terminal, or removed a file. */
static void look_again(ViewerStartPage *self)
{
  if (!self->window || !gtk_window_is_active(self->window))
    return;
  viewer_findings_check(self->findings);
  viewer_recents_refresh(viewer_recents_get_default());
}

static void show_problem(ViewerStartPage *self, const char *sentence)
{
  viewer_toast(GTK_WIDGET(self), sentence);
}

static void viewer_start_page_map(GtkWidget *widget)
{
  ViewerStartPage *self = VIEWER_START_PAGE(widget);

  GTK_WIDGET_CLASS(viewer_start_page_parent_class)->map(widget);
  self->window = GTK_WINDOW(gtk_widget_get_root(widget));
  g_signal_connect_swapped(self->window, "notify::is-active", G_CALLBACK(look_again), self);
  viewer_findings_check(self->findings);
}

static void viewer_start_page_unmap(GtkWidget *widget)
{
  ViewerStartPage *self = VIEWER_START_PAGE(widget);

  g_signal_handlers_disconnect_by_data(self->window, self);
  self->window = NULL;
  GTK_WIDGET_CLASS(viewer_start_page_parent_class)->unmap(widget);
}

static void viewer_start_page_class_init(ViewerStartPageClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  widget_class->map = viewer_start_page_map;
  widget_class->unmap = viewer_start_page_unmap;
  signals[RECORD] = g_signal_new("record", G_OBJECT_CLASS_TYPE(class), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                 G_TYPE_NONE, 1, G_TYPE_POINTER);
  g_type_ensure(VIEWER_TYPE_COLUMNS);
  g_type_ensure(VIEWER_TYPE_RECORD_FORM);
  g_type_ensure(VIEWER_TYPE_RECENT_LIST);
  g_type_ensure(VIEWER_TYPE_FINDINGS);
  gtk_widget_class_set_template_from_resource(widget_class, "/org/capturectl/Viewer/record/start-page.ui");
  gtk_widget_class_bind_template_child(widget_class, ViewerStartPage, form);
  gtk_widget_class_bind_template_child(widget_class, ViewerStartPage, recent);
  gtk_widget_class_bind_template_child(widget_class, ViewerStartPage, findings);
  gtk_widget_class_bind_template_callback(widget_class, start_page_record);
  gtk_widget_class_bind_template_callback(widget_class, show_rights);
}

static void viewer_start_page_init(ViewerStartPage *self)
{
  ViewerRecents *recents = viewer_recents_get_default();

  gtk_widget_init_template(GTK_WIDGET(self));
  viewer_record_form_set_recents(self->form, recents);
  viewer_recent_list_set_recents(self->recent, recents);
  g_signal_connect_object(recents, "problem", G_CALLBACK(show_problem), self, G_CONNECT_SWAPPED);
}

GtkWidget *viewer_start_page_new(void)
{
  return g_object_new(VIEWER_TYPE_START_PAGE, NULL);
}
