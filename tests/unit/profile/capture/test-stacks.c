/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every kind of transform on stacks that are written down. */
#include "profile/capture/translate.h"
#include "profile/views/rows.h"
#include "profile/views/sequence.h"
#include "profile/views/tree.h"
#include "tests/unit/profile/made-capture.h"

static const MadeSample samples[] = {{.path = "abc"},          {.path = "abc", .thread = 1},
                                     {.path = "abd"},          {.path = "ab"},
                                     {.path = "abAc"},         {.path = "abAB12", .thread = 2},
                                     {.path = "abABcC"},       {.path = "aebc", .thread = 1},
                                     {.path = "rrr"},          {.path = "rsrtru"},
                                     {.path = "rsr"},          {.path = ""},
                                     {.path = "", .thread = 2}};

static ProfileCapture *new_capture(void)
{
  return made_capture_new(&(MadePlan){.samples = samples, .n = G_N_ELEMENTS(samples)});
}

/* "focus-function:b", "merge-path:a;b": functions by name, binaries by index. Free it. */
static ProfileTransform *parse(const ProfileStacks *stacks, const char *text)
{
  ProfileTransform *transform = g_new0(ProfileTransform, 1);
  g_auto(GStrv) parts = g_strsplit(text, ":", 2);
  g_auto(GStrv) names = g_strsplit(parts[1], ";", -1);
  guint n = g_strv_length(names);

  g_assert_true(profile_transform_kind_from_string(parts[0], &transform->kind));
  if (profile_transform_kind_has_path(transform->kind)) {
    transform->path = g_new(guint32, n);
    for (guint i = 0; i < n; i++)
      transform->path[transform->n_path++] = made_capture_find(stacks, names[i]);
  } else if (transform->kind == PROFILE_TRANSFORM_COLLAPSE_BINARY) {
    transform->binary = g_str_equal(parts[1], "kernel") ? G_MAXUINT32 : (guint32)atoi(parts[1]);
  } else {
    transform->function = made_capture_find(stacks, parts[1]);
  }
  return transform;
}

/* Of the capture's own, with transforms separated by " ". Free it. */
static ProfileStacks *make_stacks(ProfileCapture *capture, const char *transforms)
{
  g_auto(GStrv) texts = g_strsplit(transforms, " ", -1);
  ProfileStacks *stacks = profile_stacks_new(capture);

  for (char **text = texts; *text; text++) {
    g_autoptr(ProfileStacks) before = stacks;
    g_autoptr(ProfileTransform) transform = parse(before, *text);
    stacks = profile_stacks_transform(before, transform);
  }
  return stacks;
}

static ProfileWeights *get_weights(ProfileCapture *capture, const char *transforms)
{
  g_autoptr(ProfileStacks) stacks = make_stacks(capture, transforms);
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);

  profile_filter_set_stacks(filter, stacks);
  return profile_weights_new(filter);
}

