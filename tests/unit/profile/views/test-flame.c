/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a flame graph draws against the call tree of the same samples, and against what was recorded. */
#include "profile/views/flame.h"
#include "profile/views/tree.h"
#include "tests/unit/profile/capture-fixture.h"

static const TestPlan plans[] = {
    {.n_samples = 3000, .n_streams = 1, .epochs = 1, .seed = 1},
    {.n_samples = 2000, .n_streams = 2, .epochs = 2, .weights = TRUE, .seed = 2},
    {.n_samples = 3, .n_streams = 3, .epochs = 1, .seed = 4},
};

static guint64 measure(const TestCapture *fixture, ProfileWeight weight)
{
  return profile_weights_measure(fixture->weights, weight);
}

static const char *get_name(const TestCapture *fixture, guint32 function)
{
  return function == PROFILE_TREE_NO_FUNCTION ? ""
                                              : profile_capture_get_function_name(fixture->capture, function);
}

/* The node that a box stands for. */
static guint32 find_node(ProfileTree *tree, const guint32 *path, guint n)
{
  guint32 node = 0;

  for (guint i = 0; i < n; i++) {
    guint32 n_children, child = profile_tree_expand(tree, node, &n_children), end = child + n_children;
    while (child < end && profile_tree_get_node(tree, child)->function != path[i])
      child++;
    g_assert_cmpuint(child, <, end);
    node = child;
  }
  return node;
}

static ProfileTree *make_tree(const TestCapture *fixture, gboolean inverted)
{
  return inverted ? profile_tree_new_inverted(fixture->weights) : profile_tree_new(fixture->weights);
}

static guint32 *get_path(const ProfileFlame *flame, guint box)
{
  guint n;
  guint32 *path = g_new0(guint32, profile_flame_get_boxes(flame, &n)[box].depth + 1);

  profile_flame_get_path(flame, box, path);
  return path;
}

static void check_against_tree(const TestCapture *fixture, const ProfileFlame *flame, gboolean inverted)
{
  g_autoptr(ProfileTree) tree = make_tree(fixture, inverted);
  guint n, found;
  const ProfileFlameBox *boxes = profile_flame_get_boxes(flame, &n);

  for (guint i = 0; i < n; i++) {
    g_autofree guint32 *path = get_path(flame, i);
    const ProfileTreeNode *node = profile_tree_get_node(tree, find_node(tree, path, boxes[i].depth));
    g_assert_cmpuint(boxes[i].total.count, ==, node->total.count);
    g_assert_cmpuint(boxes[i].total.weight, ==, node->total.weight);
    g_assert_cmpuint(boxes[i].self.count, ==, node->self.count);
    g_assert_cmpuint(boxes[i].self.weight, ==, node->self.weight);
    g_assert_true(profile_flame_find_path(flame, path, boxes[i].depth, &found));
    g_assert_cmpuint(found, ==, i);
  }
}

/* Children stand in their parent, side by side, by name; a place leads back to its box. */
static void check_places(const TestCapture *fixture, const ProfileFlame *flame)
{
  guint n, found;
  const ProfileFlameBox *boxes = profile_flame_get_boxes(flame, &n);

  for (guint i = 1; i < n; i++) {
    const ProfileFlameBox *box = &boxes[i], *parent = &boxes[box->parent], *last = box - 1;
    g_assert_cmpuint(box->depth, ==, parent->depth + 1);
    g_assert_cmpfloat(box->start, >=, parent->start);
    g_assert_cmpfloat(box->end, <=, parent->end);
    g_assert_cmpuint(box->depth, >=, last->depth);
    if (last->depth == box->depth)
      g_assert_cmpfloat(last->end, <=, box->start);
    if (last->depth == box->depth && last->parent == box->parent)
      g_assert_cmpint(strcmp(get_name(fixture, last->function), get_name(fixture, box->function)), <, 0);
    g_assert_true(profile_flame_find(flame, box->depth, (box->start + (double)box->end) / 2, &found));
    g_assert_cmpuint(found, ==, i);
  }
  g_assert_false(profile_flame_find(flame, profile_flame_get_n_rows(flame), 0.5, &found));
  g_assert_false(profile_flame_find(flame, 0, 1, &found));
}

static void check_widths(const TestCapture *fixture, const ProfileFlame *flame)
{
  guint n;
  const ProfileFlameBox *boxes = profile_flame_get_boxes(flame, &n);
  double sum = (double)measure(fixture, boxes[profile_flame_get_n_focus(flame)].total);

  for (guint i = profile_flame_get_n_focus(flame); i < n; i++)
    g_assert_cmpfloat_with_epsilon(boxes[i].end - boxes[i].start, measure(fixture, boxes[i].total) / sum,
                                   1e-6);
}

