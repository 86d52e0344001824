/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who started whom, and what each was sampled, of processes of which that is known. */
#include "profile/views/process-tree.h"

#include "tests/unit/profile/told-capture.h"

enum { MAKE = 10, GCC = 11, CC1 = 12, OTHER = 20, NONE = 0 };

/* Processes are told in this order; parents are places in it, from 1. */
typedef struct {
  gint32 pid;
  guint parent;
  enum capture_process_origin origin;
  guint64 time;
  const char *name, *command_line;
  gint32 tids[3];
  guint samples[3]; /* of each thread */
} Plan;

static void define_process(ToldStream *stream, const Plan *plan, guint32 *ids, guint index)
{
  struct capture_record_process process = {.record = {sizeof process, CAPTURE_RECORD_PROCESS, 0},
                                           .pid = plan->pid,
                                           .parent = ids[plan->parent],
                                           .origin = plan->origin,
                                           .time = plan->time};

  process.id = ids[index];
  process.name = told_add_string(stream, plan->name);
  process.command_line = plan->command_line ? told_add_string(stream, plan->command_line) : 0;
  told_define(stream, &process);
}

static void sample_threads(ToldStream *stream, const Plan *plan, guint32 process, guint64 *time)
{
  for (guint i = 0; i < G_N_ELEMENTS(plan->tids) && plan->tids[i]; i++) {
    struct capture_record_thread thread = {.record = {sizeof thread, CAPTURE_RECORD_THREAD, 0},
                                           .process = process,
                                           .tid = plan->tids[i],
                                           .time = plan->time};
    thread.id = stream->thread = capture_writer_next_id(stream->writer, CAPTURE_RECORD_THREAD);
    thread.name = told_add_string(stream, plan->name);
    told_define(stream, &thread);
    for (guint j = 0; j < plan->samples[i]; j++) {
      const struct capture_writer_sample sample = {
          .time = (*time)++, .event = stream->event, .thread = stream->thread, .weight = 1000, .mode = 2};
      g_assert_cmpint(capture_writer_sample(stream->writer, &sample), ==, 0);
    }
  }
}

static void end_process(ToldStream *stream, gint32 pid, guint64 time)
{
  const struct capture_record_task task = {
      .record = {sizeof task, CAPTURE_RECORD_EXIT, 0}, .time = time, .pid = pid, .tid = pid};

  g_assert_cmpint(capture_writer_record(stream->writer, &task.record, time), ==, 0);
}

/* Identifiers are given before anything is told, so that a parent may come after its child. */
static ProfileProcessTree *make(const Plan *plans, guint n, gint32 ended, guint64 end)
{
  TestFile file = test_file_open(1, FALSE);
  ToldStream stream = told_open_stream(&file, CAPTURE_STREAM_RECORDER, "recorder");
  guint32 ids[8] = {0};
  guint64 time = 1000;

  g_assert_cmpuint(n, <, G_N_ELEMENTS(ids));
  told_define_event(&stream, "cpu-clock");
  for (guint i = 1; i <= n; i++)
    ids[i] = capture_writer_next_id(stream.writer, CAPTURE_RECORD_PROCESS);
  for (guint i = 1; i <= n; i++)
    define_process(&stream, &plans[i - 1], ids, i);
  for (guint i = 1; i <= n; i++)
    sample_threads(&stream, &plans[i - 1], ids[i], &time);
  if (ended)
    end_process(&stream, ended, end);
  told_close_stream(&stream);
  g_autoptr(ProfileCapture) capture = test_file_load(&file, 5000);
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  g_autoptr(ProfileWeights) weights = profile_weights_new(filter);
  return profile_process_tree_new(weights);
}

static const ProfileProcessNode *find(const ProfileProcessTree *tree, gint32 id, gboolean is_thread)
{
  guint n;
  const ProfileProcessNode *nodes = profile_process_tree_get_nodes(tree, &n);

  for (guint i = 1; i < n; i++)
    if (nodes[i].id == id && nodes[i].is_thread == is_thread)
      return &nodes[i];
  return NULL;
}

static gint32 get_parent_id(const ProfileProcessTree *tree, const ProfileProcessNode *node)
{
  guint n;

  return profile_process_tree_get_nodes(tree, &n)[node->parent].id;
}

/* Children name their parent, stand side by side and come after it; nobody is left out. */
static void check_shape(const ProfileProcessTree *tree)
{
  guint n, reached = 1;
  const ProfileProcessNode *nodes = profile_process_tree_get_nodes(tree, &n);

  for (guint i = 0; i < n; i++) {
    reached += nodes[i].n_children;
    for (guint j = 0; j < nodes[i].n_children; j++) {
      g_assert_cmpuint(nodes[i].first_child + j, >, i);
      g_assert_cmpuint(nodes[nodes[i].first_child + j].parent, ==, i);
    }
  }
  g_assert_cmpuint(reached, ==, n);
  g_assert_cmpuint(nodes[0].total.count, ==,
                   profile_weights_get_sum(profile_process_tree_get_weights(tree)).count);
}

