/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every view of a capture against counting by hand. */
#include "profile/views/rows.h"
#include "profile/views/tree.h"
#include "tests/unit/profile/capture-fixture.h"

static const TestPlan plans[] = {
    {.n_samples = 3000, .n_streams = 1, .epochs = 1, .seed = 1},
    {.n_samples = 3000, .n_streams = 1, .epochs = 3, .compress = TRUE, .seed = 2},
    {.n_samples = 3000, .n_streams = 3, .epochs = 2, .weights = TRUE, .compress = TRUE, .seed = 3},
    {.n_samples = 3, .n_streams = 3, .epochs = 1, .seed = 4},
    {.n_samples = 3000, .n_streams = 2, .epochs = 2, .late = 7, .compress = TRUE, .seed = 5},
};

static const char *get_name(const TestCapture *fixture, guint32 function)
{
  return profile_capture_get_function_name(fixture->capture, function);
}

/* The functions from the outermost to the node, separated by ";". */
static char *get_path(const TestCapture *fixture, guint32 node)
{
  const guint32 *parent, *frame, *functions = profile_capture_get_node_functions(fixture->capture);
  GString *path = g_string_new(NULL);
  gsize n;

  profile_capture_get_nodes(fixture->capture, &parent, &frame, &n);
  for (; node; node = parent[node]) {
    g_string_prepend_c(path, ';');
    g_string_prepend(path, get_name(fixture, functions[node]));
  }
  return g_string_free(path, FALSE);
}

static char *get_sample_path(const TestSample *sample, guint n)
{
  GString *path = g_string_new(NULL);

  for (guint i = 0; i < n; i++)
    g_string_append_printf(path, "%s;", sample->functions[i]);
  return g_string_free(path, FALSE);
}

/* Samples of one time may stand in any order: they are compared as a sum of what each says. */
static void test_samples(TestCapture *fixture, gconstpointer data)
{
  const TestPlan *plan = data;
  guint n_events, n_threads;
  const ProfileEvent *event = profile_capture_get_events(fixture->capture, &n_events);
  const ProfileThread *threads = profile_capture_get_threads(fixture->capture, &n_threads);
  g_autoptr(GHashTable) said = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

  g_assert_cmpuint(n_events, ==, 1);
  g_assert_cmpuint(n_threads, ==, 4);
  g_assert_cmpuint(event->n_samples, ==, plan->n_samples);
  g_assert_cmpuint(fixture->samples->len, ==, plan->n_samples);
  for (guint i = 0; i < plan->n_samples; i++) {
    const TestSample *sample = test_capture_get_sample(fixture, i);
    g_autofree char *path = get_sample_path(sample, sample->n);
    char *key = g_strdup_printf("%lu %d %lu %s", sample->time, sample->tid, sample->weight, path);
    gint count = GPOINTER_TO_INT(g_hash_table_lookup(said, key));
    g_hash_table_insert(said, key, GINT_TO_POINTER(count + 1));
  }
  for (guint i = 0; i < plan->n_samples; i++) {
    g_autofree char *path = get_path(fixture, event->leaf[i]);
    guint64 weight = event->weight ? event->weight[i] : event->constant_weight;
    g_autofree char *key =
        g_strdup_printf("%lu %d %lu %s", event->time[i], threads[event->thread[i]].tid, weight, path);
    gint count = GPOINTER_TO_INT(g_hash_table_lookup(said, key));
    g_assert_cmpint(count, >, 0);
    g_hash_table_insert(said, g_strdup(key), GINT_TO_POINTER(count - 1));
    g_assert_true(i == 0 || event->time[i - 1] <= event->time[i]);
  }
}

static void test_nodes(TestCapture *fixture, gconstpointer data)
{
  const guint32 *parent, *frame;
  gsize n, n_frames;

  profile_capture_get_nodes(fixture->capture, &parent, &frame, &n);
  profile_capture_get_frames(fixture->capture, &n_frames);
  for (gsize i = 1; i < n; i++) {
    g_assert_cmpuint(parent[i], <, i);
    g_assert_cmpuint(frame[i], <, n_frames);
  }
  g_assert_null(profile_capture_get_problems(fixture->capture)[0]);
  g_assert_cmpstr(profile_capture_get_metadata(fixture->capture, "command"), ==, "program --fast");
}

/* Which samples a filter of the tests lets through. */
typedef struct {
  guint64 first, end;
  int tid, pid;       /* 0: all */
  const char *binary; /* NULL: all */
} Wanted;

static gboolean is_wanted(const Wanted *wanted, const TestSample *sample)
{
  return sample->time >= wanted->first && sample->time < wanted->end &&
         (!wanted->tid || wanted->tid == sample->tid) && (!wanted->pid || wanted->pid == sample->pid) &&
         (!wanted->binary || g_strcmp0(wanted->binary, sample->binary) == 0);
}