static const struct {
  const char *transforms, *folded;
} cases[] = {
    {"",
     "- 2, a;b 1, a;b;A;B;1;2 1, a;b;A;B;c;C 1, a;b;A;c 1, a;b;c 2, a;b;d 1, a;e;b;c 1, r;r;r 1, r;s;r 1, "
     "r;s;r;t;r;u 1"},
    {"focus-function:b", "b 1, b;A;B;1;2 1, b;A;B;c;C 1, b;A;c 1, b;c 3, b;d 1"},
    {"focus-function:r", "r;r;r 1, r;s;r 1, r;s;r;t;r;u 1"},
    {"focus-function:t", "t;r;u 1"},
    {"focus-function:1 focus-function:r", ""},
    {"focus-path:a", "a;b 1, a;b;A;B;1;2 1, a;b;A;B;c;C 1, a;b;A;c 1, a;b;c 2, a;b;d 1, a;e;b;c 1"},
    {"focus-path:a;b", "b 1, b;A;B;1;2 1, b;A;B;c;C 1, b;A;c 1, b;c 2, b;d 1"},
    {"focus-path:a;b;A", "A;B;1;2 1, A;B;c;C 1, A;c 1"},
    {"focus-path:b", ""},
    {"focus-path:r;r", "r;r 1"},
    {"focus-path-inverted:c", "a;b;A;c 1, a;b;c 2, a;e;b;c 1"},
    {"focus-path-inverted:c;b", "a;b 2, a;e;b 1"},
    {"focus-path-inverted:c;b;e", "a;e 1"},
    {"focus-path-inverted:r", "r;r;r 1, r;s;r 1"},
    {"focus-path-inverted:r;r", "r;r 1"},
    {"focus-path-inverted:c;b;a;a", ""},
    {"merge-function:b",
     "- 2, a 1, a;A;B;1;2 1, a;A;B;c;C 1, a;A;c 1, a;c 2, a;d 1, a;e;c 1, r;r;r 1, r;s;r 1, "
     "r;s;r;t;r;u 1"},
    {"merge-function:r",
     "- 3, a;b 1, a;b;A;B;1;2 1, a;b;A;B;c;C 1, a;b;A;c 1, a;b;c 2, a;b;d 1, a;e;b;c 1, s 1, "
     "s;t;u 1"},
    {"merge-function:a merge-function:e focus-function:b merge-function:b",
     "- 1, A;B;1;2 1, A;B;c;C 1, A;c 1, c 3, d 1"},
    {"merge-path:a;b;A",
     "- 2, a;b 1, a;b;B;1;2 1, a;b;B;c;C 1, a;b;c 3, a;b;d 1, a;e;b;c 1, r;r;r 1, r;s;r 1, "
     "r;s;r;t;r;u 1"},
    {"merge-path:r focus-function:r", "r 1, r;r 1, r;t;r;u 1"},
    {"drop-function:b", "- 2, r;r;r 1, r;s;r 1, r;s;r;t;r;u 1"},
    {"drop-function:r drop-function:a", "- 2"},
    {"focus-function:r drop-function:r", ""},
    {"collapse-function:A focus-function:b", "b 1, b;A 3, b;c 3, b;d 1"},
    {"collapse-function:r focus-function:r", "r 3"},
    {"collapse-binary:1 focus-function:b",
     "b 1, b;c 3, b;d 1, b;libsome.so.1;1;2 1, b;libsome.so.1;c 1, b;libsome.so.1;c;libsome.so.1 1"},
    {"collapse-binary:0 focus-function:program",
     "program 8, program;A;B;1;2 1, program;A;B;program;C 1, program;A;program 1"},
    {"collapse-binary:kernel focus-function:B", "B;[kernel] 1, B;c;C 1"},
    {"collapse-binary:1 collapse-binary:1 collapse-function:libsome.so.1 focus-function:libsome.so.1",
     "libsome.so.1 3"},
    {"collapse-binary:1 merge-function:libsome.so.1 focus-function:b", "b 1, b;1;2 1, b;c 5, b;d 1"},
    {"collapse-binary:99",
     "- 2, a;b 1, a;b;A;B;1;2 1, a;b;A;B;c;C 1, a;b;A;c 1, a;b;c 2, a;b;d 1, a;e;b;c 1, "
     "r;r;r 1, r;s;r 1, r;s;r;t;r;u 1"},
    {"collapse-direct-recursion:r focus-function:r", "r 1, r;s;r 1, r;s;r;t;r;u 1"},
    {"collapse-recursion:r focus-function:r", "r 2, r;u 1"},
    {"collapse-recursion:s focus-function:r", "r;r;r 1, r;s;r 1, r;s;r;t;r;u 1"},
};

/* Without a transform, the text names none. */
static void test_kinds(void)
{
  g_autoptr(ProfileCapture) capture = new_capture();

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
    g_autoptr(ProfileWeights) weights =
        *cases[i].transforms ? get_weights(capture, cases[i].transforms) : profile_weights_new(filter);
    g_autofree char *folded = made_capture_fold(weights);
    g_test_message("%s", cases[i].transforms);
    g_assert_cmpstr(folded, ==, cases[i].folded);
  }
}

static void check_siblings(const ProfileStacks *stacks)
{
  const guint32 *parents = profile_stacks_get_parents(stacks);
  gsize n = profile_stacks_get_n_nodes(stacks);
  g_autofree guint8 *ended = g_new0(guint8, n);

  for (gsize node = 2; node < n; node++) {
    ended[parents[node - 1]] |= parents[node] != parents[node - 1];
    g_assert_false(ended[parents[node]]);
  }
}

