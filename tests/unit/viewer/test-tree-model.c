/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of a call tree against ProfileTree and against counting by hand. */
#include "tests/unit/profile/capture-fixture.h"
#include "tests/unit/profile/made-capture.h"
#include "viewer/pages/tree/tree-row.h"
#include "viewer/pages/tree/tree-text.h"

typedef struct {
  TestCapture made;
  ViewerTreeModel *model;
  GArray *rows; /* guint32: nodes, as "items-changed" told them */
  guint revealed;
} Fixture;

static void follow_changes(Fixture *fixture, guint position, guint removed, guint added)
{
  guint n = g_list_model_get_n_items(G_LIST_MODEL(fixture->model));

  g_assert_true(viewer_tree_model_is_changing(fixture->model));
  g_assert_cmpuint(position + removed, <=, fixture->rows->len);
  g_assert_cmpuint(fixture->rows->len - removed + added, ==, n);
  g_array_set_size(fixture->rows, 0);
  for (guint i = 0; i < n; i++) {
    guint32 node = viewer_tree_model_get_node_at(fixture->model, i);
    g_array_append_val(fixture->rows, node);
  }
}

static void handle_revealed(Fixture *fixture, guint node)
{
  fixture->revealed = node;
}

static ProfileWeights *get_weights(Fixture *fixture, guint64 first, guint64 end)
{
  g_autoptr(ProfileFilter) filter = profile_filter_new(fixture->made.capture);

  profile_filter_set_time(filter, first, end);
  return profile_weights_new(filter);
}

static void set_up(Fixture *fixture, gconstpointer plan)
{
  test_capture_set_up(&fixture->made, plan);
  fixture->model = viewer_tree_model_new();
  fixture->rows = g_array_new(FALSE, FALSE, sizeof(guint32));
  fixture->revealed = VIEWER_TREE_NO_NODE;
  g_signal_connect_swapped(fixture->model, "items-changed", G_CALLBACK(follow_changes), fixture);
  g_signal_connect_swapped(fixture->model, "revealed", G_CALLBACK(handle_revealed), fixture);
}

static void tear_down(Fixture *fixture, gconstpointer plan)
{
  test_let_go(&fixture->model);
  test_capture_tear_down(&fixture->made, plan);
  g_array_unref(fixture->rows);
}

/* Until all that was asked for is there; changes of rows that were told add up to the rows, except for the
 * numbers of nodes that another tree brought. */
static void wait_for(Fixture *fixture)
{
  while (viewer_tree_model_is_busy(fixture->model))
    g_main_context_iteration(NULL, TRUE);
  g_assert_cmpuint(fixture->rows->len, ==, g_list_model_get_n_items(G_LIST_MODEL(fixture->model)));
}

static void show(Fixture *fixture, ProfileWeights *weights, ViewerTreeKind kind, guint32 function)
{
  viewer_tree_model_show(fixture->model, weights, kind, function);
  wait_for(fixture);
}

static void assert_same_node(Fixture *fixture, guint position, ProfileTree *tree, guint32 node)
{
  const ProfileTreeNode *row =
      viewer_tree_model_get(fixture->model, viewer_tree_model_get_node_at(fixture->model, position));
  const ProfileTreeNode *expected = profile_tree_get_node(tree, node);

  g_assert_cmpuint(row->function, ==, expected->function);
  g_assert_cmpuint(row->depth, ==, expected->depth);
  g_assert_cmpuint(row->self.count, ==, expected->self.count);
  g_assert_cmpuint(row->total.count, ==, expected->total.count);
  g_assert_cmpuint(row->total.weight, ==, expected->total.weight);
}

/* Every node of a tree in the order of rows; returns how many. */
static guint assert_same_tree(Fixture *fixture, ProfileTree *tree, guint32 node, guint position)
{
  guint32 n, first = profile_tree_expand(tree, node, &n);
  guint rows = 1;

  assert_same_node(fixture, position, tree, node);
  for (guint32 i = 0; i < n; i++)
    rows += assert_same_tree(fixture, tree, first + i, position + rows);
  return rows;
}

