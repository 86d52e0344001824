/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters of a machine whose files this test writes: what comes and goes, what is missing, what is odd. */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libcapture/file/capture-reader.h"
#include "recording/sources/counters.h"
#include "tests/unit/remove-tree.h"

#define SECOND G_GUINT64_CONSTANT(1000000000)

typedef struct {
  char *root;
  char *proc;
  char *sys;
  int fd;
  capture_file *file;
  RecordingCounters *counters;
  guint64 time;
  GHashTable *names;  /* identifier -> "category/name" */
  GHashTable *values; /* "category/name" -> GArray of double */
} Fixture;

static void put(Fixture *f, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename(f->root, name, NULL);
  g_autofree char *directory = g_path_get_dirname(path);

  g_assert_cmpint(g_mkdir_with_parents(directory, 0700), ==, 0);
  /* In place: the files of /proc are the same ones all the time. */
  FILE *file = fopen(path, "w");
  g_assert_nonnull(file);
  fputs(text, file);
  fclose(file);
}

static void set_up(Fixture *f, gconstpointer data)
{
  f->root = g_dir_make_tmp("capture-counters-XXXXXX", NULL);
  f->proc = g_build_filename(f->root, "proc", NULL);
  f->sys = g_build_filename(f->root, "sys", NULL);
  f->fd = memfd_create("capture", MFD_CLOEXEC);
  f->time = 1000 * SECOND;
  f->names = g_hash_table_new_full(NULL, NULL, NULL, g_free);
  f->values = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_array_unref);
  g_assert_cmpint(capture_file_create(&f->file, f->fd, NULL), ==, 0);
}

static void tear_down(Fixture *f, gconstpointer data)
{
  recording_counters_free(f->counters);
  capture_file_free(f->file);
  close(f->fd);
  remove_tree(f->root);
  g_free(f->root);
  g_free(f->proc);
  g_free(f->sys);
  g_hash_table_unref(f->names);
  g_hash_table_unref(f->values);
}

/* Half a second later. */
static void read_all(Fixture *f)
{
  if (!f->counters)
    f->counters = recording_counters_new(f->file, f->proc, f->sys);
  f->time += SECOND / 2;
  g_assert_cmpint(recording_counters_read(f->counters, f->time), ==, 0);
}

static const char *string_of(GHashTable *strings, guint32 id)
{
  return g_hash_table_lookup(strings, GUINT_TO_POINTER(id));
}

static void load_counter(Fixture *f, GHashTable *strings, const struct capture_record_counter *counter)
{
  char *name =
      g_strdup_printf("%s/%s", string_of(strings, counter->category), string_of(strings, counter->name));

  g_assert_nonnull(string_of(strings, counter->unit));
  g_assert_nonnull(string_of(strings, counter->description));
  g_assert_false(g_hash_table_contains(f->values, name));
  g_hash_table_insert(f->names, GUINT_TO_POINTER(counter->id), g_strdup(name));
  g_hash_table_insert(f->values, name, g_array_new(FALSE, FALSE, sizeof(double)));
}

static void load_counts(Fixture *f, const struct capture_record_counts *counts)
{
  for (guint i = 0; i < counts->record.count; i++) {
    const char *name = g_hash_table_lookup(f->names, GUINT_TO_POINTER(counts->values[i].counter));
    g_assert_nonnull(name);
    g_array_append_val(g_hash_table_lookup(f->values, name), counts->values[i].value);
  }
}

static void load_part(Fixture *f, GHashTable *strings, const guint8 *content, gsize length)
{
  const struct capture_record *record;
  size_t position = 0;

  while ((record = capture_records_next(content, length, &position))) {
    g_assert_true(capture_record_is_valid(record));
    if (record->type == CAPTURE_RECORD_STRING) {
      const struct capture_record_string *string = (const struct capture_record_string *)record;
      g_hash_table_insert(strings, GUINT_TO_POINTER(string->id), g_strdup(string->bytes));
    } else if (record->type == CAPTURE_RECORD_COUNTER) {
      load_counter(f, strings, (const struct capture_record_counter *)record);
    } else if (record->type == CAPTURE_RECORD_COUNTS) {
      load_counts(f, (const struct capture_record_counts *)record);
    }
  }
}

/* Part by part, as they stand in the file: a value whose counter does not stand before it fails. */
static void load(Fixture *f)
{
  g_autoptr(GHashTable) strings = g_hash_table_new_full(NULL, NULL, NULL, g_free);
  capture_reader *reader;

  g_assert_cmpint(capture_reader_open(&reader, f->fd, NULL), ==, 0);
  for (size_t i = 0; i < capture_reader_n_parts(reader); i++) {
    const struct capture_part *part = capture_reader_part(reader, i);
    const uint8_t *content;
    void *buffer = NULL;
    size_t size = 0, length;
    if (part->header.stream == 0)
      continue;
    g_assert_cmpint(capture_reader_content(reader, i, &buffer, &size, &content, &length), ==, 0);
    load_part(f, strings, content, length);
    free(buffer);
  }
  capture_reader_close(reader);
}

