/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/sources/counters.h"

#include <string.h>
#include <unistd.h>

#include "recording/common/proc-file-private.h"
#include "recording/sources/counter-set.h"

#define SECTOR 512.0
/* More than that come and go under new names only where nobody looks at each any more. */
#define MAX_ITEMS 8192

/* Something that has counters: a processor, an interface, a disk … */
typedef struct {
  gboolean defined;
  gboolean left_out; /* a disk that is no whole one */
  guint32 ids[2];
  guint64 last[2];  /* what the kernel said at the reading before */
  double totals[2]; /* since the recording's beginning */
  guint64 reading;  /* the last one that it was seen in; 0: none */
} Item;

struct _RecordingCounters {
  RecordingCounterSet *set;
  char *sys;
  int *descriptors; /* of the files, in their order */
  GByteArray *buffer;
  GHashTable *items; /* of Item, by kind and name */
  Item other;        /* stands for those that are too many; its values go nowhere */
  guint64 reading;   /* number of this one, from 1 */
  double elapsed;    /* seconds since the reading before; 0: there was none */
  guint64 time;      /* of the reading before */
};

/* kind keeps the names of processors, interfaces and disks apart. */
static Item *get_item(RecordingCounters *self, char kind, const char *name, gsize length)
{
  char key[128] = {kind};
  Item *item;

  memcpy(key + 1, name, MIN(length, sizeof key - 2));
  item = g_hash_table_lookup(self->items, key);
  if (!item && g_hash_table_size(self->items) >= MAX_ITEMS)
    return &self->other;
  if (!item) {
    item = g_new0(Item, 1);
    g_hash_table_insert(self->items, g_strdup(key), item);
  }
  return item;
}

/* Whether it was seen in the reading before, so that what it says now can be compared. */
static gboolean counters_see(RecordingCounters *self, Item *item)
{
  gboolean before = item->reading != 0 && item->reading == self->reading - 1;

  item->reading = self->reading;
  return before;
}

static void add_one(RecordingCounters *self, Item *item, const RecordingCounter *counter, double value)
{
  if (!item->defined)
    item->ids[0] = recording_counter_set_define(self->set, counter);
  item->defined = TRUE;
  recording_counter_set_add(self->set, item->ids[0], value);
}

/* user nice system idle iowait irq softirq steal; guest time is part of user's. */
static void read_processor(RecordingCounters *self, const char *line)
{
  gsize length = strcspn(line, " ");
  Item *item = get_item(self, 'c', line, length);
  guint64 times[8] = {0}, all = 0;
  const char *at = line + length;

  for (guint i = 0; i < G_N_ELEMENTS(times) && recording_proc_file_scan(&at, &times[i]); i++)
    all += times[i];
  guint64 idle = times[3] + times[4];
  if (counters_see(self, item) && all > item->last[0] && idle >= item->last[1]) {
    double share = 1 - (double)(idle - item->last[1]) / (double)(all - item->last[0]);
    g_autofree char *name = item->defined ? NULL
                            : length == 3 ? g_strdup("All")
                                          : g_strdup_printf("CPU %.*s", (int)length - 3, line + 3);
    const RecordingCounter counter = {.category = "CPU",
                                      .name = name,
                                      .description = "Share of the time in which it was busy",
                                      .unit = "%"};
    add_one(self, item, &counter, CLAMP(share, 0, 1) * 100);
  }
  item->last[0] = all;
  item->last[1] = idle;
}

static void read_rate(RecordingCounters *self, const char *line, gsize length,
                      const RecordingCounter *counter)
{
  Item *item = get_item(self, 'r', line, length);
  guint64 total = recording_proc_file_get(line + length, 0);

  if (counters_see(self, item) && self->elapsed > 0 && total >= item->last[0])
    add_one(self, item, counter, (double)(total - item->last[0]) / self->elapsed);
  item->last[0] = total;
}

static void read_stat(RecordingCounters *self, const char *what, char *text)
{
  static const RecordingCounter switches = {"Kernel", "Context switches",
                                            "Switches from one thread to another", "1/s", 0};
  static const RecordingCounter forks = {"Kernel", "Forks", "Processes and threads that were started", "1/s",
                                         0};
  char *line;

  while ((line = recording_proc_file_next_line(&text))) {
    if (g_str_has_prefix(line, "cpu"))
      read_processor(self, line);
    else if (g_str_has_prefix(line, "ctxt "))
      read_rate(self, line, strlen("ctxt"), &switches);
    else if (g_str_has_prefix(line, "processes "))
      read_rate(self, line, strlen("processes"), &forks);
  }
}

