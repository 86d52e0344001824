/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/document/document.h"

#include <string.h>
#include <time.h>

#include "profile/capture/translate.h"
#include "profile/naming/naming.h"
#include "viewer/document/loader.h"
#include "viewer/document/weigher.h"
#include "viewer/kit/format.h"

enum {
  PROGRESS_INTERVAL = 100,    /* ms between two looks at how far the work is */
  FOLLOW_INTERVAL = 500,      /* ms at least from one reading of a growing file to the next */
  FOLLOW_SHARE = 5,           /* of that time the processors are at work for it one part in so many at most */
  FOLLOW_INTERVAL_MAX = 10000 /* ms */
};

/* Names come first, and what is known already of lines. Then lines are looked for, which may take long: they
 * are shown after this time, and after twice as much each time, as showing them takes a moment. */
#define PLACES_TIME_OF_NAMES (-1)
#define PLACES_TIME_FIRST    G_TIME_SPAN_SECOND

struct _ViewerDocument {
  GObject parent_instance;
  GFile *file;
  char *title;
  ViewerDocumentState state;
  GError *error;
  ProfileCapture *capture;
  ViewerQuery *query;
  ViewerWeigher *weigher;
  GArray *selection; /* guint32: functions */

  GCancellable *cancellable; /* of what is under way; else NULL */
  gboolean is_to_be_named;   /* once there are weights: they are waited for more than names */
  gint64 places_time;        /* of the naming that is under way or comes next */
  ViewerActivity *progress;
  double share;
  char *activity;
  guint progress_source;

  guint follow_source;
  gint64 worked; /* when a growing file was begun to be read, as get_worked */
};

