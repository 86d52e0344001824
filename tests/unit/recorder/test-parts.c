/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder's parts, each on its own. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <glib.h>

#include "helpers/common/proc.h"
#include "helpers/confinement.h"
#include "helpers/pidfd.h"
#include "helpers/recorder/common/memo.h"
#include "helpers/recorder/common/table.h"
#include "helpers/recorder/events/cpus.h"
#include "helpers/recorder/events/event.h"
#include "helpers/recorder/events/merge.h"
#include "helpers/recorder/samples/held-memory.h"
#include "helpers/recorder/tasks/mappings.h"
#include "helpers/recorder/tasks/tasks.h"
#include "libcapture/format/capture-format.h"

/* An event of one's own, after what the kernel counts of itself was left out. */
static struct recorder_event_type own_event(const char *name, gboolean *ret_changed)
{
  struct recorder_event event = {.period = 1000000};
  struct recorder_event_type type;
  struct recorder_error error;

  g_strlcpy(event.name, name, sizeof event.name);
  g_assert_cmpint(recorder_event_resolve(&type, &event, true, &error), ==, 0);
  *ret_changed = recorder_event_leave_kernel_out(&type);
  return type;
}

static void test_kernel_left_out(void)
{
  static const char *const counts[] = {"instructions", "cache-misses", "branch-misses",
                                       "L1-dcache-load-misses"};
  static const char *const others[] = {"cpu-clock", "task-clock", "cycles", "ref-cycles", "page-faults"};
  gboolean changed;

  for (guint i = 0; i < G_N_ELEMENTS(counts); i++) {
    struct recorder_event_type type = own_event(counts[i], &changed);
    g_assert_true(changed && type.exclude_kernel && type.exclude_hypervisor && !type.exclude_user);
  }
  for (guint i = 0; i < G_N_ELEMENTS(others); i++) {
    struct recorder_event_type type = own_event(others[i], &changed);
    g_assert_false(changed || type.exclude_kernel);
  }
  own_event("instructions:u", &changed);
  g_assert_false(changed);
  g_assert_true(own_event("instructions:k", &changed).exclude_kernel);
}

static void test_labels(void)
{
  static const char *const open[] = {"",
                                     "\n",
                                     "unconfined\n",
                                     "chrome (unconfined)\n",
                                     "snap.code.code (complain)",
                                     "unconfined_u:unconfined_r:unconfined_t:s0-s0:c0.c1023"};
  static const char *const closed[] = {"firefox (enforce)\n",
                                       "staff_u:staff_r:staff_t:s0",
                                       "_",
                                       "/usr/bin/man",
                                       "not-unconfined",
                                       "unconfined//child (enforce)",
                                       "user_u:user_r:user_t:unconfined_t"};

  for (guint i = 0; i < G_N_ELEMENTS(open); i++)
    g_assert_true(confinement_is_open_label(open[i]));
  for (guint i = 0; i < G_N_ELEMENTS(closed); i++)
    g_assert_false(confinement_is_open_label(closed[i]));
}

static void test_cpus(void)
{
  struct recorder_cpus cpus;
  g_assert_true(recorder_cpus_parse(&cpus, "0-2,5,63-64\n"));
  for (guint i = 0; i < 128; i++)
    g_assert_true(recorder_cpus_has(&cpus, i) == (i <= 2 || i == 5 || i == 63 || i == 64));
  g_assert_true(recorder_cpus_parse(&cpus, "\n"));
  g_assert_false(recorder_cpus_has(&cpus, 0));
  static const char *const wrong[] = {"x", "1-", "3-1", "1,,2", "1,", "-1", "99999", "0-99999", "1 2", "0x1"};
  for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++)
    g_assert_false(recorder_cpus_parse(&cpus, wrong[i]));
}

static gboolean parse_line(struct recorder_map_line *line, const char *text)
{
  return recorder_map_line_parse(line, text, strlen(text));
}

