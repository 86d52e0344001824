/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/session/run-private.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "libcapture/file/capture-file.h"
#include "recording/collect/collector.h"
#include "recording/common/error.h"
#include "recording/common/priority-private.h"
#include "recording/common/zstd.h"
#include "recording/inside/inside-private.h"
#include "recording/recorder/recorder.h"
#include "recording/session/await-private.h"
#include "recording/session/command.h"
#include "recording/session/metadata-private.h"
#include "recording/session/targets-private.h"
#include "recording/session/way-private.h"
#include "recording/sources/sources.h"

/* The recorder says when it has committed something, sooner than a kill may cost (100 ms); this is for
 * others. */
#define TICK (80 * G_TIME_SPAN_MILLISECOND)
/* When a round brought so much that programs could run out of windows before the next one. */
#define BUSY_TICK      (10 * G_TIME_SPAN_MILLISECOND)
#define BUSY_BYTES     (256 << 10)
#define PROGRESS_EVERY (250 * G_TIME_SPAN_MILLISECOND)
/* How long a recorder may be silent after STOP, while it commits its rest and names what only it can name,
 * and how long that may take in all. */
#define STOP_PATIENCE (5 * G_TIME_SPAN_SECOND)
#define STOP_LIMIT    (20 * G_TIME_SPAN_SECOND)
/* How long a command may take to end after SIGTERM before it is left alone. */
#define COMMAND_PATIENCE 1000

typedef struct {
  const RecordingOptions *options;
  RecordingOutput *output;
  RecordingBinaries *binaries;
  RecordingControl *control;
  RecordingResult *result;

  RecordingSources *sources;
  RecordingInside *inside; /* NULL: nobody is told of the recording */
  RecordingCommand *command;
  GArray *targets;
  RecordingRecorder *recorder; /* NULL: the preloaded sampler records alone */
  RecordingVia via;
  RecordingUnwind unwind;
  char *reason; /* why the preloaded sampler does, where that was not asked for; NULL */
  char *note;   /* what is missing for programs to be told; NULL */
  RecordingMessage ready;
  RecordingZstd *zstd;
  capture_file *file;
  RecordingCollector *collector;

  gint64 began; /* of the monotonic clock, microseconds, like all that follow */
  gint64 next_tick;
  gint64 next_progress;
  gint64 stop_deadline; /* 0: not asked to stop */
  gint64 stop_limit;
  gboolean done;
} Run;

static gboolean run_fail(GError **error, RecordingError code, const char *sentence)
{
  g_set_error_literal(error, RECORDING_ERROR, code, sentence);
  return FALSE;
}

static gboolean fail_output(GError **error, const char *path, int number)
{
  g_set_error(error, RECORDING_ERROR, RECORDING_ERROR_OUTPUT,
              _("Cannot write “%s”: %s; make room, or choose another file with -o."), path,
              g_strerror(number));
  return FALSE;
}

/* The command is a target unless others were named; then it only bounds the time. */
static gboolean records_command(const RecordingOptions *options)
{
  return options->command && options->pids->len == 0 && !options->system_wide;
}

static gboolean fork_command(Run *run, GError **error)
{
  g_auto(GStrv) environment = recording_sources_set_environment(run->sources, g_get_environ());
  RecordingCommandStart start = {
      .argv = run->options->command, .directory = run->options->directory, .environment = environment};
  g_autoptr(GError) failure = NULL;

  run->inside = recording_inside_new(run->options, environment, &run->note, &failure);
  if (failure) {
    g_propagate_error(error, g_steal_pointer(&failure));
    return FALSE;
  }
  if (run->inside) {
    start.environment = recording_inside_get_environment(run->inside, RECORDING_VIA_DIRECT);
    start.preloaded = recording_inside_get_environment(run->inside, RECORDING_VIA_PRELOAD);
  }
  start.inherited = recording_sources_get_inherited(run->sources, &start.n_inherited);
  run->command = recording_command_new(&start, error);
  return run->command != NULL;
}