static void add_memory(RecordingCounters *self, const char *name, const char *description, guint64 kibibytes)
{
  const RecordingCounter counter = {"Memory", name, description, "B", 0};

  add_one(self, get_item(self, 'm', name, strlen(name)), &counter, (double)kibibytes * 1024);
}

static void read_meminfo(RecordingCounters *self, const char *what, char *text)
{
  enum { TOTAL, AVAILABLE, CACHED, SWAP_TOTAL, SWAP_FREE, N_NAMES };
  static const char *const names[N_NAMES] = {
      "MemTotal:", "MemAvailable:", "Cached:", "SwapTotal:", "SwapFree:"};
  guint64 values[N_NAMES] = {0};
  char *line;

  while ((line = recording_proc_file_next_line(&text)))
    for (guint i = 0; i < N_NAMES; i++)
      if (g_str_has_prefix(line, names[i]))
        values[i] = recording_proc_file_get(line + strlen(names[i]), 0);
  add_memory(self, "Used", "Memory that is not available",
             values[TOTAL] - MIN(values[AVAILABLE], values[TOTAL]));
  add_memory(self, "Available", "Memory that programs can have without swapping", values[AVAILABLE]);
  add_memory(self, "Cached", "Memory that holds contents of files", values[CACHED]);
  add_memory(self, "Swap", "Swap space in use",
             values[SWAP_TOTAL] - MIN(values[SWAP_FREE], values[SWAP_TOTAL]));
}

static void define_pair(RecordingCounters *self, Item *item, const char *category, const char *name,
                        const char *const directions[2], const char *const descriptions[2])
{
  for (guint i = 0; i < 2; i++) {
    g_autofree char *whole = g_strdup_printf("%s %s", name, directions[i]);
    const RecordingCounter counter = {category, whole, descriptions[i], "B", CAPTURE_COUNTER_TOTALS};
    item->ids[i] = recording_counter_set_define(self->set, &counter);
  }
  item->defined = TRUE;
}

/* Totals grow whatever happens: what came back after it was gone, or began anew, goes on from where it was.
 */
static void add_pair(RecordingCounters *self, Item *item, const guint64 values[2], double unit)
{
  gboolean before = counters_see(self, item);

  for (guint i = 0; i < 2; i++) {
    if (before && values[i] >= item->last[i])
      item->totals[i] += (double)(values[i] - item->last[i]) * unit;
    item->last[i] = values[i];
    recording_counter_set_add(self->set, item->ids[i], item->totals[i]);
  }
}

/* "  eth0: 7089361383 156718 0 0 0 0 0 0 7493457 …", below two lines of heading without a number. */
static void read_net_dev(RecordingCounters *self, const char *what, char *text)
{
  static const char *const directions[2] = {"received", "sent"};
  static const char *const descriptions[2] = {"Bytes that came in through the interface",
                                              "Bytes that went out through the interface"};
  char *line;

  while ((line = recording_proc_file_next_line(&text))) {
    char *name = line + strspn(line, " ");
    char *colon = strrchr(name, ':');
    if (!colon || strchr(line, '|'))
      continue;
    *colon = '\0';
    Item *item = get_item(self, 'n', name, strlen(name));
    if (!item->defined)
      define_pair(self, item, "Network", name, directions, descriptions);
    const guint64 values[2] = {recording_proc_file_get(colon + 1, 0), recording_proc_file_get(colon + 1, 8)};
    add_pair(self, item, values, 1);
  }
}

/* Partitions have no directory there; loop devices, RAM disks and what is mapped to other disks are no
 * device.
 */
static gboolean is_whole_disk(RecordingCounters *self, const char *name)
{
  g_autofree char *directory = g_strdelimit(g_strdup(name), "/", '!');
  g_autofree char *path = g_build_filename(self->sys, "block", directory, "device", NULL);

  return access(path, F_OK) == 0;
}

