/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stacks with functions that were inlined, as debug information says. */
#include "profile/capture/translate.h"
#include "profile/naming/missing-names.h"
#include "profile/views/rows.h"
#include "profile/views/tree.h"
#include "tests/unit/profile/made-capture.h"

static const MadeSample samples[] = {
    {.path = "abc"}, {.path = "ab"}, {.path = "abd"}, {.path = "adb"}, {.path = "aA1"}};

/* Where a letter's function is: x was inlined into y and that into b, d into a's calls, 7 into 1. */
static void add_places(ProfileCapture *capture)
{
  static const ProfilePlaceFrame
      in_b[] = {{.name = "x", .file = "x.h", .line = 7, .declared_file = "x.h", .declared_line = 5},
                {.name = "y", .file = "y.h", .line = 8},
                {.name = "b", .file = "b.c", .line = 9}},
      in_a[] = {{.name = "d", .file = "d.h", .line = 3}, {.name = "a", .file = "a.c", .line = 4}},
      in_1[] = {{.name = "7", .file = "7.h", .line = 1}, {.name = "1", .file = "1.c", .line = 2}},
      in_c[] = {{.file = "c.c", .line = 11}};
  g_autoptr(ProfilePlaces) program = profile_places_new(), kernel = profile_places_new();

  profile_places_add(program, 'b' * TEST_FUNCTION_SIZE, 'c' * TEST_FUNCTION_SIZE, in_b, G_N_ELEMENTS(in_b));
  profile_places_add(program, 'a' * TEST_FUNCTION_SIZE, 'b' * TEST_FUNCTION_SIZE, in_a, G_N_ELEMENTS(in_a));
  profile_places_add(program, 'c' * TEST_FUNCTION_SIZE, 'd' * TEST_FUNCTION_SIZE, in_c, G_N_ELEMENTS(in_c));
  profile_places_seal(program);
  profile_places_add(kernel, TEST_KERNEL_BASE + '1' * TEST_FUNCTION_SIZE,
                     TEST_KERNEL_BASE + '2' * TEST_FUNCTION_SIZE, in_1, 2);
  profile_places_seal(kernel);
  profile_capture_set_places(capture, 0, program);
  profile_capture_set_places(capture, G_MAXUINT32, kernel);
  profile_capture_update_functions(capture);
}

static ProfileCapture *new_capture(void)
{
  ProfileCapture *capture = made_capture_new(&(MadePlan){.samples = samples, .n = G_N_ELEMENTS(samples)});

  add_places(capture);
  return capture;
}

static char *fold(ProfileCapture *capture, ProfileStacks *stacks)
{
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);

  profile_filter_set_stacks(filter, stacks);
  g_autoptr(ProfileWeights) weights = profile_weights_new(filter);
  return made_capture_fold(weights);
}

static void test_stacks(void)
{
  g_autoptr(ProfileCapture) capture = new_capture();
  g_autoptr(ProfileStacks) stacks = profile_stacks_new(capture),
                           recorded = profile_stacks_new_without_inlined(capture);
  g_autofree char *with = fold(capture, stacks), *without = fold(capture, recorded);

  g_assert_cmpstr(with, ==, "a;d;A;1;7 1, a;d;b;y;x 1, a;d;b;y;x;c 1, a;d;b;y;x;d 1, a;d;d;b;y;x 1");
  g_assert_cmpstr(without, ==, "a;A;1 1, a;b 1, a;b;c 1, a;b;d 1, a;d;b 1");
  g_assert_false(profile_stacks_is_transformed(stacks));
  g_assert_null(profile_stacks_get_inlined(recorded));
}

/* "a;d*;b" with a star behind each that is inlined. */
static void append_tree(ProfileTree *tree, guint32 node, GString *text)
{
  const ProfileStacks *stacks = profile_weights_get_stacks(profile_tree_get_weights(tree));
  guint32 n, first = profile_tree_expand(tree, node, &n);

  for (guint32 child = first; child < first + n; child++) {
    g_string_append(text,
                    profile_stacks_get_function_name(stacks, profile_tree_get_node(tree, child)->function));
    if (profile_tree_get_node(tree, child)->inlined)
      g_string_append_c(text, '*');
    append_tree(tree, child, text);
  }
}

