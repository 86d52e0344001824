/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>

#include "profile/capture/capture.h"
#include "profile/import/perf-data-private.h"

enum {
  FEATURE_BUILD_ID = 2,
  FEATURE_HOSTNAME = 3,
  FEATURE_OSRELEASE = 4,
  FEATURE_VERSION = 5,
  FEATURE_ARCH = 6,
  FEATURE_NRCPUS = 7,
  FEATURE_CPUDESC = 8,
  FEATURE_CMDLINE = 11,
  FEATURE_EVENT_DESC = 12,
  FEATURE_SAMPLE_TIME = 21,
  FEATURE_CLOCK_DATA = 29
};

#define MISC_BUILD_ID_SIZE (1u << 15)
#define UPDATE_NAME        2
#define ARGUMENTS_MAX      4096

static void free_event(gpointer data)
{
  ProfilePerfEvent *event = data;

  g_free(event->name);
  g_free(event);
}

static void free_build_id(gpointer data)
{
  ProfilePerfBuildId *build_id = data;

  g_free(build_id->path);
  g_free(build_id);
}

void profile_perf_data_init(ProfilePerfData *self)
{
  self->events = g_ptr_array_new_with_free_func(free_event);
  self->ids = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
  self->build_ids = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, free_build_id);
}

void profile_perf_data_clear(ProfilePerfData *self)
{
  ProfilePerfFacts *facts = &self->facts;
  char *texts[] = {facts->hostname,     facts->kernel, facts->version,
                   facts->architecture, facts->cpu,    facts->command};

  for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
    g_free(texts[i]);
  g_ptr_array_unref(self->events);
  g_hash_table_unref(self->ids);
  g_hash_table_unref(self->build_ids);
}

/* What perf calls an event whose name the file does not tell. */
static char *name_event(const struct perf_event_attr *attr)
{
  static const char *const hardware[] = {
      "cycles",        "instructions", "cache-references",        "cache-misses",           "branches",
      "branch-misses", "bus-cycles",   "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles"};
  static const char *const software[] = {
      "cpu-clock",        "task-clock",   "page-faults",  "context-switches",
      "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
      "emulation-faults", "dummy",        "bpf-output",   "cgroup-switches"};

  if (attr->type == PERF_TYPE_HARDWARE && attr->config < G_N_ELEMENTS(hardware))
    return g_strdup(hardware[attr->config]);
  if (attr->type == PERF_TYPE_SOFTWARE && attr->config < G_N_ELEMENTS(software))
    return g_strdup(software[attr->config]);
  return g_strdup_printf("%u:%#" G_GINT64_MODIFIER "x", attr->type, (guint64)attr->config);
}

gboolean profile_perf_data_add_event(ProfilePerfData *self, const guint8 *attr, gsize length,
                                     ProfileBytes *ids)
{
  guint32 size;
  ProfilePerfEvent *event;

  if (length < PERF_ATTR_SIZE_VER0 || self->events->len >= G_MAXUINT16)
    return FALSE;
  size = profile_bytes_load_32(attr + 4);
  if (size == 0)
    size = PERF_ATTR_SIZE_VER0;
  if (size < PERF_ATTR_SIZE_VER0 || size > length)
    return FALSE;
  event = g_new0(ProfilePerfEvent, 1);
  memcpy(&event->attr, attr, MIN(size, sizeof event->attr));
  event->name = name_event(&event->attr);
  event->index = self->events->len;
  g_ptr_array_add(self->events, event);
  while (ids->end - ids->at >= 8) {
    guint64 id = profile_bytes_take_64(ids);

    g_hash_table_replace(self->ids, g_memdup2(&id, sizeof id), event);
  }
  return TRUE;
}

static void set_event_name(ProfilePerfEvent *event, char *name)
{
  if (!name || !*name) {
    g_free(name);
    return;
  }
  g_free(event->name);
  event->name = name;
}

void profile_perf_data_update_event(ProfilePerfData *self, ProfileBytes bytes)
{
  guint64 type = profile_bytes_take_64(&bytes);
  guint64 id = profile_bytes_take_64(&bytes);
  ProfilePerfEvent *event = g_hash_table_lookup(self->ids, &id);

  if (!bytes.failed && event && type == UPDATE_NAME)
    set_event_name(event, profile_bytes_take_text(&bytes, bytes.end - bytes.at));
}

