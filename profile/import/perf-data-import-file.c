/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <time.h>

#include "profile/base/zstd.h"
#include "profile/import/perf-data-boot.h"
#include "profile/import/perf-data-import-private.h"

/* So many that half a million samples of a compiler fit one epoch; memory is touched as it is used. */
#define NODES_MAX  (1u << 22)
#define FRAMES_MAX (1u << 21)
#define EVENTS_MIN 64u

/* The wall clock at `time`: told by the file, or else so that the last sample was taken when the file was
 * last written. */
static gint64 get_realtime(const ProfilePerfImport *self, guint64 time)
{
  const ProfilePerfFacts *facts = profile_perf_data_get_facts(self->data);
  gint64 modified = profile_perf_data_get_modified(self->data);

  if (facts->clock_realtime > 0)
    return (gint64)(facts->clock_realtime - facts->clock_time + time);
  return facts->last_time > time ? (gint64)((guint64)modified - (facts->last_time - time)) : modified;
}

static guint32 get_clock(const ProfilePerfImport *self)
{
  const struct perf_event_attr *attr = &profile_perf_data_get_event(self->data, 0)->attr;

  return attr->use_clockid && attr->clockid == CLOCK_MONOTONIC ? CAPTURE_CLOCK_MONOTONIC
                                                               : CAPTURE_CLOCK_UNKNOWN;
}

/* Only then do this machine's kernel symbols and processes say anything about the file. */
static gboolean is_this_boot(const ProfilePerfImport *self, guint64 first)
{
  const ProfilePerfFacts *facts = profile_perf_data_get_facts(self->data);
  ProfilePerfBoot boot = {
      .modified = profile_perf_data_get_modified(self->data),
      .created = profile_perf_data_get_created(self->data),
      .first = first,
      .release = facts->kernel,
      .hostname = facts->hostname,
  };

  for (guint i = 0; i < self->kernel_mappings->len; i++) {
    const ProfilePerfMapping *mapping = &g_array_index(self->kernel_mappings, ProfilePerfMapping, i);
    const ProfilePerfBinary *binary = self->import.binaries->pdata[mapping->binary];

    if (!(binary->flags & CAPTURE_BINARY_KERNEL))
      continue;
    boot.build_id = binary->build_id;
    boot.build_id_size = binary->build_id_size;
    boot.text = mapping->start;
    return profile_perf_boot_is_this(&boot);
  }
  return FALSE;
}

static int create_writer(ProfilePerfImport *self)
{
  struct capture_writer_options options = {
      .size = sizeof options,
      .max_nodes = self->options->max_nodes > 0 ? self->options->max_nodes : NODES_MAX,
      .max_frames = FRAMES_MAX,
      .max_events = MAX(EVENTS_MIN, profile_perf_data_get_n_events(self->data)),
  };
  gint64 stream = capture_file_add_stream(self->file, CAPTURE_STREAM_IMPORT, 0, "perf.data");
  int status = stream < 0 ? (int)stream : capture_file_sink_new(&self->sink, self->file, (guint32)stream, 0);

  return status < 0 ? status : capture_writer_create(&self->import.writer, self->sink, &options);
}

int profile_perf_import_open(ProfilePerfImport *self, guint64 time)
{
  self->same_boot = is_this_boot(self, time);

  struct capture_file_options options = {
      .size = sizeof options,
      .compress = self->options->no_compress ? NULL : profile_zstd_compress,
      .clock = get_clock(self),
      .time = time,
      .time_realtime = get_realtime(self, time),
      .foreign = !self->same_boot,
  };
  int status = capture_file_create(&self->file, self->fd, &options);

  self->last_time = time;
  if (status == 0)
    status = create_writer(self);
  return status < 0 ? status : profile_perf_import_begin_epoch(self);
}

static int add_fact(ProfilePerfImport *self, const char *key, const char *value)
{
  return value && *value ? capture_file_add_metadata(self->file, key, value) : 0;
}

static const char *get_unwind(const struct perf_event_attr *attr)
{
  if (attr->sample_type & PERF_SAMPLE_STACK_USER)
    return "dwarf";
  return attr->sample_type & PERF_SAMPLE_CALLCHAIN ? "fp" : "none";
}

static int add_facts(ProfilePerfImport *self)
{
  const ProfilePerfFacts *facts = profile_perf_data_get_facts(self->data);
  g_autofree char *cpus = facts->cpus > 0 ? g_strdup_printf("%u", facts->cpus) : NULL;
  g_autofree char *recorder = facts->version ? g_strconcat("perf ", facts->version, NULL) : NULL;
  const char *pairs[][2] = {
      {"command", facts->command},
      {"hostname", facts->hostname},
      {"kernel", facts->kernel},
      {"architecture", facts->architecture},
      {"cpu", facts->cpu},
      {"cpus", cpus},
      {"recorder", recorder},
      {"via", "import"},
      {"unwind", get_unwind(&profile_perf_data_get_event(self->data, 0)->attr)},
      {"source", profile_perf_data_get_name(self->data)},
      {"source-format", "perf.data"},
  };
  int status = 0;

  for (guint i = 0; i < G_N_ELEMENTS(pairs) && status == 0; i++)
    status = add_fact(self, pairs[i][0], pairs[i][1]);
  if (status == 0 && self->result->warning)
    status = capture_file_add_message(self->file, self->last_time, 4, self->result->warning);
  return status;
}

int profile_perf_import_close(ProfilePerfImport *self)
{
  int status = capture_writer_destroy(g_steal_pointer(&self->import.writer));

  if (status == 0)
    status = profile_perf_import_add_jitdumps(self, get_clock(self) == CAPTURE_CLOCK_MONOTONIC);
  if (status == 0)
    status = add_facts(self);
  if (status == 0)
    status = capture_file_end(self->file, CAPTURE_END_IMPORTED, 0, self->last_time);
  return status < 0 ? status : capture_file_add_index(self->file);
}