static void assert_tree(ProfileTree *tree, const char *expected)
{
  g_autoptr(GString) text = g_string_new(NULL);

  append_tree(tree, 0, text);
  g_assert_cmpstr(text->str, ==, expected);
}

static void test_marks(void)
{
  g_autoptr(ProfileCapture) capture = new_capture();
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  g_autoptr(ProfileWeights) weights = profile_weights_new(filter);
  g_autoptr(ProfileTree) tree = profile_tree_new(weights), up = profile_tree_new_inverted(weights);

  assert_tree(tree, "ad*by*x*cdA17*dby*x*");
  assert_tree(up, "x*y*bdad*a7*1Ad*acx*y*bd*adx*y*bd*a");
}

/* A function that is called and inlined is one; x and y are nowhere else. */
static void test_rows(void)
{
  g_autoptr(ProfileCapture) capture = new_capture();
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  g_autoptr(ProfileWeights) weights = profile_weights_new(filter);
  g_autoptr(ProfileRows) rows = profile_rows_new(weights, PROFILE_ROWS_FUNCTION);
  ProfileStacks *stacks = profile_filter_get_stacks(filter);
  guint32 x = made_capture_find(stacks, "x");

  for (gsize i = 0; i < profile_rows_get_n(rows); i++) {
    ProfileRow row = profile_rows_get(rows, i);
    const char *name = profile_stacks_get_function_name(stacks, row.item);

    if (g_str_equal(name, "d")) {
      g_assert_cmpuint(row.total.count, ==, 5);
      g_assert_cmpuint(row.self.count, ==, 1);
    }
    if (row.item == x) {
      g_assert_cmpuint(row.total.count, ==, 4);
      g_assert_cmpuint(row.self.count, ==, 2);
    }
  }
  g_assert_cmpstr(profile_stacks_get_function(stacks, x)->range->file, ==, "x.h");
  g_assert_cmpuint(profile_stacks_get_function(stacks, x)->range->line, ==, 5);
  g_assert_true(profile_stacks_function_is_kernel(stacks, made_capture_find(stacks, "7")));
}

static void test_transforms(void)
{
  g_autoptr(ProfileCapture) capture = new_capture();
  g_autoptr(ProfileStacks) stacks = profile_stacks_new(capture);
  ProfileTransform focus = {.kind = PROFILE_TRANSFORM_FOCUS_FUNCTION,
                            .function = made_capture_find(stacks, "y")};
  ProfileTransform merge = {.kind = PROFILE_TRANSFORM_MERGE_FUNCTION,
                            .function = made_capture_find(stacks, "b")};
  g_autoptr(ProfileStacks) focused = profile_stacks_transform(stacks, &focus),
                           merged = profile_stacks_transform(stacks, &merge);
  g_autofree char *in_y = fold(capture, focused), *without_b = fold(capture, merged);

  g_assert_cmpstr(in_y, ==, "y;x 2, y;x;c 1, y;x;d 1");
  g_assert_cmpstr(without_b, ==, "a;d;A;1;7 1, a;d;d;y;x 1, a;d;y;x 1, a;d;y;x;c 1, a;d;y;x;d 1");
  g_assert_true(profile_stacks_is_transformed(focused));
}

static void test_translate(void)
{
  g_autoptr(ProfileCapture) capture = new_capture(), other = new_capture();
  g_autoptr(ProfileStacks) stacks = profile_stacks_new(capture), others = profile_stacks_new(other);
  guint32 x = made_capture_find(stacks, "x"), seven = made_capture_find(stacks, "7");

  g_assert_cmpuint(profile_capture_translate_function(capture, other, x), ==, made_capture_find(others, "x"));
  g_assert_cmpuint(profile_capture_translate_function(capture, other, seven), ==,
                   made_capture_find(others, "7"));
}