static void test_map_lines(void)
{
  struct recorder_map_line line;
  g_assert_true(parse_line(&line, "7f00-8f00 r-xp 00012000 fd:01 1234   /opt/a b/c d.so (deleted)"));
  g_assert_cmpuint(line.start, ==, 0x7f00);
  g_assert_cmpuint(line.end, ==, 0x8f00);
  g_assert_cmpuint(line.offset, ==, 0x12000);
  g_assert_cmpuint(line.device, ==, UINT64_C(0xfd) << 32 | 1);
  g_assert_cmpuint(line.inode, ==, 1234);
  g_assert_cmpuint(line.protection, ==, PROT_READ | PROT_EXEC);
  g_assert_cmpmem(line.path, line.path_length, "/opt/a b/c d.so (deleted)", 25);
  g_assert_true(parse_line(&line, "ffffffffff600000-ffffffffff601000 --xs 00000000 00:00 0 "));
  g_assert_cmpuint(line.path_length, ==, 0);
  g_assert_cmpuint(line.flags, ==, MAP_SHARED);
  static const char *const wrong[] = {"",
                                      "7f00",
                                      "7f00-",
                                      "8f00-7f00 r-xp 0 fd:01 1 /x",
                                      "7f00-8f00 r-x",
                                      "7f00-8f00 r-xp 0 fd01 1 /x",
                                      "fffffffffffffffff-8 r-xp 0 fd:01 1 /x",
                                      "g-8f00 r-xp 0 fd:01 1 /x"};
  for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++)
    g_assert_false(parse_line(&line, wrong[i]));
}

static void count_line(const struct recorder_map_line *line, void *data)
{
  g_assert_true((line->protection & PROT_EXEC) != 0);
  *(guint *)data += memmem(line->path, line->path_length, "test-recorder-parts", 19) != NULL;
}

static void test_proc(void)
{
  guint own = 0;
  char name[RECORDER_NAME_MAX], text[4096];
  int32_t *threads;
  g_assert_cmpint(recorder_proc_maps(getpid(), count_line, &own), ==, 0);
  g_assert_cmpuint(own, ==, 1);
  g_assert_cmpint(recorder_proc_name(getpid(), getpid(), name), ==, 0);
  g_assert_cmpstr(name, ==, "test-recorder-p");
  g_assert_cmpint(recorder_proc_command_line(getpid(), text, sizeof text), >, 0);
  g_assert_nonnull(strstr(text, "test-recorder-parts"));
  g_assert_cmpint(recorder_proc_threads(getpid(), &threads), >=, 1);
  free(threads);
  g_assert_cmpint(recorder_proc_threads(INT32_MAX, &threads), ==, -ESRCH);
  g_assert_cmpint(pidfd_get_pid(0, false), ==, -EBADF);
}

static int resolve(struct recorder_event_type *type, const char *name, struct recorder_error *error)
{
  struct recorder_event event = {.frequency = 100};
  g_strlcpy(event.name, name, sizeof event.name);
  return recorder_event_resolve(type, &event, false, error);
}

static void test_events(void)
{
  struct recorder_event_type type;
  struct recorder_error error;
  g_assert_cmpint(resolve(&type, "cpu-clock:u", &error), ==, 0);
  g_assert_true(type.exclude_kernel && !type.exclude_user && type.exclude_hypervisor);
  g_assert_cmpuint(type.unit, ==, CAPTURE_UNIT_NANOSECONDS);
  g_assert_cmpint(resolve(&type, "instructions:kpp", &error), ==, 0);
  g_assert_true(!type.exclude_kernel && type.exclude_user);
  g_assert_cmpuint(type.precise, ==, 2);
  g_assert_cmpint(resolve(&type, "LLC-load-misses", &error), ==, 0);
  g_assert_cmpuint(type.type, ==, PERF_TYPE_HW_CACHE);
  g_assert_cmpuint(type.config, ==, 2 | 1 << 16);
  g_assert_cmpint(resolve(&type, "dTLB-stores", &error), ==, 0);
  g_assert_cmpuint(type.config, ==, 3 | 1 << 8);
  g_assert_cmpint(resolve(&type, "r1A8", &error), ==, 0);
  g_assert_cmpuint(type.type, ==, PERF_TYPE_RAW);
  g_assert_cmpuint(type.config, ==, 0x1a8);
  g_assert_cmpint(resolve(&type, "", &error), ==, 0);
  g_assert_true(g_str_equal(type.name, "cycles") || g_str_equal(type.name, "cpu-clock"));
  static const char *const wrong[] = {"rXYZ", "cycle", "cpu-clock:", "L1-dcache", "LLC-",
                                      "/",    "//",    "cpu//x",     ":",         "a:b:c"};
  for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++)
    g_assert_cmpint(resolve(&type, wrong[i], &error), <, 0);
}