static void assert_whole(Fixture *fixture, ProfileTree *tree)
{
  guint n = assert_same_tree(fixture, tree, 0, 0);

  g_assert_cmpuint(n, ==, g_list_model_get_n_items(G_LIST_MODEL(fixture->model)));
  g_assert_cmpuint(n, >, 50);
}

static void test_whole_trees(Fixture *fixture, gconstpointer data)
{
  g_autoptr(ProfileTree) top_down = profile_tree_new(fixture->made.weights);
  g_autoptr(ProfileTree) inverted = profile_tree_new_inverted(fixture->made.weights);
  g_autoptr(ProfileTree) callees = profile_tree_new_callees(fixture->made.weights, 2);
  g_autoptr(ProfileTree) callers = profile_tree_new_callers(fixture->made.weights, 2);
  ProfileTree *trees[] = {top_down, inverted, callees, callers};

  for (guint i = 0; i < G_N_ELEMENTS(trees); i++) {
    show(fixture, fixture->made.weights, VIEWER_TREE_TOP_DOWN + i, 2);
    viewer_tree_model_open_below(fixture->model, 0);
    wait_for(fixture);
    assert_whole(fixture, trees[i]);
  }
}

/* So many samples of each path. */
typedef struct {
  const char *path;
  guint n;
} Part;

static ProfileWeights *weigh(const Part *parts, guint n)
{
  g_autoptr(GArray) samples = g_array_new(FALSE, FALSE, sizeof(MadeSample));

  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < parts[i].n; k++) {
      MadeSample sample = {.path = parts[i].path};
      g_array_append_val(samples, sample);
    }
  const MadePlan plan = {.samples = (const MadeSample *)samples->data, .n = samples->len};
  g_autoptr(ProfileCapture) capture = made_capture_new(&plan);
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  return profile_weights_new(filter);
}

/* The rows that one sees at first, each with its depth: "0- 1a 2b". */
static char *show_first(const Part *parts, guint n)
{
  g_autoptr(ProfileWeights) weights = weigh(parts, n);
  ViewerTreeModel *model = viewer_tree_model_new();
  GString *rows = g_string_new(NULL);

  viewer_tree_model_show(model, weights, VIEWER_TREE_TOP_DOWN, 0);
  while (viewer_tree_model_is_busy(model))
    g_main_context_iteration(NULL, TRUE);
  for (guint i = 0; i < g_list_model_get_n_items(G_LIST_MODEL(model)); i++) {
    guint32 node = viewer_tree_model_get_node_at(model, i);
    g_string_append_printf(rows, "%s%u%s", i > 0 ? " " : "", viewer_tree_model_get(model, node)->depth,
                           node == 0 ? "-" : viewer_tree_model_get_name(model, node));
  }
  test_let_go(&model);
  return g_string_free(rows, FALSE);
}

static void assert_first(const Part *parts, guint n, const char *expected)
{
  g_autofree char *rows = show_first(parts, n);

  g_assert_cmpstr(rows, ==, expected);
}

static void test_opens_to_where_it_divides(void)
{
  static const Part straight[] = {{"abc", 10}}, divided[] = {{"abxz", 6}, {"aby", 4}},
                    outweighed[] = {{"abxz", 7}, {"aby", 3}}, at_once[] = {{"abc", 6}, {"xyz", 4}},
                    own[] = {{"ab", 5}, {"abc", 5}};

  assert_first(straight, G_N_ELEMENTS(straight), "0- 1a 2b 3c");
  assert_first(divided, G_N_ELEMENTS(divided), "0- 1a 2b 3x 3y");
  assert_first(outweighed, G_N_ELEMENTS(outweighed), "0- 1a 2b 3x 4z 3y");
  assert_first(at_once, G_N_ELEMENTS(at_once), "0- 1a 1x");
  assert_first(own, G_N_ELEMENTS(own), "0- 1a 2b 3c");
}

