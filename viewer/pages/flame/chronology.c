/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/flame/chronology.h"

#include "profile/views/rows.h"
#include "viewer/kit/accessible.h"
#include "viewer/kit/format.h"
#include "viewer/kit/latest.h"

struct _ViewerChronology {
  GtkWidget parent_instance;
  GtkWidget *content;
  GtkDropDown *threads;
  ViewerStackChart *chart;
  ViewerLatest *counter;
  ProfileWeights *weights;
  guint64 first, end;
  GArray *listed; /* guint32: threads in the list */
  gint32 tid;     /* that was chosen; -1: none was */
  char *name;     /* what it is called: a thread has another name, and is listed again, after an exec */
  gboolean filling;
};

G_DEFINE_FINAL_TYPE(ViewerChronology, viewer_chronology, GTK_TYPE_WIDGET)

/* Threads with samples, most of them first; but what was idle comes last. */
typedef struct {
  ProfileWeights *weights;
  GArray *threads; /* guint32 */
} Threads;

static void free_threads(gpointer data)
{
  Threads *threads = data;

  g_clear_pointer(&threads->weights, profile_weights_unref);
  g_clear_pointer(&threads->threads, g_array_unref);
  g_free(threads);
}

/* The kernel's process 0 "runs" where nothing else does. */
static gboolean is_idle(ProfileWeights *weights, guint32 thread)
{
  ProfileCapture *capture = profile_weights_get_capture(weights);
  guint n;
  guint32 process = profile_capture_get_threads(capture, &n)[thread].process;

  return profile_capture_get_processes(capture, &n)[process].pid == 0;
}

static void add_threads(Threads *threads, const ProfileRows *rows, gboolean idle)
{
  for (gsize i = 0; i < profile_rows_get_n(rows); i++) {
    guint32 thread = profile_rows_get(rows, i).item;
    if (is_idle(threads->weights, thread) == idle)
      g_array_append_val(threads->threads, thread);
  }
}

static gpointer find_threads(gpointer request)
{
  Threads *threads = g_new0(Threads, 1);

  threads->weights = g_steal_pointer(&((Threads *)request)->weights);
  threads->threads = g_array_new(FALSE, FALSE, sizeof(guint32));
  g_autoptr(ProfileRows) rows = profile_rows_new(threads->weights, PROFILE_ROWS_THREAD);
  add_threads(threads, rows, FALSE);
  add_threads(threads, rows, TRUE);
  return threads;
}

static const ProfileThread *get_thread(ViewerChronology *self, guint32 thread)
{
  guint n;

  return &profile_capture_get_threads(profile_weights_get_capture(self->weights), &n)[thread];
}

static void show_thread(ViewerChronology *self)
{
  guint chosen = gtk_drop_down_get_selected(self->threads);

  if (self->filling || !self->weights || chosen >= self->listed->len)
    return;
  guint32 thread = g_array_index(self->listed, guint32, chosen);
  self->tid = get_thread(self, thread)->tid;
  g_free(self->name);
  self->name = g_strdup(get_thread(self, thread)->name);
  viewer_stack_chart_set_weights(self->chart, self->weights, thread, self->first, self->end);
}

/* The thread that was shown, by the name that was shown; else by the name under which it has most samples;
 * else that with most. */
static guint find_shown(ViewerChronology *self)
{
  guint found = G_MAXUINT;

  for (guint i = 0; i < self->listed->len; i++) {
    const ProfileThread *thread = get_thread(self, g_array_index(self->listed, guint32, i));
    if (thread->tid != self->tid)
      continue;
    if (g_strcmp0(thread->name, self->name) == 0)
      return i;
    found = MIN(found, i);
  }
  return found < self->listed->len ? found : 0;
}