static gboolean open_targets(Run *run, GError **error)
{
  if (run->options->via == RECORDING_VIA_PRELOAD && !recording_options_allow_preload(run->options, error))
    return FALSE;
  run->targets = recording_targets_open(run->options->pids, error);
  if (!run->targets)
    return FALSE;
  run->sources = recording_sources_new(run->options);
  return !run->options->command || fork_command(run, error);
}

static gboolean start_recorder(Run *run, GError **error)
{
  int command_fd = run->command ? recording_command_get_pidfd(run->command) : -1;
  gboolean command = records_command(run->options);
  RecordingWay way = {
      .options = run->options,
      .pidfds = command ? &command_fd : (const int *)(void *)run->targets->data,
      .n_pidfds = command ? 1 : run->targets->len,
      .enable_on_exec = command,
      .preload = run->inside && recording_inside_get_environment(run->inside, RECORDING_VIA_PRELOAD),
      .control = run->control,
  };

  if (!recording_way_take(&way, &run->recorder, &run->ready, &run->reason, error))
    return FALSE;
  run->via = run->recorder ? recording_recorder_get_via(run->recorder) : RECORDING_VIA_PRELOAD;
  run->unwind =
      run->recorder ? (RecordingUnwind)run->ready.ready.unwind : recording_inside_get_unwind(run->options);
  return TRUE;
}

static int create_capture(Run *run)
{
  struct capture_file_options options = {.size = sizeof options, .clock = CAPTURE_CLOCK_MONOTONIC};

  if (run->options->compress) {
    run->zstd = recording_zstd_new();
    options.compress = recording_zstd_compress;
    options.compress_data = run->zstd;
  }
  int result = capture_file_create(&run->file, recording_output_get_fd(run->output), &options);
  if (result == 0)
    result = recording_metadata_add(run->file, run->options, run->via, run->unwind);
  return result;
}

/* What was left out and why, a sentence a line. */
static char *join_notes(const Run *run)
{
  const char *notes = run->ready.ready.notes;

  return run->note ? g_strjoin("\n", notes, run->note, NULL) : g_strdup(notes);
}

static int add_message(Run *run, guint32 severity, const char *text)
{
  return capture_file_add_message(run->file, (guint64)g_get_monotonic_time() * 1000, severity, text);
}

static int add_notes(Run *run)
{
  g_autofree char *joined = join_notes(run);
  g_auto(GStrv) notes = g_strsplit(joined, "\n", -1);
  int result = run->reason ? add_message(run, 6, run->reason) : 0;

  for (char **note = notes; *note && result == 0; note++)
    if (**note)
      result = add_message(run, 4, *note);
  return result;
}

static gboolean add_recorder(Run *run, GError **error)
{
  capture_tap *tap = NULL;

  if (capture_tap_open(&tap, run->ready.windows_fd, run->ready.control_fd) < 0)
    return run_fail(error, RECORDING_ERROR_RECORDER,
                    _("The recorder’s shared memory cannot be used; is it of another version?"));
  recording_collector_add(run->collector, tap, CAPTURE_STREAM_RECORDER,
                          recording_recorder_get_pid(run->recorder), "recorder");
  return TRUE;
}

static gboolean open_capture(Run *run, GError **error)
{
  int result = create_capture(run);

  if (result == 0)
    result = add_notes(run);
  if (result < 0)
    return fail_output(error, run->options->path, -result);

  run->collector = recording_collector_new(run->file, run->binaries);
  return !run->recorder || add_recorder(run, error);
}

static gboolean open_gate(Run *run, GError **error)
{
  if (!run->command)
    return TRUE;
  if (run->inside)
    recording_inside_start(run->inside, run->via, recording_command_get_pid(run->command), run->collector);
  recording_command_open_gate(run->command,
                              run->via == RECORDING_VIA_PRELOAD || run->options->allocations > 0);
  return recording_await_readable(run->control, recording_command_get_exec_fd(run->command), error) &&
         recording_command_finish_exec(run->command, error);
}

