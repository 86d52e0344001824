/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "made-capture.h"

#include <glib/gstdio.h>
#include <unistd.h>

#include "libcapture/capture-file.h"
#include "libcapture/capture-writer.h"
#include "profile/profile-tree.h"

enum { FUNCTION_SIZE = 64, MAX_DEPTH = 64, N_THREADS = 3 };
#define KERNEL_BASE G_GUINT64_CONSTANT(0xffffffff81000000)

static const char *const paths[2] = {"/usr/bin/program", "/usr/lib/libsome.so.1"};

typedef struct {
  capture_sink *sink;
  capture_writer *writer;
  guint32 event, binaries[2], threads[N_THREADS];
  guint n_frames; /* made so far: they return to different places */
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

static void define_event(Stream *stream, const MadePlan *plan)
{
  struct capture_record_event event = {.record = {sizeof event, CAPTURE_RECORD_EVENT, 0},
                                       .unit = CAPTURE_UNIT_NANOSECONDS,
                                       .frequency = plan->frequency,
                                       .detail =
                                           plan->off_cpu ? CAPTURE_DETAIL_OFF_CPU : CAPTURE_DETAIL_NONE};

  event.id = stream->event = capture_writer_next_id(stream->writer, CAPTURE_RECORD_EVENT);
  event.name = add_string(stream, plan->off_cpu ? "off-cpu" : "cpu-clock");
  define(stream, &event);
}

static void define_binaries(Stream *stream)
{
  for (guint i = 0; i < G_N_ELEMENTS(paths); i++) {
    struct capture_record_binary record = {.record = {sizeof record, CAPTURE_RECORD_BINARY, 0},
                                           .inode = 100 + i};
    record.id = stream->binaries[i] = capture_writer_next_id(stream->writer, CAPTURE_RECORD_BINARY);
    record.path = add_string(stream, paths[i]);
    define(stream, &record);
  }
}

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
  for (guint i = 0; i < N_THREADS; i++) {
    struct capture_record_thread record = {.record = {sizeof record, CAPTURE_RECORD_THREAD, 0},
                                           .tid = 100 + (int)i,
                                           .process = processes[i / 2]};
    record.id = stream->threads[i] = capture_writer_next_id(stream->writer, CAPTURE_RECORD_THREAD);
    record.name = add_string(stream, "worker");
    define(stream, &record);
  }
}

static guint32 add_frame(Stream *stream, char function, gboolean innermost)
{
  guint64 offset = (guint64)function * FUNCTION_SIZE + (innermost ? 0 : 8 + stream->n_frames++ % 3 * 8);

  if (g_ascii_isdigit(function))
    return take_id(capture_writer_frame(stream->writer, CAPTURE_SPACE_KERNEL, 0, KERNEL_BASE + offset));
  return take_id(capture_writer_frame(stream->writer, CAPTURE_SPACE_BINARY,
                                      stream->binaries[g_ascii_isupper(function)], offset));
}

/* Of path[begin] … path[end - 1]. */
static guint32 add_stack(Stream *stream, const char *path, gsize begin, gsize end)
{
  guint32 frames[MAX_DEPTH];
  guint n = 0;

  g_assert_cmpuint(end, <=, MAX_DEPTH);
  for (gsize i = end; i > begin; i--)
    frames[n++] = add_frame(stream, path[i - 1], i == end);
  return n > 0 ? take_id(capture_writer_stack(stream->writer, 0, frames, n)) : 0;
}

static guint32 add_path(Stream *stream, const char *path)
{
  gsize n_user = strcspn(path, "0123456789"), n = strlen(path);
  guint32 user = add_stack(stream, path, 0, n_user), kernel = add_stack(stream, path, n_user, n);

  return n > 0 ? take_id(capture_writer_join(stream->writer, user, kernel)) : 0;
}

static void add_samples(Stream *stream, const MadePlan *plan)
{
  guint64 time = 1000;

  for (guint i = 0; i < plan->n; i++) {
    const MadeSample *sample = &plan->samples[i];
    time = sample->time ? sample->time : time + 1;
    struct capture_writer_sample row = {.time = time,
                                        .event = stream->event,
                                        .thread = stream->threads[sample->thread],
                                        .leaf = add_path(stream, sample->path),
                                        .outcome = CAPTURE_OUTCOME_COMPLETE,
                                        .mode = CAPTURE_MODE_USER,
                                        .weight = MAX(sample->weight, 1)};
    g_assert_cmpint(capture_writer_sample(stream->writer, &row), ==, 0);
  }
}