/* Every event that sysfs names is understood; machines without a PMU name at least msr/tsc/ or none. */
static void test_sysfs_events(void)
{
  struct recorder_event_type type;
  struct recorder_error error;
  if (g_file_test("/sys/bus/event_source/devices/msr/events/tsc", G_FILE_TEST_EXISTS)) {
    g_autofree char *contents = NULL;
    g_assert_true(g_file_get_contents("/sys/bus/event_source/devices/msr/type", &contents, NULL, NULL));
    g_assert_cmpint(resolve(&type, "msr/tsc/", &error), ==, 0);
    g_assert_cmpuint(type.type, ==, g_ascii_strtoull(contents, NULL, 10));
    g_assert_cmpint(resolve(&type, "msr/event=0x3/u", &error), ==, 0);
    g_assert_cmpuint(type.config, ==, 3);
    g_assert_true(type.exclude_kernel);
    g_assert_cmpint(resolve(&type, "msr/event=nonsense/", &error), ==, -EINVAL);
    g_assert_nonnull(strstr(error.text, "event=nonsense"));
  }
}

static struct recorder_mapping mapping(struct recorder_binaries *binaries, const char *path, guint64 start,
                                       guint64 end, guint64 offset)
{
  struct recorder_binary_key key = {0};
  recorder_binary_key_set_path(&key, path, strlen(path));
  return (struct recorder_mapping){
      .start = start, .end = end, .offset = offset, .binary = recorder_binaries_take(binaries, &key)};
}

static void add(struct recorder_mappings **place, struct recorder_binaries *binaries, const char *path,
                guint64 start, guint64 end, guint64 offset)
{
  struct recorder_mapping added = mapping(binaries, path, start, end, offset);
  recorder_mappings_add(place, binaries, &added);
}

static void assert_mapping(const struct recorder_mappings *mappings, guint64 address, const char *path,
                           guint64 offset)
{
  const struct recorder_mapping *found = recorder_mappings_find(mappings, address);
  g_assert_cmpstr(found != NULL ? found->binary->key.path : NULL, ==, path);
  if (found != NULL)
    g_assert_cmphex(address - found->start + found->offset, ==, offset);
}

static void test_mappings(void)
{
  struct recorder_binaries binaries;
  struct recorder_mappings *mappings = NULL, *child;
  recorder_binaries_init(&binaries);
  g_assert_null(recorder_mappings_find(NULL, 1));
  add(&mappings, &binaries, "/a", 0x1000, 0x9000, 0);
  child = recorder_mappings_share(mappings);
  add(&mappings, &binaries, "/b", 0x3000, 0x5000, 0x100);
  assert_mapping(mappings, 0x2fff, "/a", 0x1fff);
  assert_mapping(mappings, 0x3000, "/b", 0x100);
  assert_mapping(mappings, 0x4fff, "/b", 0x20ff);
  assert_mapping(mappings, 0x5000, "/a", 0x4000);
  assert_mapping(mappings, 0x9000, NULL, 0);
  assert_mapping(child, 0x3000, "/a", 0x2000);
  add(&mappings, &binaries, "/c", 0x2000, 0x6000, 0);
  assert_mapping(mappings, 0x3000, "/c", 0x1000);
  assert_mapping(mappings, 0x6000, "/a", 0x5000);
  g_assert_cmpuint(binaries.count, ==, 2);
  recorder_mappings_release(mappings, &binaries);
  recorder_mappings_release(child, &binaries);
  g_assert_cmpuint(binaries.count, ==, 0);
  recorder_binaries_clear(&binaries);
}

/* Where a file offset stands at two addresses it does not say which one was sampled. */
static void test_ambiguous_mappings(void)
{
  struct recorder_binaries binaries;
  struct recorder_mappings *mappings = NULL;
  recorder_binaries_init(&binaries);
  add(&mappings, &binaries, "/a", 0x1000, 0x2000, 0);
  add(&mappings, &binaries, "/a", 0x2000, 0x3000, 0x1000);
  g_assert_false(recorder_mappings_find(mappings, 0x1000)->ambiguous);
  g_assert_false(recorder_mappings_find(mappings, 0x2000)->ambiguous);
  add(&mappings, &binaries, "/a", 0x8000, 0x9000, 0x800);
  g_assert_true(recorder_mappings_find(mappings, 0x1000)->ambiguous);
  g_assert_true(recorder_mappings_find(mappings, 0x2000)->ambiguous);
  g_assert_true(recorder_mappings_find(mappings, 0x8000)->ambiguous);
  recorder_mappings_release(mappings, &binaries);
  recorder_binaries_clear(&binaries);
}

