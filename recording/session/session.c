/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/session/session.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "recording/common/output.h"
#include "recording/session/run-private.h"

struct _RecordingSession {
  GObject parent_instance;

  RecordingOptions *options;
  RecordingOutput *output;
  RecordingBinaries *binaries;
  RecordingControl control;
  GMainContext *context;
  GThread *thread;

  GMutex mutex; /* guards what follows */
  RecordingVia via;
  char **events;
  RecordingUnwind unwind;
  char *notes;
  char *reason;
  RecordingProgress progress;
  RecordingResult result;
  gboolean finished;
};

G_DEFINE_FINAL_TYPE(RecordingSession, recording_session, G_TYPE_OBJECT)

enum { STARTED, PROGRESS, FINISHED, N_SIGNALS };
static guint signals[N_SIGNALS];

static gboolean emit_started(gpointer data)
{
  g_signal_emit(data, signals[STARTED], 0);
  return G_SOURCE_REMOVE;
}

static gboolean emit_progress(gpointer data)
{
  g_signal_emit(data, signals[PROGRESS], 0);
  return G_SOURCE_REMOVE;
}

static gboolean emit_finished(gpointer data)
{
  RecordingSession *self = data;

  g_thread_join(g_steal_pointer(&self->thread));
  self->finished = TRUE;
  g_signal_emit(self, signals[FINISHED], 0);
  g_object_unref(self); /* the thread's */
  return G_SOURCE_REMOVE;
}

/* All in one order: sources of one priority are dispatched as they were attached. */
static void emit_in_context(RecordingSession *self, GSourceFunc emit)
{
  GSource *source = g_idle_source_new();

  g_source_set_priority(source, G_PRIORITY_DEFAULT);
  g_source_set_callback(source, emit, g_object_ref(self), g_object_unref);
  g_source_attach(source, self->context);
  g_source_unref(source);
}

static void note_started(RecordingVia via, const char *const *events, RecordingUnwind unwind,
                         const char *notes, const char *reason, gpointer data)
{
  RecordingSession *self = data;

  g_mutex_lock(&self->mutex);
  self->via = via;
  self->events = g_strdupv((char **)events);
  self->unwind = unwind;
  self->notes = g_strdup(notes);
  self->reason = g_strdup(reason);
  g_mutex_unlock(&self->mutex);
  emit_in_context(self, emit_started);
}

static void note_progress(const RecordingProgress *progress, gpointer data)
{
  RecordingSession *self = data;

  g_mutex_lock(&self->mutex);
  self->progress = *progress;
  g_mutex_unlock(&self->mutex);
  emit_in_context(self, emit_progress);
}

static gpointer session_run(gpointer data)
{
  RecordingSession *self = data;
  RecordingResult result = {0};

  recording_run(self->options, self->output, self->binaries, &self->control, &result);
  g_mutex_lock(&self->mutex);
  self->result = result;
  self->progress = result.progress;
  g_mutex_unlock(&self->mutex);
  emit_in_context(self, emit_finished);
  return NULL;
}

static void recording_session_finalize(GObject *object)
{
  RecordingSession *self = RECORDING_SESSION(object);

  g_clear_pointer(&self->options, recording_options_free);
  g_clear_pointer(&self->output, recording_output_free);
  g_clear_pointer(&self->binaries, recording_binaries_free);
  g_clear_pointer(&self->context, g_main_context_unref);
  g_clear_pointer(&self->events, g_strfreev);
  g_clear_pointer(&self->notes, g_free);
  g_clear_pointer(&self->reason, g_free);
  g_clear_pointer(&self->result.warning, g_free);
  g_clear_error(&self->result.error);
  if (self->control.wake_fd >= 0)
    close(self->control.wake_fd);
  g_mutex_clear(&self->mutex);
  G_OBJECT_CLASS(recording_session_parent_class)->finalize(object);
}

static guint add_signal(const char *name, GObjectClass *class)
{
  return g_signal_new(name, G_OBJECT_CLASS_TYPE(class), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                      0);
}

static void recording_session_class_init(RecordingSessionClass *class)
{
  GObjectClass *object_class = G_OBJECT_CLASS(class);

  object_class->finalize = recording_session_finalize;
  signals[STARTED] = add_signal("started", object_class);
  signals[PROGRESS] = add_signal("progress", object_class);
  signals[FINISHED] = add_signal("finished", object_class);
}

static void recording_session_init(RecordingSession *self)
{
  g_mutex_init(&self->mutex);
  self->context = g_main_context_ref_thread_default();
  self->control.wake_fd = -1;
  self->control.started = note_started;
  self->control.progress = note_progress;
  self->control.data = self;
}

RecordingSession *recording_session_new(const RecordingOptions *options)
{
  RecordingSession *self = g_object_new(RECORDING_TYPE_SESSION, NULL);
  self->options = recording_options_copy(options);
  return self;
}

gboolean recording_session_start(RecordingSession *self, GError **error)
{
  g_return_val_if_fail(!self->output, FALSE);

  self->output = recording_output_new(self->options->path, error);
  if (!self->output)
    return FALSE;
  self->control.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (self->control.wake_fd < 0) {
    g_set_error(error, RECORDING_ERROR, RECORDING_ERROR_FAILED, _("No more descriptors can be opened: %s."),
                g_strerror(errno));
    return FALSE;
  }
  self->binaries = recording_binaries_new();
  self->thread = g_thread_new("recording", session_run, g_object_ref(self));
  return TRUE;
}

static void session_wake(RecordingSession *self)
{
  guint64 one = 1;
  (void)!write(self->control.wake_fd, &one, sizeof one);
}

void recording_session_stop(RecordingSession *self, int signal)
{
  g_atomic_int_compare_and_exchange(&self->control.stop, 0, 1 + signal);
  session_wake(self);
}

void recording_session_leave(RecordingSession *self)
{
  g_atomic_int_set(&self->control.leave, 1);
  session_wake(self);
}

const char *const *recording_session_get_events(RecordingSession *self)
{
  g_mutex_lock(&self->mutex);
  char **events = self->events;
  g_mutex_unlock(&self->mutex);
  return (const char *const *)events;
}

RecordingVia recording_session_get_via(RecordingSession *self)
{
  g_mutex_lock(&self->mutex);
  RecordingVia via = self->via;
  g_mutex_unlock(&self->mutex);
  return via;
}

RecordingUnwind recording_session_get_unwind(RecordingSession *self)
{
  g_mutex_lock(&self->mutex);
  RecordingUnwind unwind = self->unwind;
  g_mutex_unlock(&self->mutex);
  return unwind;
}

const char *recording_session_get_notes(RecordingSession *self)
{
  g_mutex_lock(&self->mutex);
  const char *notes = self->notes;
  g_mutex_unlock(&self->mutex);
  return notes;
}

const char *recording_session_get_reason(RecordingSession *self)
{
  g_mutex_lock(&self->mutex);
  const char *reason = self->reason;
  g_mutex_unlock(&self->mutex);
  return reason;
}

void recording_session_get_progress(RecordingSession *self, RecordingProgress *ret)
{
  g_mutex_lock(&self->mutex);
  *ret = self->progress;
  g_mutex_unlock(&self->mutex);
}

const RecordingResult *recording_session_get_result(RecordingSession *self)
{
  return self->finished ? &self->result : NULL;
}

int recording_session_get_fd(RecordingSession *self)
{
  return self->output ? recording_output_get_fd(self->output) : -1;
}

RecordingBinaries *recording_session_get_binaries(RecordingSession *self)
{
  return self->binaries;
}
