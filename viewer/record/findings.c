/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/record/findings.h"

#include <glib/gi18n.h>

#include "viewer/kit/accessible.h"
#include "viewer/kit/toast.h"

/* Looking starts a few programs: whoever changes windows back and forth shall not wait for them. µs */
#define PERIOD (5 * G_USEC_PER_SEC)

struct _ViewerFindings {
  AdwPreferencesGroup parent_instance;

  AdwExpanderRow *expander;
  GPtrArray *rows; /* of GtkWidget, in the expander */
  RecordingDiagnosis *diagnosis;
  gint64 last_look; /* µs; 0: never */
  gboolean looking;
};

G_DEFINE_FINAL_TYPE(ViewerFindings, viewer_findings, ADW_TYPE_PREFERENCES_GROUP)

enum { CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void findings_copy(GtkButton *button, gpointer text)
{
  gdk_clipboard_set_text(gtk_widget_get_clipboard(GTK_WIDGET(button)), text);
  viewer_toast(GTK_WIDGET(button), _("Copied to the clipboard"));
}

static GtkWidget *make_copy_button(const char *command)
{
  GtkWidget *button = gtk_button_new_from_icon_name("edit-copy-symbolic");

  gtk_widget_set_tooltip_text(button, _("Copy the Command"));
  viewer_accessible_set_name(button, _("Copy the Command"));
  gtk_widget_set_valign(button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class(button, "flat");
  g_signal_connect_data(button, "clicked", G_CALLBACK(findings_copy), g_strdup(command),
                        (GClosureNotify)(void (*)(void))g_free, 0);
  return button;
}

static GtkWidget *make_row(const RecordingFinding *finding)
{
  GtkWidget *row = adw_action_row_new();

  adw_preferences_row_set_use_markup(ADW_PREFERENCES_ROW(row), FALSE);
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), finding->text);
  adw_action_row_set_title_lines(ADW_ACTION_ROW(row), 0);
  adw_action_row_set_subtitle_lines(ADW_ACTION_ROW(row), 0);
  gtk_list_box_row_set_activatable(GTK_LIST_BOX_ROW(row), FALSE);
  if (finding->fix) {
    adw_action_row_set_subtitle(ADW_ACTION_ROW(row), finding->fix);
    adw_action_row_add_suffix(ADW_ACTION_ROW(row), make_copy_button(finding->fix));
  }
  return row;
}

static void clear_rows(ViewerFindings *self)
{
  for (guint i = 0; i < self->rows->len; i++)
    adw_expander_row_remove(self->expander, self->rows->pdata[i]);
  g_ptr_array_set_size(self->rows, 0);
}

static void show_title(ViewerFindings *self)
{
  guint n = self->rows->len;
  g_autofree char *title =
      g_strdup_printf(ngettext("%u Thing Limits Recordings Here", "%u Things Limit Recordings Here", n), n);
  gboolean can_record = recording_diagnosis_can_record(self->diagnosis);

  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(self->expander),
                                can_record ? title : _("Nothing Can Be Recorded Yet"));
  adw_expander_row_set_subtitle(self->expander, can_record ? _("Recording works, but shows less.")
                                                           : _("One of these commands changes that."));
  if (!can_record)
    adw_expander_row_set_expanded(self->expander, TRUE);
  gtk_widget_set_visible(GTK_WIDGET(self), n > 0);
}

static void findings_show(ViewerFindings *self)
{
  clear_rows(self);
  for (guint i = 0; i < self->diagnosis->findings->len; i++) {
    const RecordingFinding *finding = self->diagnosis->findings->pdata[i];

    if (finding->state == RECORDING_FINDING_OK)
      continue;
    GtkWidget *row = make_row(finding);
    adw_expander_row_add_row(self->expander, row);
    g_ptr_array_add(self->rows, row);
  }
  show_title(self);
}

static gboolean equal_texts(const RecordingFinding *a, const RecordingFinding *b)
{
  return a->state == b->state && g_str_equal(a->text, b->text) && g_strcmp0(a->fix, b->fix) == 0;
}

/* Rows that somebody reads are not taken away from under the eyes. */
static gboolean is_same(const RecordingDiagnosis *a, const RecordingDiagnosis *b)
{
  gboolean same = a && a->findings->len == b->findings->len;

  for (guint i = 0; same && i < a->findings->len; i++)
    same = equal_texts(a->findings->pdata[i], b->findings->pdata[i]);
  return same;
}

static void look_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  g_task_return_pointer(task, recording_diagnosis_new(), (GDestroyNotify)recording_diagnosis_free);
}

static void on_look(GObject *source, GAsyncResult *result, gpointer data)
{
  ViewerFindings *self = VIEWER_FINDINGS(source);
  g_autoptr(RecordingDiagnosis) diagnosis = g_task_propagate_pointer(G_TASK(result), NULL);

  self->looking = FALSE;
  self->last_look = g_get_monotonic_time();
  if (!self->expander || is_same(self->diagnosis, diagnosis))
    return;
  g_clear_pointer(&self->diagnosis, recording_diagnosis_free);
  self->diagnosis = g_steal_pointer(&diagnosis);
  findings_show(self);
  g_signal_emit(self, signals[CHANGED], 0);
}

void viewer_findings_check(ViewerFindings *self)
{
  if (self->looking || (self->last_look && g_get_monotonic_time() - self->last_look < PERIOD))
    return;
  GTask *task = g_task_new(self, NULL, on_look, NULL);
  self->looking = TRUE;
  g_task_run_in_thread(task, look_in_thread);
  g_object_unref(task);
}

const RecordingDiagnosis *viewer_findings_get_diagnosis(ViewerFindings *self)
{
  return self->diagnosis;
}

/* A look that is under way may end later. */
static void viewer_findings_dispose(GObject *object)
{
  VIEWER_FINDINGS(object)->expander = NULL;
  G_OBJECT_CLASS(viewer_findings_parent_class)->dispose(object);
}

static void viewer_findings_finalize(GObject *object)
{
  ViewerFindings *self = VIEWER_FINDINGS(object);

  g_clear_pointer(&self->rows, g_ptr_array_unref);
  g_clear_pointer(&self->diagnosis, recording_diagnosis_free);
  G_OBJECT_CLASS(viewer_findings_parent_class)->finalize(object);
}

static void viewer_findings_class_init(ViewerFindingsClass *class)
{
  G_OBJECT_CLASS(class)->dispose = viewer_findings_dispose;
  G_OBJECT_CLASS(class)->finalize = viewer_findings_finalize;
  signals[CHANGED] = g_signal_new("changed", G_OBJECT_CLASS_TYPE(class), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                  NULL, G_TYPE_NONE, 0);
}

static void viewer_findings_init(ViewerFindings *self)
{
  GtkWidget *expander = adw_expander_row_new();

  self->rows = g_ptr_array_new();
  self->expander = ADW_EXPANDER_ROW(expander);
  adw_expander_row_set_icon_name(self->expander, "dialog-warning-symbolic");
  adw_preferences_group_add(ADW_PREFERENCES_GROUP(self), expander);
  gtk_widget_set_visible(GTK_WIDGET(self), FALSE);
}
