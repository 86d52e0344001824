/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/sources/sources.h"

#include "recording/sources/counters.h"
#include "recording/sources/jitdumps.h"
#include "recording/sources/perf-maps.h"
#include "recording/sources/syscap-control.h"
#include "recording/sources/syscap-trace.h"

/* What programs write is to be in the file before 100 ms have passed. */
#define FOREIGN_EVERY (80 * G_TIME_SPAN_MILLISECOND)

/* GJS samples its scripts into the second one. */
static const char *const trace_variables[] = {"SYSPROF_TRACE_FD", "GJS_TRACE_FD"};
#define N_TRACES G_N_ELEMENTS(trace_variables)

struct _RecordingSources {
  gboolean counts;
  capture_file *file;
  RecordingBinaries *binaries;
  gint32 command;

  RecordingCounters *counters;
  gint64 next_counters;
  RecordingSyscapTrace *traces[N_TRACES];
  RecordingSyscapControl *control;
  gint64 next_foreign;
  RecordingPerfMaps *perf_maps;
  RecordingJitdumps *jitdumps;
  int inherited[N_TRACES + 1];
};

RecordingSources *recording_sources_new(const RecordingOptions *options)
{
  RecordingSources *self = g_new0(RecordingSources, 1);

  self->counts = options->counters;
  self->perf_maps = recording_perf_maps_new();
  self->jitdumps = recording_jitdumps_new();
  if (!options->command || !options->sysprof)
    return self;
  for (guint i = 0; i < N_TRACES; i++)
    self->traces[i] = recording_syscap_trace_new(trace_variables[i]);
  self->control = recording_syscap_control_new();
  return self;
}

static char **set_descriptor(char **environment, const char *variable, int descriptor)
{
  g_autofree char *number = g_strdup_printf("%d", descriptor);

  return g_environ_setenv(environment, variable, number, TRUE);
}

char **recording_sources_set_environment(RecordingSources *self, char **environment)
{
  for (guint i = 0; i < N_TRACES; i++)
    if (self->traces[i])
      environment = set_descriptor(environment, recording_syscap_trace_get_variable(self->traces[i]),
                                   recording_syscap_trace_get_descriptor(self->traces[i]));
  if (self->control)
    environment = set_descriptor(environment, RECORDING_SYSCAP_CONTROL_VARIABLE,
                                 recording_syscap_control_get_descriptor(self->control));
  return environment;
}

const int *recording_sources_get_inherited(RecordingSources *self, gsize *ret_n)
{
  gsize n = 0;

  for (guint i = 0; i < N_TRACES; i++)
    if (self->traces[i])
      self->inherited[n++] = recording_syscap_trace_get_descriptor(self->traces[i]);
  if (self->control)
    self->inherited[n++] = recording_syscap_control_get_descriptor(self->control);
  *ret_n = n;
  return self->inherited;
}

static void see_process(const struct capture_record_process *process, gint32 pid, gpointer data)
{
  RecordingSources *self = data;

  recording_perf_maps_see(self->perf_maps, pid, process->time);
}

static void see_binary(const struct capture_record_binary *binary, gint32 pid, const char *path,
                       gpointer data)
{
  RecordingSources *self = data;

  recording_jitdumps_see(self->jitdumps, pid, path, binary);
}

void recording_sources_begin(RecordingSources *self, capture_file *file, RecordingBinaries *binaries,
                             gint32 command)
{
  const RecordingFound found = {.process = see_process, .binary = see_binary, .data = self};

  self->file = file;
  self->binaries = binaries;
  self->command = command;
  recording_binaries_tell(binaries, &found);
  if (self->control)
    recording_syscap_control_close_descriptor(self->control);
  if (self->counts)
    self->counters = recording_counters_new(file, "/proc", "/sys");
}

gint64 recording_sources_get_next(const RecordingSources *self)
{
  if (!self->file)
    return G_MAXINT64;
  return self->counters ? MIN(self->next_counters, self->next_foreign) : self->next_foreign;
}

static int copy_foreign(RecordingSources *self)
{
  int result = 0;

  for (guint i = 0; i < N_TRACES && result == 0; i++)
    if (self->traces[i])
      result = recording_syscap_trace_copy(self->traces[i], self->file, self->command);
  if (result == 0 && self->control)
    result = recording_syscap_control_copy(self->control, self->file);
  return result;
}

int recording_sources_tick(RecordingSources *self, gint64 now)
{
  int result = 0;

  if (self->counters && now >= self->next_counters) {
    /* As evenly as it can be, but what was missed is missed. */
    self->next_counters =
        MAX(self->next_counters + RECORDING_COUNTERS_EVERY, now + RECORDING_COUNTERS_EVERY / 2);
    result = recording_counters_read(self->counters, (guint64)g_get_monotonic_time() * 1000);
  }
  if (result == 0 && now >= self->next_foreign) {
    self->next_foreign = now + FOREIGN_EVERY;
    recording_perf_maps_look_up(self->perf_maps);
    result = copy_foreign(self);
  }
  return result;
}

static int end_foreign(RecordingSources *self)
{
  int result = 0;

  for (guint i = 0; i < N_TRACES && result == 0; i++)
    if (self->traces[i])
      result = recording_syscap_trace_end(self->traces[i], self->file, self->command);
  if (!self->control)
    return result;
  recording_syscap_control_end(self->control);
  return result < 0 ? result : recording_syscap_control_copy(self->control, self->file);
}

int recording_sources_end(RecordingSources *self)
{
  int result = end_foreign(self);

  if (result == 0 && self->counters)
    result = recording_counters_read(self->counters, (guint64)g_get_monotonic_time() * 1000);
  if (result == 0 && self->counters)
    result = recording_counters_finish(self->counters);
  if (result == 0)
    result = recording_jitdumps_copy(self->jitdumps, self->binaries, self->file);
  if (result == 0)
    result = recording_perf_maps_copy(self->perf_maps, self->file);
  return result;
}

void recording_sources_free(RecordingSources *self)
{
  if (self->binaries)
    recording_binaries_tell(self->binaries, NULL);
  for (guint i = 0; i < N_TRACES; i++)
    g_clear_pointer(&self->traces[i], recording_syscap_trace_free);
  g_clear_pointer(&self->control, recording_syscap_control_free);
  g_clear_pointer(&self->counters, recording_counters_free);
  recording_perf_maps_free(self->perf_maps);
  recording_jitdumps_free(self->jitdumps);
  g_free(self);
}
