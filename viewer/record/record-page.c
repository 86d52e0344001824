/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/record/record-page.h"

#include <glib/gi18n.h>

#include "viewer/document/page.h"
#include "viewer/kit/columns.h"
#include "viewer/kit/format.h"
#include "viewer/kit/toast.h"
#include "viewer/pages/flame/flame-page.h"
#include "viewer/record/recorder.h"
#include "viewer/time/overview.h"

struct _ViewerRecordPage {
  AdwBin parent_instance;

  ViewerRecorder *recorder; /* NULL: nothing is recorded */
  ViewerDocument *document; /* what there is so far; NULL: nothing yet */
  guint n_told;             /* notes that are shown on the page */

  GtkStack *stack, *live;
  GtkLabel *elapsed, *state, *samples, *lost, *size, *notes;
  GtkSpinner *spinner;
  GtkRevealer *notes_revealer;
  GtkButton *stop, *back;
  GtkBox *graph;
  AdwStatusPage *failure;
  ViewerOverview *overview;
  ViewerPage *flame;
};

G_DEFINE_FINAL_TYPE(ViewerRecordPage, viewer_record_page, ADW_TYPE_BIN)

enum { FINISHED, DISCARDED, N_SIGNALS };
static guint signals[N_SIGNALS];

static char *format_elapsed(guint64 nanoseconds)
{
  guint64 seconds = nanoseconds / 1000000000, minutes = seconds / 60, hours = minutes / 60;

  if (hours > 0)
    return g_strdup_printf("%" G_GUINT64_FORMAT ":%02u:%02u", hours, (guint)(minutes % 60),
                           (guint)(seconds % 60));
  return g_strdup_printf("%" G_GUINT64_FORMAT ":%02u", minutes, (guint)(seconds % 60));
}

static void set_number(GtkLabel *label, guint64 number)
{
  g_autofree char *text = viewer_format_count(number);

  gtk_label_set_text(label, text);
}

static char *describe_naming(ViewerRecordPage *self)
{
  guint done, total;

  viewer_recorder_get_naming(self->recorder, &done, &total);
  if (total == 0)
    return g_strdup(_("Naming functions…"));
  return g_strdup_printf(
      ngettext("Naming functions: %u of %u binary", "Naming functions: %u of %u binaries", total), done,
      total);
}

static char *describe_state(ViewerRecordPage *self)
{
  switch (viewer_recorder_get_state(self->recorder)) {
  case VIEWER_RECORDER_STARTING:
    return g_strdup(_("Starting…"));
  case VIEWER_RECORDER_RECORDING:
    return g_strdup(_("Recording"));
  case VIEWER_RECORDER_NAMING:
    return describe_naming(self);
  default:
    return g_strdup(_("Stopping…"));
  }
}

static void show_progress(ViewerRecordPage *self)
{
  RecordingProgress progress;

  viewer_recorder_get_progress(self->recorder, &progress);
  g_autofree char *elapsed = format_elapsed(progress.elapsed);
  g_autofree char *size = g_format_size(progress.size);
  g_autofree char *state = describe_state(self);
  gtk_label_set_text(self->elapsed, elapsed);
  set_number(self->samples, progress.samples);
  set_number(self->lost, progress.lost);
  gtk_label_set_text(self->size, size);
  gtk_label_set_text(self->state, state);
  if (progress.lost > 0)
    gtk_widget_add_css_class(GTK_WIDGET(self->lost), "warning");
  else
    gtk_widget_remove_css_class(GTK_WIDGET(self->lost), "warning");
}

static void show_notes(ViewerRecordPage *self)
{
  const char *const *notes = viewer_recorder_get_notes(self->recorder);
  g_autofree char *text = g_strjoinv("\n", (char **)notes);
  g_autofree char *valid = g_utf8_make_valid(text, -1);

  self->n_told = g_strv_length((char **)notes);
  gtk_label_set_text(self->notes, valid);
  gtk_revealer_set_reveal_child(self->notes_revealer, self->n_told > 0);
}

/* What came up in the end is said where the page is left. */
static void tell_last_notes(ViewerRecordPage *self)
{
  const char *const *notes = viewer_recorder_get_notes(self->recorder);

  for (guint i = self->n_told; notes[i]; i++)
    viewer_toast(GTK_WIDGET(self), notes[i]);
}

static void show_graph(ViewerRecordPage *self)
{
  gboolean there = self->document && viewer_document_get_weights(self->document) &&
                   profile_weights_get_sum(viewer_document_get_weights(self->document)).count > 0;

  gtk_stack_set_visible_child_name(self->live, there ? "graph" : "waiting");
}

