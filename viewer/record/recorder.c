/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/record/recorder.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#include "profile/naming/naming.h"
#include "viewer/recents/recordings.h"

/* Of a program's name in a file's. */
#define NAME_MAX_BYTES 100

struct _ViewerRecorder {
  GObject parent_instance;

  RecordingOptions *options;
  char *title;
  GFile *file;
  RecordingSession *session;
  ViewerRecorderState state;
  gboolean discard;
  GPtrArray *notes; /* of char *, and a NULL at the end */
  GError *error;
  GCancellable *naming;

  GMutex mutex; /* guards what follows */
  guint named, to_name;
  gboolean told; /* that it has changed */
};

G_DEFINE_FINAL_TYPE(ViewerRecorder, viewer_recorder, G_TYPE_OBJECT)

enum { STATE_CHANGED, PROGRESS_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void set_state(ViewerRecorder *self, ViewerRecorderState state)
{
  self->state = state;
  g_signal_emit(self, signals[STATE_CHANGED], 0);
}

static gboolean has_ended(const ViewerRecorder *self)
{
  return self->state >= VIEWER_RECORDER_DONE;
}

/* Takes the sentence; NULL and what stands there already are left out. */
static void take_note(ViewerRecorder *self, char *sentence)
{
  for (guint i = 0; sentence && i + 1 < self->notes->len; i++)
    if (g_str_equal(self->notes->pdata[i], sentence))
      g_clear_pointer(&sentence, g_free);
  if (sentence)
    g_ptr_array_insert(self->notes, (int)self->notes->len - 1, sentence);
}

static void take_notes(ViewerRecorder *self, const char *lines)
{
  g_auto(GStrv) sentences = g_strsplit(lines ? lines : "", "\n", -1);

  for (char **sentence = sentences; *sentence; sentence++)
    if (**sentence)
      take_note(self, g_strdup(*sentence));
}

/* Whoever closes the last window meanwhile shall not cut the recording off. */
static void hold_application(gboolean hold)
{
  GApplication *application = g_application_get_default();

  if (application && hold)
    g_application_hold(application);
  else if (application)
    g_application_release(application);
}

/* Only the file that this session wrote: somebody may have put another one in its place. */
static void remove_file(ViewerRecorder *self)
{
  struct stat ours, there;

  if (fstat(recording_session_get_fd(self->session), &ours) == 0 && lstat(self->options->path, &there) == 0 &&
      ours.st_dev == there.st_dev && ours.st_ino == there.st_ino)
    g_unlink(self->options->path);
}

static void recorder_end(ViewerRecorder *self, ViewerRecorderState state)
{
  if (self->discard) {
    remove_file(self);
    state = VIEWER_RECORDER_DISCARDED;
  }
  set_state(self, state);
  hold_application(FALSE);
  g_object_unref(self); /* what start took */
}

static int open_binary(const ProfileBinary *binary, gpointer binaries)
{
  return recording_binaries_open(binaries, binary->build_id, binary->build_id_size, binary->path,
                                 binary->device, binary->inode);
}

static gboolean emit_progress(gpointer data)
{
  ViewerRecorder *self = data;

  g_mutex_lock(&self->mutex);
  self->told = FALSE;
  g_mutex_unlock(&self->mutex);
  if (self->state == VIEWER_RECORDER_NAMING)
    g_signal_emit(self, signals[PROGRESS_CHANGED], 0);
  return G_SOURCE_REMOVE;
}

static void on_naming_progress(guint done, guint total, const char *name, gpointer data)
{
  ViewerRecorder *self = data;

  g_mutex_lock(&self->mutex);
  gboolean told = self->told;
  self->named = done;
  self->to_name = total;
  self->told = TRUE;
  g_mutex_unlock(&self->mutex);
  if (!told)
    g_idle_add_full(G_PRIORITY_DEFAULT_IDLE, emit_progress, g_object_ref(self), g_object_unref);
}

static void name_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  ViewerRecorder *self = source;
  g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", recording_session_get_fd(self->session));
  g_autoptr(GPtrArray) gaps = NULL;
  g_autoptr(GError) error = NULL;
  ProfileNamingResult result = {0};
  ProfileNamingOptions options = {.open = open_binary,
                                  .open_data = recording_session_get_binaries(self->session),
                                  .progress = on_naming_progress,
                                  .progress_data = self,
                                  .places_time = PROFILE_NAMING_PLACES_TIME};

  profile_naming_run(path, &options, &result, cancellable, &error);
  gaps = profile_naming_describe_gaps(&result, error);
  char *dropped = recording_binaries_describe_dropped(recording_session_get_binaries(self->session));
  if (dropped)
    g_ptr_array_add(gaps, dropped);
  g_task_return_pointer(task, g_steal_pointer(&gaps), (GDestroyNotify)g_ptr_array_unref);
}

