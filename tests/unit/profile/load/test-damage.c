/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Captures whose content lies, although every checksum is right: whatever they say, every view ends in good
 * order. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "libcapture/file/capture-file.h"
#include "profile/views/process-tree.h"
#include "profile/views/rows.h"
#include "profile/views/tree.h"
#include "tests/unit/profile/capture-fixture.h"
#include "tests/unit/profile/stream-fixture.h"

enum { N_CAPTURES = 250 };

/* Copies a part with a few bytes changed; small numbers and all ones are what hurts most. */
static void copy_part(capture_file *to, const struct capture_part *part, const guint8 *content, gsize length,
                      GRand *random, guint n_changes)
{
  static const guint32 values[] = {0, 1, 2, 8, 0xff, 0xffff, 0x7fffffff, 0xfffffff0, 0xffffffff};
  g_autofree guint8 *copy = g_memdup2(content, length);

  for (guint i = 0; i < n_changes && length >= 4; i++) {
    gsize place = (gsize)g_rand_int_range(random, 0, (gint)(length / 4)) * 4;
    guint32 value = values[g_rand_int_range(random, 0, G_N_ELEMENTS(values))];
    if (g_rand_boolean(random))
      value = (guint32)g_rand_int_range(random, 0, 300);
    memcpy(copy + place, &value, sizeof value);
  }
  g_assert_cmpint(capture_file_append(to, &part->header, copy), ==, 0);
}

static char *damage(const char *path, GRand *random)
{
  g_autoptr(GError) error = NULL;
  capture_reader *reader = profile_reader_open(path, FALSE, NULL, &error);
  struct capture_file_options options = {.size = sizeof options};
  capture_file *file = NULL;
  char *damaged = NULL;
  void *buffer = NULL;
  size_t size = 0;
  int fd = g_file_open_tmp("test-XXXXXX.capture", &damaged, NULL);

  g_assert_no_error(error);
  g_assert_cmpint(capture_file_create(&file, fd, &options), ==, 0);
  for (gsize i = 0; i < capture_reader_n_parts(reader); i++) {
    const struct capture_part *part = capture_reader_part(reader, i);
    const uint8_t *content;
    size_t length;
    if (part->header.kind >= CAPTURE_WINDOW_INDEX)
      continue;
    g_assert_cmpint(capture_reader_content(reader, i, &buffer, &size, &content, &length), ==, 0);
    copy_part(file, part, content, length, random, g_rand_int_range(random, 0, 5));
  }
  capture_file_free(file);
  capture_reader_close(reader);
  free(buffer);
  close(fd);
  return damaged;
}

/* Whatever a capture leaves out: what is shown is called something. */
static void look_at_names(ProfileCapture *capture)
{
  guint n;
  gsize n_marks, n_lines;
  const ProfileThread *threads = profile_capture_get_threads(capture, &n);

  for (guint i = 0; i < n; i++)
    g_assert_nonnull(threads[i].name);
  const ProfileProcess *processes = profile_capture_get_processes(capture, &n);
  for (guint i = 0; i < n; i++)
    g_assert_nonnull(processes[i].name);
  const ProfileBinary *binaries = profile_capture_get_binaries(capture, &n);
  for (guint i = 0; i < n; i++)
    g_assert_nonnull(binaries[i].path);
  const ProfileEvent *events = profile_capture_get_events(capture, &n);
  for (guint i = 0; i < n; i++)
    g_assert_nonnull(events[i].name);
  const ProfileStream *streams = profile_capture_get_streams(capture, &n);
  for (guint i = 0; i < n; i++)
    g_assert_nonnull(streams[i].name);
  const ProfileCounter *counters = profile_capture_get_counters(capture, &n);
  for (guint i = 0; i < n; i++)
    g_assert_true(counters[i].name && counters[i].category);
  const ProfileMark *marks = profile_capture_get_marks(capture, &n_marks);
  for (gsize i = 0; i < n_marks; i++)
    g_assert_true(marks[i].name && marks[i].category);
  const ProfileLogLine *lines = profile_capture_get_log(capture, &n_lines);
  for (gsize i = 0; i < n_lines; i++)
    g_assert_nonnull(lines[i].text);
}