static void test_lines(void)
{
  g_autoptr(ProfileCapture) capture = new_capture();
  const guint32 *parents, *frames, *functions = profile_capture_get_node_functions(capture);
  const char *file = NULL, *inlined = NULL;
  guint32 line = 0;
  gsize n, n_lines = 0;

  profile_capture_get_nodes(capture, &parents, &frames, &n);
  for (guint32 node = 1; node < n; node++) {
    const char *name = profile_capture_get_function_name(capture, functions[node]);
    gboolean known = profile_capture_get_node_line(capture, node, &file, &line, &inlined);

    n_lines += known;
    if (g_str_equal(name, "b")) {
      g_assert_true(known);
      g_assert_cmpstr(file, ==, "x.h");
      g_assert_cmpuint(line, ==, 7);
      g_assert_cmpstr(inlined, ==, "x");
    }
    if (g_str_equal(name, "c")) {
      g_assert_cmpstr(file, ==, "c.c");
      g_assert_null(inlined);
    }
    if (g_str_equal(name, "A"))
      g_assert_false(known);
  }
  g_assert_cmpuint(n_lines, >, 4);
}

static void test_sources(void)
{
  g_autoptr(ProfileCapture) capture = new_capture();
  g_autoptr(ProfileStacks) stacks = profile_stacks_new(capture),
                           recorded = profile_stacks_new_without_inlined(capture);
  ProfileTransform drop = {.kind = PROFILE_TRANSFORM_DROP_FUNCTION,
                           .function = made_capture_find(recorded, "c")};
  g_autoptr(ProfileStacks) dropped = profile_stacks_transform(recorded, &drop);
  g_autoptr(ProfileStacks) lines = profile_stacks_new_by_source(stacks, FALSE),
                           files = profile_stacks_new_by_source(stacks, TRUE),
                           rest = profile_stacks_new_by_source(dropped, TRUE);
  g_autofree char *by_line = fold(capture, lines), *by_file = fold(capture, files),
                  *of_rest = fold(capture, rest);

  g_assert_cmpstr(
      by_line, ==,
      "a.c:4;d.h:3;A;1.c:2;7.h:1 1, a.c:4;d.h:3;b.c:9;y.h:8;x.h:7 1, a.c:4;d.h:3;b.c:9;y.h:8;x.h:7;c.c:11 1, "
      "a.c:4;d.h:3;b.c:9;y.h:8;x.h:7;d 1, a.c:4;d.h:3;d;b.c:9;y.h:8;x.h:7 1");
  g_assert_true(g_str_has_prefix(by_file, "a.c;d.h;A;1.c;7.h 1, a.c;d.h;b.c;y.h;x.h 1, "));
  g_assert_null(strstr(of_rest, "c.c"));
  g_assert_nonnull(strstr(of_rest, "x.h;d 1"));
}

/* Names that come again find other chains, and views keep the stacks that they have. */
static void test_renewed(void)
{
  g_autoptr(ProfileCapture) capture = new_capture();
  g_autoptr(ProfileStacks) stacks = profile_stacks_new(capture);

  profile_capture_set_places(capture, 0, NULL);
  profile_capture_set_places(capture, G_MAXUINT32, NULL);
  profile_capture_update_functions(capture);
  g_autofree char *folded = fold(capture, stacks);
  g_assert_cmpstr(folded, ==, "a;A;1 1, a;b 1, a;b;c 1, a;b;d 1, a;d;b 1");
  add_places(capture);
  g_autofree char *again = fold(capture, stacks);
  g_assert_cmpstr(again, ==, "a;d;A;1;7 1, a;d;b;y;x 1, a;d;b;y;x;c 1, a;d;b;y;x;d 1, a;d;d;b;y;x 1");
}