void profile_perf_data_add_build_id(ProfilePerfData *self, guint16 misc, ProfileBytes bytes)
{
  guint32 pid = profile_bytes_take_32(&bytes);
  const guint8 *id = profile_bytes_take(&bytes, 24);
  g_autofree char *path = profile_bytes_take_text(&bytes, bytes.end - bytes.at);
  ProfilePerfBuildId *build_id;

  (void)pid;
  if (!id || !path || !*path)
    return;
  build_id = g_new0(ProfilePerfBuildId, 1);
  build_id->size = misc & MISC_BUILD_ID_SIZE ? MIN(id[20], sizeof build_id->bytes) : sizeof build_id->bytes;
  memcpy(build_id->bytes, id, build_id->size);
  build_id->path = g_steal_pointer(&path);
  g_hash_table_replace(self->build_ids, build_id->path, build_id);
}

static void add_build_ids(ProfilePerfData *self, ProfileBytes bytes)
{
  while (bytes.end - bytes.at > PROFILE_PERF_RECORD_HEADER) {
    const guint8 *header = bytes.at;
    guint16 size = profile_bytes_load_16(header + 6);
    const guint8 *record = profile_bytes_take(&bytes, size);

    if (!record || size < PROFILE_PERF_RECORD_HEADER)
      return;
    profile_perf_data_add_build_id(self, profile_bytes_load_16(header + 4),
                                   (ProfileBytes){record + PROFILE_PERF_RECORD_HEADER, record + size, FALSE});
  }
}

static char *take_string(ProfileBytes *bytes)
{
  guint32 length = profile_bytes_take_32(bytes);

  return profile_bytes_take_text(bytes, length);
}

static void take_fact(ProfileBytes *bytes, char **fact)
{
  g_free(*fact);
  *fact = take_string(bytes);
}

static void take_command(ProfileBytes *bytes, char **command)
{
  guint32 n = profile_bytes_take_32(bytes);
  g_autoptr(GString) line = g_string_new(NULL);

  for (guint32 i = 0; i < MIN(n, ARGUMENTS_MAX) && !bytes->failed; i++) {
    g_autofree char *argument = take_string(bytes);

    if (argument)
      g_string_append_printf(line, "%s%s", i > 0 ? " " : "", argument);
  }
  g_free(*command);
  *command = g_string_free(g_steal_pointer(&line), FALSE);
}

/* Descriptions stand in the order of the attributes, so they are matched by position, as perf does. */
static void take_event_names(ProfilePerfData *self, ProfileBytes *bytes)
{
  guint32 n = profile_bytes_take_32(bytes);
  guint32 attr_size = profile_bytes_take_32(bytes);

  for (guint32 i = 0; i < MIN(n, self->events->len) && !bytes->failed; i++) {
    guint32 n_ids;

    profile_bytes_take(bytes, attr_size);
    n_ids = profile_bytes_take_32(bytes);
    set_event_name(self->events->pdata[i], take_string(bytes));
    profile_bytes_take(bytes, (guint64)n_ids * 8);
  }
}

static void take_clock(ProfileBytes *bytes, ProfilePerfFacts *facts)
{
  profile_bytes_take_32(bytes);
  facts->clock = profile_bytes_take_32(bytes);
  facts->clock_realtime = profile_bytes_take_64(bytes);
  facts->clock_time = profile_bytes_take_64(bytes);
}

void profile_perf_data_add_feature(ProfilePerfData *self, guint64 feature, ProfileBytes bytes)
{
  ProfilePerfFacts *facts = &self->facts;

  switch (feature) {
  case FEATURE_BUILD_ID:
    add_build_ids(self, bytes);
    break;
  case FEATURE_HOSTNAME:
    take_fact(&bytes, &facts->hostname);
    break;
  case FEATURE_OSRELEASE:
    take_fact(&bytes, &facts->kernel);
    break;
  case FEATURE_VERSION:
    take_fact(&bytes, &facts->version);
    break;
  case FEATURE_ARCH:
    take_fact(&bytes, &facts->architecture);
    break;
  case FEATURE_NRCPUS:
    profile_bytes_take_32(&bytes);
    facts->cpus = profile_bytes_take_32(&bytes);
    break;
  case FEATURE_CPUDESC:
    take_fact(&bytes, &facts->cpu);
    break;
  case FEATURE_CMDLINE:
    take_command(&bytes, &facts->command);
    break;
  case FEATURE_EVENT_DESC:
    take_event_names(self, &bytes);
    break;
  case FEATURE_SAMPLE_TIME:
    facts->first_time = profile_bytes_take_64(&bytes);
    facts->last_time = profile_bytes_take_64(&bytes);
    break;
  case FEATURE_CLOCK_DATA:
    take_clock(&bytes, facts);
    break;
  }
}
