/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib-unix.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "capturectl/capturectl-command.h"
#include "capturectl/capturectl-json.h"
#include "capturectl/capturectl-progress.h"
#include "capturectl/capturectl-record-naming.h"
#include "capturectl/capturectl-record-options.h"
#include "capturectl/capturectl-verbs.h"
#include "profile/base/printable.h"
#include "profile/capture/ended.h"
#include "recording/session/session.h"

typedef struct {
  CapturectlRecordOptions options;
  RecordingSession *session;
  GMainLoop *loop;
  GCancellable *naming;
  gboolean has_finished; /* only naming can be going on */
  guint n_signals;
  int signal; /* the first that came */
} Record;

static char *describe_progress(const RecordingProgress *progress)
{
  g_autofree char *size = g_format_size(progress->size);

  return g_strdup_printf(_("%.1f s  %'" G_GUINT64_FORMAT " samples  %'" G_GUINT64_FORMAT " lost  %s"),
                         (double)progress->elapsed / 1e9, progress->samples, progress->lost, size);
}

static void on_progress(RecordingSession *session, gpointer data)
{
  Record *record = data;
  RecordingProgress progress;

  if (record->options.quiet)
    return;
  recording_session_get_progress(session, &progress);
  g_autofree char *line = describe_progress(&progress);
  capturectl_progress_show(line);
}

static const char *describe_unwind(RecordingVia via, RecordingUnwind unwind)
{
  if (via == RECORDING_VIA_PRELOAD && unwind == RECORDING_UNWIND_TABLES)
    return _("Stacks by unwind tables");
  switch (unwind) {
  case RECORDING_UNWIND_BPF:
    return _("Stacks by unwind tables in BPF");
  case RECORDING_UNWIND_TABLES:
    return _("Stacks by unwind tables over copies of them");
  case RECORDING_UNWIND_NONE:
    return _("No stacks of user space");
  default:
    return _("Stacks by frame pointers");
  }
}

static const char *describe_way(RecordingVia via)
{
  switch (via) {
  case RECORDING_VIA_SERVICE:
    return _("Recording through the system service");
  case RECORDING_VIA_PRELOAD:
    return _("Recording from inside, by the preloaded sampler");
  default:
    return _("Recording directly");
  }
}

/* One line, whatever the reason looks like. */
static void print_way(RecordingSession *session)
{
  RecordingVia via = recording_session_get_via(session);
  g_autofree char *joined = g_strjoinv(", ", (char **)recording_session_get_events(session));
  g_autofree char *events = profile_printable(joined);
  const char *reason = recording_session_get_reason(session);

  fprintf(stderr, "%s: %s. %s.", describe_way(via), events,
          describe_unwind(via, recording_session_get_unwind(session)));
  if (reason) {
    g_autofree char *shown = profile_printable(reason);
    fprintf(stderr, _(" Nothing else is permitted: %s"), shown);
  }
  fputc('\n', stderr);
}

static void on_started(RecordingSession *session, gpointer data)
{
  Record *record = data;
  g_auto(GStrv) notes = g_strsplit(recording_session_get_notes(session), "\n", -1);

  for (char **note = notes; *note; note++)
    if (**note)
      capturectl_warn("%s", *note);
  if (!record->options.quiet)
    print_way(session);
}

static void on_finished(RecordingSession *session, gpointer data)
{
  Record *record = data;

  record->has_finished = TRUE;
  g_main_loop_quit(record->loop);
}

/* The first asks for an orderly end, of which names are a part; the second leaves at once. One that comes
 * when only names are missing leaves these out. */
static void see_signal(Record *record, int signal)
{
  gboolean is_first = record->n_signals++ == 0;

  if (!is_first || record->has_finished)
    g_cancellable_cancel(record->naming);
  if (is_first) {
    record->signal = signal;
    recording_session_stop(record->session, signal);
  } else {
    recording_session_leave(record->session);
  }
}

static gboolean on_interrupt(gpointer data)
{
  see_signal(data, SIGINT);
  return G_SOURCE_CONTINUE;
}

static gboolean on_terminate(gpointer data)
{
  see_signal(data, SIGTERM);
  return G_SOURCE_CONTINUE;
}

static gboolean on_hangup(gpointer data)
{
  see_signal(data, SIGHUP);
  return G_SOURCE_CONTINUE;
}

/* What the caller has set to be ignored (nohup, a background job) stays so, for the command as well. */
static void watch_signal(Record *record, int signal, GSourceFunc function)
{
  struct sigaction now;

  if (sigaction(signal, NULL, &now) == 0 && now.sa_handler != SIG_IGN)
    g_unix_signal_add(signal, function, record);
}

static void watch_signals(Record *record)
{
  watch_signal(record, SIGINT, on_interrupt);
  watch_signal(record, SIGTERM, on_terminate);
  watch_signal(record, SIGHUP, on_hangup);
  /* A file-size limit is an error like a full disk. */
  signal(SIGXFSZ, SIG_IGN);
}