static void check_rows(const ProfileFlame *flame)
{
  guint n, n_row, seen = 0;
  const ProfileFlameBox *boxes = profile_flame_get_boxes(flame, &n);

  for (guint depth = 0; depth < profile_flame_get_n_rows(flame); depth++) {
    g_assert_cmpuint(profile_flame_get_row(flame, depth, &n_row), ==, seen);
    g_assert_cmpuint(n_row, >, 0);
    for (guint i = 0; i < n_row; i++)
      g_assert_cmpuint(boxes[seen + i].depth, ==, depth);
    seen += n_row;
  }
  g_assert_cmpuint(seen, ==, n);
  profile_flame_get_row(flame, profile_flame_get_n_rows(flame), &n_row);
  g_assert_cmpuint(n_row, ==, 0);
}

static void check_children(const ProfileFlame *flame)
{
  guint n, n_children, sum = 0;
  const ProfileFlameBox *boxes = profile_flame_get_boxes(flame, &n);

  for (guint i = 0; i < n; i++) {
    guint first = profile_flame_get_children(flame, i, &n_children);
    for (guint child = first; child < first + n_children; child++)
      g_assert_cmpuint(boxes[child].parent, ==, i);
    sum += n_children;
  }
  g_assert_cmpuint(sum, ==, n - 1);
}

static void check(const TestCapture *fixture, const ProfileFlame *flame, gboolean inverted)
{
  check_rows(flame);
  check_children(flame);
  check_against_tree(fixture, flame, inverted);
  check_places(fixture, flame);
  check_widths(fixture, flame);
}

static guint count_boxes(const ProfileFlame *flame)
{
  guint n;

  profile_flame_get_boxes(flame, &n);
  return n;
}

static void test_all(TestCapture *fixture, gconstpointer plan)
{
  for (int inverted = 0; inverted <= 1; inverted++) {
    ProfileFlameOptions options = {.inverted = inverted};
    g_autoptr(ProfileFlame) flame = profile_flame_new(fixture->weights, &options);
    g_autoptr(ProfileTree) tree = make_tree(fixture, inverted);

    profile_tree_expand_all(tree);
    g_assert_cmpuint(count_boxes(flame), ==, profile_tree_get_n_nodes(tree));
    check(fixture, flame, inverted);
  }
}

static void test_minimum(TestCapture *fixture, gconstpointer plan)
{
  guint64 sum = measure(fixture, profile_weights_get_sum(fixture->weights));

  for (int inverted = 0; inverted <= 1; inverted++) {
    ProfileFlameOptions options = {.inverted = inverted, .min_share = 0.01};
    g_autoptr(ProfileFlame) flame = profile_flame_new(fixture->weights, &options);
    g_autoptr(ProfileTree) tree = make_tree(fixture, inverted);
    guint heavy = 0;

    profile_tree_expand_all(tree);
    for (guint32 node = 0; node < profile_tree_get_n_nodes(tree); node++)
      heavy += measure(fixture, profile_tree_get_node(tree, node)->total) * 100 >= sum;
    g_assert_cmpuint(count_boxes(flame), ==, heavy);
    check(fixture, flame, inverted);
  }
}

/* All that is as wide, in the same places; however little that is. */
static void test_coarser(TestCapture *fixture, gconstpointer plan)
{
  static const double shares[] = {0, 0.01, 0.2, 1};

  for (guint i = 0; i < 2 * G_N_ELEMENTS(shares); i++) {
    double share = shares[i / 2];
    ProfileFlameOptions options = {.inverted = i % 2};
    g_autoptr(ProfileFlame) all = profile_flame_new(fixture->weights, &options);
    g_autoptr(ProfileFlame) flame = profile_flame_new_coarser(all, share);
    guint n, n_all, next = 0;
    const ProfileFlameBox *boxes = profile_flame_get_boxes(flame, &n);
    const ProfileFlameBox *from = profile_flame_get_boxes(all, &n_all);

    for (guint box = 0; box < n_all; box++) {
      if (from[box].end - from[box].start < share)
        continue;
      g_autofree guint32 *path = get_path(all, box), *same = get_path(flame, next);
      g_assert_cmpuint(boxes[next].depth, ==, from[box].depth);
      g_assert_cmpfloat(boxes[next].start, ==, from[box].start);
      g_assert_cmpmem(same, boxes[next].depth * sizeof *same, path, from[box].depth * sizeof *path);
      next++;
    }
    g_assert_cmpuint(next, ==, n);
    g_assert_true(profile_flame_is_inverted(flame) == options.inverted);
    check_rows(flame);
    check_children(flame);
  }
}

