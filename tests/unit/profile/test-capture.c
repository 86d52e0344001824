/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test-capture.h"

#include <unistd.h>

#include "libcapture/capture-file.h"
#include "libcapture/capture-writer.h"
#include "profile/profile-zstd.h"

static const char *const user_names[TEST_USER_FUNCTIONS] = {
    "main", "run", "walk", "visit", "copy", "parse", "qsort", "compare", "read", "write", "malloc", "free"};
static const char *const kernel_names[TEST_KERNEL_FUNCTIONS] = {
    "entry_SYSCALL_64", "do_syscall_64", "vfs_read", "page_fault", "copy_page", "schedule"};
static const char *const paths[2] = {"/usr/bin/program", "/usr/lib/libsome.so.1"};

/* One stream while it is written. */
typedef struct {
  capture_sink *sink;
  capture_writer *writer;
  guint32 event, binaries[2], threads[3];
  guint64 time;
} Stream;

static guint32 take_id(gint64 id)
{
  g_assert_cmpint(id, >, 0);
  return (guint32)id;
}

static guint32 add_string(Stream *stream, const char *text)
{
  return take_id(capture_writer_string(stream->writer, text, strlen(text)));
}

static void define(Stream *stream, gconstpointer record)
{
  g_assert_cmpint(capture_writer_define(stream->writer, record), >=, 0);
}

static void define_binary(Stream *stream, guint i)
{
  struct capture_record_binary record = {.record = {sizeof record, CAPTURE_RECORD_BINARY, 0}};

  record.id = stream->binaries[i] = capture_writer_next_id(stream->writer, CAPTURE_RECORD_BINARY);
  record.path = add_string(stream, paths[i]);
  record.inode = 100 + i;
  define(stream, &record);
}

/* Thread 100 + i of process 100 + i / 2. */
static void define_threads(Stream *stream)
{
  guint32 processes[2];

  for (guint i = 0; i < 2; i++) {
    struct capture_record_process record = {.record = {sizeof record, CAPTURE_RECORD_PROCESS, 0},
                                            .pid = 100 + (int)i};
    record.id = processes[i] = capture_writer_next_id(stream->writer, CAPTURE_RECORD_PROCESS);
    record.name = add_string(stream, i ? "second" : "first");
    define(stream, &record);
  }
  for (guint i = 0; i < 3; i++) {
    struct capture_record_thread record = {.record = {sizeof record, CAPTURE_RECORD_THREAD, 0},
                                           .tid = 100 + (int)i};
    record.id = stream->threads[i] = capture_writer_next_id(stream->writer, CAPTURE_RECORD_THREAD);
    record.process = processes[i / 2];
    record.name = add_string(stream, "worker");
    define(stream, &record);
  }
}

static void define_all(Stream *stream)
{
  struct capture_record_event event = {.record = {sizeof event, CAPTURE_RECORD_EVENT, 0}};

  event.id = stream->event = capture_writer_next_id(stream->writer, CAPTURE_RECORD_EVENT);
  event.name = add_string(stream, "cpu-clock");
  event.unit = CAPTURE_UNIT_NANOSECONDS;
  define(stream, &event);
  define_binary(stream, 0);
  define_binary(stream, 1);
  define_threads(stream);
}

/* The address of a frame: in its function for the innermost, behind a call for the others. Few addresses, so
 * that they recur; one call is the function's last instruction, so that its return address is the next
 * function's first byte. */
static guint64 choose_offset(GRand *random, guint function, gboolean innermost)
{
  static const guint sampled[4] = {0, 8, 16, 32}, returns[4] = {8, 16, 32, TEST_FUNCTION_SIZE};
  guint choice = g_rand_int_range(random, 0, 4);

  return (guint64)function * TEST_FUNCTION_SIZE + (innermost ? sampled : returns)[choice];
}

static guint32 add_frame(Stream *stream, GRand *random, guint function, gboolean kernel, gboolean innermost)
{
  guint64 offset = choose_offset(random, function, innermost);
  guint32 binary = stream->binaries[function % 2];

  if (kernel)
    return take_id(capture_writer_frame(stream->writer, CAPTURE_SPACE_KERNEL, 0, TEST_KERNEL_BASE + offset));
  return take_id(capture_writer_frame(stream->writer, CAPTURE_SPACE_BINARY, binary, offset));
}

/* A random walk over few functions: recursive, and with many stacks in common. */
static guint32 add_stack(Stream *stream, GRand *random, TestSample *sample, gboolean kernel)
{
  guint depth = g_rand_int_range(random, 0, kernel ? 6 : 12),
        n = kernel ? TEST_KERNEL_FUNCTIONS : TEST_USER_FUNCTIONS;
  guint32 frames[TEST_MAX_DEPTH];

  for (guint i = 0; i < depth; i++) {
    guint function = MIN(i / 2 + g_rand_int_range(random, 0, 3), n - 1);
    sample->functions[sample->n++] = kernel ? kernel_names[function] : user_names[function];
    sample->binary = kernel ? "[kernel]" : paths[function % 2];
    if (i == 0 && !kernel)
      sample->end = paths[function % 2];
    frames[depth - 1 - i] = add_frame(stream, random, function, kernel, i + 1 == depth);
  }
  if (depth == 0)
    return 0;
  return take_id(capture_writer_stack(stream->writer, 0, frames, depth));
}