static void test_own(void)
{
  g_autoptr(ProfileCapture) capture = new_capture();
  const guint32 *parents, *frames;
  gsize n;

  profile_capture_get_nodes(capture, &parents, &frames, &n);
  ProfileStacks *stacks = profile_stacks_new(capture), *again = profile_stacks_new(capture);
  g_assert_true(stacks == again);
  g_assert_true(profile_stacks_get_parents(stacks) == parents);
  g_assert_true(profile_stacks_get_functions(stacks) == profile_capture_get_node_functions(capture));
  g_assert_cmpuint(profile_stacks_get_n_nodes(stacks), ==, n);
  g_assert_null(profile_stacks_get_map(stacks));
  check_siblings(stacks);
  profile_stacks_unref(again);
  /* They keep the capture, and nothing keeps both. */
  ProfileCapture *kept = capture;
  g_object_add_weak_pointer(G_OBJECT(kept), (gpointer *)&kept);
  g_clear_object(&capture);
  g_assert_nonnull(kept);
  g_assert_true(profile_stacks_get_capture(stacks) == kept);
  profile_stacks_unref(stacks);
  g_assert_null(kept);
}

/* What goes below one node with one function is one node; parents come first, and siblings stand side by
 * side. */
static void check_prefix_tree(const ProfileStacks *stacks)
{
  g_autoptr(GHashTable) seen = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
  const guint32 *parents = profile_stacks_get_parents(stacks),
                *functions = profile_stacks_get_functions(stacks);

  for (gsize node = 1; node < profile_stacks_get_n_nodes(stacks); node++) {
    gint64 key = (gint64)((guint64)parents[node] << 32 | functions[node]);
    g_assert_cmpuint(parents[node], <, node);
    g_assert_cmpuint(functions[node], <, profile_stacks_get_n_functions(stacks));
    g_assert_true(g_hash_table_add(seen, g_memdup2(&key, sizeof key)));
  }
  check_siblings(stacks);
}

static void test_prefix_tree(void)
{
  g_autoptr(ProfileCapture) capture = new_capture();

  for (guint i = 1; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(ProfileStacks) stacks = make_stacks(capture, cases[i].transforms);
    check_prefix_tree(stacks);
  }
}

/* Nodes with so many children that they are found another way. */
static void test_crowded(void)
{
  enum { N = 4000 };
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  g_autoptr(GRand) random = g_rand_new_with_seed(1);
  static MadeSample many[N];
  static char paths[N][4];

  for (guint i = 0; i < N; i++) {
    for (guint j = 0; j < 3; j++)
      paths[i][j] = letters[g_rand_int_range(random, 0, G_N_ELEMENTS(letters) - 1)];
    many[i].path = paths[i];
  }
  g_autoptr(ProfileCapture) capture = made_capture_new(&(MadePlan){.samples = many, .n = N});
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  g_autoptr(ProfileWeights) weights = profile_weights_new(filter);
  g_autofree char *before = made_capture_fold(weights);
  /* Neither changes anything; the root is of no function, although unknown ones are number 0. */
  ProfileTransform drop = {.kind = PROFILE_TRANSFORM_DROP_FUNCTION, .function = G_MAXUINT32 - 1};
  ProfileTransform collapse = {.kind = PROFILE_TRANSFORM_COLLAPSE_FUNCTION, .function = 0};
  g_autoptr(ProfileStacks) first = profile_stacks_transform(profile_filter_get_stacks(filter), &drop);
  g_autoptr(ProfileStacks) stacks = profile_stacks_transform(first, &collapse);
  check_prefix_tree(stacks);
  profile_filter_set_stacks(filter, stacks);
  g_autoptr(ProfileWeights) again = profile_weights_new(filter);
  g_autofree char *after = made_capture_fold(again);
  g_assert_cmpstr(after, ==, before);
}

static ProfileRow find_row(ProfileWeights *weights, ProfileRowsBy by, guint32 item)
{
  g_autoptr(ProfileRows) rows = profile_rows_new(weights, by);

  for (gsize i = 0; i < profile_rows_get_n(rows); i++)
    if (profile_rows_get(rows, i).item == item)
      return profile_rows_get(rows, i);
  return (ProfileRow){.item = item};
}