static void write_stream(capture_file *file, const MadePlan *plan)
{
  struct capture_writer_options options = {.size = sizeof options};
  Stream stream = {0};

  gint64 number = capture_file_add_stream(file, CAPTURE_STREAM_RECORDER, 1, "test");
  g_assert_cmpint(capture_file_sink_new(&stream.sink, file, take_id(number), 1 << 14), ==, 0);
  g_assert_cmpint(capture_writer_create(&stream.writer, stream.sink, &options), ==, 0);
  define_event(&stream, plan);
  define_binaries(&stream);
  define_threads(&stream);
  add_samples(&stream, plan);
  g_assert_cmpint(capture_writer_destroy(stream.writer), ==, 0);
  capture_file_sink_free(stream.sink);
}

ProfileCapture *made_capture_new(const MadePlan *plan)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *path = NULL;
  struct capture_file_options options = {.size = sizeof options, .time = 1000, .time_realtime = 1};
  capture_file *file = NULL;
  int fd = g_file_open_tmp("test-XXXXXX.capture", &path, NULL);

  g_assert_cmpint(fd, >=, 0);
  g_assert_cmpint(capture_file_create(&file, fd, &options), ==, 0);
  write_stream(file, plan);
  g_assert_cmpint(capture_file_add_index(file), ==, 0);
  g_assert_cmpint(capture_file_end(file, CAPTURE_END_EXITED, 0, 2000), ==, 0);
  capture_file_free(file);
  close(fd);
  ProfileCapture *capture = profile_capture_load(path, PROFILE_LOAD_DEFAULT, NULL, &error);
  g_assert_no_error(error);
  g_remove(path);
  if (!plan->unnamed)
    made_capture_name(capture);
  return capture;
}

/* All letters of the kind, whether they occur or not. */
static void set_table(ProfileCapture *capture, guint32 binary, guint64 base, char first, char last)
{
  g_autoptr(ProfileFunctionTable) table = profile_function_table_new(CAPTURE_NAMING_SYMBOLS);

  for (char function = first; function <= last; function++) {
    char name[] = {function, '\0'};
    guint64 start = base + (guint64)function * FUNCTION_SIZE;
    ProfileFunctionRange range = {.start = start, .end = start + FUNCTION_SIZE, .name = name};
    profile_function_table_add(table, &range);
  }
  profile_function_table_seal(table);
  profile_capture_set_table(capture, binary, table);
}

void made_capture_name(ProfileCapture *capture)
{
  guint n;
  const ProfileBinary *binaries = profile_capture_get_binaries(capture, &n);

  set_table(capture, G_MAXUINT32, KERNEL_BASE, '0', '9');
  for (guint i = 0; i < n; i++) {
    gboolean is_program = g_str_equal(binaries[i].path, paths[0]);
    set_table(capture, i, 0, is_program ? 'a' : 'A', is_program ? 'z' : 'Z');
  }
  profile_capture_update_functions(capture);
}

guint32 made_capture_find(const ProfileStacks *stacks, const char *name)
{
  for (guint32 i = 0; i < profile_stacks_get_n_functions(stacks); i++)
    if (g_str_equal(profile_stacks_get_function_name(stacks, i), name))
      return i;
  g_test_message("There is no function %s", name);
  g_assert_not_reached();
}

static char *get_path(ProfileTree *tree, guint32 node)
{
  const ProfileStacks *stacks = profile_weights_get_stacks(profile_tree_get_weights(tree));
  GString *path = g_string_new(NULL);

  for (; node; node = profile_tree_get_node(tree, node)->parent)
    g_string_prepend(g_string_prepend_c(path, ';'),
                     profile_stacks_get_function_name(stacks, profile_tree_get_node(tree, node)->function));
  g_string_truncate(path, path->len - 1);
  return g_string_free(path, FALSE);
}

static gint compare(gconstpointer a, gconstpointer b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char *made_capture_fold(ProfileWeights *weights)
{
  g_autoptr(ProfileTree) tree = profile_tree_new(weights);
  g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);

  profile_tree_expand_all(tree);
  for (guint32 i = 0; i < profile_tree_get_n_nodes(tree); i++) {
    guint64 count = profile_tree_get_node(tree, i)->self.count;
    g_autofree char *path = i > 0 ? get_path(tree, i) : g_strdup("-");
    if (count > 0)
      g_ptr_array_add(lines, g_strdup_printf("%s %" G_GUINT64_FORMAT, path, count));
  }
  g_ptr_array_sort(lines, compare);
  g_ptr_array_add(lines, NULL);
  return g_strjoinv(", ", (char **)lines->pdata);
}