static void add_sample(Stream *stream, GRand *random, const TestPlan *plan, GArray *samples)
{
  TestSample sample = {.time = stream->time += g_rand_int_range(random, 0, 1000), .weight = 250000};
  if (plan->late && samples->len % plan->late == 0)
    sample.time -= MIN(sample.time, (guint64)g_rand_int_range(random, 0, 20000));
  guint thread = g_rand_int_range(random, 0, 3);
  guint32 user = add_stack(stream, random, &sample, FALSE);
  guint32 kernel = g_rand_int_range(random, 0, 3) == 0 ? add_stack(stream, random, &sample, TRUE) : 0;
  gint64 leaf = user || kernel ? capture_writer_join(stream->writer, user, kernel) : 0;

  /* Some of which no version knows yet. */
  sample.outcome = g_rand_int_range(random, 0, CAPTURE_OUTCOME_LOST + 3);
  if (samples->len % 3 == 0)
    sample.outcome |= CAPTURE_OUTCOME_BY_FRAME_POINTERS;
  if (plan->weights)
    sample.weight = g_rand_int_range(random, 1, 1000);
  sample.tid = 100 + (int)thread;
  sample.pid = 100 + (int)thread / 2;
  struct capture_writer_sample row = {.time = sample.time,
                                      .event = stream->event,
                                      .thread = stream->threads[thread],
                                      .leaf = leaf ? take_id(leaf) : 0,
                                      .cpu = (guint16)thread,
                                      .outcome = (guint8)sample.outcome,
                                      .mode = kernel ? CAPTURE_MODE_KERNEL : CAPTURE_MODE_USER,
                                      .weight = sample.weight};
  g_assert_cmpint(capture_writer_sample(stream->writer, &row), ==, 0);
  g_array_append_val(samples, sample);
}

static void write_streams(capture_file *file, const TestPlan *plan, GArray *samples)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(plan->seed);
  struct capture_writer_options options = {.size = sizeof options};

  for (guint i = 0; i < plan->n_streams; i++) {
    Stream stream = {.time = 1000};
    gint64 number = capture_file_add_stream(file, CAPTURE_STREAM_RECORDER, 1, "test");
    g_assert_cmpint(capture_file_sink_new(&stream.sink, file, take_id(number), 1 << 14), ==, 0);
    g_assert_cmpint(capture_writer_create(&stream.writer, stream.sink, &options), ==, 0);
    for (guint epoch = 0; epoch < plan->epochs; epoch++) {
      if (epoch > 0)
        g_assert_cmpint(capture_writer_next_epoch(stream.writer), ==, 0);
      define_all(&stream);
      for (guint j = 0; j < plan->n_samples / plan->n_streams / plan->epochs; j++)
        add_sample(&stream, random, plan, samples);
    }
    g_assert_cmpint(capture_writer_destroy(stream.writer), ==, 0);
    capture_file_sink_free(stream.sink);
  }
}

static gint compare_times(gconstpointer a, gconstpointer b)
{
  const TestSample *left = a, *right = b;

  return left->time < right->time ? -1 : left->time > right->time;
}

char *test_capture_write(const TestPlan *plan, GArray *samples)
{
  struct capture_file_options options = {.size = sizeof options,
                                         .compress = plan->compress ? profile_zstd_compress : NULL,
                                         .time = 1000,
                                         .time_realtime = 1};
  char *path = NULL;
  capture_file *file = NULL;
  int fd = g_file_open_tmp("test-XXXXXX.capture", &path, NULL);

  g_assert_cmpint(fd, >=, 0);
  g_assert_cmpint(capture_file_create(&file, fd, &options), ==, 0);
  write_streams(file, plan, samples);
  g_assert_cmpint(capture_file_add_metadata(file, "command", "program --fast"), ==, 0);
  g_assert_cmpint(capture_file_add_index(file), ==, 0);
  g_assert_cmpint(capture_file_end(file, CAPTURE_END_EXITED, 0, 2000), ==, 0);
  capture_file_free(file);
  close(fd);
  g_array_sort(samples, compare_times);
  return path;
}

static ProfileFunctionTable *make_table(const char *const *names, guint n, guint64 base, int binary)
{
  ProfileFunctionTable *table = profile_function_table_new(CAPTURE_NAMING_SYMBOLS);

  for (guint i = 0; i < n; i++) {
    ProfileFunctionRange range = {.start = base + (guint64)i * TEST_FUNCTION_SIZE, .name = names[i]};
    range.end = range.start + TEST_FUNCTION_SIZE;
    if (binary < 0 || i % 2 == (guint)binary)
      profile_function_table_add(table, &range);
  }
  profile_function_table_seal(table);
  return table;
}

ProfileCapture *test_capture_load(const char *path)
{
  g_autoptr(GError) error = NULL;
  ProfileCapture *capture = profile_capture_load(path, PROFILE_LOAD_DEFAULT, NULL, &error);
  g_autoptr(ProfileFunctionTable) kernel =
      make_table(kernel_names, TEST_KERNEL_FUNCTIONS, TEST_KERNEL_BASE, -1);
  guint n;

  g_assert_no_error(error);
  const ProfileBinary *binaries = profile_capture_get_binaries(capture, &n);
  profile_capture_set_table(capture, G_MAXUINT32, kernel);
  for (guint i = 0; i < n; i++) {
    int binary = strcmp(binaries[i].path, paths[0]) == 0 ? 0 : 1;
    g_autoptr(ProfileFunctionTable) table = make_table(user_names, TEST_USER_FUNCTIONS, 0, binary);
    profile_capture_set_table(capture, i, table);
  }
  profile_capture_update_functions(capture);
  return capture;
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