enum {
  SIGNAL_STATE_CHANGED,
  SIGNAL_PROGRESS_CHANGED,
  SIGNAL_CAPTURE_CHANGED,
  SIGNAL_WEIGHTS_CHANGED,
  SIGNAL_SELECTION_CHANGED,
  SIGNAL_FILE_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE(ViewerDocument, viewer_document, G_TYPE_OBJECT)

static void give_up_work(ViewerDocument *self);

static void viewer_document_dispose(GObject *object)
{
  ViewerDocument *self = VIEWER_DOCUMENT(object);

  give_up_work(self);
  if (self->weigher)
    viewer_weigher_clear(self->weigher);
  g_clear_object(&self->weigher);
  g_clear_object(&self->query);
  g_clear_object(&self->capture);
  g_clear_object(&self->file);
  G_OBJECT_CLASS(viewer_document_parent_class)->dispose(object);
}

static void viewer_document_finalize(GObject *object)
{
  ViewerDocument *self = VIEWER_DOCUMENT(object);

  g_free(self->title);
  g_clear_error(&self->error);
  g_array_unref(self->selection);
  viewer_activity_unref(self->progress);
  g_free(self->activity);
  G_OBJECT_CLASS(viewer_document_parent_class)->finalize(object);
}

static void viewer_document_class_init(ViewerDocumentClass *klass)
{
  static const char *const names[N_SIGNALS] = {
      [SIGNAL_STATE_CHANGED] = "state-changed",         [SIGNAL_PROGRESS_CHANGED] = "progress-changed",
      [SIGNAL_CAPTURE_CHANGED] = "capture-changed",     [SIGNAL_WEIGHTS_CHANGED] = "weights-changed",
      [SIGNAL_SELECTION_CHANGED] = "selection-changed", [SIGNAL_FILE_CHANGED] = "file-changed",
  };

  G_OBJECT_CLASS(klass)->dispose = viewer_document_dispose;
  G_OBJECT_CLASS(klass)->finalize = viewer_document_finalize;
  for (guint i = 0; i < N_SIGNALS; i++)
    signals[i] = g_signal_new(names[i], G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                              G_TYPE_NONE, 0);
}

static void document_emit(ViewerDocument *self, guint signal)
{
  g_signal_emit(self, signals[signal], 0);
}

static void on_query_changed(ViewerDocument *self)
{
  if (self->capture)
    viewer_weigher_ask(self->weigher, self->capture);
}

static void begin_naming(ViewerDocument *self);

static void on_weights_ready(ViewerDocument *self)
{
  document_emit(self, SIGNAL_WEIGHTS_CHANGED);
  if (self->is_to_be_named)
    begin_naming(self);
}

static void viewer_document_init(ViewerDocument *self)
{
  self->query = viewer_query_new();
  self->weigher = viewer_weigher_new(self->query);
  self->selection = g_array_new(FALSE, FALSE, sizeof(guint32));
  self->progress = viewer_activity_new();
  self->share = -1;
  g_signal_connect_object(self->query, "changed", G_CALLBACK(on_query_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->weigher, "ready", G_CALLBACK(on_weights_ready), self, G_CONNECT_SWAPPED);
}

static void set_title(ViewerDocument *self)
{
  const char *command = self->capture ? profile_capture_get_metadata(self->capture, "command") : NULL;
  g_autofree char *name = g_file_get_basename(self->file);

  g_free(self->title);
  self->title = viewer_format_name(command && *command ? command : name, 0);
}

ViewerDocument *viewer_document_new(GFile *file)
{
  ViewerDocument *self = g_object_new(VIEWER_TYPE_DOCUMENT, NULL);

  self->file = g_object_ref(file);
  set_title(self);
  return self;
}

static void set_state(ViewerDocument *self, ViewerDocumentState state)
{
  if (self->state == state)
    return;
  self->state = state;
  document_emit(self, SIGNAL_STATE_CHANGED);
}

static gboolean look_at_progress(gpointer data)
{
  ViewerDocument *self = data;
  g_autofree char *activity = NULL;
  double share = viewer_activity_get(self->progress, &activity);

  if (share == self->share && g_strcmp0(activity, self->activity) == 0)
    return G_SOURCE_CONTINUE;
  self->share = share;
  g_free(self->activity);
  self->activity = g_steal_pointer(&activity);
  document_emit(self, SIGNAL_PROGRESS_CHANGED);
  return G_SOURCE_CONTINUE;
}

static void end_work(ViewerDocument *self)
{
  g_clear_object(&self->cancellable);
  g_clear_handle_id(&self->progress_source, g_source_remove);
  self->share = -1;
  if (!self->activity)
    return;
  g_clear_pointer(&self->activity, g_free);
  document_emit(self, SIGNAL_PROGRESS_CHANGED);
}

static void give_up_work(ViewerDocument *self)
{
  g_clear_handle_id(&self->follow_source, g_source_remove);
  if (self->cancellable)
    g_cancellable_cancel(self->cancellable);
  self->is_to_be_named = FALSE;
  end_work(self);
}

/* Something begins in another thread; what was under way is given up. */
static void begin_work(ViewerDocument *self)
{
  give_up_work(self);
  self->cancellable = g_cancellable_new();
  viewer_activity_unref(self->progress);
  self->progress = viewer_activity_new();
  self->progress_source = g_timeout_add(PROGRESS_INTERVAL, look_at_progress, self);
}

/* The same functions in the new capture; what is not there ends the path. */
static void translate_selection(ViewerDocument *self, ProfileCapture *from, ProfileCapture *to)
{
  guint32 *functions = (guint32 *)self->selection->data;
  guint n = 0;

  if (self->selection->len == 0)
    return;
  profile_capture_translate_functions(from, to, functions, self->selection->len, functions);
  while (n < self->selection->len && functions[n] != PROFILE_TRANSLATE_NOTHING)
    n++;
  g_array_set_size(self->selection, n);
}

static void take_capture(ViewerDocument *self, ProfileCapture *capture)
{
  g_autoptr(ProfileCapture) before = g_steal_pointer(&self->capture);

  self->capture = g_object_ref(capture);
  set_title(self);
  if (before) {
    translate_selection(self, before, capture);
    viewer_query_translate(self->query, before, capture);
  }
  viewer_weigher_ask(self->weigher, self->capture);
  document_emit(self, SIGNAL_CAPTURE_CHANGED);
}

static void document_fail(ViewerDocument *self, const GError *error)
{
  g_clear_error(&self->error);
  self->error = g_error_copy(error);
  set_state(self, VIEWER_DOCUMENT_FAILED);
}

static void begin_work_of_naming(ViewerDocument *self, gint64 places_time)
{
  begin_work(self);
  self->places_time = places_time;
  self->is_to_be_named = TRUE;
  set_state(self, VIEWER_DOCUMENT_NAMING);
}

static void on_capture_named(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(ViewerDocument) self = data;
  gboolean is_done;
  g_autoptr(ProfileCapture) named = viewer_loader_name_finish(result, &is_done, NULL);

  if (g_task_get_cancellable(G_TASK(result)) != self->cancellable)
    return;
  end_work(self);
  if (named)
    take_capture(self, named);
  if (named && !is_done)
    begin_work_of_naming(self, MAX(PLACES_TIME_FIRST, 2 * self->places_time));
  else
    set_state(self, VIEWER_DOCUMENT_READY);
}

static void begin_naming(ViewerDocument *self)
{
  self->is_to_be_named = FALSE;
  viewer_loader_name(self->capture, self->places_time, self->progress, self->cancellable, on_capture_named,
                     g_object_ref(self));
}

static void on_loaded(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(ViewerDocument) self = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(ProfileCapture) capture = viewer_loader_load_finish(result, &error);

  if (g_task_get_cancellable(G_TASK(result)) != self->cancellable)
    return;
  end_work(self);
  if (!capture) {
    document_fail(self, error);
    return;
  }
  take_capture(self, capture);
  if (profile_naming_is_wanted(capture))
    begin_work_of_naming(self, PLACES_TIME_OF_NAMES);
  else
    set_state(self, VIEWER_DOCUMENT_READY);
}

void viewer_document_open(ViewerDocument *self)
{
  begin_work(self);
  if (!self->capture)
    set_state(self, VIEWER_DOCUMENT_LOADING);
  viewer_loader_load(self->file, self->progress, self->cancellable, on_loaded, g_object_ref(self));
}

/* Milliseconds for which all processors would have been at work for this process alone. */
static gint64 get_worked(void)
{
  struct timespec time;

  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (time.tv_sec * G_GINT64_CONSTANT(1000) + time.tv_nsec / 1000000) / g_get_num_processors();
}

static gboolean read_again(gpointer data);

static void on_grown(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(ViewerDocument) self = data;
  g_autoptr(ProfileCapture) capture = viewer_loader_load_finish(result, NULL);

  if (g_task_get_cancellable(G_TASK(result)) != self->cancellable)
    return;
  end_work(self);
  if (capture) {
    take_capture(self, capture);
    set_state(self, VIEWER_DOCUMENT_GROWING);
  }
  gint64 worked = get_worked() - self->worked;
  self->follow_source = g_timeout_add(
      (guint)CLAMP(worked * FOLLOW_SHARE, FOLLOW_INTERVAL, FOLLOW_INTERVAL_MAX), read_again, self);
}

/* What cannot be read now may be readable when more of it is there. */
static gboolean read_again(gpointer data)
{
  ViewerDocument *self = data;

  self->follow_source = 0;
  begin_work(self);
  self->worked = get_worked();
  viewer_loader_follow(self->file, self->progress, self->cancellable, on_grown, g_object_ref(self));
  return G_SOURCE_REMOVE;
}

void viewer_document_follow(ViewerDocument *self)
{
  read_again(self);
}

void viewer_document_cancel(ViewerDocument *self)
{
  g_autoptr(GCancellable) cancelled = self->cancellable ? g_object_ref(self->cancellable) : NULL;
  g_autoptr(GError) error = NULL;

  give_up_work(self);
  if (self->state == VIEWER_DOCUMENT_NAMING)
    set_state(self, VIEWER_DOCUMENT_READY);
  else if (self->state == VIEWER_DOCUMENT_LOADING && g_cancellable_set_error_if_cancelled(cancelled, &error))
    document_fail(self, error);
}

void viewer_document_take_named(ViewerDocument *self, ProfileCapture *from, ProfileCapture *named)
{
  if (self->capture == from)
    take_capture(self, named);
}

GFile *viewer_document_get_file(ViewerDocument *self)
{
  return self->file;
}

void viewer_document_set_file(ViewerDocument *self, GFile *file)
{
  g_set_object(&self->file, file);
  set_title(self);
  document_emit(self, SIGNAL_FILE_CHANGED);
}

const char *viewer_document_get_title(ViewerDocument *self)
{
  return self->title;
}

ViewerDocumentState viewer_document_get_state(ViewerDocument *self)
{
  return self->state;
}

const GError *viewer_document_get_error(ViewerDocument *self)
{
  return self->error;
}

double viewer_document_get_progress(ViewerDocument *self)
{
  return self->share;
}

const char *viewer_document_get_activity(ViewerDocument *self)
{
  return self->activity;
}

ProfileCapture *viewer_document_get_capture(ViewerDocument *self)
{
  return self->capture;
}

ProfileWeights *viewer_document_get_weights(ViewerDocument *self)
{
  return viewer_weigher_get_weights(self->weigher);
}

guint viewer_document_get_kinds(ViewerDocument *self)
{
  return viewer_weigher_get_kinds(self->weigher);
}

ViewerQuery *viewer_document_get_query(ViewerDocument *self)
{
  return self->query;
}

void viewer_document_select(ViewerDocument *self, const guint32 *path, guint n)
{
  if (n == self->selection->len && (n == 0 || memcmp(self->selection->data, path, n * sizeof *path) == 0))
    return;
  g_array_set_size(self->selection, 0);
  g_array_append_vals(self->selection, path, n);
  document_emit(self, SIGNAL_SELECTION_CHANGED);
}

const guint32 *viewer_document_get_selection(ViewerDocument *self, guint *ret_n)
{
  *ret_n = self->selection->len;
  return (const guint32 *)self->selection->data;
}