static void on_named(GObject *source, GAsyncResult *result, gpointer data)
{
  ViewerRecorder *self = VIEWER_RECORDER(source);
  g_autoptr(GPtrArray) gaps = g_task_propagate_pointer(G_TASK(result), NULL);

  for (guint i = 0; i < gaps->len; i++)
    take_note(self, g_strdup(gaps->pdata[i]));
  recorder_end(self, VIEWER_RECORDER_DONE);
}

static void begin_naming(ViewerRecorder *self)
{
  GTask *task = g_task_new(self, self->naming, on_named, NULL);

  g_task_set_check_cancellable(task, FALSE);
  g_task_run_in_thread(task, name_in_thread);
  g_object_unref(task);
  set_state(self, VIEWER_RECORDER_NAMING);
}

static void on_started(RecordingSession *session, gpointer data)
{
  ViewerRecorder *self = data;
  const char *reason = recording_session_get_reason(session);

  take_notes(self, recording_session_get_notes(session));
  if (reason)
    take_note(self,
              g_strdup_printf(_("The program is recorded from inside, which shows less, because nothing "
                                "else is permitted: %s"),
                              reason));
  if (self->state == VIEWER_RECORDER_STARTING)
    set_state(self, VIEWER_RECORDER_RECORDING);
}

static void on_progress(RecordingSession *session, gpointer data)
{
  g_signal_emit(data, signals[PROGRESS_CHANGED], 0);
}

static void note_end(ViewerRecorder *self, const RecordingResult *result)
{
  if (result->error)
    take_note(self, g_strdup(result->error->message));
  take_note(self, g_strdup(result->warning));
  if (result->command_left)
    take_note(self, g_strdup_printf(_("“%s” was asked to end and still runs."), self->options->command[0]));
}

static void on_finished(RecordingSession *session, gpointer data)
{
  ViewerRecorder *self = data;
  const RecordingResult *result = recording_session_get_result(session);

  if (g_error_matches(result->error, RECORDING_ERROR, RECORDING_ERROR_CANCELLED))
    self->discard = TRUE;
  if (result->begun && !self->discard) {
    note_end(self, result);
    if (result->reason == CAPTURE_END_OUTPUT)
      recorder_end(self, VIEWER_RECORDER_DONE);
    else
      begin_naming(self);
    return;
  }
  if (!self->discard)
    self->error = result->error ? g_error_copy(result->error)
                                : g_error_new(RECORDING_ERROR, RECORDING_ERROR_FAILED,
                                              _("“%s” ended before it could be recorded."), self->title);
  recorder_end(self, VIEWER_RECORDER_FAILED);
}

char **viewer_recorder_parse_command(const char *text, GError **error)
{
  g_autoptr(GError) why = NULL;
  char **argv = NULL;

  if (g_shell_parse_argv(text, NULL, &argv, &why))
    return argv;
  g_set_error_literal(error, RECORDING_ERROR, RECORDING_ERROR_FAILED,
                      g_error_matches(why, G_SHELL_ERROR, G_SHELL_ERROR_EMPTY_STRING)
                          ? _("There is no command to record; type a program’s name and its arguments.")
                          : _("The command’s quotes do not end; close each one, or put “\\” before it."));
  return NULL;
}

/* A name that begins with a dot would be hidden. */
static char *make_file_name(const RecordingOptions *options)
{
  g_autofree char *whole = recording_options_get_name(options);
  g_autofree char *valid = g_utf8_make_valid(whole, -1);
  g_autoptr(GDateTime) now = g_date_time_new_now_local();
  g_autofree char *time = g_date_time_format(now, "%Y-%m-%d %H.%M.%S");
  char *program = g_strdelimit(valid, "/\n", '_');

  while (*program == '.')
    program++;
  if (strlen(program) > NAME_MAX_BYTES)
    *g_utf8_find_prev_char(program, program + NAME_MAX_BYTES + 1) = '\0';
  return g_strdup_printf("%s %s", *program ? program : "recording", time);
}

static char *choose_path(const RecordingOptions *options)
{
  g_autofree char *standard = viewer_recordings_get_directory();
  const char *directory = options->path ? options->path : standard;
  g_autofree char *name = make_file_name(options);
  g_autofree char *file = g_strconcat(name, ".capture", NULL);
  char *path = g_build_filename(directory, file, NULL);

  for (guint n = 2; g_file_test(path, G_FILE_TEST_EXISTS); n++) {
    g_autofree char *other = g_strdup_printf("%s (%u).capture", name, n);
    g_free(path);
    path = g_build_filename(directory, other, NULL);
  }
  return path;
}

