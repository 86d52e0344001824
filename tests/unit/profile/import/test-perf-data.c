/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The importer's parts, one by one, and the whole of it on files that are damaged everywhere. */
#include <glib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "profile/capture/capture.h"
#include "profile/import/perf-data-import.h"
#include "profile/import/perf-data-machine.h"
#include "profile/import/perf-data-queue.h"

/* Every byte of header and first records is damaged; of what follows one in STEP, to keep the test short. */
#define WHOLLY 512
#define STEP   7

static gboolean collect(const ProfilePerfQueueEntry *entry, gpointer data, GError **error)
{
  g_string_append_printf(data, "%" G_GUINT64_FORMAT "%c ", entry->time, *entry->record);
  return TRUE;
}

static void add(ProfilePerfQueue *queue, guint64 time, const char *record)
{
  profile_perf_queue_add(queue, time, (const guint8 *)record);
}

static void assert_collected(GString *collected, const char *expected)
{
  g_assert_cmpstr(collected->str, ==, expected);
  g_string_truncate(collected, 0);
}

static void test_queue(void)
{
  ProfilePerfQueue queue = {0};
  g_autoptr(GString) collected = g_string_new(NULL);

  add(&queue, 5, "a");
  add(&queue, 2, "b");
  add(&queue, 5, "c");
  g_assert_true(profile_perf_queue_end_round(&queue, collect, collected, NULL));
  assert_collected(collected, "");
  add(&queue, 4, "d");
  add(&queue, 9, "e");
  add(&queue, 5, "f");
  g_assert_true(profile_perf_queue_end_round(&queue, collect, collected, NULL));
  assert_collected(collected, "2b 4d 5a 5c 5f ");
  add(&queue, 3, "g");
  g_assert_true(profile_perf_queue_end_round(&queue, collect, collected, NULL));
  assert_collected(collected, "3g 9e ");
  g_assert_true(profile_perf_queue_finish(&queue, collect, collected, NULL));
  assert_collected(collected, "");
  profile_perf_queue_clear(&queue);
}

static void test_queue_sorts_anything(void)
{
  ProfilePerfQueue queue = {0};
  g_autoptr(GString) collected = g_string_new(NULL), expected = g_string_new(NULL);

  for (guint i = 0; i < 10007; i++)
    add(&queue, (guint64)i * 7919 % 10007 + 1, "r");
  for (guint i = 1; i <= 10007; i++)
    g_string_append_printf(expected, "%ur ", i);
  g_assert_true(profile_perf_queue_finish(&queue, collect, collected, NULL));
  g_assert_cmpstr(collected->str, ==, expected->str);
  profile_perf_queue_clear(&queue);
}

static ProfilePerfMapping make_mapping(guint64 start, guint64 end, guint64 offset, guint32 binary)
{
  return (ProfilePerfMapping){.start = start, .end = end, .offset = offset, .binary = binary};
}

static void assert_mapping(const ProfilePerfMaps *maps, guint64 address, guint64 offset, guint32 binary)
{
  const ProfilePerfMapping *mapping = profile_perf_maps_find(maps, address);

  g_assert_nonnull(mapping);
  g_assert_cmpuint(mapping->binary, ==, binary);
  g_assert_cmphex(address - mapping->start + mapping->offset, ==, offset);
}

