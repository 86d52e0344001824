/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of functions against ProfileRows, in every order. */
#include "tests/unit/profile/capture-fixture.h"
#include "viewer/pages/functions/function-row.h"
#include "viewer/pages/functions/functions-model.h"

typedef struct {
  TestCapture made;
  ProfileRows *rows;
  ViewerFunctionsModel *model;
  guint n_shown, n_items;
} Fixture;

static void handle_shown(Fixture *fixture)
{
  fixture->n_shown++;
}

static void follow_changes(Fixture *fixture, guint position, guint removed, guint added)
{
  fixture->n_items += added - removed;
  g_assert_cmpuint(position + added, <=, fixture->n_items);
}

static void set_up(Fixture *fixture, gconstpointer plan)
{
  test_capture_set_up(&fixture->made, plan);
  fixture->rows = profile_rows_new(fixture->made.weights, PROFILE_ROWS_FUNCTION);
  fixture->model = viewer_functions_model_new();
  g_signal_connect_swapped(fixture->model, "shown", G_CALLBACK(handle_shown), fixture);
  g_signal_connect_swapped(fixture->model, "items-changed", G_CALLBACK(follow_changes), fixture);
}

static void tear_down(Fixture *fixture, gconstpointer plan)
{
  test_let_go(&fixture->model);
  profile_rows_free(fixture->rows);
  test_capture_tear_down(&fixture->made, plan);
}

static void show(Fixture *fixture, ViewerFunctionsBy by, gboolean descending, ProfileSearch *search)
{
  guint n = fixture->n_shown;

  viewer_functions_model_show(fixture->model, fixture->made.weights, by, descending, search);
  while (fixture->n_shown == n)
    g_main_context_iteration(NULL, TRUE);
  g_assert_cmpuint(fixture->n_items, ==, g_list_model_get_n_items(G_LIST_MODEL(fixture->model)));
}

static ProfileRow get(Fixture *fixture, guint position)
{
  ProfileRow row;

  g_assert_true(viewer_functions_model_get(fixture->model, position, &row));
  return row;
}

static void assert_same(const ProfileRow *a, const ProfileRow *b)
{
  g_assert_cmpuint(a->item, ==, b->item);
  g_assert_cmpuint(a->self.count, ==, b->self.count);
  g_assert_cmpuint(a->self.weight, ==, b->self.weight);
  g_assert_cmpuint(a->total.count, ==, b->total.count);
  g_assert_cmpuint(a->total.weight, ==, b->total.weight);
}

static void test_as_rows(Fixture *fixture, gconstpointer data)
{
  gsize n = profile_rows_get_n(fixture->rows);

  show(fixture, VIEWER_FUNCTIONS_BY_SELF, TRUE, NULL);
  g_assert_cmpuint(g_list_model_get_n_items(G_LIST_MODEL(fixture->model)), ==, n);
  for (guint i = 0; i < n; i++) {
    ProfileRow row = get(fixture, i), expected = profile_rows_get(fixture->rows, i);
    g_autoptr(ViewerFunctionRow) item = g_list_model_get_item(G_LIST_MODEL(fixture->model), i);
    assert_same(&row, &expected);
    assert_same(viewer_function_row_get(item), &expected);
    g_assert_cmpstr(viewer_function_row_get_name(item), ==,
                    profile_capture_get_function_name(fixture->made.capture, expected.item));
    g_assert_cmpuint(viewer_functions_model_get_position(fixture->model, expected.item), ==, i);
  }
  g_assert_null(g_list_model_get_item(G_LIST_MODEL(fixture->model), (guint)n));
}

static int compare(Fixture *fixture, ViewerFunctionsBy by, guint a, guint b)
{
  ProfileRow left = get(fixture, a), right = get(fixture, b);

  switch (by) {
  case VIEWER_FUNCTIONS_BY_SELF:
    return left.self.count < right.self.count ? -1 : left.self.count > right.self.count;
  case VIEWER_FUNCTIONS_BY_TOTAL:
    return left.total.count < right.total.count ? -1 : left.total.count > right.total.count;
  case VIEWER_FUNCTIONS_BY_NAME:
    return g_ascii_strcasecmp(profile_capture_get_function_name(fixture->made.capture, left.item),
                              profile_capture_get_function_name(fixture->made.capture, right.item));
  default:
    return g_ascii_strcasecmp(profile_capture_get_function_binary(fixture->made.capture, left.item),
                              profile_capture_get_function_binary(fixture->made.capture, right.item));
  }
}