static char *make_title(const RecordingOptions *options)
{
  if (options->system_wide)
    return g_strdup(_("Whole System"));
  if (options->command) {
    g_autofree char *line = g_strjoinv(" ", options->command);
    return g_utf8_make_valid(line, -1);
  }
  g_autofree char *name = recording_options_get_name(options);
  g_autofree char *valid = g_utf8_make_valid(name, -1);
  return g_strdup_printf("%s (%d)", valid,
                         options->pids->len > 0 ? g_array_index(options->pids, pid_t, 0) : 0);
}

static void viewer_recorder_finalize(GObject *object)
{
  ViewerRecorder *self = VIEWER_RECORDER(object);

  g_clear_pointer(&self->options, recording_options_free);
  g_clear_pointer(&self->title, g_free);
  g_clear_object(&self->file);
  g_clear_object(&self->session);
  g_clear_pointer(&self->notes, g_ptr_array_unref);
  g_clear_error(&self->error);
  g_clear_object(&self->naming);
  g_mutex_clear(&self->mutex);
  G_OBJECT_CLASS(viewer_recorder_parent_class)->finalize(object);
}

static void viewer_recorder_class_init(ViewerRecorderClass *class)
{
  GType type = G_OBJECT_CLASS_TYPE(class);

  G_OBJECT_CLASS(class)->finalize = viewer_recorder_finalize;
  signals[STATE_CHANGED] =
      g_signal_new("state-changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[PROGRESS_CHANGED] =
      g_signal_new("progress-changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void viewer_recorder_init(ViewerRecorder *self)
{
  self->notes = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_add(self->notes, NULL);
  self->naming = g_cancellable_new();
  g_mutex_init(&self->mutex);
}

ViewerRecorder *viewer_recorder_new(const RecordingOptions *options)
{
  ViewerRecorder *self = g_object_new(VIEWER_TYPE_RECORDER, NULL);
  char *path = choose_path(options);

  self->options = recording_options_copy(options);
  g_free(self->options->path);
  self->options->path = path;
  self->file = g_file_new_for_path(path);
  self->title = make_title(options);
  self->session = recording_session_new(self->options);
  return self;
}

static gboolean make_directory(ViewerRecorder *self)
{
  g_autofree char *directory = g_path_get_dirname(self->options->path);

  if (g_mkdir_with_parents(directory, 0700) == 0)
    return TRUE;
  g_set_error(&self->error, RECORDING_ERROR, RECORDING_ERROR_OUTPUT,
              _("The directory “%s” for the capture cannot be made: %s. Choose another one."), directory,
              g_strerror(errno));
  return FALSE;
}

void viewer_recorder_start(ViewerRecorder *self)
{
  g_signal_connect_object(self->session, "started", G_CALLBACK(on_started), self, 0);
  g_signal_connect_object(self->session, "progress", G_CALLBACK(on_progress), self, 0);
  g_signal_connect_object(self->session, "finished", G_CALLBACK(on_finished), self, 0);
  g_object_ref(self);
  hold_application(TRUE);
  if (!make_directory(self) || !recording_session_start(self->session, &self->error))
    recorder_end(self, VIEWER_RECORDER_FAILED);
}

void viewer_recorder_stop(ViewerRecorder *self)
{
  if (self->state == VIEWER_RECORDER_STARTING)
    viewer_recorder_discard(self);
  else if (self->state == VIEWER_RECORDER_NAMING)
    g_cancellable_cancel(self->naming);
  if (self->state != VIEWER_RECORDER_RECORDING)
    return;
  recording_session_stop(self->session, 0);
  set_state(self, VIEWER_RECORDER_STOPPING);
}

void viewer_recorder_discard(ViewerRecorder *self)
{
  if (has_ended(self) || self->discard)
    return;
  self->discard = TRUE;
  g_cancellable_cancel(self->naming);
  recording_session_stop(self->session, 0);
  recording_session_leave(self->session);
  if (self->state != VIEWER_RECORDER_NAMING)
    set_state(self, VIEWER_RECORDER_STOPPING);
}

ViewerRecorderState viewer_recorder_get_state(ViewerRecorder *self)
{
  return self->state;
}

const char *viewer_recorder_get_title(ViewerRecorder *self)
{
  return self->title;
}

GFile *viewer_recorder_get_file(ViewerRecorder *self)
{
  return self->file;
}

void viewer_recorder_get_progress(ViewerRecorder *self, RecordingProgress *ret)
{
  recording_session_get_progress(self->session, ret);
}

void viewer_recorder_get_naming(ViewerRecorder *self, guint *ret_done, guint *ret_total)
{
  g_mutex_lock(&self->mutex);
  *ret_done = self->named;
  *ret_total = self->to_name;
  g_mutex_unlock(&self->mutex);
}

const GError *viewer_recorder_get_error(ViewerRecorder *self)
{
  return self->state == VIEWER_RECORDER_FAILED ? self->error : NULL;
}

const char *const *viewer_recorder_get_notes(ViewerRecorder *self)
{
  return (const char *const *)self->notes->pdata;
}
