/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/profile/made-capture.h"

#include "profile/views/tree.h"

typedef struct {
  TestStream stream;
  guint n_frames; /* made so far: they return to different places */
} Writer;

static TestPlace get_place(char function)
{
  return g_ascii_isdigit(function) ? TEST_KERNEL : g_ascii_isupper(function) ? TEST_LIBRARY : TEST_PROGRAM;
}

static guint32 add_frame(Writer *writer, char function, gboolean innermost)
{
  guint64 offset = (guint64)function * TEST_FUNCTION_SIZE + (innermost ? 0 : 8 + writer->n_frames++ % 3 * 8);

  return test_stream_add_frame(&writer->stream, get_place(function), offset);
}

/* Of path[begin] … path[end - 1]. */
static guint32 add_stack(Writer *writer, const char *path, gsize begin, gsize end)
{
  guint32 frames[TEST_MAX_DEPTH];
  guint n = 0;

  g_assert_cmpuint(end, <=, TEST_MAX_DEPTH);
  for (gsize i = end; i > begin; i--)
    frames[n++] = add_frame(writer, path[i - 1], i == end);
  return n > 0 ? test_take_id(capture_writer_stack(writer->stream.writer, 0, frames, n)) : 0;
}

static guint32 add_path(Writer *writer, const char *path)
{
  gsize n_user = strcspn(path, "0123456789"), n = strlen(path);
  guint32 user = add_stack(writer, path, 0, n_user), kernel = add_stack(writer, path, n_user, n);

  return n > 0 ? test_take_id(capture_writer_join(writer->stream.writer, user, kernel)) : 0;
}

static void add_samples(Writer *writer, const MadePlan *plan)
{
  guint64 time = 1000;

  for (guint i = 0; i < plan->n; i++) {
    const MadeSample *sample = &plan->samples[i];
    time = sample->time ? sample->time : time + 1;
    struct capture_writer_sample row = {.time = time,
                                        .leaf = add_path(writer, sample->path),
                                        .outcome = CAPTURE_OUTCOME_COMPLETE,
                                        .weight = MAX(sample->weight, 1)};
    test_stream_add_sample(&writer->stream, sample->thread, row);
  }
}

static void write_stream(TestFile *file, const MadePlan *plan)
{
  const struct capture_record_event event = {
      .frequency = plan->frequency, .detail = plan->off_cpu ? CAPTURE_DETAIL_OFF_CPU : CAPTURE_DETAIL_NONE};
  Writer writer = {.stream = test_stream_open(file)};

  test_stream_define(&writer.stream, event, plan->off_cpu ? "off-cpu" : "cpu-clock");
  add_samples(&writer, plan);
  test_stream_close(&writer.stream);
}

ProfileCapture *made_capture_new(const MadePlan *plan)
{
  TestFile file = test_file_open(1000, FALSE);

  write_stream(&file, plan);
  g_assert_cmpint(capture_file_add_index(file.file), ==, 0);
  ProfileCapture *capture = test_file_load(&file, 2000);
  if (!plan->unnamed)
    made_capture_name(capture);
  return capture;
}

/* Every letter is a function, whether it occurs or not. */
void made_capture_name(ProfileCapture *capture)
{
  static const char *const letters[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m",
                                        "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z"};
  static const char *const capitals[] = {"A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M",
                                         "N", "O", "P", "Q", "R", "S", "T", "U", "V", "W", "X", "Y", "Z"};
  static const char *const digits[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
  static const TestNames names[TEST_N_PLACES] = {[TEST_PROGRAM] = {'a', G_N_ELEMENTS(letters), letters},
                                                 [TEST_LIBRARY] = {'A', G_N_ELEMENTS(capitals), capitals},
                                                 [TEST_KERNEL] = {'0', G_N_ELEMENTS(digits), digits}};

  test_name_functions(capture, names);
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