static void test_orders(Fixture *fixture, gconstpointer data)
{
  gsize n = profile_rows_get_n(fixture->rows);

  for (ViewerFunctionsBy by = VIEWER_FUNCTIONS_BY_SELF; by <= VIEWER_FUNCTIONS_BY_BINARY; by++)
    for (gboolean descending = FALSE; descending <= TRUE; descending++) {
      guint n_different = 0;
      show(fixture, by, descending, NULL);
      g_assert_cmpuint(fixture->n_items, ==, n);
      for (guint i = 1; i < n; i++) {
        int order = compare(fixture, by, i - 1, i);
        g_assert_true(descending ? order >= 0 : order <= 0);
        n_different += order != 0;
      }
      g_assert_cmpuint(n_different, >, 1);
    }
}

static void test_search(Fixture *fixture, gconstpointer data)
{
  g_autoptr(ProfileSearch) search = profile_search_new(fixture->made.weights, "page");
  g_autoptr(ProfileSearch) none = profile_search_new(fixture->made.weights, "not there");

  show(fixture, VIEWER_FUNCTIONS_BY_NAME, FALSE, search);
  g_assert_cmpuint(fixture->n_items, ==, 2);
  g_assert_cmpstr(profile_capture_get_function_name(fixture->made.capture, get(fixture, 0).item), ==,
                  "copy_page");
  g_assert_cmpstr(profile_capture_get_function_name(fixture->made.capture, get(fixture, 1).item), ==,
                  "page_fault");
  show(fixture, VIEWER_FUNCTIONS_BY_NAME, FALSE, none);
  g_assert_cmpuint(fixture->n_items, ==, 0);
  g_assert_cmpuint(viewer_functions_model_get_position(fixture->model, 1), ==, G_MAXUINT);
}

static void count(guint *n)
{
  (*n)++;
}

/* A position keeps its item, which says so when it is of another function. */
static void test_items_stay(Fixture *fixture, gconstpointer data)
{
  guint n_changes = 0;

  show(fixture, VIEWER_FUNCTIONS_BY_SELF, TRUE, NULL);
  g_autoptr(ViewerFunctionRow) first = g_list_model_get_item(G_LIST_MODEL(fixture->model), 0);
  g_signal_connect_swapped(first, "changed", G_CALLBACK(count), &n_changes);
  show(fixture, VIEWER_FUNCTIONS_BY_SELF, TRUE, NULL);
  g_autoptr(ViewerFunctionRow) again = g_list_model_get_item(G_LIST_MODEL(fixture->model), 0);
  g_assert_true(first == again);
  show(fixture, VIEWER_FUNCTIONS_BY_SELF, FALSE, NULL);
  g_autoptr(ViewerFunctionRow) other = g_list_model_get_item(G_LIST_MODEL(fixture->model), 0);
  ProfileRow row = get(fixture, 0);
  g_assert_true(first == other);
  assert_same(viewer_function_row_get(first), &row);
  g_assert_cmpuint(n_changes, ==, 2);
  viewer_functions_model_show(fixture->model, NULL, VIEWER_FUNCTIONS_BY_SELF, TRUE, NULL);
  g_assert_cmpuint(fixture->n_items, ==, 0);
  g_assert_null(viewer_functions_model_get_weights(fixture->model));
}

int main(int argc, char **argv)
{
  static const TestPlan plan = {.n_samples = 2000, .n_streams = 2, .epochs = 2, .weights = TRUE, .seed = 31};

  g_test_init(&argc, &argv, NULL);
  g_test_add("/viewer/functions-model/as-rows", Fixture, &plan, set_up, test_as_rows, tear_down);
  g_test_add("/viewer/functions-model/orders", Fixture, &plan, set_up, test_orders, tear_down);
  g_test_add("/viewer/functions-model/search", Fixture, &plan, set_up, test_search, tear_down);
  g_test_add("/viewer/functions-model/items-stay", Fixture, &plan, set_up, test_items_stay, tear_down);
  return g_test_run();
}