/* Each holds two thirds of the one before, and all the same little is left of 81 in the end. */
static void test_opens_no_small_parts(void)
{
  static const Part parts[] = {{"", 27},        {"a", 18},        {"ab", 12},       {"abc", 8},
                               {"abcd", 5},     {"abcde", 3},     {"abcdef", 2},    {"abcdefg", 2},
                               {"abcdefgh", 1}, {"abcdefghi", 1}, {"abcdefghij", 2}};

  assert_first(parts, G_N_ELEMENTS(parts), "0- 1a 2b 3c 4d 5e 6f 7g 8h 9i");
}

/* Of a function from which 40 others were called once each one sees nothing but itself; but the root is open
 * whatever it divides into. */
static void test_opens_no_dust(void)
{
  char below[40][3] = {{0}}, beside[40][2] = {{0}};
  Part of_one[40], of_all[40];

  for (guint i = 0; i < 40; i++) {
    beside[i][0] = below[i][1] = (char)(i < 20 ? 'b' + i : 'A' + i - 20);
    below[i][0] = 'a';
    of_one[i] = (Part){below[i], 1};
    of_all[i] = (Part){beside[i], 1};
  }
  assert_first(of_one, 40, "0- 1a");
  g_autofree char *rows = show_first(of_all, 40);
  g_auto(GStrv) words = g_strsplit(rows, " ", -1);
  g_assert_cmpuint(g_strv_length(words), ==, 41);
}

static gboolean leads_through(const TestSample *sample, ProfileCapture *capture, const ProfilePath *path)
{
  if (sample->n < path->n)
    return FALSE;
  for (guint i = 0; i < path->n; i++)
    if (strcmp(sample->functions[i], profile_capture_get_function_name(capture, path->functions[i])) != 0)
      return FALSE;
  return TRUE;
}

static void test_numbers_by_hand(Fixture *fixture, gconstpointer data)
{
  show(fixture, fixture->made.weights, VIEWER_TREE_TOP_DOWN, 0);
  viewer_tree_model_open_below(fixture->model, 0);
  wait_for(fixture);
  for (guint i = 0; i < fixture->rows->len; i++) {
    guint32 node = g_array_index(fixture->rows, guint32, i);
    g_autofree ProfilePath *path = viewer_tree_model_get_path(fixture->model, node);
    guint total = 0, own = 0;
    for (guint s = 0; s < fixture->made.samples->len; s++) {
      const TestSample *sample = test_capture_get_sample(&fixture->made, s);
      gboolean counts = leads_through(sample, fixture->made.capture, path);
      total += counts;
      own += counts && sample->n == path->n;
    }
    g_assert_cmpuint(viewer_tree_model_get(fixture->model, node)->total.count, ==, total);
    g_assert_cmpuint(viewer_tree_model_get(fixture->model, node)->self.count, ==, own);
  }
}

static void test_opens_and_closes(Fixture *fixture, gconstpointer data)
{
  show(fixture, fixture->made.weights, VIEWER_TREE_TOP_DOWN, 0);
  guint n = fixture->rows->len;
  g_autoptr(ViewerTreeRow) root = g_list_model_get_item(G_LIST_MODEL(fixture->model), 0);
  g_autoptr(ViewerTreeRow) again = g_list_model_get_item(G_LIST_MODEL(fixture->model), 0);

  g_assert_true(root == again);
  g_assert_cmpuint(viewer_tree_row_get_node(root), ==, 0);
  viewer_tree_model_close(fixture->model, 0);
  g_assert_cmpuint(fixture->rows->len, ==, 1);
  g_assert_false(viewer_tree_model_is_open(fixture->model, 0));
  g_assert_true(viewer_tree_model_can_open(fixture->model, 0));
  viewer_tree_model_open(fixture->model, 0);
  g_assert_cmpuint(fixture->rows->len, ==, n);
  g_assert_null(g_list_model_get_item(G_LIST_MODEL(fixture->model), n));

  guint32 last = g_array_index(fixture->rows, guint32, n - 1);
  g_assert_cmpuint(viewer_tree_model_get_position(fixture->model, last), ==, n - 1);
  viewer_tree_model_open(fixture->model, last);
  wait_for(fixture);
  g_assert_true(!viewer_tree_model_can_open(fixture->model, last) || fixture->rows->len > n);
}

