/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Searches and paths against counting by hand. */
#include "profile/views/search.h"

#include "tests/unit/profile/capture-fixture.h"

static const TestPlan plan = {.n_samples = 2000, .n_streams = 2, .epochs = 2, .weights = TRUE, .seed = 41};

static gboolean holds(const TestSample *sample, const char *text)
{
  for (guint i = 0; i < sample->n; i++)
    if (strstr(sample->functions[i], text))
      return TRUE;
  return FALSE;
}

static void assert_total(TestCapture *fixture, const char *written, const char *text, guint n_functions)
{
  g_autoptr(ProfileSearch) search = profile_search_new(fixture->weights, written);
  ProfileWeight total = profile_search_get_total(search);
  guint64 count = 0, weight = 0;

  for (guint i = 0; i < fixture->samples->len; i++) {
    const TestSample *sample = test_capture_get_sample(fixture, i);
    count += holds(sample, text);
    weight += holds(sample, text) ? sample->weight : 0;
  }
  g_assert_cmpuint(total.count, ==, count);
  g_assert_cmpuint(total.weight, ==, weight);
  g_assert_cmpuint(profile_search_get_n_functions(search), ==, n_functions);
  g_assert_cmpuint(count > 0, ==, n_functions > 0);
}

static void test_totals(TestCapture *fixture, gconstpointer data)
{
  assert_total(fixture, "qsort", "qsort", 1);
  assert_total(fixture, "PAGE", "page", 2);
  assert_total(fixture, "r", "r", 6);
  assert_total(fixture, "nothing like it", "nothing like it", 0);
  assert_total(fixture, "é", "é", 0);
}

static void test_empty(TestCapture *fixture, gconstpointer data)
{
  g_autoptr(ProfileSearch) search = profile_search_new(fixture->weights, "");

  g_assert_cmpuint(profile_search_get_n_functions(search), ==, 0);
  g_assert_cmpuint(profile_search_get_total(search).count, ==, 0);
  g_assert_false(profile_search_has(search, 1));
  g_assert_false(profile_search_has(search, G_MAXUINT32));
}

static char *write_path(const TestCapture *fixture, const ProfilePath *path)
{
  GString *text = g_string_new(NULL);

  for (guint i = 0; i < path->n; i++)
    g_string_append_printf(text, "%s;",
                           profile_capture_get_function_name(fixture->capture, path->functions[i]));
  return g_string_free(text, FALSE);
}

/* Every way from the outside to such a function; or from where samples were taken up to the first. */
static GHashTable *list_ways(const TestCapture *fixture, const char *text, gboolean inverted)
{
  GHashTable *ways = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < fixture->samples->len; i++) {
    const TestSample *sample = test_capture_get_sample(fixture, i);
    g_autoptr(GString) way = g_string_new(NULL);
    for (guint j = 0; j < sample->n; j++) {
      const char *function = sample->functions[inverted ? sample->n - 1 - j : j];
      g_string_append_printf(way, "%s;", function);
      if (!strstr(function, text))
        continue;
      g_hash_table_add(ways, g_strdup(way->str));
      if (inverted)
        break;
    }
  }
  return ways;
}

static void assert_paths(TestCapture *fixture, gboolean inverted)
{
  g_autoptr(ProfileSearch) search = profile_search_new(fixture->weights, "parse");
  g_autoptr(GPtrArray) paths = profile_search_find_paths(search, inverted, G_MAXUINT);
  g_autoptr(GPtrArray) few = profile_search_find_paths(search, inverted, 3);
  g_autoptr(GHashTable) ways = list_ways(fixture, "parse", inverted);

  g_assert_cmpuint(paths->len, ==, g_hash_table_size(ways));
  for (guint i = 0; i < paths->len; i++) {
    g_autofree char *text = write_path(fixture, paths->pdata[i]);
    g_assert_true(g_hash_table_remove(ways, text));
  }
  g_assert_cmpuint(few->len, ==, 3);
  for (guint i = 0; i < few->len; i++)
    g_assert_true(profile_path_equal(few->pdata[i], paths->pdata[i]));
}

static void test_paths(TestCapture *fixture, gconstpointer data)
{
  assert_paths(fixture, FALSE);
  assert_paths(fixture, TRUE);
}

/* The path leads to the function, and no stack node of it has more samples. */
static void test_find(TestCapture *fixture, gconstpointer data)
{
  ProfileStacks *stacks = profile_weights_get_stacks(fixture->weights);
  const guint32 *functions = profile_stacks_get_functions(stacks);
  gsize n_functions = profile_stacks_get_n_functions(stacks), n_found = 0;

  for (guint32 function = 0; function < n_functions; function++) {
    g_autofree ProfilePath *path = profile_path_find(fixture->weights, function);
    guint64 most = 0, of_path = 0;
    for (guint32 node = 1; node < profile_stacks_get_n_nodes(stacks); node++) {
      g_autofree ProfilePath *other = NULL;
      guint64 count = profile_weights_get_total(fixture->weights, node).count;
      if (functions[node] != function)
        continue;
      most = MAX(most, count);
      other = profile_path_new(stacks, node);
      if (path && profile_path_equal(path, other))
        of_path = MAX(of_path, count);
    }
    g_assert_cmpuint(most, ==, of_path);
    g_assert_true(!path || path->functions[path->n - 1] == function);
    n_found += path != NULL;
  }
  g_assert_cmpuint(n_found, >, TEST_USER_FUNCTIONS);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add("/profile/search/totals", TestCapture, &plan, test_capture_set_up, test_totals,
             test_capture_tear_down);
  g_test_add("/profile/search/empty", TestCapture, &plan, test_capture_set_up, test_empty,
             test_capture_tear_down);
  g_test_add("/profile/search/paths", TestCapture, &plan, test_capture_set_up, test_paths,
             test_capture_tear_down);
  g_test_add("/profile/path/find", TestCapture, &plan, test_capture_set_up, test_find,
             test_capture_tear_down);
  return g_test_run();
}