static ProfileWeights *get_weights(const TestCapture *fixture, const Wanted *wanted)
{
  g_autoptr(ProfileFilter) filter = profile_filter_new(fixture->capture);
  guint n;

  profile_filter_set_time(filter, wanted->first, wanted->end);
  const ProfileThread *threads = profile_capture_get_threads(fixture->capture, &n);
  for (guint i = 0; i < n; i++)
    if (wanted->tid && threads[i].tid == wanted->tid)
      profile_filter_add_thread(filter, i);
  const ProfileProcess *processes = profile_capture_get_processes(fixture->capture, &n);
  for (guint i = 0; i < n; i++)
    if (wanted->pid && processes[i].pid == wanted->pid)
      profile_filter_add_process(filter, i);
  const ProfileBinary *binaries = profile_capture_get_binaries(fixture->capture, &n);
  for (guint i = 0; i < n; i++)
    if (g_strcmp0(wanted->binary, binaries[i].path) == 0)
      profile_filter_add_binary(filter, i);
  if (g_strcmp0(wanted->binary, "[kernel]") == 0)
    profile_filter_add_binary(filter, G_MAXUINT32);
  return profile_weights_new(filter);
}

static const Wanted all_wanted[] = {
    {.end = G_MAXUINT64},
    {.first = 100000, .end = 200000},
    {.end = G_MAXUINT64, .tid = 101},
    {.end = G_MAXUINT64, .pid = 100},
    {.first = 5000, .end = G_MAXUINT64, .pid = 100, .tid = 102},
    {.end = G_MAXUINT64, .binary = "[kernel]"},
    {.end = 300000, .binary = "/usr/bin/program"},
    {.first = G_MAXUINT64, .end = 0},
};

static gboolean leads_through(const TestSample *sample, const char *function)
{
  for (guint i = 0; i < sample->n; i++)
    if (g_strcmp0(sample->functions[i], function) == 0)
      return TRUE;
  return FALSE;
}

static gboolean comes_before(const ProfileRow *a, const ProfileRow *b)
{
  if (a->self.count != b->self.count)
    return a->self.count > b->self.count;
  return a->total.count != b->total.count ? a->total.count > b->total.count : a->item < b->item;
}

static void check_rows(const TestCapture *fixture, const Wanted *wanted)
{
  g_autoptr(ProfileWeights) weights = get_weights(fixture, wanted);
  g_autoptr(ProfileRows) rows = profile_rows_new(weights, PROFILE_ROWS_FUNCTION);
  guint64 sum = 0;

  for (gsize i = 0; i < profile_rows_get_n(rows); i++) {
    ProfileRow row = profile_rows_get(rows, i), last = profile_rows_get(rows, i ? i - 1 : 0);
    g_assert_true(i == 0 || comes_before(&last, &row));
    const char *name = get_name(fixture, row.item);
    ProfileWeight self = {0}, total = {0};
    for (guint j = 0; j < fixture->samples->len; j++) {
      const TestSample *sample = test_capture_get_sample(fixture, j);
      if (!is_wanted(wanted, sample))
        continue;
      gboolean none = sample->n == 0 && row.item == 0;
      gboolean ends = none || (sample->n > 0 && g_strcmp0(sample->functions[sample->n - 1], name) == 0);
      self.count += ends;
      self.weight += ends ? sample->weight : 0;
      total.count += none || leads_through(sample, name);
      total.weight += none || leads_through(sample, name) ? sample->weight : 0;
    }
    g_assert_cmpuint(row.self.count, ==, self.count);
    g_assert_cmpuint(row.self.weight, ==, self.weight);
    g_assert_cmpuint(row.total.count, ==, total.count);
    g_assert_cmpuint(row.total.weight, ==, total.weight);
    sum += self.count;
  }
  g_assert_cmpuint(sum, ==, profile_weights_get_sum(weights).count);
}

static void test_rows(TestCapture *fixture, gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS(all_wanted); i++)
    check_rows(fixture, &all_wanted[i]);
}

static guint64 count_wanted(const TestCapture *fixture, const Wanted *wanted)
{
  guint64 count = 0;

  for (guint i = 0; i < fixture->samples->len; i++)
    count += is_wanted(wanted, test_capture_get_sample(fixture, i));
  return count;
}