static guint count_below(Fixture *fixture, guint position)
{
  guint32 depth =
      viewer_tree_model_get(fixture->model, g_array_index(fixture->rows, guint32, position))->depth;
  guint end = position + 1;

  while (end < fixture->rows->len &&
         viewer_tree_model_get(fixture->model, g_array_index(fixture->rows, guint32, end))->depth > depth)
    end++;
  return end - position - 1;
}

/* Opens all; the position of a node that has rows below and behind it. */
static guint open_all(Fixture *fixture)
{
  guint position = 1;

  show(fixture, fixture->made.weights, VIEWER_TREE_TOP_DOWN, 0);
  viewer_tree_model_open_below(fixture->model, 0);
  wait_for(fixture);
  while (count_below(fixture, position) == 0)
    position++;
  g_assert_cmpuint(position + count_below(fixture, position) + 1, <, fixture->rows->len);
  return position;
}

static ViewerTreeRow *get_item(Fixture *fixture, guint position)
{
  return g_list_model_get_item(G_LIST_MODEL(fixture->model), position);
}

/* Items go with their rows. */
static void test_items_stay(Fixture *fixture, gconstpointer data)
{
  guint position = open_all(fixture), n = fixture->rows->len, n_below = count_below(fixture, position);
  guint32 node = g_array_index(fixture->rows, guint32, position);
  g_autoptr(GArray) rows = g_array_copy(fixture->rows);
  g_autoptr(GPtrArray) items = g_ptr_array_new_with_free_func(g_object_unref);

  for (guint i = 0; i < n; i++)
    g_ptr_array_add(items, get_item(fixture, i));
  viewer_tree_model_close(fixture->model, node);
  g_assert_cmpuint(fixture->rows->len, ==, n - n_below);
  for (guint i = 0; i < n - n_below; i++) {
    g_autoptr(ViewerTreeRow) item = get_item(fixture, i);
    g_assert_true(item == items->pdata[i <= position ? i : i + n_below]);
  }
  viewer_tree_model_open(fixture->model, node);
  g_assert_cmpmem(fixture->rows->data, n * sizeof(guint32), rows->data, n * sizeof(guint32));
  for (guint i = 0; i < n; i++) {
    g_autoptr(ViewerTreeRow) item = get_item(fixture, i);
    g_assert_true(item == items->pdata[i]);
  }
}

/* What was open is so again of fewer samples, and back; rows that stay keep their items. */
static void test_stays_open(Fixture *fixture, gconstpointer data)
{
  guint64 middle = test_capture_get_sample(&fixture->made, fixture->made.samples->len / 2)->time;
  g_autoptr(ProfileWeights) half = get_weights(fixture, 0, middle);
  g_autoptr(ProfileTree) tree = profile_tree_new(half);

  show(fixture, fixture->made.weights, VIEWER_TREE_TOP_DOWN, 0);
  viewer_tree_model_open_below(fixture->model, 0);
  wait_for(fixture);
  g_autoptr(ViewerTreeRow) root = g_list_model_get_item(G_LIST_MODEL(fixture->model), 0);
  show(fixture, half, VIEWER_TREE_TOP_DOWN, 0);
  assert_whole(fixture, tree);
  g_autoptr(ViewerTreeRow) again = g_list_model_get_item(G_LIST_MODEL(fixture->model), 0);
  g_assert_true(root == again);

  viewer_tree_model_close(fixture->model, 0);
  show(fixture, fixture->made.weights, VIEWER_TREE_TOP_DOWN, 0);
  g_assert_cmpuint(fixture->rows->len, ==, 1);
}