static void test_rows(void)
{
  g_autoptr(ProfileCapture) capture = new_capture();
  g_autoptr(ProfileWeights) weights = get_weights(capture, "focus-function:b collapse-binary:1");
  const ProfileStacks *stacks = profile_weights_get_stacks(weights);
  guint32 some = made_capture_find(stacks, "libsome.so.1");
  ProfileRow row = find_row(weights, PROFILE_ROWS_FUNCTION, some);
  gsize n;

  profile_capture_get_functions(capture, &n);
  g_assert_cmpuint(some, ==, n);
  g_assert_cmpstr(profile_stacks_get_function_binary(stacks, some), ==, "/usr/lib/libsome.so.1");
  g_assert_cmpuint(profile_weights_get_sum(weights).count, ==, 8);
  g_assert_cmpuint(row.self.count, ==, 1);
  g_assert_cmpuint(row.total.count, ==, 3); /* it calls itself through c, and counts once */
  row = find_row(weights, PROFILE_ROWS_BINARY, 1);
  g_assert_cmpuint(row.self.count, ==, 1);
  g_assert_cmpuint(row.total.count, ==, 3);
  row = find_row(weights, PROFILE_ROWS_BINARY, PROFILE_ROWS_KERNEL);
  g_assert_cmpuint(row.self.count, ==, 1);
  /* Samples that were dropped belong to nobody. */
  g_assert_cmpuint(find_row(weights, PROFILE_ROWS_PROCESS, 1).self.count, ==, 7);
  g_assert_cmpuint(find_row(weights, PROFILE_ROWS_PROCESS, 2).self.count, ==, 1);
  g_assert_cmpuint(find_row(weights, PROFILE_ROWS_THREAD, 2).self.count, ==, 2);
}

static void test_trees(void)
{
  g_autoptr(ProfileCapture) capture = new_capture();
  g_autoptr(ProfileWeights) weights = get_weights(capture, "focus-function:b collapse-binary:1");
  guint32 some = made_capture_find(profile_weights_get_stacks(weights), "libsome.so.1");
  g_autoptr(ProfileTree) callers = profile_tree_new_callers(weights, some);
  g_autoptr(ProfileTree) inverted = profile_tree_new_inverted(weights);
  guint32 n, first = profile_tree_expand(callers, 0, &n);

  g_assert_cmpuint(profile_tree_get_node(callers, 0)->total.count, ==, 3);
  g_assert_cmpuint(n, ==, 1);
  g_assert_cmpuint(profile_tree_get_node(callers, first)->function, ==,
                   made_capture_find(profile_weights_get_stacks(weights), "b"));
  profile_tree_expand(inverted, 0, &n);
  g_assert_cmpuint(n, ==, 5); /* c, b, d, libsome.so.1, 2 */
}

/* Filters choose samples by what was recorded, whatever became of their stacks. */
static void test_filter(void)
{
  g_autoptr(ProfileCapture) capture = new_capture();
  g_autoptr(ProfileStacks) stacks = make_stacks(capture, "merge-function:c merge-function:C");
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);

  g_assert_true(profile_filter_get_stacks(filter) != stacks);
  profile_filter_set_stacks(filter, stacks);
  profile_filter_add_binary(filter, 1);
  g_autoptr(ProfileFilter) copy = profile_filter_copy(filter);
  g_assert_true(profile_filter_get_stacks(copy) == stacks);
  g_autoptr(ProfileWeights) weights = profile_weights_new(copy);
  g_autofree char *folded = made_capture_fold(weights);
  g_assert_cmpstr(folded, ==, "a;b;A;B 1");
  profile_filter_set_stacks(filter, NULL);
  g_assert_null(profile_stacks_get_map(profile_filter_get_stacks(filter)));
}

static void test_empty(void)
{
  static const MadeSample none[] = {{.path = ""}};
  g_autoptr(ProfileCapture) capture = made_capture_new(&(MadePlan){.samples = none, .n = 1});
  g_autoptr(ProfileStacks) own = profile_stacks_new(capture);

  for (guint kind = 0; kind <= PROFILE_TRANSFORM_COLLAPSE_RECURSION; kind++) {
    ProfileTransform transform = {.kind = (ProfileTransformKind)kind, .function = 77, .binary = 88};
    g_autoptr(ProfileStacks) stacks = profile_stacks_transform(own, &transform);
    g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
    profile_filter_set_stacks(filter, stacks);
    g_autoptr(ProfileWeights) weights = profile_weights_new(filter);
    g_autoptr(ProfileRows) rows = profile_rows_new(weights, PROFILE_ROWS_FUNCTION);
    guint expected = kind != PROFILE_TRANSFORM_FOCUS_FUNCTION;
    g_assert_cmpuint(profile_weights_get_sum(weights).count, ==, expected);
    g_assert_cmpuint(profile_rows_get_n(rows), ==, expected);
  }
}