static void leave_document(ViewerRecordPage *self)
{
  if (!self->document)
    return;
  g_signal_handlers_disconnect_by_data(self->document, self);
  viewer_overview_set_document(self->overview, NULL);
  viewer_page_set_document(self->flame, NULL);
  viewer_document_cancel(self->document);
  g_clear_object(&self->document);
  show_graph(self);
}

static void record_page_follow(ViewerRecordPage *self)
{
  if (self->document)
    return;
  self->document = viewer_document_new(viewer_recorder_get_file(self->recorder));
  g_signal_connect_swapped(self->document, "weights-changed", G_CALLBACK(show_graph), self);
  viewer_document_follow(self->document);
  viewer_overview_set_document(self->overview, self->document);
  viewer_page_set_document(self->flame, self->document);
}

static void leave_recorder(ViewerRecordPage *self)
{
  leave_document(self);
  if (self->recorder)
    g_signal_handlers_disconnect_by_data(self->recorder, self);
  g_clear_object(&self->recorder);
}

static void record_page_finish(ViewerRecordPage *self)
{
  g_autoptr(GFile) file = g_object_ref(viewer_recorder_get_file(self->recorder));

  tell_last_notes(self);
  leave_recorder(self);
  g_signal_emit(self, signals[FINISHED], 0, file);
}

static void go_back(ViewerRecordPage *self)
{
  leave_recorder(self);
  g_signal_emit(self, signals[DISCARDED], 0);
}

static void show_failure(ViewerRecordPage *self)
{
  const GError *error = viewer_recorder_get_error(self->recorder);
  g_autofree char *valid = g_utf8_make_valid(error->message, -1);
  g_autofree char *escaped = g_markup_escape_text(valid, -1);

  leave_document(self);
  adw_status_page_set_description(self->failure, escaped);
  gtk_stack_set_visible_child_name(self->stack, "failed");
  gtk_widget_grab_focus(GTK_WIDGET(self->back));
}

static void update_actions(ViewerRecordPage *self, ViewerRecorderState state)
{
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "recording.stop", state != VIEWER_RECORDER_STOPPING);
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "recording.discard", state != VIEWER_RECORDER_STOPPING);
  gtk_button_set_label(self->stop, state == VIEWER_RECORDER_NAMING     ? _("_Show Now")
                                   : state == VIEWER_RECORDER_STARTING ? _("_Cancel")
                                                                       : _("_Stop"));
  gtk_spinner_set_spinning(self->spinner, state != VIEWER_RECORDER_RECORDING);
}

static void on_state(ViewerRecordPage *self)
{
  ViewerRecorderState state = viewer_recorder_get_state(self->recorder);

  if (state == VIEWER_RECORDER_DONE) {
    record_page_finish(self);
  } else if (state == VIEWER_RECORDER_DISCARDED) {
    go_back(self);
  } else if (state == VIEWER_RECORDER_FAILED) {
    show_failure(self);
  } else {
    update_actions(self, state);
    show_notes(self);
    show_progress(self);
    if (state == VIEWER_RECORDER_RECORDING)
      record_page_follow(self);
  }
}

static void record_page_stop(GtkWidget *widget, const char *action, GVariant *parameter)
{
  ViewerRecordPage *self = VIEWER_RECORD_PAGE(widget);

  if (self->recorder)
    viewer_recorder_stop(self->recorder);
}

static void on_answer(ViewerRecordPage *self, const char *answer)
{
  if (self->recorder && g_str_equal(answer, "discard"))
    viewer_recorder_discard(self->recorder);
}

static void record_page_discard(GtkWidget *widget, const char *action, GVariant *parameter)
{
  ViewerRecordPage *self = VIEWER_RECORD_PAGE(widget);

  if (!self->recorder)
    return;
  GtkWidget *dialog =
      adw_message_dialog_new(GTK_WINDOW(gtk_widget_get_root(widget)), _("Discard the Recording?"), NULL);
  adw_message_dialog_format_body(ADW_MESSAGE_DIALOG(dialog),
                                 _("What was recorded of “%s” so far will be deleted."),
                                 viewer_recorder_get_title(self->recorder));
  adw_message_dialog_add_responses(ADW_MESSAGE_DIALOG(dialog), "keep", _("_Keep Recording"), "discard",
                                   _("_Discard"), NULL);
  adw_message_dialog_set_response_appearance(ADW_MESSAGE_DIALOG(dialog), "discard", ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_default_response(ADW_MESSAGE_DIALOG(dialog), "keep");
  adw_message_dialog_set_close_response(ADW_MESSAGE_DIALOG(dialog), "keep");
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_answer), self, G_CONNECT_SWAPPED);
  gtk_window_present(GTK_WINDOW(dialog));
}