static void check(Fixture *f, const char *name, guint n, const double *expected)
{
  GArray *values = g_hash_table_lookup(f->values, name);

  g_assert_nonnull(values);
  g_assert_cmpuint(values->len, ==, n);
  for (guint i = 0; i < n; i++)
    g_assert_cmpfloat_with_epsilon(g_array_index(values, double, i), expected[i], 1e-6);
}

#define CHECK(name, ...)                                                                                     \
  check(f, name, G_N_ELEMENTS(((const double[]){__VA_ARGS__})), (const double[]){__VA_ARGS__})

/* user nice system idle iowait irq softirq steal guest guest_nice */
static void test_processors(Fixture *f, gconstpointer data)
{
  put(f, "proc/stat",
      "cpu  100 0 0 100 0 0 0 0 0 0\ncpu0 100 0 0 100 0 0 0 0 0 0\nintr 1 2 3\nctxt 1000\nprocesses 50\n");
  read_all(f);
  put(f, "proc/stat",
      "cpu  130 0 0 170 0 0 0 0 0 0\ncpu0 110 5 5 120 10 0 0 0 9 0\ncpu7 1 0 0 1 0 0 0 0 0 0\nctxt "
      "1500\nprocesses 51\n");
  read_all(f);
  put(f, "proc/stat", "cpu  130 0 0 270 0 0 0 0 0 0\ncpu7 4 0 0 2 0 0 0 0 0 0\nctxt 1500\nprocesses 51\n");
  read_all(f);
  put(f, "proc/stat",
      "cpu  130 0 0 260 0 0 0 0 0 0\ncpu0 500 0 0 500 0 0 0 0 0 0\ncpu7 4 0 0 2 0 0 0 0 0 0\n");
  read_all(f);
  put(f, "proc/stat", "cpu  140 0 0 270 0 0 0 0 0 0\ncpu0 510 0 0 500 0 0 0 0 0 0\n");
  read_all(f);
  load(f);
  CHECK("CPU/All", 30, 0, 50); /* not where idle time ran backwards */
  CHECK("CPU/CPU 0", 40, 100); /* gone, and back: what was before does not count */
  CHECK("CPU/CPU 7", 75);      /* nothing was counted from the third to the fourth */
  CHECK("Kernel/Context switches", 1000, 0);
  CHECK("Kernel/Forks", 2, 0);
}

static void test_memory(Fixture *f, gconstpointer data)
{
  put(f, "proc/meminfo",
      "MemTotal:       1000 kB\nMemFree:        100 kB\nMemAvailable:    400 kB\nBuffers:  1 kB\nCached:     "
      "     300 kB\n"
      "SwapCached:      7 kB\nSwapTotal:       50 kB\nSwapFree:        20 kB\n");
  read_all(f);
  load(f);
  CHECK("Memory/Used", 600 * 1024);
  CHECK("Memory/Available", 400 * 1024);
  CHECK("Memory/Cached", 300 * 1024);
  CHECK("Memory/Swap", 30 * 1024);
}

#define NET_HEADING                                                                                          \
  "Inter-|   Receive                 |  Transmit\n face |bytes    packets errs |bytes    packets errs\n"

static void test_interfaces(Fixture *f, gconstpointer data)
{
  put(f, "proc/net/dev", NET_HEADING "  eth0: 1000 1 0 0 0 0 0 0 70 1 0 0 0 0 0 0\n");
  read_all(f);
  put(f, "proc/net/dev",
      NET_HEADING "  eth0:1500 1 0 0 0 0 0 0 71 1 0 0 0 0 0 0\n a:1: 5 1 0 0 0 0 0 0 5 1 0 0 0 0 0 0\n");
  read_all(f);
  put(f, "proc/net/dev", NET_HEADING " a:1: 9 1 0 0 0 0 0 0 5 1 0 0 0 0 0 0\n");
  read_all(f);
  put(f, "proc/net/dev", NET_HEADING "  eth0:100 1 0 0 0 0 0 0 10 1 0 0 0 0 0 0\n");
  read_all(f);
  put(f, "proc/net/dev", NET_HEADING "  eth0:130 1 0 0 0 0 0 0 5 1 0 0 0 0 0 0\n");
  read_all(f);
  load(f);
  CHECK("Network/eth0 received", 0, 500, 500, 530);
  CHECK("Network/eth0 sent", 0, 1, 1, 1);
  CHECK("Network/a:1 received", 0, 4);
}