static void run_announce(Run *run)
{
  g_autoptr(GPtrArray) events = g_ptr_array_new_with_free_func(g_free);
  g_autofree char *notes = join_notes(run);

  for (guint i = 0; i < run->ready.ready.n_events; i++)
    g_ptr_array_add(events, g_strdup(run->ready.ready.events[i]));
  if (run->inside)
    recording_inside_add_events(run->options, run->via, events);
  g_ptr_array_add(events, NULL);
  run->control->started(run->via, (const char *const *)events->pdata, run->unwind, notes, run->reason,
                        run->control->data);
}

static gboolean start_counting(Run *run, GError **error)
{
  RecordingMessage started;

  recording_recorder_send(run->recorder, RECORDER_START);
  return recording_await_message(run->control, run->recorder, RECORDER_STARTED, &started, error);
}

static gboolean run_begin(Run *run, GError **error)
{
  if (!open_targets(run, error))
    return FALSE;
  recording_priority_raise();
  if (!start_recorder(run, error) || !open_capture(run, error) ||
      (run->recorder && !start_counting(run, error)))
    return FALSE;
  run->began = run->next_tick = run->next_progress = g_get_monotonic_time();
  recording_sources_begin(run->sources, run->file, run->binaries,
                          run->command ? recording_command_get_pid(run->command) : 0);
  if (!open_gate(run, error) || !recording_output_publish(run->output, error))
    return FALSE;
  run->result->begun = TRUE;
  run_announce(run);
  return TRUE;
}

static void set_end(Run *run, enum capture_end reason, gint32 status)
{
  if (run->result->reason == CAPTURE_END_NONE) {
    run->result->reason = reason;
    run->result->status = status;
    run->result->progress.elapsed = (guint64)(g_get_monotonic_time() - run->began) * 1000;
  }
}

static void run_stop(Run *run, enum capture_end reason, gint32 status)
{
  set_end(run, reason, status);
  if (run->stop_deadline || run->done)
    return;
  if (run->inside)
    recording_inside_stop(run->inside);
  if (!run->recorder) {
    run->done = TRUE;
    return;
  }
  recording_recorder_send(run->recorder, RECORDER_STOP);
  run->stop_deadline = g_get_monotonic_time() + STOP_PATIENCE;
  run->stop_limit = g_get_monotonic_time() + STOP_LIMIT;
}

/* A recording that breaks off is not the end that was asked for, even when one had been asked for already. */
static void break_off(Run *run, enum capture_end reason, gint32 status, GError *error)
{
  run->result->reason = CAPTURE_END_NONE;
  set_end(run, reason, status);
  g_clear_error(&run->result->error);
  run->result->error = error;
  run->done = TRUE;
}

static GError *make_error(RecordingError code, const char *path, const char *sentence)
{
  return g_error_new(RECORDING_ERROR, code, _("%s; “%s” holds what was recorded until then."), sentence,
                     path);
}

static void see_recorder_death(Run *run)
{
  recording_recorder_close(run->recorder);
  break_off(
      run, CAPTURE_END_RECORDER_DIED, recording_recorder_get_status(run->recorder),
      make_error(RECORDING_ERROR_RECORDER, run->options->path, recording_recorder_get_death(run->recorder)));
}

static void see_ended(Run *run, const struct recorder_ended *ended)
{
  run->done = TRUE;
  if (ended->reason == RECORDER_END_FAILED)
    break_off(run, CAPTURE_END_FAILED, ended->error,
              g_error_new_literal(RECORDING_ERROR, RECORDING_ERROR_RECORDER, ended->text));
  else
    set_end(run, CAPTURE_END_TARGETS_GONE, 0);
}

static void see_messages(Run *run)
{
  RecordingMessage message;

  while (run->recorder && !run->done) {
    switch (recording_recorder_receive(run->recorder, &message)) {
    case RECORDING_RECEIVED_NOTHING:
      return;
    case RECORDING_RECEIVED_END:
      see_recorder_death(run);
      return;
    case RECORDING_RECEIVED_BROKEN:
      break_off(run, CAPTURE_END_FAILED, EPROTO,
                make_error(RECORDING_ERROR_RECORDER, run->options->path,
                           _("The recorder sent something that is not understood")));
      return;
    case RECORDING_RECEIVED:
      if (message.type == RECORDER_ENDED)
        see_ended(run, &message.ended);
      else if (message.type == RECORDER_WAKE)
        run->next_tick = 0;
      else if (message.type == RECORDER_STATUS && run->stop_deadline)
        run->stop_deadline = MIN(g_get_monotonic_time() + STOP_PATIENCE, run->stop_limit);
    }
  }
}

