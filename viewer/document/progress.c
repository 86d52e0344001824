/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/document/progress.h"

#define PULSES_EVERY 120 /* milliseconds */

struct _ViewerProgress {
  GtkBox parent;

  GtkLabel *activity;
  GtkProgressBar *bar;

  ViewerDocument *document;
  GSignalGroup *document_signals;
  gboolean is_to_pulse; /* when it is seen */
  guint pulse;
};

G_DEFINE_FINAL_TYPE(ViewerProgress, viewer_progress, GTK_TYPE_BOX)

enum { STOPPED, N_SIGNALS };
static guint signals[N_SIGNALS];

static gboolean progress_pulse(gpointer data)
{
  gtk_progress_bar_pulse(VIEWER_PROGRESS(data)->bar);
  return G_SOURCE_CONTINUE;
}

static void stop_pulsing(ViewerProgress *self)
{
  if (!self->pulse)
    return;
  g_clear_handle_id(&self->pulse, g_source_remove);
  /* A bar that has pulsed asks for each frame, seen or not, until it has a fraction again. */
  gtk_progress_bar_set_fraction(self->bar, 0);
}

/* Nothing moves where nobody sees it. */
static void update_pulsing(ViewerProgress *self)
{
  gboolean pulsing = self->is_to_pulse && gtk_widget_get_mapped(GTK_WIDGET(self));

  if (pulsing && !self->pulse)
    self->pulse = g_timeout_add(PULSES_EVERY, progress_pulse, self);
  else if (!pulsing)
    stop_pulsing(self);
}

void viewer_progress_show(ViewerProgress *self, const char *activity, double share)
{
  g_return_if_fail(VIEWER_IS_PROGRESS(self));
  gtk_label_set_label(self->activity, activity ? activity : "");
  self->is_to_pulse = activity && share < 0;
  update_pulsing(self);
  if (share >= 0)
    gtk_progress_bar_set_fraction(self->bar, MIN(share, 1));
}

static void show_document(ViewerProgress *self)
{
  if (self->document)
    viewer_progress_show(self, viewer_document_get_activity(self->document),
                         viewer_document_get_progress(self->document));
  else
    viewer_progress_show(self, NULL, 0);
}

static void progress_stop(ViewerProgress *self)
{
  if (self->document)
    viewer_document_cancel(self->document);
  g_signal_emit(self, signals[STOPPED], 0);
}

void viewer_progress_set_document(ViewerProgress *self, ViewerDocument *document)
{
  g_return_if_fail(VIEWER_IS_PROGRESS(self));
  if (!g_set_object(&self->document, document))
    return;
  g_signal_group_set_target(self->document_signals, document);
  show_document(self);
}

static void viewer_progress_map(GtkWidget *widget)
{
  GTK_WIDGET_CLASS(viewer_progress_parent_class)->map(widget);
  update_pulsing(VIEWER_PROGRESS(widget));
}

static void viewer_progress_unmap(GtkWidget *widget)
{
  GTK_WIDGET_CLASS(viewer_progress_parent_class)->unmap(widget);
  update_pulsing(VIEWER_PROGRESS(widget));
}

static void viewer_progress_dispose(GObject *object)
{
  ViewerProgress *self = VIEWER_PROGRESS(object);

  g_clear_handle_id(&self->pulse, g_source_remove);
  g_clear_object(&self->document_signals);
  g_clear_object(&self->document);
  G_OBJECT_CLASS(viewer_progress_parent_class)->dispose(object);
}

static void viewer_progress_class_init(ViewerProgressClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  G_OBJECT_CLASS(class)->dispose = viewer_progress_dispose;
  widget_class->map = viewer_progress_map;
  widget_class->unmap = viewer_progress_unmap;
  gtk_widget_class_set_template_from_resource(widget_class, "/org/capturectl/Viewer/document/progress.ui");
  gtk_widget_class_bind_template_child(widget_class, ViewerProgress, activity);
  gtk_widget_class_bind_template_child(widget_class, ViewerProgress, bar);
  gtk_widget_class_bind_template_callback(widget_class, progress_stop);
  signals[STOPPED] =
      g_signal_new("stopped", VIEWER_TYPE_PROGRESS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void viewer_progress_init(ViewerProgress *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  self->document_signals = g_signal_group_new(VIEWER_TYPE_DOCUMENT);
  g_signal_group_connect_swapped(self->document_signals, "progress-changed", G_CALLBACK(show_document), self);
  g_signal_group_connect_swapped(self->document_signals, "state-changed", G_CALLBACK(show_document), self);
}
