/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Going through the places of what is searched for. */
#include "tests/unit/profile/made-capture.h"
#include "viewer/pages/flame/matches.h"

typedef struct {
  ProfileCapture *capture;
  ProfileWeights *weights;
  ViewerMatches *matches;
  guint n_reached;
} Fixture;

static void set_up(Fixture *fixture, gconstpointer data)
{
  static const MadeSample samples[] = {{0, 0, "abc", 3}, {0, 0, "adb", 2}, {0, 0, "aeb", 1}, {0, 0, "ae", 9}};
  const MadePlan plan = {.samples = samples, .n = G_N_ELEMENTS(samples)};

  fixture->capture = made_capture_new(&plan);
  g_autoptr(ProfileFilter) filter = profile_filter_new(fixture->capture);
  fixture->weights = profile_weights_new(filter);
  fixture->matches = viewer_matches_new();
}

static void tear_down(Fixture *fixture, gconstpointer data)
{
  g_object_unref(fixture->matches);
  profile_weights_unref(fixture->weights);
  g_object_unref(fixture->capture);
}

static void set(Fixture *fixture, const char *text, gboolean inverted)
{
  g_autoptr(ProfileSearch) search = profile_search_new(fixture->weights, text);

  viewer_matches_set(fixture->matches, search, inverted);
}

static void count(Fixture *fixture)
{
  fixture->n_reached++;
}

/* Functions from the one that all of the tree begins with. */
static void assert_goes(Fixture *fixture, int direction, const char *expected)
{
  ProfileStacks *stacks = profile_weights_get_stacks(fixture->weights);
  g_autoptr(GString) names = g_string_new(NULL);

  fixture->n_reached = 0;
  gulong handler = g_signal_connect_swapped(fixture->matches, "reached", G_CALLBACK(count), fixture);
  g_assert_true(viewer_matches_go(fixture->matches, direction));
  while (fixture->n_reached == 0)
    g_main_context_iteration(NULL, TRUE);
  g_signal_handler_disconnect(fixture->matches, handler);
  g_assert_cmpuint(fixture->n_reached, ==, 1);
  const ProfilePath *path = viewer_matches_get(fixture->matches);
  for (guint i = 0; i < path->n; i++)
    g_string_append(names, profile_stacks_get_function_name(stacks, path->functions[i]));
  g_assert_cmpstr(names->str, ==, expected);
}

static void test_around(Fixture *fixture, gconstpointer data)
{
  set(fixture, "b", FALSE);
  g_assert_null(viewer_matches_get(fixture->matches));
  assert_goes(fixture, 1, "ab");
  assert_goes(fixture, 1, "adb");
  assert_goes(fixture, 1, "aeb");
  assert_goes(fixture, 1, "ab");
  assert_goes(fixture, -1, "aeb");
}

static void test_backwards(Fixture *fixture, gconstpointer data)
{
  set(fixture, "b", FALSE);
  assert_goes(fixture, -1, "aeb");
}

/* The same search has other places in the other tree. */
static void test_inverted(Fixture *fixture, gconstpointer data)
{
  g_autoptr(ProfileSearch) search = profile_search_new(fixture->weights, "b");

  viewer_matches_set(fixture->matches, search, FALSE);
  assert_goes(fixture, 1, "ab");
  assert_goes(fixture, 1, "adb");
  viewer_matches_set(fixture->matches, search, FALSE);
  assert_goes(fixture, 1, "aeb");
  viewer_matches_set(fixture->matches, search, TRUE);
  g_assert_null(viewer_matches_get(fixture->matches));
  assert_goes(fixture, 1, "cb");
  assert_goes(fixture, 1, "b");
}

static void test_nothing(Fixture *fixture, gconstpointer data)
{
  g_assert_false(viewer_matches_go(fixture->matches, 1));
  set(fixture, "nothing", FALSE);
  g_assert_false(viewer_matches_go(fixture->matches, 1));
  viewer_matches_set(fixture->matches, NULL, FALSE);
  g_assert_false(viewer_matches_go(fixture->matches, 1));
}

/* What was asked for is no longer wanted. */
static void test_forgotten(Fixture *fixture, gconstpointer data)
{
  set(fixture, "b", FALSE);
  g_assert_true(viewer_matches_go(fixture->matches, 1));
  set(fixture, "d", FALSE);
  assert_goes(fixture, 1, "ad");
  set(fixture, "b", FALSE);
  g_assert_true(viewer_matches_go(fixture->matches, 1));
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add("/matches/around", Fixture, NULL, set_up, test_around, tear_down);
  g_test_add("/matches/backwards", Fixture, NULL, set_up, test_backwards, tear_down);
  g_test_add("/matches/inverted", Fixture, NULL, set_up, test_inverted, tear_down);
  g_test_add("/matches/nothing", Fixture, NULL, set_up, test_nothing, tear_down);
  g_test_add("/matches/forgotten", Fixture, NULL, set_up, test_forgotten, tear_down);
  return g_test_run();
}