/* A process with all the mappings that the kernel allows must not hold up the others. */
static void test_many_mappings(void)
{
  struct recorder_binaries binaries;
  struct recorder_mappings *mappings = NULL;
  recorder_binaries_init(&binaries);
  for (guint64 i = 0; i < 5000; i++)
    add(&mappings, &binaries, "/a", 0x1000 * i, 0x1000 * i + 0x1000, 0x1000 * i);
  g_assert_false(recorder_mappings_find(mappings, 0x1000 * 4000)->ambiguous);
  g_assert_true(recorder_mappings_find(mappings, 0x1000 * 4999)->ambiguous);
  add(&mappings, &binaries, "", 0, 0x1000, 0);
  g_assert_false(recorder_mappings_find(mappings, 0)->ambiguous);
  recorder_mappings_release(mappings, &binaries);
  recorder_binaries_clear(&binaries);
}

static void test_binary_paths(void)
{
  struct recorder_binary_key key = {.device = 1, .inode = 2, .build_id_size = 20};
  recorder_binary_key_set_path(&key, "/x y (deleted)", 14);
  g_assert_cmpmem(key.path, key.path_length, "/x y", 4);
  g_assert_cmpuint(key.flags, ==, CAPTURE_BINARY_DELETED);
  g_assert_cmpuint(key.inode, ==, 2);
  recorder_binary_key_set_path(&key, "[vdso]", 6);
  g_assert_cmpuint(key.flags, ==, CAPTURE_BINARY_VDSO);
  g_assert_cmpuint(key.inode, ==, 0);
  static const char *const special[] = {"//anon",    "[heap]", "/memfd:jit",
                                        "/dev/zero", "",       "anon_inode:[perf_event]"};
  for (gsize i = 0; i < G_N_ELEMENTS(special); i++) {
    recorder_binary_key_set_path(&key, special[i], strlen(special[i]));
    g_assert_cmpuint(key.flags, ==, CAPTURE_BINARY_SPECIAL);
  }
}

static void test_table(void)
{
  struct recorder_table table;
  GHashTable *model = g_hash_table_new(NULL, NULL);
  recorder_table_init(&table);
  for (guint i = 0; i < 100000; i++) {
    guint key = g_test_rand_int_range(0, 2000);
    if (g_test_rand_bit()) {
      recorder_table_set(&table, key, GUINT_TO_POINTER(i + 1));
      g_hash_table_insert(model, GUINT_TO_POINTER(key), GUINT_TO_POINTER(i + 1));
    } else {
      recorder_table_remove(&table, key);
      g_hash_table_remove(model, GUINT_TO_POINTER(key));
    }
    key = g_test_rand_int_range(0, 2000);
    g_assert_true(recorder_table_find(&table, key) == g_hash_table_lookup(model, GUINT_TO_POINTER(key)));
    g_assert_cmpuint(table.count, ==, g_hash_table_size(model));
  }
  recorder_table_clear(&table);
  g_hash_table_unref(model);
}

/* A line of processes each of which begets one and goes leaves nothing behind but the last few. */
static void test_tasks_are_forgotten(void)
{
  const gint32 base = 100000000; /* above any real pid */
  struct recorder_tasks tasks;
  recorder_tasks_init(&tasks);
  recorder_tasks_thread(&tasks, base, base);
  for (gint32 i = 1; i < 10000; i++) {
    guint64 time = (guint64)i * 10000000;
    recorder_tasks_fork(&tasks, base + i, base + i, base + i - 1, base + i - 1, time);
    recorder_tasks_exec(&tasks, base + i, base + i, "next", time + 1);
    recorder_tasks_exit(&tasks, base + i - 1, base + i - 1, time + 2);
    recorder_tasks_bury(&tasks, time + 3);
    g_assert_cmpstr(recorder_tasks_thread(&tasks, base + i, base + i)->name, ==, "next");
    g_assert_cmpuint(tasks.threads.count, <, 120);
    g_assert_cmpuint(tasks.processes.count, <, 120);
  }
  struct recorder_process *process = recorder_tasks_thread(&tasks, base + 9999, base + 9999)->process;
  guint ancestors = 0;
  for (; process->parent != NULL; process = process->parent)
    ancestors++;
  g_assert_cmpuint(ancestors, >, 1);
  g_assert_cmpuint(ancestors, <=, 17);
  recorder_tasks_clear(&tasks);
}