static void look_at_processes(ProfileWeights *weights)
{
  g_autoptr(ProfileProcessTree) tree = profile_process_tree_new(weights);
  guint n;
  const ProfileProcessNode *nodes = profile_process_tree_get_nodes(tree, &n);

  for (guint i = 0; i < n; i++)
    g_assert_nonnull(nodes[i].name);
}

static void look_at_everything(ProfileCapture *capture, guint event)
{
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  const guint32 *parent, *frame;
  gsize n_nodes, n_frames, n_functions;

  profile_filter_set_event(filter, event);
  g_autoptr(ProfileWeights) weights = profile_weights_new(filter);
  profile_capture_get_nodes(capture, &parent, &frame, &n_nodes);
  profile_capture_get_frames(capture, &n_frames);
  for (gsize i = 1; i < n_nodes; i++) {
    g_assert_cmpuint(parent[i], <, i);
    g_assert_cmpuint(frame[i], <, n_frames);
  }
  for (int by = PROFILE_ROWS_FUNCTION; by <= PROFILE_ROWS_PROCESS; by++) {
    g_autoptr(ProfileRows) rows = profile_rows_new(weights, by);
    guint64 sum = 0;
    for (gsize i = 0; i < profile_rows_get_n(rows); i++)
      sum += profile_rows_get(rows, i).self.count;
    g_assert_cmpuint(sum, ==, profile_capture_get_event(capture, event)->n_samples);
  }
  g_autoptr(ProfileTree) down = profile_tree_new(weights), up = profile_tree_new_inverted(weights);
  profile_tree_expand_all(down);
  profile_tree_expand_all(up);
  look_at_processes(weights);
  look_at_names(capture);
  profile_capture_get_functions(capture, &n_functions);
  for (guint32 i = 0; i < n_functions; i++) {
    g_assert_nonnull(profile_capture_get_function_name(capture, i));
    g_assert_nonnull(profile_capture_get_function_binary(capture, i));
  }
}

static void test_lies(gconstpointer data)
{
  TestPlan plan = {.n_samples = 120, .n_streams = 2, .epochs = 2, .seed = 7};
  g_autoptr(GArray) samples = g_array_new(FALSE, TRUE, sizeof(TestSample));
  g_autofree char *path = test_capture_write(&plan, samples);
  g_autoptr(GRand) random = g_rand_new_with_seed(GPOINTER_TO_UINT(data));
  guint n_problems = 0;

  for (guint i = 0; i < N_CAPTURES; i++) {
    g_autofree char *damaged = damage(path, random);
    g_autoptr(GError) error = NULL;
    g_autoptr(ProfileCapture) capture = profile_capture_load(damaged, PROFILE_LOAD_DEFAULT, NULL, &error);
    guint n;
    g_remove(damaged);
    g_assert_no_error(error);
    n_problems += profile_capture_get_problems(capture)[0] != NULL;
    profile_capture_get_events(capture, &n);
    for (guint event = 0; event < n; event++)
      look_at_everything(capture, event);
  }
  g_assert_cmpuint(n_problems, >, N_CAPTURES / 4);
  g_remove(path);
}