/* Below each box: as many boxes as without a focus, in a row as wide as all. */
static void check_focus(const TestCapture *fixture, const ProfileFlame *all, guint box, gboolean inverted)
{
  guint n, n_focused;
  const ProfileFlameBox *boxes = profile_flame_get_boxes(all, &n);
  g_autofree guint32 *path = get_path(all, box);
  ProfileFlameOptions options = {.inverted = inverted, .focus = path, .n_focus = boxes[box].depth};
  g_autoptr(ProfileFlame) flame = profile_flame_new(fixture->weights, &options);
  g_autofree guint8 *below = g_malloc0(n);
  guint n_below = 0;

  for (guint i = box; i < n; i++) {
    below[i] = i == box || below[boxes[i].parent];
    n_below += below[i];
  }
  const ProfileFlameBox *focused = profile_flame_get_boxes(flame, &n_focused);
  g_assert_cmpuint(profile_flame_get_n_focus(flame), ==, boxes[box].depth);
  g_assert_cmpuint(n_focused, ==, boxes[box].depth + n_below);
  for (guint i = 0; i <= boxes[box].depth; i++) {
    g_assert_cmpfloat(focused[i].start, ==, 0);
    g_assert_cmpfloat(focused[i].end, ==, 1);
    g_assert_cmpuint(focused[i].depth, ==, i);
  }
  check(fixture, flame, inverted);
}

static void test_focus(TestCapture *fixture, gconstpointer plan)
{
  for (int inverted = 0; inverted <= 1; inverted++) {
    ProfileFlameOptions options = {.inverted = inverted};
    g_autoptr(ProfileFlame) all = profile_flame_new(fixture->weights, &options);

    for (guint box = 0; box < count_boxes(all); box += 1 + box / 4)
      check_focus(fixture, all, box, inverted);
  }
}

/* A focus that nothing leads to is taken as far as samples do. */
static void test_lost_focus(TestCapture *fixture, gconstpointer plan)
{
  for (int inverted = 0; inverted <= 1; inverted++) {
    ProfileFlameOptions options = {.inverted = inverted};
    g_autoptr(ProfileFlame) all = profile_flame_new(fixture->weights, &options);
    guint n_rows = profile_flame_get_n_rows(all), n_row;
    guint deepest = profile_flame_get_row(all, n_rows - 1, &n_row);
    g_autofree guint32 *path = g_new0(guint32, n_rows + 1);

    profile_flame_get_path(all, deepest, path);
    path[n_rows - 1] = path[n_rows] = path[0];
    options.focus = path;
    options.n_focus = n_rows + 1;
    g_autoptr(ProfileFlame) flame = profile_flame_new(fixture->weights, &options);
    g_assert_cmpuint(profile_flame_get_n_focus(flame), ==, n_rows - 1);
    check(fixture, flame, inverted);
  }
}

/* A part of the width has the boxes that reach into it, where they are otherwise. */
static void test_part(TestCapture *fixture, gconstpointer plan)
{
  ProfileFlameOptions options = {.min_share = 0.001}, part = {.min_share = 0.001, .first = 0.3, .end = 0.4};
  g_autoptr(ProfileFlame) all = profile_flame_new(fixture->weights, &options);
  g_autoptr(ProfileFlame) flame = profile_flame_new(fixture->weights, &part);
  guint n, n_part, next = 0;
  const ProfileFlameBox *boxes = profile_flame_get_boxes(all, &n);
  const ProfileFlameBox *seen = profile_flame_get_boxes(flame, &n_part);

  check_against_tree(fixture, flame, FALSE);
  for (guint i = 0; i < n; i++) {
    if (boxes[i].end <= 0.3f || boxes[i].start >= 0.4f)
      continue;
    g_assert_cmpuint(next, <, n_part);
    g_assert_cmpuint(seen[next].function, ==, boxes[i].function);
    g_assert_cmpfloat(seen[next++].start, ==, boxes[i].start);
  }
  g_assert_cmpuint(next, ==, n_part);
}

static void test_nothing(TestCapture *fixture, gconstpointer plan)
{
  g_autoptr(ProfileFilter) filter = profile_filter_new(fixture->capture);
  guint32 function = 1;
  ProfileFlameOptions options = {.focus = &function, .n_focus = 1, .min_share = 0.001};
  guint n;

  profile_filter_set_time(filter, 1, 1);
  g_autoptr(ProfileWeights) weights = profile_weights_new(filter);
  g_autoptr(ProfileFlame) flame = profile_flame_new(weights, &options);
  const ProfileFlameBox *boxes = profile_flame_get_boxes(flame, &n);
  g_assert_cmpuint(n, ==, 1);
  g_assert_cmpuint(boxes[0].function, ==, PROFILE_TREE_NO_FUNCTION);
  g_assert_cmpuint(boxes[0].total.count, ==, 0);
  g_assert_cmpuint(profile_flame_get_n_focus(flame), ==, 0);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS(plans); i++) {
#define ADD(name)                                                                                            \
  g_autofree char *name##_path = g_strdup_printf("/profile/flame/" #name "/%u", i);                          \
  g_test_add(name##_path, TestCapture, &plans[i], test_capture_set_up, test_##name, test_capture_tear_down)
    ADD(all);
    ADD(minimum);
    ADD(coarser);
    ADD(focus);
    ADD(lost_focus);
    ADD(part);
    ADD(nothing);
#undef ADD
  }
  return g_test_run();
}