/* Of a thread that executes in its leader's stead no record says that its own number is free. */
static void test_tasks_executing_thread(void)
{
  const gint32 pid = 100000000; /* above any real pid */
  struct recorder_tasks tasks;
  recorder_tasks_init(&tasks);
  recorder_tasks_thread(&tasks, pid, pid);
  for (gint32 i = 1; i < 1000; i++) {
    guint64 time = (guint64)i * 100000000;
    recorder_tasks_fork(&tasks, pid, pid + i, pid, pid, time);
    recorder_tasks_exit(&tasks, pid, pid, time + 1);
    recorder_tasks_exec(&tasks, pid, pid, "next", time + 2);
    recorder_tasks_bury(&tasks, time + 3);
    g_assert_cmpstr(recorder_tasks_thread(&tasks, pid, pid)->name, ==, "next");
    g_assert_cmpuint(tasks.threads.count, <, 20);
  }
  g_assert_cmpuint(tasks.processes.count, ==, 1);
  recorder_tasks_clear(&tasks);
}

struct first_line {
  struct recorder_binaries *binaries;
  struct recorder_mapping mapping;
};

static void take_first_line(const struct recorder_map_line *line, void *data)
{
  struct first_line *first = data;
  if (first->mapping.binary)
    return;
  struct recorder_binary_key key = {.build_id_size = 4, .build_id = "abc"};
  recorder_binary_key_set_path(&key, line->path, line->path_length);
  first->mapping = (struct recorder_mapping){
      .start = line->start,
      .end = line->end + 0x10000, /* as the linker maps whole libraries first */
      .offset = line->offset,
      .binary = recorder_binaries_take(first->binaries, &key),
  };
}

/* What an event told stays when /proc is looked at again. */
static void test_tasks_look_again(void)
{
  struct recorder_tasks tasks;
  struct recorder_process *process;
  recorder_tasks_init(&tasks);
  recorder_tasks_thread(&tasks, getpid(), getpid());
  struct first_line told = {.binaries = &tasks.binaries};
  g_assert_cmpint(recorder_proc_maps(getpid(), take_first_line, &told), ==, 0);
  recorder_tasks_map(&tasks, getpid(), &told.mapping, &process);
  recorder_tasks_look_again(&tasks, process);
  g_assert_true(recorder_mappings_find(process->mappings, told.mapping.start)->binary == told.mapping.binary);
  recorder_tasks_clear(&tasks);
}

/* A pid that is given out anew is somebody else. */
static void test_tasks_reuse(void)
{
  const gint32 parent = 100000000, child = 100000001;
  struct recorder_tasks tasks;
  recorder_tasks_init(&tasks);
  recorder_tasks_fork(&tasks, child, child, parent, parent, 10);
  recorder_tasks_rename(&tasks, child, child, "old", 11);
  recorder_tasks_exit(&tasks, child, child, 12);
  g_assert_cmpstr(recorder_tasks_thread(&tasks, child, child)->name, ==, "old");
  recorder_tasks_fork(&tasks, child, child, parent, parent, 20);
  g_assert_cmpstr(recorder_tasks_thread(&tasks, child, child)->name, ==, "");
  g_assert_cmpuint(recorder_tasks_thread(&tasks, child, child)->process->time, ==, 20);
  recorder_tasks_bury(&tasks, G_MAXINT64);
  g_assert_cmpuint(recorder_tasks_thread(&tasks, child, child)->time, ==, 20);
  recorder_tasks_clear(&tasks);
}

#define FAKE_RING 4096
#define RAW_ID    9