/* The beginning of a capture holds whatever whole parts stand in it. */
static void test_truncated(void)
{
  TestPlan plan = {.n_samples = 60, .n_streams = 1, .epochs = 1, .seed = 8};
  g_autoptr(GArray) samples = g_array_new(FALSE, TRUE, sizeof(TestSample));
  g_autofree char *path = test_capture_write(&plan, samples), *bytes = NULL;
  gsize length, most = 0;
  guint n;

  g_assert_true(g_file_get_contents(path, &bytes, &length, NULL));
  for (gsize end = 0; end < length; end += 8 + end % 5) {
    g_autoptr(GError) error = NULL;
    g_assert_true(g_file_set_contents(path, bytes, (gssize)end, NULL));
    g_autoptr(ProfileCapture) capture = profile_capture_load(path, PROFILE_LOAD_DEFAULT, NULL, &error);
    if (end < sizeof(struct capture_file_header)) {
      g_assert_error(error, PROFILE_ERROR, PROFILE_ERROR_NOT_A_CAPTURE);
      continue;
    }
    g_assert_no_error(error);
    const ProfileEvent *events = profile_capture_get_events(capture, &n);
    gsize n_samples = n ? events[0].n_samples : 0;
    look_at_everything(capture, 0);
    g_assert_cmpuint(n_samples, >=, most);
    most = n_samples;
  }
  g_assert_cmpuint(most, ==, 60);
  g_remove(path);
}

/* A chain of nodes costs a few bytes each, and one sample reaches down all of it. */
static char *write_chain(guint n)
{
  TestFile file = test_file_open(1, FALSE);
  TestStream stream = test_stream_open(&file);
  guint32 leaf = 0;

  test_stream_define(&stream, (struct capture_record_event){0}, "cpu-clock");
  for (guint i = 0; i < n; i++) {
    guint32 frame = test_stream_add_frame(&stream, TEST_PROGRAM, (guint64)(i + 1 < n) * TEST_FUNCTION_SIZE);
    leaf = test_take_id(capture_writer_stack(stream.writer, leaf, &frame, 1));
  }
  test_stream_add_sample(&stream, 0, (struct capture_writer_sample){.time = 1, .leaf = leaf, .weight = 1});
  test_stream_close(&stream);
  return test_file_close(&file, 2);
}

static void test_deep(void)
{
  enum { N = 20000 };
  g_autofree char *path = write_chain(N);
  g_autoptr(GError) error = NULL;
  g_autoptr(ProfileCapture) capture = profile_capture_load(path, PROFILE_LOAD_DEFAULT, NULL, &error);
  const guint32 *parent, *frame;
  gsize n_nodes;
  guint depth = 0;

  g_assert_no_error(error);
  g_assert_nonnull(strstr(profile_capture_get_problems(capture)[0], "frames"));
  profile_capture_get_nodes(capture, &parent, &frame, &n_nodes);
  guint32 leaf = profile_capture_get_event(capture, 0)->leaf[0];
  for (guint32 node = leaf; node; node = parent[node])
    depth++;
  g_assert_cmpuint(depth, >, 1000);
  g_assert_cmpuint(depth, <, N / 2);
  g_assert_cmpuint(frame[leaf], !=, frame[parent[leaf]]);
  look_at_everything(capture, 0);
  g_remove(path);
}

static void test_not_a_capture(void)
{
  g_autofree char *path = NULL;
  g_autoptr(GError) error = NULL;
  int fd = g_file_open_tmp("test-XXXXXX", &path, NULL);

  close(fd);
  g_assert_null(profile_capture_load(path, PROFILE_LOAD_DEFAULT, NULL, &error));
  g_assert_error(error, PROFILE_ERROR, PROFILE_ERROR_NOT_A_CAPTURE);
  g_clear_error(&error);
  g_remove(path);
  g_assert_null(profile_capture_load(path, PROFILE_LOAD_DEFAULT, NULL, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/profile/damage/lies/1", GUINT_TO_POINTER(1), test_lies);
  g_test_add_data_func("/profile/damage/lies/2", GUINT_TO_POINTER(2), test_lies);
  g_test_add_data_func("/profile/damage/lies/3", GUINT_TO_POINTER(3), test_lies);
  g_test_add_func("/profile/damage/truncated", test_truncated);
  g_test_add_func("/profile/damage/deep", test_deep);
  g_test_add_func("/profile/damage/not-a-capture", test_not_a_capture);
  return g_test_run();
}