static void test_newest_wins(Fixture *fixture, gconstpointer data)
{
  guint64 middle = test_capture_get_sample(&fixture->made, fixture->made.samples->len / 2)->time;
  g_autoptr(ProfileWeights) half = get_weights(fixture, 0, middle);
  g_autoptr(ProfileTree) tree = profile_tree_new(half);

  for (guint i = 0; i < 20; i++)
    viewer_tree_model_show(fixture->model, fixture->made.weights, VIEWER_TREE_INVERTED, 0);
  show(fixture, half, VIEWER_TREE_TOP_DOWN, 0);
  assert_same_node(fixture, 0, tree, 0);
  g_assert_true(viewer_tree_model_get_weights(fixture->model) == half);

  viewer_tree_model_show(fixture->model, fixture->made.weights, VIEWER_TREE_TOP_DOWN, 0);
  show(fixture, NULL, VIEWER_TREE_TOP_DOWN, 0);
  g_assert_cmpuint(fixture->rows->len, ==, 0);
  g_assert_null(viewer_tree_model_get_weights(fixture->model));
}

/* To where sampled nodes of the capture lie, though most are closed. */
static void test_reveals_paths(Fixture *fixture, gconstpointer data)
{
  ProfileStacks *stacks = profile_weights_get_stacks(fixture->made.weights);
  gsize n_nodes = profile_stacks_get_n_nodes(stacks);

  show(fixture, fixture->made.weights, VIEWER_TREE_TOP_DOWN, 0);
  for (gsize i = 1; i < n_nodes; i += 7) {
    if (profile_weights_get_total(fixture->made.weights, (guint32)i).count == 0)
      continue;
    g_autofree ProfilePath *path = profile_path_new(stacks, (guint32)i);
    viewer_tree_model_reveal_path(fixture->model, path->functions, path->n);
    wait_for(fixture);
    g_autofree ProfilePath *found = viewer_tree_model_get_path(fixture->model, fixture->revealed);
    g_assert_true(profile_path_equal(path, found));
    g_assert_cmpuint(viewer_tree_model_get_position(fixture->model, fixture->revealed), !=, G_MAXUINT);
  }

  guint32 nowhere[] = {G_MAXUINT32 - 1};
  viewer_tree_model_reveal_path(fixture->model, nowhere, 1);
  wait_for(fixture);
  g_assert_cmpuint(fixture->revealed, ==, 0);
}

/* How many different paths of functions there are that end in one whose name holds text. */
static guint count_places(Fixture *fixture, const char *text)
{
  g_autoptr(GHashTable) paths = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < fixture->made.samples->len; i++) {
    const TestSample *sample = test_capture_get_sample(&fixture->made, i);
    g_autoptr(GString) path = g_string_new(NULL);
    for (guint j = 0; j < sample->n; j++) {
      g_string_append_printf(path, "%s;", sample->functions[j]);
      if (strstr(sample->functions[j], text))
        g_hash_table_add(paths, g_strdup(path->str));
    }
  }
  return g_hash_table_size(paths);
}