static void break_off_output(Run *run, int number)
{
  g_autofree char *why =
      g_strdup_printf(_("“%s” cannot be written any further: %s"), run->options->path, g_strerror(number));

  break_off(run, CAPTURE_END_OUTPUT, number, make_error(RECORDING_ERROR_OUTPUT, run->options->path, why));
}

static void run_collect(Run *run)
{
  gboolean output = FALSE;
  int result = recording_collector_collect(run->collector, &output);

  if (result == 0)
    return;
  if (output)
    break_off_output(run, -result);
  else
    break_off(run, CAPTURE_END_FAILED, -result,
              make_error(RECORDING_ERROR_RECORDER, run->options->path,
                         _("The recorder’s shared memory is damaged")));
}

static void update_progress(Run *run)
{
  RecordingProgress *progress = &run->result->progress;
  RecordingCounts counts;

  recording_collector_get_counts(run->collector, &counts);
  progress->samples = counts.samples;
  progress->lost = counts.lost;
  progress->throttled = counts.throttled;
  progress->size = capture_file_size(run->file);
  if (run->result->reason == CAPTURE_END_NONE)
    progress->elapsed = (guint64)(g_get_monotonic_time() - run->began) * 1000;
}

static void see_command_exit(Run *run, int patience)
{
  RecordingResult *result = run->result;

  if (!run->command || result->command_exited ||
      !recording_command_wait(run->command, patience, &result->command_status))
    return;
  result->command_exited = TRUE;
  run_stop(run, CAPTURE_END_EXITED, result->command_status);
}

static void see_wishes(Run *run, gint64 now)
{
  gint wish = g_atomic_int_get(&run->control->stop);
  guint64 duration = run->options->duration;

  if (wish)
    run_stop(run, CAPTURE_END_INTERRUPTED, wish - 1);
  if (duration && (guint64)(now - run->began) >= duration / 1000)
    run_stop(run, CAPTURE_END_DURATION, 0);
  if (g_atomic_int_get(&run->control->leave)) {
    set_end(run, CAPTURE_END_INTERRUPTED, 0);
    run->done = TRUE;
  }
  if (run->stop_deadline && now >= run->stop_deadline)
    see_recorder_death(run);
}

static void read_sources(Run *run, gint64 now)
{
  int result = recording_sources_tick(run->sources, now);

  if (result < 0)
    break_off_output(run, -result);
}

static void do_periodic(Run *run, gint64 now)
{
  if (now >= run->next_tick) {
    run_collect(run);
    run->next_tick = now + (recording_collector_get_taken(run->collector) > BUSY_BYTES ? BUSY_TICK : TICK);
  }
  if (now >= recording_sources_get_next(run->sources))
    read_sources(run, now);
  if (now >= run->next_progress) {
    run->next_progress = now + PROGRESS_EVERY;
    update_progress(run);
    run->control->progress(&run->result->progress, run->control->data);
  }
}

static void wait_for_something(Run *run)
{
  gint64 until = MIN(run->next_tick, recording_sources_get_next(run->sources));
  gint64 now = g_get_monotonic_time();
  gboolean command = run->command && !run->result->command_exited;
  struct pollfd fds[] = {
      {.fd = run->recorder ? recording_recorder_get_fd(run->recorder) : -1, .events = POLLIN},
      {.fd = command ? recording_command_get_pidfd(run->command) : -1, .events = POLLIN},
      {.fd = run->stop_deadline ? -1 : run->control->wake_fd, .events = POLLIN},
  };

  if (run->options->duration && !run->stop_deadline)
    until = MIN(until, run->began + (gint64)(run->options->duration / 1000));
  poll(fds, G_N_ELEMENTS(fds), (int)(CLAMP(until - now, 0, TICK) + 999) / 1000);
}