static void test_maps_cut(void)
{
  ProfilePerfMaps *maps = profile_perf_maps_new(), *shared;
  ProfilePerfMapping whole = make_mapping(0x1000, 0x9000, 0x10000, 1),
                     hole = make_mapping(0x3000, 0x4000, 0, 2);
  gint64 kept = 0;

  g_assert_true(profile_perf_maps_insert(&maps, &whole, &kept));
  shared = profile_perf_maps_ref(maps);
  g_assert_true(profile_perf_maps_insert(&maps, &hole, &kept));
  g_assert_cmpint(kept, ==, 4);
  assert_mapping(maps, 0x2fff, 0x11fff, 1);
  assert_mapping(maps, 0x3000, 0, 2);
  assert_mapping(maps, 0x4000, 0x13000, 1);
  g_assert_null(profile_perf_maps_find(maps, 0xfff));
  g_assert_null(profile_perf_maps_find(maps, 0x9000));
  assert_mapping(shared, 0x3000, 0x12000, 1);
  g_assert_true(profile_perf_maps_insert(&maps, &whole, &kept));
  g_assert_cmpint(kept, ==, 2);
  profile_perf_maps_unref(maps);
  profile_perf_maps_unref(shared);
}

static void test_maps_ambiguous(void)
{
  ProfilePerfMaps *maps = profile_perf_maps_new();
  ProfilePerfMapping mappings[] = {
      make_mapping(0x1000, 0x3000, 0, 1), make_mapping(0x5000, 0x6000, 0x2000, 1),
      make_mapping(0x7000, 0x8000, 0x1000, 1), make_mapping(0x9000, 0xa000, 0, 2)};
  const gboolean expected[] = {TRUE, FALSE, TRUE, FALSE};
  gint64 kept = 0;

  for (guint i = 0; i < G_N_ELEMENTS(mappings); i++)
    g_assert_true(profile_perf_maps_insert(&maps, &mappings[i], &kept));
  for (guint i = 0; i < G_N_ELEMENTS(mappings); i++)
    g_assert_cmpint(profile_perf_maps_find(maps, mappings[i].start)->ambiguous, ==, expected[i]);
  profile_perf_maps_unref(maps);
}

/* What is left of a mapping shows the same as the piece that was mapped into its middle. */
static void test_maps_ambiguous_with_pieces(void)
{
  ProfilePerfMaps *maps = profile_perf_maps_new();
  ProfilePerfMapping whole = make_mapping(0x1000, 0x9000, 0, 1), again = make_mapping(0x5000, 0x6000, 0, 1);
  gint64 kept = 0;

  g_assert_true(profile_perf_maps_insert(&maps, &whole, &kept));
  g_assert_true(profile_perf_maps_insert(&maps, &again, &kept));
  g_assert_true(profile_perf_maps_find(maps, 0x1000)->ambiguous);
  g_assert_true(profile_perf_maps_find(maps, 0x5000)->ambiguous);
  g_assert_false(profile_perf_maps_find(maps, 0x6000)->ambiguous);
  profile_perf_maps_unref(maps);
}

static void test_machine_names(void)
{
  g_autoptr(ProfilePerfMachine) machine = profile_perf_machine_new(1000);

  g_assert_cmpstr(profile_perf_machine_get_thread(machine, 0, 0)->name, ==, "swapper");
  g_assert_cmpstr(profile_perf_machine_get_thread(machine, 10, 11)->name, ==, ":11");
  profile_perf_machine_rename(machine, 10, 10, "leader", FALSE, 1);
  g_assert_cmpstr(profile_perf_machine_get_thread(machine, 10, 11)->name, ==, ":11");
  profile_perf_machine_fork(machine, 10, 12, 10, 10, TRUE, 2);
  g_assert_cmpstr(profile_perf_machine_get_thread(machine, 10, 12)->name, ==, "leader");
  g_assert_true(profile_perf_machine_get_thread(machine, 10, 12)->process ==
                profile_perf_machine_get_thread(machine, 10, 10)->process);
}