/* Only whole disks, by what /sys says; and a name with a slash. */
static void test_disks(Fixture *f, gconstpointer data)
{
  put(f, "sys/block/sda/device/x", "");
  put(f, "sys/block/c!d0/device/x", "");
  put(f, "sys/block/loop0/x", "");
  put(f, "proc/diskstats",
      "   8       0 sda 10 0 100 5 10 0 200 5 0 0 0\n   8       1 sda1 10 0 100 5 10 0 200 5 0 0 0\n"
      "   7       0 loop0 10 0 100 5 10 0 200 5 0 0 0\n   9       0 c/d0 1 0 1 1 1 0 1 1 0 0 0\nrubbish\n 1 "
      "2\n");
  read_all(f);
  put(f, "proc/diskstats",
      "   8       0 sda 10 0 102 5 10 0 203 5 0 0 0\n   8       1 sda1 10 0 100 5 10 0 200 5 0 0 0\n"
      "   7       0 loop0 10 0 101 5 10 0 200 5 0 0 0\n   9       0 c/d0 1 0 1 1 1 0 2 1 0 0 0\n");
  read_all(f);
  load(f);
  g_assert_cmpuint(g_hash_table_size(f->values), ==, 4);
  CHECK("Disk/sda read", 0, 1024);
  CHECK("Disk/sda written", 0, 1536);
  CHECK("Disk/c/d0 written", 0, 512);
}

static void test_pressure(Fixture *f, gconstpointer data)
{
  put(f, "proc/pressure/cpu",
      "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000000\nfull avg10=0.00 total=0\n");
  put(f, "proc/pressure/io", "some avg10=0.00 total=0\nfull avg10=0.00 total=0\n");
  read_all(f);
  put(f, "proc/pressure/cpu",
      "some avg10=0.00 avg60=0.00 avg300=0.00 total=1250000\nfull avg10=0.00 total=0\n");
  put(f, "proc/pressure/io", "some avg10=0.00 total=5000000\nfull avg10=0.00 total=5000\n");
  read_all(f);
  load(f);
  g_assert_cmpuint(g_hash_table_size(f->values), ==, 3);
  CHECK("Pressure/CPU (some)", 50);
  CHECK("Pressure/I/O (some)", 100);
  CHECK("Pressure/I/O (full)", 1);
}

/* A machine of 600 processors fills more than a page, and no stream stands in the file where nothing is
 * found. */
static void test_large_and_missing(Fixture *f, gconstpointer data)
{
  g_autoptr(GString) text = g_string_new(NULL);

  read_all(f);
  load(f);
  g_assert_cmpuint(g_hash_table_size(f->values), ==, 0);
  g_clear_pointer(&f->counters, recording_counters_free);
  for (guint n = 1; n <= 2; n++) {
    g_string_set_size(text, 0);
    for (guint i = 0; i < 600; i++)
      g_string_append_printf(text, "cpu%u %u 0 0 %u 0 0 0 0 0 0\n", i, n * 1000000, n * 3000000);
    put(f, "proc/stat", text->str);
    read_all(f);
  }
  load(f);
  g_assert_cmpuint(g_hash_table_size(f->values), ==, 600);
  CHECK("CPU/CPU 0", 25);
  CHECK("CPU/CPU 599", 25);
}

/* Interfaces under ever new names: there is an end to them, and those that were there go on. */
static void test_too_many(Fixture *f, gconstpointer data)
{
  for (guint n = 0; n < 30; n++) {
    g_autoptr(GString) text = g_string_new(NET_HEADING " eth0: 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0\n");
    for (guint i = 0; i < 500; i++)
      g_string_append_printf(text, " veth%u-%u: 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0\n", n, i);
    put(f, "proc/net/dev", text->str);
    read_all(f);
  }
  load(f);
  g_assert_cmpuint(g_hash_table_size(f->values), <=, 2048);
  GArray *values = g_hash_table_lookup(f->values, "Network/eth0 received");
  g_assert_cmpuint(values->len, ==, 30);
}

#define ADD(path, function)                                                                                  \
  g_test_add("/recording/counters/" path, Fixture, NULL, set_up, function, tear_down)

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  ADD("processors", test_processors);
  ADD("memory", test_memory);
  ADD("interfaces", test_interfaces);
  ADD("disks", test_disks);
  ADD("pressure", test_pressure);
  ADD("large-and-missing", test_large_and_missing);
  ADD("too-many", test_too_many);
  return g_test_run();
}