/* A ring in ordinary memory. */
static void fake_ring(struct recorder_ring *ring, struct perf_event_mmap_page *control, guint64 *data)
{
  memset(control, 0, sizeof *control);
  *ring = (struct recorder_ring){.fd = -1,
                                 .control = control,
                                 .data = (const uint8_t *)data,
                                 .size = FAKE_RING,
                                 .raw_id = RAW_ID,
                                 .unwrapped = g_malloc0(65536)};
}

static void fake_sample(struct recorder_ring *ring, guint64 id, guint64 time, guint n_words)
{
  struct recorder_sample_fixed sample = {
      .header = {.type = PERF_RECORD_SAMPLE, .size = (uint16_t)(sizeof sample + 8 * n_words)},
      .id = id,
      .time = time};
  guint64 head = ring->control->data_head;
  g_autofree guint8 *bytes = g_malloc0(sample.header.size);
  memcpy(bytes, &sample, sizeof sample);
  for (guint i = 0; i < sample.header.size; i++)
    ((guint8 *)ring->data)[(head + i) % FAKE_RING] = bytes[i];
  ring->control->data_head = head + sample.header.size;
}

static void note_time(struct recorder_ring *ring, const struct perf_event_header *record, void *data)
{
  g_array_append_val((GArray *)data, ring->time);
}

/* Random times, ascending in each ring, come out ascending over all, and the late ones stay. What BPF
 * programs leave before samples carries a later time and comes with them all the same. */
static void test_merge(void)
{
  enum { RINGS = 5 };
  struct recorder_ring rings[RINGS], *places[RINGS], *bad = NULL;
  g_autofree struct perf_event_mmap_page *controls = g_new0(struct perf_event_mmap_page, RINGS);
  g_autofree guint64 *data = g_new0(guint64, RINGS * FAKE_RING / 8);
  g_autoptr(GArray) times = g_array_new(FALSE, FALSE, sizeof(guint64));
  guint written = 0;
  for (guint i = 0; i < RINGS; i++) {
    places[i] = &rings[i];
    fake_ring(&rings[i], &controls[i], data + i * FAKE_RING / 8);
  }
  for (guint64 round = 1; round <= 200; round++) {
    for (guint i = 0; i + 1 < RINGS; i++) { /* the last one stays empty */
      guint64 time = round * 2000;
      for (guint n = (guint)g_test_rand_int_range(0, 8); n > 0; n--, written++) {
        time += (guint64)g_test_rand_int_range(1, 200);
        if (g_test_rand_int_range(0, 2) == 0) {
          fake_sample(&rings[i], RAW_ID, time + (guint64)g_test_rand_int_range(1, 300), 2);
          written++;
        }
        fake_sample(&rings[i], 1, time, (guint)g_test_rand_int_range(0, 20));
      }
    }
    g_assert_cmpint(recorder_merge(places, RINGS, round * 2000 + 500, note_time, times, &bad), ==, 0);
    g_assert_true(times->len == 0 || g_array_index(times, guint64, times->len - 1) <= round * 2000 + 500);
    g_assert_cmpint(recorder_merge(places, RINGS, UINT64_MAX, note_time, times, &bad), ==, 0);
  }
  g_assert_cmpuint(times->len, ==, written);
  for (guint i = 1; i < times->len; i++)
    g_assert_cmpuint(g_array_index(times, guint64, i - 1), <=, g_array_index(times, guint64, i));
  for (guint i = 0; i < RINGS; i++) {
    g_assert_cmpuint(controls[i].data_tail, ==, controls[i].data_head);
    g_free(rings[i].unwrapped);
  }
}

static void test_nonsense_record(void)
{
  static const guint16 sizes[] = {0, 8, 39, 41, 65535};
  for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
    struct recorder_ring ring, *place = &ring, *bad = NULL;
    struct perf_event_mmap_page *control = g_new0(struct perf_event_mmap_page, 1);
    g_autofree guint64 *data = g_new0(guint64, FAKE_RING / 8);
    g_autoptr(GArray) times = g_array_new(FALSE, FALSE, sizeof(guint64));
    fake_ring(&ring, control, data);
    fake_sample(&ring, 1, 1, 0);
    struct perf_event_header header = {.type = PERF_RECORD_COMM, .size = sizes[i]};
    memcpy((guint8 *)data + control->data_head, &header, sizeof header);
    control->data_head += 64;
    g_assert_cmpint(recorder_merge(&place, 1, UINT64_MAX, note_time, times, &bad), ==, -EPROTO);
    g_assert_true(bad == &ring);
    g_assert_cmpuint(times->len, ==, 1);
    g_free(ring.unwrapped);
    g_free(control);
  }
}