static int status_of_command(int status)
{
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int status_of_error(Record *record, const RecordingResult *result)
{
  const GError *error = result->error;

  if (g_error_matches(error, RECORDING_ERROR, RECORDING_ERROR_NOT_FOUND))
    return 127;
  if (g_error_matches(error, RECORDING_ERROR, RECORDING_ERROR_NOT_EXECUTABLE))
    return 126;
  if (g_error_matches(error, RECORDING_ERROR, RECORDING_ERROR_CANCELLED))
    return 128 + record->signal;
  if (!result->begun && result->command_exited)
    return status_of_command(result->command_status);
  return CAPTURECTL_FAILED;
}

/* Attached to processes or to everything, an interrupt is how a recording ends; a command is interrupted with
 * it. */
static int exit_status(Record *record, const RecordingResult *result)
{
  if (result->error)
    return status_of_error(record, result);
  if (result->reason == CAPTURE_END_DURATION || !record->options.recording->command)
    return CAPTURECTL_DONE;
  if (result->command_exited)
    return status_of_command(result->command_status);
  return record->signal ? 128 + record->signal : CAPTURECTL_FAILED;
}

/* Names came after what the session wrote. */
static guint64 final_size(Record *record, const RecordingResult *result)
{
  struct stat status;

  if (fstat(recording_session_get_fd(record->session), &status) < 0)
    return result->progress.size;
  return (guint64)status.st_size;
}

static void print_json(Record *record, const RecordingResult *result, int status)
{
  g_autoptr(JsonBuilder) builder = json_builder_new();

  json_builder_begin_object(builder);
  capturectl_json_string(builder, "file", record->options.recording->path);
  capturectl_json_int(builder, "samples", (gint64)result->progress.samples);
  capturectl_json_int(builder, "lost", (gint64)result->progress.lost);
  capturectl_json_int(builder, "throttled", (gint64)result->progress.throttled);
  capturectl_json_int(builder, "programs", (gint64)result->n_programs);
  capturectl_json_int(builder, "duration_ns", (gint64)result->progress.elapsed);
  capturectl_json_int(builder, "size", (gint64)final_size(record, result));
  capturectl_json_string(builder, "ended", profile_ended_get_name(result->reason));
  capturectl_json_int(builder, "exit_status", status);
  capturectl_json_string(builder, "via", recording_via_to_string(recording_session_get_via(record->session)));
  capturectl_json_string(builder, "unwind",
                         recording_unwind_to_string(recording_session_get_unwind(record->session)));
  capturectl_json_array(builder, "events");
  for (const char *const *event = recording_session_get_events(record->session); event && *event; event++)
    capturectl_json_item(builder, *event);
  json_builder_end_array(builder);
  json_builder_end_object(builder);
  capturectl_json_print(builder);
}

static void warn_of_losses(const RecordingProgress *progress)
{
  if (progress->throttled > 0)
    capturectl_warn(ngettext("The kernel paused sampling %" G_GUINT64_FORMAT
                             " time to bound its cost; lower the frequency with -F.",
                             "The kernel paused sampling %" G_GUINT64_FORMAT
                             " times to bound its cost; lower the frequency with -F.",
                             progress->throttled),
                    progress->throttled);
  if (progress->lost == 0)
    return;
  capturectl_warn(_("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " samples were lost (%.2f %%); lower the "
                    "frequency with -F, or give more shared memory with --windows."),
                  progress->lost, progress->lost + progress->samples,
                  100.0 * (double)progress->lost / (double)(progress->lost + progress->samples));
}

static void print_end(Record *record, const RecordingResult *result)
{
  g_autofree char *size = g_format_size(final_size(record, result));

  warn_of_losses(&result->progress);
  if (result->warning)
    capturectl_warn("%s", result->warning);
  if (result->command_left)
    capturectl_warn(_("“%s” was asked to end and still runs."), record->options.recording->command[0]);
  if (!record->options.quiet)
    fprintf(stderr,
            _("%s: %'" G_GUINT64_FORMAT " samples in %.1f s, %s. Read it with “capturectl report %s”.\n"),
            record->options.recording->path, result->progress.samples, (double)result->progress.elapsed / 1e9,
            size, record->options.recording->path);
}

static int record_finish(Record *record, const RecordingResult *result)
{
  gboolean cancelled = g_error_matches(result->error, RECORDING_ERROR, RECORDING_ERROR_CANCELLED);
  int status = exit_status(record, result);

  capturectl_progress_clear();
  if (result->error && !cancelled)
    capturectl_fail("%s", result->error->message);
  if (!result->begun)
    return status;
  if (record->options.names && result->reason != CAPTURE_END_OUTPUT && record->n_signals < 2)
    capturectl_record_name(record->session, record->naming, &record->options);
  print_end(record, result);
  if (record->options.json)
    print_json(record, result, status);
  return status;
}

static int record_run(Record *record)
{
  g_autoptr(GError) error = NULL;

  watch_signals(record);
  g_signal_connect(record->session, "started", G_CALLBACK(on_started), record);
  g_signal_connect(record->session, "progress", G_CALLBACK(on_progress), record);
  g_signal_connect(record->session, "finished", G_CALLBACK(on_finished), record);
  if (!recording_session_start(record->session, &error))
    return capturectl_fail("%s", error->message);
  g_main_loop_run(record->loop);
  return record_finish(record, recording_session_get_result(record->session));
}

int capturectl_record(int argc, char **argv)
{
  Record record = {0};
  int status = capturectl_record_options_parse(argc, argv, &record.options);

  if (status < 0) {
    record.session = recording_session_new(record.options.recording);
    record.loop = g_main_loop_new(NULL, FALSE);
    record.naming = g_cancellable_new();
    status = record_run(&record);
    g_object_unref(record.naming);
    g_main_loop_unref(record.loop);
    g_object_unref(record.session);
  }
  capturectl_record_options_clear(&record.options);
  return status;
}