static void test_machine_generations(void)
{
  g_autoptr(ProfilePerfMachine) machine = profile_perf_machine_new(1000);
  ProfilePerfMapping mapping = make_mapping(0x1000, 0x2000, 0, 1);
  ProfilePerfProcess *parent, *child, *execed;

  profile_perf_machine_rename(machine, 10, 10, "sh", FALSE, 1);
  parent = profile_perf_machine_map(machine, 10, 10, &mapping);
  profile_perf_machine_fork(machine, 20, 20, 10, 10, TRUE, 2);
  child = profile_perf_machine_get_thread(machine, 20, 20)->process;
  g_assert_true(child->parent == parent);
  g_assert_cmpuint(child->origin, ==, CAPTURE_PROCESS_FORKED);
  g_assert_nonnull(profile_perf_maps_find(child->maps, 0x1800));
  profile_perf_machine_rename(machine, 20, 20, "cat", TRUE, 3);
  execed = profile_perf_machine_get_thread(machine, 20, 20)->process;
  g_assert_true(execed->parent == child);
  g_assert_cmpuint(execed->origin, ==, CAPTURE_PROCESS_EXECED);
  g_assert_null(profile_perf_maps_find(execed->maps, 0x1800));
  g_assert_cmpstr(child->name, ==, "sh");
  profile_perf_machine_fork(machine, 20, 20, 10, 10, FALSE, 4);
  g_assert_null(
      profile_perf_maps_find(profile_perf_machine_get_thread(machine, 20, 20)->process->maps, 0x1800));
}

static int write_memfd(const char *bytes, gsize length)
{
  int fd = memfd_create("perf.data", MFD_CLOEXEC);

  g_assert_cmpint(write(fd, bytes, length), ==, length);
  return fd;
}

/* Whatever the bytes are: a capture, or a sentence. */
static gboolean import(const char *bytes, gsize length)
{
  g_autoptr(GError) error = NULL;
  int in = write_memfd(bytes, length), out = memfd_create("capture", MFD_CLOEXEC);
  g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", in);
  g_autoptr(ProfilePerfData) data = profile_perf_data_open(path, &error);
  ProfileImportResult result = {0};
  gboolean done = data && profile_perf_import(data, out, NULL, &result, &error);

  g_free(result.warning);
  g_assert_true(done == !error);
  if (error)
    g_assert_true(g_str_has_suffix(error->message, "."));
  close(in);
  close(out);
  return done;
}

static char *read_corpus(const char *name, gsize *ret_length)
{
  g_autofree char *path = g_test_build_filename(G_TEST_DIST, "fuzz", "corpus", "perf-data", name, NULL);
  g_autoptr(GError) error = NULL;
  char *bytes = NULL;

  g_file_get_contents(path, &bytes, ret_length, &error);
  g_assert_no_error(error);
  return bytes;
}

static void test_damaged(gconstpointer name)
{
  gsize length;
  g_autofree char *bytes = read_corpus(name, &length);

  g_assert_true(import(bytes, length));
  for (gsize i = 0; i < length; i += i < WHOLLY ? 1 : STEP) {
    char before = bytes[i];

    bytes[i] = (char)(i % 2 ? before ^ 0xff : before ^ 1 << i / 2 % 8);
    import(bytes, length);
    bytes[i] = before;
  }
}

static void test_cut_off(gconstpointer name)
{
  gsize length;
  g_autofree char *bytes = read_corpus(name, &length);

  for (gsize cut = 0; cut < length; cut += cut < 256 ? 1 : STEP)
    import(bytes, cut);
}

static ProfileCapture *load_import(const char *path, guint32 max_nodes)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(ProfilePerfData) data = profile_perf_data_open(path, &error);
  int out = memfd_create("capture", MFD_CLOEXEC);
  g_autofree char *out_path = g_strdup_printf("/proc/self/fd/%d", out);
  ProfileImportOptions options = {.max_nodes = max_nodes};
  ProfileImportResult result = {0};
  ProfileCapture *capture;

  g_assert_no_error(error);
  profile_perf_import(data, out, &options, &result, &error);
  g_assert_no_error(error);
  g_assert_null(result.warning);
  capture = profile_capture_load(out_path, PROFILE_LOAD_DEFAULT, NULL, &error);
  g_assert_no_error(error);
  close(out);
  return capture;
}

