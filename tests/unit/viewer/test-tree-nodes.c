/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of a tree that are counted, against rows that are listed. */
#include <glib/gstdio.h>

#include "tests/unit/profile/capture-fixture.h"
#include "viewer/pages/tree/tree-nodes.h"

typedef struct {
  ProfileCapture *capture;
  ProfileWeights *weights;
  ViewerTreeJob *job; /* the last one, which has the tree */
  ViewerTreeNodes *nodes;
} Fixture;

static void set_up(Fixture *fixture, gconstpointer data)
{
  const TestPlan plan = {.n_samples = 600, .n_streams = 2, .epochs = 2, .seed = 33};
  g_autoptr(GArray) samples = g_array_new(FALSE, TRUE, sizeof(TestSample));
  g_autofree char *path = test_capture_write(&plan, samples);

  fixture->capture = test_capture_load(path);
  g_remove(path);
  g_autoptr(ProfileFilter) filter = profile_filter_new(fixture->capture);
  fixture->weights = profile_weights_new(filter);
  fixture->job = viewer_tree_job_new(VIEWER_TREE_JOB_MAKE);
  fixture->job->weights = profile_weights_ref(fixture->weights);
  viewer_tree_job_run(fixture->job, NULL);
  fixture->nodes = g_steal_pointer(&fixture->job->made);
}

static void tear_down(Fixture *fixture, gconstpointer data)
{
  viewer_tree_nodes_free(fixture->nodes);
  viewer_tree_job_free(fixture->job);
  profile_weights_unref(fixture->weights);
  g_assert_finalize_object(fixture->capture);
}

static void do_job(Fixture *fixture, ViewerTreeJobKind kind, guint32 node)
{
  ViewerTreeJob *job = viewer_tree_job_new(kind);

  job->node = node;
  job->tree = g_steal_pointer(&fixture->job->tree);
  job->n_known = viewer_tree_nodes_get_n(fixture->nodes);
  viewer_tree_job_free(fixture->job);
  fixture->job = job;
  viewer_tree_job_run(job, NULL);
  viewer_tree_nodes_add(fixture->nodes, job);
}

static void list_rows(Fixture *fixture, guint32 node, GArray *rows)
{
  const ViewerTreeKnown *known = viewer_tree_nodes_get(fixture->nodes, node);

  g_array_append_val(rows, node);
  for (guint32 i = 0; known->is_open && i < known->n_children; i++)
    list_rows(fixture, known->first_child + i, rows);
}

static void assert_row(Fixture *fixture, const GArray *rows, guint position)
{
  guint32 node = g_array_index(rows, guint32, position);
  guint32 next = position + 1 < rows->len ? g_array_index(rows, guint32, position + 1) : VIEWER_TREE_NO_NODE;

  g_assert_cmpuint(viewer_tree_nodes_get_row(fixture->nodes, position), ==, node);
  g_assert_cmpuint(viewer_tree_nodes_get_position(fixture->nodes, node), ==, position);
  g_assert_cmpuint(viewer_tree_nodes_get_next_row(fixture->nodes, node), ==, next);
}

/* Returns how many rows there are. */
static guint assert_rows(Fixture *fixture)
{
  g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(guint32));
  guint n_seen = 0;

  list_rows(fixture, 0, rows);
  g_assert_cmpuint(viewer_tree_nodes_get_n_rows(fixture->nodes), ==, rows->len);
  for (guint i = 0; i < rows->len; i++)
    assert_row(fixture, rows, i);
  g_assert_cmpuint(viewer_tree_nodes_get_row(fixture->nodes, rows->len), ==, VIEWER_TREE_NO_NODE);
  for (guint32 node = 0; node < viewer_tree_nodes_get_n(fixture->nodes); node++)
    n_seen += viewer_tree_nodes_get_position(fixture->nodes, node) != G_MAXUINT;
  g_assert_cmpuint(n_seen, ==, rows->len);
  return rows->len;
}

static void test_nothing(void)
{
  g_autoptr(ViewerTreeNodes) nodes = viewer_tree_nodes_new();
  g_autoptr(GArray) open = viewer_tree_nodes_get_open(nodes);

  g_assert_cmpuint(viewer_tree_nodes_get_n_rows(nodes), ==, 0);
  g_assert_cmpuint(viewer_tree_nodes_get_row(nodes, 0), ==, VIEWER_TREE_NO_NODE);
  g_assert_cmpuint(viewer_tree_nodes_get_position(nodes, 0), ==, G_MAXUINT);
  g_assert_cmpuint(open->len, ==, 0);
}

static void test_all_below(Fixture *fixture, gconstpointer data)
{
  guint n_heaviest = assert_rows(fixture);

  do_job(fixture, VIEWER_TREE_JOB_EXPAND_BELOW, 0);
  guint n = assert_rows(fixture);
  g_assert_cmpuint(n, >, n_heaviest);
  g_assert_cmpuint(n, ==, viewer_tree_nodes_get_n(fixture->nodes));
  viewer_tree_nodes_set_open(fixture->nodes, 0, FALSE);
  g_assert_cmpuint(assert_rows(fixture), ==, 1);
  viewer_tree_nodes_set_open(fixture->nodes, 0, TRUE);
  g_assert_cmpuint(assert_rows(fixture), ==, n);
}