static void test_search_goes_round(Fixture *fixture, gconstpointer data)
{
  g_autoptr(ProfileSearch) search = profile_search_new(fixture->made.weights, "QSORT");
  guint n = count_places(fixture, "qsort"), last_position = 0;
  guint32 node = VIEWER_TREE_NO_NODE, first = 0;

  show(fixture, fixture->made.weights, VIEWER_TREE_TOP_DOWN, 0);
  viewer_tree_model_set_search(fixture->model, search);
  wait_for(fixture);
  g_assert_cmpuint(n, >, 10);
  g_assert_cmpuint(n, <, 1000);
  viewer_tree_model_open_below(fixture->model, 0);
  wait_for(fixture);
  for (guint i = 0; i < n; i++) {
    node = viewer_tree_model_get_place(fixture->model, node, 1);
    first = i == 0 ? node : first;
    guint position = viewer_tree_model_get_position(fixture->model, node);
    g_assert_true(viewer_tree_model_is_found(fixture->model, node));
    g_assert_cmpstr(viewer_tree_model_get_name(fixture->model, node), ==, "qsort");
    g_assert_cmpuint(position, >, last_position);
    g_assert_true(i == 0 || viewer_tree_model_get_place(fixture->model, node, -1) != node);
    last_position = position;
  }
  g_assert_cmpuint(viewer_tree_model_get_place(fixture->model, node, 1), ==, first);
  g_assert_cmpuint(viewer_tree_model_get_place(fixture->model, first, -1), ==, node);
  g_assert_false(viewer_tree_model_is_found(fixture->model, 0));
  viewer_tree_model_set_search(fixture->model, NULL);
  g_assert_cmpuint(viewer_tree_model_get_place(fixture->model, first, 1), ==, VIEWER_TREE_NO_NODE);
}

static void test_text(Fixture *fixture, gconstpointer data)
{
  show(fixture, fixture->made.weights, VIEWER_TREE_TOP_DOWN, 0);
  const ViewerCopyRows rows = viewer_tree_text_get_rows(fixture->model, 0, G_MAXUINT);
  g_autoptr(GString) text = g_string_new(NULL);

  rows.append_titles(text, rows.data);
  for (guint i = 0; i < fixture->rows->len; i++)
    rows.append_row(text, i, rows.data);
  g_auto(GStrv) lines = g_strsplit(text->str, "\n", -1);

  g_assert_cmpuint(g_strv_length(lines), ==, fixture->rows->len + 2);
  g_assert_nonnull(strstr(lines[1], "100.0 %    150.0 ms")); /* 600 samples of 250 µs */
  g_assert_nonnull(strstr(lines[1], "All Samples"));
  g_assert_nonnull(strstr(lines[2], viewer_tree_model_get_name(fixture->model, 1)));
}

/* No samples at all: a root of nothing. */
static void test_nothing(Fixture *fixture, gconstpointer data)
{
  g_autoptr(ProfileWeights) none = get_weights(fixture, 1, 2);

  show(fixture, none, VIEWER_TREE_TOP_DOWN, 0);
  g_assert_cmpuint(fixture->rows->len, ==, 1);
  g_assert_false(viewer_tree_model_can_open(fixture->model, 0));
  viewer_tree_model_open_below(fixture->model, 0);
  wait_for(fixture);
  g_assert_cmpuint(fixture->rows->len, ==, 1);
}

int main(int argc, char **argv)
{
  static const struct {
    const char *path;
    void (*test)(Fixture *fixture, gconstpointer data);
  } tests[] = {{"/viewer/tree-model/whole-trees", test_whole_trees},
               {"/viewer/tree-model/numbers-by-hand", test_numbers_by_hand},
               {"/viewer/tree-model/opens-and-closes", test_opens_and_closes},
               {"/viewer/tree-model/items-stay", test_items_stay},
               {"/viewer/tree-model/stays-open", test_stays_open},
               {"/viewer/tree-model/newest-wins", test_newest_wins},
               {"/viewer/tree-model/reveals-paths", test_reveals_paths},
               {"/viewer/tree-model/search-goes-round", test_search_goes_round},
               {"/viewer/tree-model/text", test_text},
               {"/viewer/tree-model/nothing", test_nothing}};

  static const TestPlan plan = {.n_samples = 600, .n_streams = 2, .epochs = 2, .seed = 21};

  g_test_init(&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS(tests); i++)
    g_test_add(tests[i].path, Fixture, &plan, set_up, tests[i].test, tear_down);
  g_test_add_func("/viewer/tree-model/opens-to-where-it-divides", test_opens_to_where_it_divides);
  g_test_add_func("/viewer/tree-model/opens-no-small-parts", test_opens_no_small_parts);
  g_test_add_func("/viewer/tree-model/opens-no-dust", test_opens_no_dust);
  return g_test_run();
}