/* " 254 0 vda reads merged sectors ms writes merged sectors …" */
static void read_diskstats(RecordingCounters *self, const char *what, char *text)
{
  static const char *const directions[2] = {"read", "written"};
  static const char *const descriptions[2] = {"Bytes that were read from the disk",
                                              "Bytes that were written to the disk"};
  char *line;

  while ((line = recording_proc_file_next_line(&text))) {
    const char *at = line;
    guint64 number;
    if (!recording_proc_file_scan(&at, &number) || !recording_proc_file_scan(&at, &number))
      continue;
    char *name = line + (at - line);
    name += strspn(name, " ");
    char *end = name + strcspn(name, " ");
    if (*end == '\0')
      continue;
    *end = '\0';
    Item *item = get_item(self, 'd', name, strlen(name));
    if (!item->defined && !item->left_out)
      item->left_out = !is_whole_disk(self, name);
    if (item->left_out)
      continue;
    if (!item->defined)
      define_pair(self, item, "Disk", name, directions, descriptions);
    const guint64 values[2] = {recording_proc_file_get(end + 1, 2), recording_proc_file_get(end + 1, 6)};
    add_pair(self, item, values, SECTOR);
  }
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345", microseconds. */
static void read_pressure(RecordingCounters *self, const char *resource, char *text)
{
  char *line;

  while ((line = recording_proc_file_next_line(&text))) {
    char *total = strstr(line, "total=");
    gboolean full = g_str_has_prefix(line, "full");
    /* All of the machine never waits for a processor. */
    if (!total || (full && strcmp(resource, "CPU") == 0))
      continue;
    g_autofree char *name = g_strdup_printf("%s (%s)", resource, full ? "full" : "some");
    Item *item = get_item(self, 'p', name, strlen(name));
    guint64 microseconds = recording_proc_file_get(total + strlen("total="), 0);
    if (counters_see(self, item) && self->elapsed > 0 && microseconds >= item->last[0]) {
      const RecordingCounter counter = {"Pressure", name,
                                        full ? "Share of the time in which all work waited for it"
                                             : "Share of the time in which some work waited for it",
                                        "%", 0};
      double share = (double)(microseconds - item->last[0]) / 1e6 / self->elapsed;
      add_one(self, item, &counter, MIN(share, 1) * 100);
    }
    item->last[0] = microseconds;
  }
}

static const struct {
  const char *name; /* below /proc */
  void (*read)(RecordingCounters *self, const char *what, char *text);
  const char *what; /* which resource, where one function reads the files of several */
} files[] = {
    {"stat", read_stat, NULL},
    {"meminfo", read_meminfo, NULL},
    {"net/dev", read_net_dev, NULL},
    {"diskstats", read_diskstats, NULL},
    {"pressure/cpu", read_pressure, "CPU"},
    {"pressure/memory", read_pressure, "Memory"},
    {"pressure/io", read_pressure, "I/O"},
};

RecordingCounters *recording_counters_new(capture_file *file, const char *proc, const char *sys)
{
  RecordingCounters *self = g_new0(RecordingCounters, 1);

  self->set = recording_counter_set_new(file, "system");
  self->sys = g_strdup(sys);
  self->buffer = g_byte_array_new();
  self->other.defined = TRUE;
  self->items = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  self->descriptors = g_new(int, G_N_ELEMENTS(files));
  for (guint i = 0; i < G_N_ELEMENTS(files); i++)
    self->descriptors[i] = recording_proc_file_open(proc, files[i].name);
  return self;
}

void recording_counters_free(RecordingCounters *self)
{
  for (guint i = 0; i < G_N_ELEMENTS(files); i++)
    if (self->descriptors[i] >= 0)
      close(self->descriptors[i]);
  g_free(self->descriptors);
  recording_counter_set_free(self->set);
  g_byte_array_unref(self->buffer);
  g_hash_table_unref(self->items);
  g_free(self->sys);
  g_free(self);
}

int recording_counters_read(RecordingCounters *self, guint64 time)
{
  self->elapsed = self->reading > 0 && time > self->time ? (double)(time - self->time) / 1e9 : 0;
  self->time = time;
  self->reading++;
  for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
    char *text = recording_proc_file_read(self->descriptors[i], self->buffer);

    if (text)
      files[i].read(self, files[i].what, text);
  }
  return recording_counter_set_write(self->set, time);
}

int recording_counters_finish(RecordingCounters *self)
{
  return recording_counter_set_finish(self->set);
}