static void test_memo(void)
{
  struct recorder_memo memo = {0};
  const guint64 first[] = {5, 4, 3, 2, 1}, second[] = {9, 3, 2, 1}, third[] = {2, 1};
  const guint32 nodes[] = {50, 40, 30, 20, 10};
  g_assert_cmpuint(recorder_memo_common(&memo, 1, 7, first, 5), ==, 0);
  recorder_memo_learn(&memo, 0, first, nodes, 5);
  g_assert_cmpuint(recorder_memo_common(&memo, 1, 7, first, 5), ==, 5);
  g_assert_cmpuint(recorder_memo_common(&memo, 1, 7, second, 4), ==, 3);
  g_assert_cmpuint(memo.nodes[2], ==, 30);
  g_assert_cmpuint(recorder_memo_common(&memo, 1, 7, third, 2), ==, 2);
  g_assert_cmpuint(recorder_memo_common(&memo, 1, 8, first, 5), ==, 0);
  recorder_memo_learn(&memo, 0, first, nodes, 5);
  g_assert_cmpuint(recorder_memo_common(&memo, 2, 8, first, 5), ==, 0);
}

/* Ten mebibytes of pieces of all sizes, given back in another order than they were taken in: none touches
 * another, and what is empty is used again before there is more. */
static void test_held_memory(void)
{
  enum { PIECES = 320 };
  struct recorder_held_memory memory = {0};
  guint8 *pieces[PIECES];
  gsize whole = 0;
  for (guint round = 0; round < 3; round++) {
    for (gsize i = 0; i < PIECES; i++) {
      pieces[i] = recorder_held_memory_take(&memory, 1 + i * 207);
      g_assert_cmpuint((guintptr)pieces[i] % 8, ==, 0);
      memset(pieces[i], (int)(i + round), 1 + i * 207);
    }
    g_assert_cmpuint(memory.size, >=, PIECES * (PIECES - 1) / 2 * 207);
    if (round == 0)
      whole = memory.size;
    g_assert_cmpuint(memory.size, ==, whole);
    for (gsize k = 0; k < PIECES; k++) {
      gsize i = k * 7 % PIECES;
      for (gsize at = 0; at < 1 + i * 207; at++)
        g_assert_cmpuint(pieces[i][at], ==, (guint8)(i + round));
      recorder_held_memory_give(&memory, pieces[i]);
    }
    g_assert_cmpuint(memory.size, ==, 0);
  }
  recorder_held_memory_trim(&memory, 1);
  g_assert_nonnull(memory.spare);
  recorder_held_memory_trim(&memory, 0);
  g_assert_null(memory.spare);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/recorder/event/kernel-left-out", test_kernel_left_out);
  g_test_add_func("/opener/labels", test_labels);
  g_test_add_func("/recorder/cpus", test_cpus);
  g_test_add_func("/recorder/proc/map-lines", test_map_lines);
  g_test_add_func("/recorder/proc/self", test_proc);
  g_test_add_func("/recorder/event/names", test_events);
  g_test_add_func("/recorder/event/sysfs", test_sysfs_events);
  g_test_add_func("/recorder/mappings/ranges", test_mappings);
  g_test_add_func("/recorder/mappings/ambiguous", test_ambiguous_mappings);
  g_test_add_func("/recorder/mappings/many", test_many_mappings);
  g_test_add_func("/recorder/binary/paths", test_binary_paths);
  g_test_add_func("/recorder/table", test_table);
  g_test_add_func("/recorder/tasks/forgotten", test_tasks_are_forgotten);
  g_test_add_func("/recorder/tasks/executing-thread", test_tasks_executing_thread);
  g_test_add_func("/recorder/tasks/look-again", test_tasks_look_again);
  g_test_add_func("/recorder/tasks/reuse", test_tasks_reuse);
  g_test_add_func("/recorder/merge/order", test_merge);
  g_test_add_func("/recorder/merge/nonsense", test_nonsense_record);
  g_test_add_func("/recorder/memo", test_memo);
  g_test_add_func("/recorder/held-memory", test_held_memory);
  return g_test_run();
}