/* It counts in the stacks that were recorded, of which there are fewer nodes. */
static void test_missing_names(void)
{
  g_autoptr(ProfileCapture) capture =
      made_capture_new(&(MadePlan){.samples = samples, .n = G_N_ELEMENTS(samples), .unnamed = TRUE});
  g_autoptr(ProfileMissingNames) before = profile_missing_names_new(capture);
  guint n = 0, n_inlined = 0;
  const ProfileMissingEntry *all = profile_missing_names_get_entries(before, &n);

  add_places(capture);
  g_autoptr(ProfileMissingNames) after = profile_missing_names_new(capture);
  const ProfileMissingEntry *again = profile_missing_names_get_entries(after, &n_inlined);
  g_assert_cmpuint(n, >, 0);
  g_assert_cmpuint(n_inlined, ==, n);
  for (guint i = 0; i < n; i++)
    g_assert_cmpuint(again[i].samples, ==, all[i].samples);
}

static void test_places(void)
{
  static const ProfilePlaceFrame frame = {.file = "a.c", .line = 1};
  g_autoptr(ProfilePlaces) places = profile_places_new();
  gsize n;

  profile_places_add(places, 30, 40, &frame, 1);
  profile_places_add(places, 10, 35, &frame, 1);
  profile_places_add(places, 30, 50, &frame, 1);
  profile_places_add(places, 60, 60, &frame, 1);
  profile_places_seal(places);
  profile_places_get(places, &n);
  g_assert_cmpuint(n, ==, 2);
  g_assert_null(profile_places_lookup(places, 9));
  g_assert_cmpuint(profile_places_lookup(places, 29)->end, ==, 30);
  g_assert_cmpuint(profile_places_lookup(places, 49)->start, ==, 30);
  g_assert_null(profile_places_lookup(places, 50));
  g_assert_cmpuint(profile_places_find_from(places, 0)->start, ==, 10);
  g_assert_cmpuint(profile_places_find_from(places, 30)->start, ==, 30);
  g_assert_null(profile_places_find_from(places, 50));
}

/* Places of equal chains share them, and equal frames are one. */
static void test_shared_chains(void)
{
  const ProfilePlaceFrame frames[] = {{.name = "inner", .line = 1}, {.name = "outer", .line = 2}};
  g_autoptr(ProfilePlaces) places = profile_places_new();
  const ProfilePlace *all;
  guint32 n_frames;
  gsize n;

  for (guint i = 0; i < 1000; i++)
    profile_places_add(places, 10 * i, 10 * i + 5, frames, G_N_ELEMENTS(frames));
  profile_places_add(places, 10000, 10005, &frames[1], 1);
  profile_places_seal(places);
  profile_places_get_frames(places, &n_frames);
  g_assert_cmpuint(n_frames, ==, 2);
  all = profile_places_get(places, &n);
  g_assert_cmpuint(n, ==, 1001);
  for (guint i = 0; i < 1000; i++)
    g_assert_true(profile_places_get_numbers(places, &all[i]) == profile_places_get_numbers(places, all));
  g_assert_cmpstr(profile_places_get_frame(places, &all[999], 1)->name, ==, "outer");
  g_assert_cmpstr(profile_places_get_frame(places, &all[1000], 0)->name, ==, "outer");
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/inlined/places", test_places);
  g_test_add_func("/inlined/stacks", test_stacks);
  g_test_add_func("/inlined/marks", test_marks);
  g_test_add_func("/inlined/rows", test_rows);
  g_test_add_func("/inlined/transforms", test_transforms);
  g_test_add_func("/inlined/translate", test_translate);
  g_test_add_func("/inlined/lines", test_lines);
  g_test_add_func("/inlined/sources", test_sources);
  g_test_add_func("/inlined/missing-names", test_missing_names);
  g_test_add_func("/inlined/renewed", test_renewed);
  g_test_add_func("/inlined/shared-chains", test_shared_chains);
  return g_test_run();
}