static void assert_same_stack(ProfileCapture *a, guint32 a_leaf, ProfileCapture *b, guint32 b_leaf)
{
  const guint32 *a_parent, *a_frame, *b_parent, *b_frame;
  const ProfileFrame *a_frames, *b_frames;
  gsize n;

  profile_capture_get_nodes(a, &a_parent, &a_frame, &n);
  profile_capture_get_nodes(b, &b_parent, &b_frame, &n);
  a_frames = profile_capture_get_frames(a, &n);
  b_frames = profile_capture_get_frames(b, &n);
  for (; a_leaf && b_leaf; a_leaf = a_parent[a_leaf], b_leaf = b_parent[b_leaf]) {
    g_assert_cmphex(a_frames[a_frame[a_leaf]].address, ==, b_frames[b_frame[b_leaf]].address);
    g_assert_cmpuint(a_frames[a_frame[a_leaf]].kind, ==, b_frames[b_frame[b_leaf]].kind);
  }
  g_assert_cmpuint(a_leaf, ==, b_leaf);
}

/* Many short epochs tell the same as one. */
static void test_epochs(void)
{
  g_autofree char *path = g_test_build_filename(G_TEST_DIST, "data", "pipeline.perf.data", NULL);
  g_autoptr(ProfileCapture) whole = load_import(path, 0), pieces = load_import(path, 1000);
  const ProfileThread *whole_threads, *pieces_threads;
  const ProfileEvent *one, *many;
  guint n;

  one = profile_capture_get_events(whole, &n);
  g_assert_cmpuint(n, ==, 1);
  many = profile_capture_get_events(pieces, &n);
  g_assert_cmpuint(n, ==, 1);
  g_assert_cmpuint(one->n_samples, ==, 24725);
  g_assert_cmpuint(many->n_samples, ==, 24725);
  g_assert_cmpmem(one->time, 8 * one->n_samples, many->time, 8 * many->n_samples);
  whole_threads = profile_capture_get_threads(whole, &n);
  pieces_threads = profile_capture_get_threads(pieces, &n);
  for (gsize i = 0; i < one->n_samples; i++) {
    assert_same_stack(whole, one->leaf[i], pieces, many->leaf[i]);
    g_assert_cmpint(whole_threads[one->thread[i]].tid, ==, pieces_threads[many->thread[i]].tid);
    g_assert_cmpstr(whole_threads[one->thread[i]].name, ==, pieces_threads[many->thread[i]].name);
  }
}

int main(int argc, char **argv)
{
  static const char *const corpus[] = {"dwarf.perf.data", "multi.perf.data",  "pipe.perf.data",
                                       "tp.perf.data",    "tppipe.perf.data", "z.perf.data",
                                       "zpipe.perf.data"};

  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/perf-data/queue", test_queue);
  g_test_add_func("/perf-data/queue-sorts-anything", test_queue_sorts_anything);
  g_test_add_func("/perf-data/maps-cut", test_maps_cut);
  g_test_add_func("/perf-data/maps-ambiguous", test_maps_ambiguous);
  g_test_add_func("/perf-data/maps-ambiguous-with-pieces", test_maps_ambiguous_with_pieces);
  g_test_add_func("/perf-data/machine-names", test_machine_names);
  g_test_add_func("/perf-data/machine-generations", test_machine_generations);
  g_test_add_func("/perf-data/epochs", test_epochs);
  for (guint i = 0; i < G_N_ELEMENTS(corpus); i++) {
    g_autofree char *damaged = g_strconcat("/perf-data/damaged/", corpus[i], NULL);
    g_autofree char *cut_off = g_strconcat("/perf-data/cut-off/", corpus[i], NULL);

    g_test_add_data_func(damaged, corpus[i], test_damaged);
    g_test_add_data_func(cut_off, corpus[i], test_cut_off);
  }
  return g_test_run();
}