static void test_other_rows(TestCapture *fixture, gconstpointer data)
{
  Wanted everything = {.end = G_MAXUINT64};
  g_autoptr(ProfileWeights) weights = get_weights(fixture, &everything);
  g_autoptr(ProfileRows) threads = profile_rows_new(weights, PROFILE_ROWS_THREAD);
  g_autoptr(ProfileRows) processes = profile_rows_new(weights, PROFILE_ROWS_PROCESS);
  g_autoptr(ProfileRows) binaries = profile_rows_new(weights, PROFILE_ROWS_BINARY);
  guint m;

  for (gsize i = 0; i < profile_rows_get_n(threads); i++) {
    ProfileRow row = profile_rows_get(threads, i);
    Wanted one = {.end = G_MAXUINT64, .tid = profile_capture_get_threads(fixture->capture, &m)[row.item].tid};
    g_assert_cmpuint(row.self.count, ==, count_wanted(fixture, &one));
  }
  for (gsize i = 0; i < profile_rows_get_n(processes); i++) {
    ProfileRow row = profile_rows_get(processes, i);
    Wanted one = {.end = G_MAXUINT64,
                  .pid = profile_capture_get_processes(fixture->capture, &m)[row.item].pid};
    g_assert_cmpuint(row.total.count, ==, count_wanted(fixture, &one));
  }
  for (gsize i = 0; i < profile_rows_get_n(binaries); i++) {
    ProfileRow row = profile_rows_get(binaries, i);
    if (row.item == PROFILE_ROWS_NO_BINARY)
      continue;
    Wanted one = {.end = G_MAXUINT64, .binary = "[kernel]"};
    if (row.item != PROFILE_ROWS_KERNEL)
      one.binary = profile_capture_get_binaries(fixture->capture, &m)[row.item].path;
    g_assert_cmpuint(row.self.count, ==, count_wanted(fixture, &one));
    g_assert_cmpuint(row.total.count, >=, row.self.count);
  }
}

/* Path of a tree node's functions from the root's child on. */
static char *get_tree_path(const TestCapture *fixture, const ProfileTree *tree, guint32 node)
{
  GString *path = g_string_new(NULL);

  for (; node; node = profile_tree_get_node(tree, node)->parent) {
    g_string_prepend_c(path, ';');
    g_string_prepend(path, get_name(fixture, profile_tree_get_node(tree, node)->function));
  }
  return g_string_free(path, FALSE);
}

static char *reverse_path(const TestSample *sample, guint begin, guint end)
{
  GString *path = g_string_new(NULL);

  while (end > begin)
    g_string_append_printf(path, "%s;", sample->functions[--end]);
  return g_string_free(path, FALSE);
}

/* What a tree should hold: path → count. */
static void expect(GHashTable *expected, char *path, guint64 weight)
{
  ProfileWeight *sum = g_hash_table_lookup(expected, path);

  if (!sum)
    g_hash_table_insert(expected, g_strdup(path), sum = g_new0(ProfileWeight, 1));
  sum->count++;
  sum->weight += weight;
  g_free(path);
}

static void compare_tree(const TestCapture *fixture, ProfileTree *tree, GHashTable *expected)
{
  profile_tree_expand_all(tree);
  for (guint32 i = 1; i < profile_tree_get_n_nodes(tree); i++) {
    const ProfileTreeNode *node = profile_tree_get_node(tree, i);
    g_autofree char *path = get_tree_path(fixture, tree, i);
    const ProfileWeight *sum = g_hash_table_lookup(expected, path);
    g_assert_nonnull(sum);
    g_assert_cmpuint(node->total.count, ==, sum->count);
    g_assert_cmpuint(node->total.weight, ==, sum->weight);
    guint32 n_children, first = profile_tree_expand(tree, i, &n_children);
    guint64 below = 0;
    for (guint32 child = first; child < first + n_children; child++) {
      below += profile_tree_get_node(tree, child)->total.count;
      g_assert_true(child == first || profile_tree_get_node(tree, child - 1)->total.count >=
                                          profile_tree_get_node(tree, child)->total.count);
    }
    node = profile_tree_get_node(tree, i);
    g_assert_cmpuint(node->self.count + below, ==, node->total.count);
    g_hash_table_remove(expected, path);
  }
  g_assert_cmpuint(g_hash_table_size(expected), ==, 0);
}

static GHashTable *new_expectation(void)
{
  return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
}

static void check_trees(const TestCapture *fixture, const Wanted *wanted)
{
  g_autoptr(ProfileWeights) weights = get_weights(fixture, wanted);
  g_autoptr(ProfileTree) down = profile_tree_new(weights), up = profile_tree_new_inverted(weights);
  g_autoptr(GHashTable) expected_down = new_expectation(), expected_up = new_expectation();

  for (guint i = 0; i < fixture->samples->len; i++) {
    const TestSample *sample = test_capture_get_sample(fixture, i);
    for (guint j = 1; is_wanted(wanted, sample) && j <= sample->n; j++) {
      expect(expected_down, get_sample_path(sample, j), sample->weight);
      expect(expected_up, reverse_path(sample, sample->n - j, sample->n), sample->weight);
    }
  }
  g_assert_cmpuint(profile_tree_get_node(down, 0)->total.count, ==, count_wanted(fixture, wanted));
  g_assert_cmpuint(profile_tree_get_node(up, 0)->total.count, ==, count_wanted(fixture, wanted));
  compare_tree(fixture, down, expected_down);
  compare_tree(fixture, up, expected_up);
}

