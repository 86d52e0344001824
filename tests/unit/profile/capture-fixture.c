/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/profile/capture-fixture.h"

#include <glib/gstdio.h>

static const char *const user_names[TEST_USER_FUNCTIONS] = {
    "main", "run", "walk", "visit", "copy", "parse", "qsort", "compare", "read", "write", "malloc", "free"};
static const char *const kernel_names[TEST_KERNEL_FUNCTIONS] = {
    "entry_SYSCALL_64", "do_syscall_64", "vfs_read", "page_fault", "copy_page", "schedule"};

/* The address of a frame: in its function for the innermost, behind a call for the others. Few addresses, so
 * that they recur; one call is the function's last instruction, so that its return address is the next
 * function's first byte. */
static guint64 choose_offset(GRand *random, guint function, gboolean innermost)
{
  static const guint sampled[4] = {0, 8, 16, 32}, returns[4] = {8, 16, 32, TEST_FUNCTION_SIZE};
  guint choice = g_rand_int_range(random, 0, 4);

  return (guint64)function * TEST_FUNCTION_SIZE + (innermost ? sampled : returns)[choice];
}

static guint32 add_frame(TestStream *stream, GRand *random, guint function, gboolean kernel,
                         gboolean innermost)
{
  guint64 offset = choose_offset(random, function, innermost);

  return test_stream_add_frame(stream, kernel ? TEST_KERNEL : function % 2, offset);
}

/* A random walk over few functions: recursive, and with many stacks in common. */
static guint32 add_stack(TestStream *stream, GRand *random, TestSample *sample, gboolean kernel)
{
  guint depth = g_rand_int_range(random, 0, kernel ? 6 : 12),
        n = kernel ? TEST_KERNEL_FUNCTIONS : TEST_USER_FUNCTIONS;
  guint32 frames[TEST_MAX_DEPTH];

  for (guint i = 0; i < depth; i++) {
    guint function = MIN(i / 2 + g_rand_int_range(random, 0, 3), n - 1);
    sample->functions[sample->n++] = kernel ? kernel_names[function] : user_names[function];
    sample->binary = test_place_paths[kernel ? TEST_KERNEL : function % 2];
    if (i == 0 && !kernel)
      sample->end = test_place_paths[function % 2];
    frames[depth - 1 - i] = add_frame(stream, random, function, kernel, i + 1 == depth);
  }
  if (depth == 0)
    return 0;
  return test_take_id(capture_writer_stack(stream->writer, 0, frames, depth));
}

static void add_sample(TestStream *stream, guint64 *time, GRand *random, const TestPlan *plan,
                       GArray *samples)
{
  TestSample sample = {.time = *time += g_rand_int_range(random, 0, 1000), .weight = 250000};
  if (plan->late && samples->len % plan->late == 0)
    sample.time -= MIN(sample.time, (guint64)g_rand_int_range(random, 0, 20000));
  guint thread = g_rand_int_range(random, 0, TEST_N_THREADS);
  guint32 user = add_stack(stream, random, &sample, FALSE);
  guint32 kernel = g_rand_int_range(random, 0, 3) == 0 ? add_stack(stream, random, &sample, TRUE) : 0;
  guint32 leaf = user || kernel ? test_take_id(capture_writer_join(stream->writer, user, kernel)) : 0;

  /* Some of which no version knows yet. */
  sample.outcome = g_rand_int_range(random, 0, CAPTURE_OUTCOME_LATE + 3);
  if (samples->len % 3 == 0)
    sample.outcome |= CAPTURE_OUTCOME_BY_FRAME_POINTERS;
  if (plan->weights)
    sample.weight = g_rand_int_range(random, 1, 1000);
  sample.tid = 100 + (int)thread;
  sample.pid = 100 + (int)thread / 2;
  struct capture_writer_sample row = {.time = sample.time,
                                      .leaf = leaf,
                                      .cpu = (guint16)thread,
                                      .outcome = (guint8)sample.outcome,
                                      .mode = kernel ? CAPTURE_MODE_KERNEL : CAPTURE_MODE_USER,
                                      .weight = sample.weight};
  test_stream_add_sample(stream, thread, row);
  g_array_append_val(samples, sample);
}

static void write_streams(TestFile *file, const TestPlan *plan, GArray *samples)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(plan->seed);

  for (guint i = 0; i < plan->n_streams; i++) {
    TestStream stream = test_stream_open(file);
    guint64 time = 1000;
    for (guint epoch = 0; epoch < plan->epochs; epoch++) {
      if (epoch > 0)
        g_assert_cmpint(capture_writer_next_epoch(stream.writer), ==, 0);
      test_stream_define(&stream, (struct capture_record_event){0}, "cpu-clock");
      for (guint j = 0; j < plan->n_samples / plan->n_streams / plan->epochs; j++)
        add_sample(&stream, &time, random, plan, samples);
    }
    test_stream_close(&stream);
  }
}

static gint compare_times(gconstpointer a, gconstpointer b)
{
  const TestSample *left = a, *right = b;

  return left->time < right->time ? -1 : left->time > right->time;
}

char *test_capture_write(const TestPlan *plan, GArray *samples)
{
  TestFile file = test_file_open(TEST_BEGAN, plan->compress);

  write_streams(&file, plan, samples);
  g_assert_cmpint(capture_file_add_metadata(file.file, "command", "program --fast"), ==, 0);
  g_assert_cmpint(capture_file_add_index(file.file), ==, 0);
  g_array_sort(samples, compare_times);
  return test_file_close(&file, plan->ended ? plan->ended : 2000);
}

ProfileCapture *test_capture_load(const char *path)
{
  g_autoptr(GError) error = NULL;
  ProfileCapture *capture = profile_capture_load(path, PROFILE_LOAD_DEFAULT, NULL, &error);
  const char *user[2][TEST_USER_FUNCTIONS] = {0};

  g_assert_no_error(error);
  for (guint i = 0; i < TEST_USER_FUNCTIONS; i++)
    user[i % 2][i] = user_names[i];
  const TestNames names[TEST_N_PLACES] = {
      [TEST_PROGRAM] = {.n = TEST_USER_FUNCTIONS, .names = user[0]},
      [TEST_LIBRARY] = {.n = TEST_USER_FUNCTIONS, .names = user[1]},
      [TEST_KERNEL] = {.n = TEST_KERNEL_FUNCTIONS, .names = kernel_names}};
  test_name_functions(capture, names);
  return capture;
}

void test_capture_set_up(TestCapture *self, gconstpointer plan)
{
  g_autoptr(ProfileFilter) filter = NULL;

  self->samples = g_array_new(FALSE, TRUE, sizeof(TestSample));
  g_autofree char *path = test_capture_write(plan, self->samples);
  self->capture = test_capture_load(path);
  g_remove(path);
  filter = profile_filter_new(self->capture);
  self->weights = profile_weights_new(filter);
}

void test_capture_tear_down(TestCapture *self, gconstpointer plan)
{
  profile_weights_unref(self->weights);
  test_let_go(&self->capture);
  g_array_unref(self->samples);
}

const TestSample *test_capture_get_sample(const TestCapture *self, guint i)
{
  return &g_array_index(self->samples, TestSample, i);
}

void test_let_go(gpointer place)
{
  GObject **object = place;
  GObject *held = *object;

  g_object_add_weak_pointer(held, (gpointer *)object);
  g_object_unref(held);
  while (g_atomic_pointer_get(object))
    g_main_context_iteration(NULL, FALSE);
}