static void test_values(void)
{
  ProfileTransformKind kind;

  for (guint i = 0; i <= PROFILE_TRANSFORM_COLLAPSE_RECURSION; i++) {
    const char *name = profile_transform_kind_to_string((ProfileTransformKind)i);
    g_assert_true(profile_transform_kind_from_string(name, &kind));
    g_assert_cmpuint(kind, ==, i);
  }
  g_assert_false(profile_transform_kind_from_string("focus", &kind));
  guint32 path[] = {3, 4};
  ProfileTransform transform = {.kind = PROFILE_TRANSFORM_FOCUS_PATH, .path = path, .n_path = 2};
  g_autoptr(ProfileTransform) copy = profile_transform_copy(&transform);
  g_assert_true(copy->path != path);
  g_assert_cmpmem(copy->path, sizeof path, path, sizeof path);
}

/* The function that is called "b" there, by the address that it had before. */
static void test_translate(void)
{
  g_autoptr(ProfileCapture) from =
      made_capture_new(&(MadePlan){.samples = samples, .n = G_N_ELEMENTS(samples), .unnamed = TRUE});
  g_autoptr(ProfileCapture) to = new_capture();
  g_autoptr(ProfileStacks) before = profile_stacks_new(from), after = profile_stacks_new(to);
  gsize n_before, n_after;

  profile_capture_get_functions(from, &n_before);
  profile_capture_get_functions(to, &n_after);
  g_assert_cmpuint(n_before, >, n_after);
  const guint32 *functions = profile_stacks_get_functions(before),
                *expected = profile_stacks_get_functions(after);
  for (gsize node = 0; node < profile_stacks_get_n_nodes(before); node++)
    g_assert_cmpuint(profile_capture_translate_function(from, to, functions[node]), ==, expected[node]);
  g_assert_cmpuint(profile_capture_translate_function(from, to, (guint32)n_before), ==, n_after);
  g_assert_cmpuint(profile_capture_translate_binary(from, to, 1), ==, 1);
  g_assert_cmpuint(profile_capture_translate_binary(from, to, 2), ==, PROFILE_TRANSLATE_NOTHING);
  g_assert_cmpuint(profile_capture_translate_thread(from, to, 3), ==, 3);
  g_assert_cmpuint(profile_capture_translate_process(from, to, 2), ==, 2);
  g_assert_cmpuint(profile_capture_translate_event(from, to, 0), ==, 0);
}

/* What is not there any more cannot be translated: here, what only came later. */
static void test_translate_grown(void)
{
  g_autoptr(ProfileCapture) grown = new_capture();
  g_autoptr(ProfileCapture) small = made_capture_new(&(MadePlan){.samples = samples, .n = 3});
  g_autoptr(ProfileStacks) stacks = profile_stacks_new(small), later = profile_stacks_new(grown);
  static const char *const there[] = {"focus-path:a;b;d", "merge-function:c", "collapse-binary:0"};

  for (guint i = 0; i < G_N_ELEMENTS(there); i++) {
    g_autoptr(ProfileTransform) transform = parse(stacks, there[i]);
    g_autoptr(ProfileTransform) translated = profile_transform_translate(transform, small, grown);
    g_autoptr(ProfileTransform) back = profile_transform_translate(translated, grown, small);
    g_assert_cmpuint(back->function, ==, transform->function);
    g_assert_cmpuint(back->binary, ==, transform->binary);
    g_assert_cmpmem(back->path, back->n_path * sizeof(guint32), transform->path,
                    transform->n_path * sizeof(guint32));
    for (guint j = 0; j < transform->n_path; j++)
      g_assert_cmpstr(profile_stacks_get_function_name(later, translated->path[j]), ==,
                      profile_stacks_get_function_name(stacks, transform->path[j]));
  }
  g_autoptr(ProfileTransform) path = parse(later, "focus-path:a;e");
  g_assert_null(profile_transform_translate(path, grown, small));
  g_autoptr(ProfileTransform) function = parse(later, "drop-function:u");
  g_assert_null(profile_transform_translate(function, grown, small));
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/profile/stacks/kinds", test_kinds);
  g_test_add_func("/profile/stacks/own", test_own);
  g_test_add_func("/profile/stacks/prefix-tree", test_prefix_tree);
  g_test_add_func("/profile/stacks/crowded", test_crowded);
  g_test_add_func("/profile/stacks/rows", test_rows);
  g_test_add_func("/profile/stacks/trees", test_trees);
  g_test_add_func("/profile/stacks/filter", test_filter);
  g_test_add_func("/profile/stacks/empty", test_empty);
  g_test_add_func("/profile/stacks/values", test_values);
  g_test_add_func("/profile/stacks/translate", test_translate);
  g_test_add_func("/profile/stacks/translate-grown", test_translate_grown);
  return g_test_run();
}
