/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands beside samples in a .syscap: what programs told of themselves (marks, counters, lines of logs),
 * and how long threads waited. */
#include "profile/export/export-private.h"
#include "profile/views/wait.h"

/* A counter's value at a time. */
typedef struct {
  guint64 time;
  guint32 id;
  double value;
} Value;

static gint32 get_pid(ProfileCapture *capture, guint32 process)
{
  guint n;
  const ProfileProcess *processes = profile_capture_get_processes(capture, &n);

  return process > 0 && process < n ? processes[process].pid : -1;
}

static gint32 get_thread_pid(ProfileCapture *capture, guint32 thread)
{
  guint n;
  const ProfileThread *threads = profile_capture_get_threads(capture, &n);

  return thread > 0 && thread < n ? get_pid(capture, threads[thread].process) : -1;
}

static gboolean export_syscap_told_passes(const ProfileFilter *filter, guint64 time)
{
  guint64 first, end;

  profile_filter_get_time(filter, &first, &end);
  return time >= first && time < end;
}

static void write_marks(ProfileSyscapWriter *writer, const ProfileFilter *filter)
{
  ProfileCapture *capture = profile_filter_get_capture(filter);
  gsize n;
  const ProfileMark *marks = profile_capture_get_marks(capture, &n);

  for (gsize i = 0; i < n; i++)
    if (export_syscap_told_passes(filter, marks[i].time))
      profile_syscap_write_mark(
          writer, (ProfileSyscapPlace){marks[i].time, get_thread_pid(capture, marks[i].thread), -1},
          marks[i].duration, marks[i].category, marks[i].name, marks[i].message ? marks[i].message : "");
}

static void write_wait(ProfileSyscapWriter *writer, ProfileCapture *capture, ProfileWaits *waits,
                       const ProfileEvent *event, gsize i)
{
  guint64 weight = event->weight ? event->weight[i] : event->constant_weight;
  guint reason = event->reason[i] & ~PROFILE_WOKEN_BY_INTERRUPT;
  gint32 cpu = event->cpu[i] == CAPTURE_CPU_UNKNOWN ? -1 : event->cpu[i];

  weight = MIN(weight, event->time[i]);
  profile_syscap_write_mark(
      writer, (ProfileSyscapPlace){event->time[i] - weight, get_thread_pid(capture, event->thread[i]), cpu},
      weight, event->name, profile_wait_get_name(profile_waits_get(waits, reason, event->leaf[i])),
      profile_reason_get_name(reason));
}

/* A sample of Sysprof's has no weight: how long each wait was a mark says. */
static void write_waits(ProfileSyscapWriter *writer, const ProfileFilter *filter)
{
  ProfileCapture *capture = profile_filter_get_capture(filter);
  const ProfileEvent *event = profile_capture_get_event(capture, profile_filter_get_event(filter));
  const guint8 *threads = profile_filter_get_threads(filter);
  const guint8 *functions = profile_filter_get_functions(filter);
  const guint32 *recorded = profile_capture_get_node_functions(capture);
  const guint32 *map = profile_stacks_get_map(profile_filter_get_stacks(filter));
  g_autoptr(ProfileWaits) waits = event->reason ? profile_waits_new(capture) : NULL;
  gsize i, end;

  if (!waits)
    return;
  for (profile_filter_get_range(filter, &i, &end); i < end; i++)
    if ((!threads || threads[event->thread[i]]) && (!functions || functions[recorded[event->leaf[i]]]) &&
        (!map || map[event->leaf[i]] != PROFILE_STACKS_DROPPED))
      write_wait(writer, capture, waits, event, i);
}

/* GLib's levels for syslog's. */
static guint16 get_levels(guint32 severity)
{
  if (severity <= 3)
    return G_LOG_LEVEL_CRITICAL;
  if (severity == 4)
    return G_LOG_LEVEL_WARNING;
  return severity <= 6 ? G_LOG_LEVEL_MESSAGE : G_LOG_LEVEL_DEBUG;
}

static void write_log(ProfileSyscapWriter *writer, const ProfileFilter *filter)
{
  ProfileCapture *capture = profile_filter_get_capture(filter);
  gsize n;
  const ProfileLogLine *lines = profile_capture_get_log(capture, &n);

  for (gsize i = 0; i < n; i++)
    if (export_syscap_told_passes(filter, lines[i].time))
      profile_syscap_write_log(
          writer, (ProfileSyscapPlace){lines[i].time, get_thread_pid(capture, lines[i].thread), -1},
          get_levels(lines[i].severity), lines[i].domain ? lines[i].domain : "", lines[i].text);
}

static gint compare_values(gconstpointer a, gconstpointer b)
{
  const Value *left = a, *right = b;

  if (left->time != right->time)
    return left->time < right->time ? -1 : 1;
  return (left->id > right->id) - (left->id < right->id);
}

static void define_counter(ProfileSyscapWriter *writer, ProfileCapture *capture,
                           const ProfileCounter *counter, guint32 id)
{
  ProfileSyscapCounter item = {.id = id};

  g_strlcpy(item.category, counter->category, sizeof item.category);
  g_strlcpy(item.name, counter->name, sizeof item.name);
  g_strlcpy(item.description, counter->description ? counter->description : "", sizeof item.description);
  profile_syscap_write_counter(
      writer,
      (ProfileSyscapPlace){counter->n > 0 ? counter->time[0] : 0, get_pid(capture, counter->process), -1},
      &item);
}

/* Identifiers have 24 bits, 0 is none. */
static GArray *gather_values(ProfileSyscapWriter *writer, const ProfileFilter *filter)
{
  ProfileCapture *capture = profile_filter_get_capture(filter);
  GArray *values = g_array_new(FALSE, FALSE, sizeof(Value));
  guint n;
  const ProfileCounter *counters = profile_capture_get_counters(capture, &n);

  for (guint i = 0; i < MIN(n, 0xffffff); i++) {
    define_counter(writer, capture, &counters[i], i + 1);
    for (gsize j = 0; j < counters[i].n; j++) {
      Value value = {counters[i].time[j], i + 1, counters[i].value[j]};

      if (export_syscap_told_passes(filter, value.time))
        g_array_append_val(values, value);
    }
  }
  g_array_sort(values, compare_values);
  return values;
}

static void write_counters(ProfileSyscapWriter *writer, const ProfileFilter *filter)
{
  g_autoptr(GArray) values = gather_values(writer, filter);

  for (guint i = 0; i < values->len;) {
    ProfileSyscapValues group = {0};
    guint64 time = g_array_index(values, Value, i).time;

    for (guint n = 0; n < PROFILE_SYSCAP_VALUES && i < values->len; n++, i++) {
      const Value *value = &g_array_index(values, Value, i);

      if (value->time != time)
        break;
      group.ids[n] = value->id;
      memcpy(&group.values[n], &value->value, sizeof value->value);
    }
    profile_syscap_write_values(writer, (ProfileSyscapPlace){time, -1, -1}, &group);
  }
}

void profile_export_syscap_told(ProfileSyscapWriter *writer, const ProfileFilter *filter)
{
  write_marks(writer, filter);
  write_waits(writer, filter);
  write_log(writer, filter);
  write_counters(writer, filter);
}