/* Keys are for what one sees now. */
static void viewer_record_page_map(GtkWidget *widget)
{
  GTK_WIDGET_CLASS(viewer_record_page_parent_class)->map(widget);
  gtk_widget_grab_focus(GTK_WIDGET(VIEWER_RECORD_PAGE(widget)->stop));
}

/* A window that is closed meanwhile ends the recording, and leaves its file. */
static void viewer_record_page_dispose(GObject *object)
{
  ViewerRecordPage *self = VIEWER_RECORD_PAGE(object);

  if (self->recorder)
    viewer_recorder_stop(self->recorder);
  leave_recorder(self);
  G_OBJECT_CLASS(viewer_record_page_parent_class)->dispose(object);
}

static void bind_children(GtkWidgetClass *class)
{
  gtk_widget_class_bind_template_child(class, ViewerRecordPage, stack);
  gtk_widget_class_bind_template_child(class, ViewerRecordPage, live);
  gtk_widget_class_bind_template_child(class, ViewerRecordPage, elapsed);
  gtk_widget_class_bind_template_child(class, ViewerRecordPage, state);
  gtk_widget_class_bind_template_child(class, ViewerRecordPage, samples);
  gtk_widget_class_bind_template_child(class, ViewerRecordPage, lost);
  gtk_widget_class_bind_template_child(class, ViewerRecordPage, size);
  gtk_widget_class_bind_template_child(class, ViewerRecordPage, notes);
  gtk_widget_class_bind_template_child(class, ViewerRecordPage, notes_revealer);
  gtk_widget_class_bind_template_child(class, ViewerRecordPage, spinner);
  gtk_widget_class_bind_template_child(class, ViewerRecordPage, stop);
  gtk_widget_class_bind_template_child(class, ViewerRecordPage, back);
  gtk_widget_class_bind_template_child(class, ViewerRecordPage, graph);
  gtk_widget_class_bind_template_child(class, ViewerRecordPage, failure);
  gtk_widget_class_bind_template_callback(class, go_back);
}

static void viewer_record_page_class_init(ViewerRecordPageClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
  GType type = G_OBJECT_CLASS_TYPE(class);

  G_OBJECT_CLASS(class)->dispose = viewer_record_page_dispose;
  widget_class->map = viewer_record_page_map;
  signals[FINISHED] =
      g_signal_new("finished", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_FILE);
  signals[DISCARDED] =
      g_signal_new("discarded", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  g_type_ensure(VIEWER_TYPE_COLUMNS);
  gtk_widget_class_set_template_from_resource(widget_class, "/org/capturectl/Viewer/record/record-page.ui");
  bind_children(widget_class);
  gtk_widget_class_install_action(widget_class, "recording.stop", NULL, record_page_stop);
  gtk_widget_class_install_action(widget_class, "recording.discard", NULL, record_page_discard);
  gtk_widget_class_add_binding_action(widget_class, GDK_KEY_Escape, 0, "recording.stop", NULL);
}

static void viewer_record_page_init(ViewerRecordPage *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  self->overview = VIEWER_OVERVIEW(viewer_overview_new());
  self->flame = VIEWER_PAGE(viewer_flame_page_new());
  gtk_widget_set_margin_start(GTK_WIDGET(self->overview), 6); /* as in the window of a document */
  gtk_widget_set_margin_end(GTK_WIDGET(self->overview), 6);
  gtk_widget_set_vexpand(GTK_WIDGET(self->flame), TRUE);
  gtk_box_append(self->graph, GTK_WIDGET(self->overview));
  gtk_box_append(self->graph, GTK_WIDGET(self->flame));
}

GtkWidget *viewer_record_page_new(void)
{
  return g_object_new(VIEWER_TYPE_RECORD_PAGE, NULL);
}

void viewer_record_page_start(ViewerRecordPage *self, const RecordingOptions *options)
{
  g_return_if_fail(!self->recorder);

  self->recorder = viewer_recorder_new(options);
  g_signal_connect_swapped(self->recorder, "state-changed", G_CALLBACK(on_state), self);
  g_signal_connect_swapped(self->recorder, "progress-changed", G_CALLBACK(show_progress), self);
  gtk_stack_set_visible_child_name(self->stack, "recording");
  on_state(self);
  viewer_recorder_start(self->recorder);
}

const char *viewer_record_page_get_title(ViewerRecordPage *self)
{
  gboolean going_on = self->recorder && viewer_recorder_get_state(self->recorder) < VIEWER_RECORDER_DONE;

  return going_on ? viewer_recorder_get_title(self->recorder) : NULL;
}