static void list_threads(ViewerChronology *self)
{
  const Threads *threads = viewer_latest_get(self->counter);
  g_autoptr(GtkStringList) list = gtk_string_list_new(NULL);

  if (threads->weights != self->weights)
    return;
  g_array_set_size(self->listed, 0);
  for (guint i = 0; i < threads->threads->len; i++) {
    guint32 index = g_array_index(threads->threads, guint32, i);
    const ProfileThread *thread = get_thread(self, index);
    g_autofree char *name = viewer_format_name(thread->name ? thread->name : "", 40);
    g_array_append_val(self->listed, index);
    gtk_string_list_take(list, g_strdup_printf("%s (%d)", name, thread->tid));
  }
  self->filling = TRUE;
  gtk_drop_down_set_model(self->threads, G_LIST_MODEL(list));
  gtk_drop_down_set_selected(self->threads, find_shown(self));
  self->filling = FALSE;
  show_thread(self);
}

void viewer_chronology_set_weights(ViewerChronology *self, ProfileWeights *weights, guint64 first,
                                   guint64 end)
{
  Threads *request;

  if (weights)
    profile_weights_ref(weights);
  g_clear_pointer(&self->weights, profile_weights_unref);
  self->weights = weights;
  self->first = first;
  self->end = end;
  if (!weights) {
    viewer_stack_chart_set_weights(self->chart, NULL, 0, 0, 1);
    return;
  }
  request = g_new0(Threads, 1);
  request->weights = profile_weights_ref(weights);
  viewer_latest_request(self->counter, request);
}

ViewerStackChart *viewer_chronology_get_chart(ViewerChronology *self)
{
  return self->chart;
}

static void chronology_selected(ViewerChronology *self)
{
  g_signal_emit_by_name(self, "selected");
}

static void pop_up(ViewerChronology *self, double x, double y)
{
  g_signal_emit_by_name(self, "menu", x, y);
}

static gboolean grab_focus(GtkWidget *widget)
{
  return gtk_widget_grab_focus(GTK_WIDGET(VIEWER_CHRONOLOGY(widget)->chart));
}

static void chronology_dispose(GObject *object)
{
  ViewerChronology *self = VIEWER_CHRONOLOGY(object);

  if (self->counter)
    g_signal_handlers_disconnect_by_data(self->counter, self);
  g_clear_object(&self->counter);
  g_clear_pointer(&self->weights, profile_weights_unref);
  g_clear_pointer(&self->listed, g_array_unref);
  g_clear_pointer(&self->content, gtk_widget_unparent);
  g_clear_pointer(&self->name, g_free);
  G_OBJECT_CLASS(viewer_chronology_parent_class)->dispose(object);
}

static void viewer_chronology_class_init(ViewerChronologyClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  g_type_ensure(VIEWER_TYPE_STACK_CHART);
  G_OBJECT_CLASS(klass)->dispose = chronology_dispose;
  widget_class->grab_focus = grab_focus;
  g_signal_new("selected", VIEWER_TYPE_CHRONOLOGY, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  g_signal_new("menu", VIEWER_TYPE_CHRONOLOGY, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
               G_TYPE_DOUBLE, G_TYPE_DOUBLE);
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/org/capturectl/Viewer/pages/flame/chronology.ui");
  gtk_widget_class_bind_template_child(widget_class, ViewerChronology, content);
  gtk_widget_class_bind_template_child(widget_class, ViewerChronology, threads);
  gtk_widget_class_bind_template_child(widget_class, ViewerChronology, chart);
}

static void viewer_chronology_init(ViewerChronology *self)
{
  self->tid = -1;
  self->listed = g_array_new(FALSE, FALSE, sizeof(guint32));
  self->counter = viewer_latest_new(find_threads, free_threads, free_threads);
  gtk_widget_init_template(GTK_WIDGET(self));
  viewer_accessible_describe_chosen(self->threads);
  g_signal_connect_swapped(self->counter, "ready", G_CALLBACK(list_threads), self);
  g_signal_connect_swapped(self->threads, "notify::selected", G_CALLBACK(show_thread), self);
  g_signal_connect_swapped(self->chart, "selected", G_CALLBACK(chronology_selected), self);
  g_signal_connect_swapped(self->chart, "menu", G_CALLBACK(pop_up), self);
}

GtkWidget *viewer_chronology_new(void)
{
  return g_object_new(VIEWER_TYPE_CHRONOLOGY, NULL);
}