static void test_trees(TestCapture *fixture, gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS(all_wanted); i++)
    check_trees(fixture, &all_wanted[i]);
}

static void check_calls(const TestCapture *fixture, ProfileWeights *weights, guint32 function)
{
  g_autoptr(ProfileTree) callees = profile_tree_new_callees(weights, function);
  g_autoptr(ProfileTree) callers = profile_tree_new_callers(weights, function);
  g_autoptr(GHashTable) expected_callees = new_expectation(), expected_callers = new_expectation();
  const char *name = get_name(fixture, function);
  guint64 count = 0;

  for (guint i = 0; i < fixture->samples->len; i++) {
    const TestSample *sample = test_capture_get_sample(fixture, i);
    guint call = 0;
    while (call < sample->n && g_strcmp0(sample->functions[call], name) != 0)
      call++;
    if (call == sample->n)
      continue;
    count++;
    for (guint j = call + 2; j <= sample->n; j++) {
      GString *path = g_string_new(NULL);
      for (guint k = call + 1; k < j; k++)
        g_string_append_printf(path, "%s;", sample->functions[k]);
      expect(expected_callees, g_string_free(path, FALSE), sample->weight);
    }
    for (guint j = 0; j < call; j++)
      expect(expected_callers, reverse_path(sample, j, call), sample->weight);
  }
  g_assert_cmpuint(profile_tree_get_node(callees, 0)->total.count, ==, count);
  g_assert_cmpuint(profile_tree_get_node(callers, 0)->total.count, ==, count);
  compare_tree(fixture, callees, expected_callees);
  compare_tree(fixture, callers, expected_callers);
}

static gboolean is_light(gpointer key, gpointer value, gpointer data)
{
  return ((ProfileWeight *)value)->count < *(guint64 *)data;
}

/* A path is there exactly if it has that many samples; nothing else about it changes. */
static void test_minimum(TestCapture *fixture, gconstpointer data)
{
  Wanted everything = {.end = G_MAXUINT64};
  g_autoptr(ProfileWeights) weights = get_weights(fixture, &everything);
  guint64 minimum = fixture->samples->len / 50 + 2;

  for (guint inverted = 0; inverted < 2; inverted++) {
    g_autoptr(ProfileTree) tree = inverted ? profile_tree_new_inverted(weights) : profile_tree_new(weights);
    g_autoptr(GHashTable) expected = new_expectation();
    for (guint i = 0; i < fixture->samples->len; i++) {
      const TestSample *sample = test_capture_get_sample(fixture, i);
      for (guint j = 1; j <= sample->n; j++)
        expect(expected,
               inverted ? reverse_path(sample, sample->n - j, sample->n) : get_sample_path(sample, j),
               sample->weight);
    }
    g_hash_table_foreach_remove(expected, is_light, &minimum);
    profile_tree_set_minimum(tree, minimum);
    profile_tree_expand_all(tree);
    for (guint32 i = 1; i < profile_tree_get_n_nodes(tree); i++) {
      g_autofree char *path = get_tree_path(fixture, tree, i);
      const ProfileWeight *sum = g_hash_table_lookup(expected, path);
      g_assert_nonnull(sum);
      g_assert_cmpuint(profile_tree_get_node(tree, i)->total.count, ==, sum->count);
      g_hash_table_remove(expected, path);
    }
    g_assert_cmpuint(g_hash_table_size(expected), ==, 0);
  }
}

static void test_calls(TestCapture *fixture, gconstpointer data)
{
  Wanted everything = {.end = G_MAXUINT64};
  g_autoptr(ProfileWeights) weights = get_weights(fixture, &everything);
  gsize n;

  profile_capture_get_functions(fixture->capture, &n);
  for (guint32 i = 1; i < n; i++)
    check_calls(fixture, weights, i);
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*function)(TestCapture *fixture, gconstpointer data);
  } tests[] = {{"samples", test_samples},       {"nodes", test_nodes}, {"rows", test_rows},
               {"other-rows", test_other_rows}, {"trees", test_trees}, {"calls", test_calls},
               {"minimum", test_minimum}};

  g_test_init(&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS(plans); i++)
    for (guint j = 0; j < G_N_ELEMENTS(tests); j++) {
      g_autofree char *path = g_strdup_printf("/profile/views/%u/%s", i, tests[j].name);
      g_test_add(path, TestCapture, &plans[i], test_capture_set_up, tests[j].function,
                 test_capture_tear_down);
    }
  return g_test_run();
}