/* Opens, closes and expands nodes whether one sees them or not. */
static void test_at_random(Fixture *fixture, gconstpointer data)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(5);
  guint most = 0;

  do_job(fixture, VIEWER_TREE_JOB_EXPAND_BELOW, 0);
  for (guint i = 0; i < 400; i++) {
    guint32 n = viewer_tree_nodes_get_n(fixture->nodes);
    guint32 node = (guint32)g_rand_int_range(rand, 0, (gint32)n);
    gint what = g_rand_int_range(rand, 0, 40);
    if (what == 0)
      do_job(fixture, VIEWER_TREE_JOB_EXPAND_BELOW, node);
    else if (what < 8)
      do_job(fixture, VIEWER_TREE_JOB_EXPAND, node);
    else if (what < 10)
      viewer_tree_nodes_open_to(fixture->nodes, node);
    else
      viewer_tree_nodes_set_open(fixture->nodes, node, what < 30);
    guint below = viewer_tree_nodes_count_rows_below(fixture->nodes, 0);
    g_assert_cmpuint(assert_rows(fixture), ==, 1 + below);
    most = MAX(most, below);
  }
  g_assert_cmpuint(most, >, 100);
}

static void test_opens_what_leads_there(Fixture *fixture, gconstpointer data)
{
  do_job(fixture, VIEWER_TREE_JOB_EXPAND_BELOW, 0);
  guint32 node = viewer_tree_nodes_get_n(fixture->nodes) - 1;
  guint32 parent = viewer_tree_nodes_get(fixture->nodes, node)->node.parent;

  for (guint32 i = 0; i <= node; i++)
    viewer_tree_nodes_set_open(fixture->nodes, i, FALSE);
  g_assert_cmpuint(viewer_tree_nodes_open_to(fixture->nodes, node), ==, 0);
  assert_rows(fixture);
  g_assert_cmpuint(viewer_tree_nodes_get_position(fixture->nodes, node), !=, G_MAXUINT);
  viewer_tree_nodes_set_open(fixture->nodes, parent, FALSE);
  g_assert_cmpuint(viewer_tree_nodes_open_to(fixture->nodes, node), ==, parent);
  g_assert_cmpuint(viewer_tree_nodes_open_to(fixture->nodes, node), ==, VIEWER_TREE_NO_NODE);
  assert_rows(fixture);
}

static guint count_open(Fixture *fixture, guint32 node)
{
  const ViewerTreeKnown *known = viewer_tree_nodes_get(fixture->nodes, node);
  guint n = known->is_open && known->n_children > 0;

  for (guint32 i = 0; known->is_open && i < known->n_children; i++)
    n += count_open(fixture, known->first_child + i);
  return n;
}

/* Each once, with its parent before it. */
static void test_tells_what_is_open(Fixture *fixture, gconstpointer data)
{
  do_job(fixture, VIEWER_TREE_JOB_EXPAND_BELOW, 0);
  for (guint32 node = 1; node < viewer_tree_nodes_get_n(fixture->nodes); node += 3)
    viewer_tree_nodes_set_open(fixture->nodes, node, FALSE);
  g_autoptr(GArray) open = viewer_tree_nodes_get_open(fixture->nodes);
  g_autofree guint32 *nodes = g_new0(guint32, open->len);

  g_assert_cmpuint(open->len, ==, count_open(fixture, 0));
  g_assert_cmpuint(open->len, >, 10);
  for (guint i = 1; i < open->len; i++) {
    const ViewerTreeOpen *item = &g_array_index(open, ViewerTreeOpen, i);
    g_assert_cmpuint(item->parent, <, i);
    const ViewerTreeKnown *parent = viewer_tree_nodes_get(fixture->nodes, nodes[item->parent]);
    nodes[i] = parent->first_child;
    while (viewer_tree_nodes_get(fixture->nodes, nodes[i])->node.function != item->function)
      g_assert_cmpuint(++nodes[i], <, parent->first_child + parent->n_children);
    g_assert_true(viewer_tree_nodes_get(fixture->nodes, nodes[i])->is_open);
  }
}

int main(int argc, char **argv)
{
  static const struct {
    const char *path;
    void (*test)(Fixture *fixture, gconstpointer data);
  } tests[] = {{"/viewer/tree-nodes/all-below", test_all_below},
               {"/viewer/tree-nodes/at-random", test_at_random},
               {"/viewer/tree-nodes/opens-what-leads-there", test_opens_what_leads_there},
               {"/viewer/tree-nodes/tells-what-is-open", test_tells_what_is_open}};

  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/viewer/tree-nodes/nothing", test_nothing);
  for (guint i = 0; i < G_N_ELEMENTS(tests); i++)
    g_test_add(tests[i].path, Fixture, NULL, set_up, tests[i].test, tear_down);
  return g_test_run();
}