static void test_family(void)
{
  static const Plan plans[] = {
      {MAKE, NONE, CAPTURE_PROCESS_EXISTED, 0, "make", "make -j", {MAKE}, {3}},
      {GCC, 1, CAPTURE_PROCESS_FORKED, 1100, "make", "make -j", {GCC}, {1}},
      {GCC, 2, CAPTURE_PROCESS_EXECED, 1200, "gcc", "gcc -c a.c", {GCC}, {5}},
      {CC1, 3, CAPTURE_PROCESS_FORKED, 1300, "gcc", NULL, {CC1, CC1 + 100}, {7, 11}},
      {OTHER, NONE, CAPTURE_PROCESS_EXISTED, 0, "other", NULL, {OTHER}, {13}},
  };
  g_autoptr(ProfileProcessTree) tree = make(plans, G_N_ELEMENTS(plans), GCC, 1900);
  const ProfileProcessNode *gcc = find(tree, GCC, FALSE), *cc1 = find(tree, CC1, FALSE);

  check_shape(tree);
  g_assert_cmpint(get_parent_id(tree, gcc), ==, MAKE);
  g_assert_cmpint(get_parent_id(tree, cc1), ==, GCC);
  g_assert_cmpint(get_parent_id(tree, find(tree, OTHER, FALSE)), ==, 0);
  /* What it executed last is what it is called; it began as what it was before. */
  g_assert_cmpstr(gcc->name, ==, "gcc");
  g_assert_cmpstr(gcc->command_line, ==, "gcc -c a.c");
  g_assert_cmpuint(gcc->start, ==, 1100);
  g_assert_cmpuint(gcc->end, ==, 1900);
  g_assert_cmpuint(gcc->n_items, ==, 2);
  g_assert_cmpuint(gcc->self.count, ==, 6);
  g_assert_cmpuint(gcc->total.count, ==, 6 + 18);
  g_assert_cmpuint(find(tree, MAKE, FALSE)->total.count, ==, 3 + 6 + 18);
  g_assert_cmpuint(cc1->self.count, ==, 18);
  g_assert_cmpuint(cc1->end, ==, 0);
  /* Threads are told where there are several. */
  g_assert_null(find(tree, GCC, TRUE));
  g_assert_cmpuint(find(tree, CC1, TRUE)->self.count, ==, 7);
  g_assert_cmpuint(find(tree, CC1 + 100, TRUE)->self.count, ==, 11);
  g_assert_cmpint(get_parent_id(tree, find(tree, CC1 + 100, TRUE)), ==, CC1);
}

/* A process whose threads nobody told of has one nevertheless. */
static void test_counts(void)
{
  static const Plan plans[] = {
      {MAKE, NONE, CAPTURE_PROCESS_EXISTED, 0, "make", NULL, {MAKE, MAKE + 100}, {1, 1}},
      {GCC, 1, CAPTURE_PROCESS_FORKED, 1100, "make", NULL, {GCC}, {1}},
      {GCC, 2, CAPTURE_PROCESS_EXECED, 1200, "gcc", NULL, {0}, {0}},
      {CC1, 3, CAPTURE_PROCESS_FORKED, 1300, "gcc", NULL, {0}, {0}},
  };
  g_autoptr(ProfileProcessTree) tree = make(plans, G_N_ELEMENTS(plans), 0, 0);
  ProfileCapture *capture = profile_weights_get_capture(profile_process_tree_get_weights(tree));

  g_assert_cmpuint(profile_capture_count_processes(capture), ==, 3);
  g_assert_cmpuint(profile_capture_count_threads(capture), ==, 4);
}

/* A file may say that two processes are each other's parent, by fork or by exec. */
static void test_circles(void)
{
  static const Plan forks[] = {
      {1, 2, CAPTURE_PROCESS_FORKED, 1100, "a", NULL, {1}, {1}},
      {2, 3, CAPTURE_PROCESS_FORKED, 1100, "b", NULL, {2}, {2}},
      {3, 1, CAPTURE_PROCESS_FORKED, 1100, "c", NULL, {3}, {4}},
  };
  static const Plan execs[] = {
      {1, 2, CAPTURE_PROCESS_EXECED, 1100, "a", NULL, {1}, {1}},
      {1, 1, CAPTURE_PROCESS_EXECED, 1200, "b", NULL, {1}, {2}},
      {4, 2, CAPTURE_PROCESS_FORKED, 1300, "c", NULL, {4}, {4}},
  };
  g_autoptr(ProfileProcessTree) forked = make(forks, G_N_ELEMENTS(forks), 0, 0);
  g_autoptr(ProfileProcessTree) execed = make(execs, G_N_ELEMENTS(execs), 0, 0);

  check_shape(forked);
  for (gint32 pid = 1; pid <= 3; pid++)
    g_assert_nonnull(find(forked, pid, FALSE));
  check_shape(execed);
  g_assert_cmpuint(find(execed, 1, FALSE)->n_items, ==, 2);
  g_assert_cmpuint(find(execed, 1, FALSE)->total.count, ==, 7);
}

/* The last one at the root is for samples of which no process is known. */
static void test_nobody(void)
{
  g_autoptr(ProfileProcessTree) tree = make(NULL, 0, 0, 0);
  guint n;
  const ProfileProcessNode *nodes = profile_process_tree_get_nodes(tree, &n);

  check_shape(tree);
  g_assert_cmpuint(n, ==, 2);
  g_assert_cmpint(nodes[1].id, ==, -1);
  g_assert_cmpuint(nodes[1].total.count, ==, 0);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/process-tree/family", test_family);
  g_test_add_func("/process-tree/counts", test_counts);
  g_test_add_func("/process-tree/circles", test_circles);
  g_test_add_func("/process-tree/nobody", test_nobody);
  return g_test_run();
}