static void run_record(Run *run)
{
  while (!run->done) {
    wait_for_something(run);
    see_messages(run);
    if (run->done)
      break;
    see_command_exit(run, 0);
    gint64 now = g_get_monotonic_time();
    see_wishes(run, now);
    do_periodic(run, now);
  }
}

/* What the recorder and samplers had committed outlives them. */
static void collect_rest(Run *run)
{
  if (run->recorder)
    recording_recorder_close(run->recorder);
  if (run->inside)
    recording_inside_stop(run->inside);
  if (run->result->reason != CAPTURE_END_OUTPUT)
    run_collect(run);
  recording_collector_end(run->collector);
}

static void end_sources(Run *run)
{
  int result = run->result->reason == CAPTURE_END_OUTPUT ? 0 : recording_sources_end(run->sources);

  if (result < 0)
    break_off_output(run, -result);
  g_clear_pointer(&run->sources, recording_sources_free);
}

/* With its targets the command is gone as well, or about to be. */
static void settle_command(Run *run)
{
  RecordingResult *result = run->result;

  if (!run->command || result->command_exited)
    return;
  if (result->reason == CAPTURE_END_TARGETS_GONE &&
      recording_command_wait(run->command, COMMAND_PATIENCE, &result->command_status)) {
    result->command_exited = TRUE;
    result->reason = CAPTURE_END_EXITED;
    result->status = result->command_status;
    return;
  }
  recording_command_kill(run->command, SIGTERM);
  result->command_exited = recording_command_wait(run->command, COMMAND_PATIENCE, &result->command_status);
  result->command_left = !result->command_exited;
}

static void warn_of_samplers(Run *run)
{
  RecordingResult *result = run->result;

  if (!run->inside)
    return;
  result->n_programs = recording_inside_get_n_programs(run->inside);
  result->warning = recording_inside_make_warning(run->inside, run->via);
  if (result->warning)
    add_message(run, 4, result->warning);
}

static void end_capture(Run *run)
{
  RecordingResult *result = run->result;
  guint64 now = (guint64)g_get_monotonic_time() * 1000;

  if (result->error)
    add_message(run, 3, result->error->message);
  warn_of_samplers(run);
  int failed = result->reason == CAPTURE_END_OUTPUT ? 0 : capture_file_add_index(run->file);
  if (failed < 0)
    break_off_output(run, -failed);
  capture_file_end(run->file, result->reason, result->status, now);
  update_progress(run);
}

static void run_clear(Run *run)
{
  g_clear_pointer(&run->sources, recording_sources_free);
  g_clear_pointer(&run->recorder, recording_recorder_free);
  g_clear_pointer(&run->inside, recording_inside_free);
  g_clear_pointer(&run->command, recording_command_free);
  g_clear_pointer(&run->targets, g_array_unref);
  g_clear_pointer(&run->collector, recording_collector_unref);
  g_clear_pointer(&run->file, capture_file_free);
  g_clear_pointer(&run->zstd, recording_zstd_free);
  g_free(run->reason);
  g_free(run->note);
  if (run->ready.windows_fd >= 0)
    close(run->ready.windows_fd);
  if (run->ready.control_fd >= 0)
    close(run->ready.control_fd);
}

void recording_run(const RecordingOptions *options, RecordingOutput *output, RecordingBinaries *binaries,
                   RecordingControl *control, RecordingResult *ret_result)
{
  Run run = {.options = options,
             .output = output,
             .binaries = binaries,
             .control = control,
             .result = ret_result,
             .ready = {.windows_fd = -1, .control_fd = -1}};

  if (run_begin(&run, &ret_result->error)) {
    run_record(&run);
    collect_rest(&run);
    settle_command(&run);
    end_sources(&run);
    end_capture(&run);
  } else if (run.command) {
    ret_result->command_exited = recording_command_wait(run.command, 0, &ret_result->command_status);
  }
  run_clear(&run);
}
