/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A list that grows, against the one whose beginning it is. */
#include "viewer/viewer-gradual-list.h"

enum { MOST_AT_ONCE = 100, MANY = 10000, MOST_WIDGETS = 300 };

typedef struct {
  GListStore *whole; /* GObject */
  ViewerGradualList *list;
  GPtrArray *seen; /* GObject, borrowed: as "items-changed" told them */
  guint most_added, most_removed, n_behind;
  guint most_lingering; /* rows at a time; 0: none do */
} Fixture;

static void follow_changes(Fixture *fixture, guint position, guint removed, guint added)
{
  if (removed > 0)
    g_ptr_array_remove_range(fixture->seen, position, removed);
  for (guint i = 0; i < added; i++) {
    g_autoptr(GObject) item = g_list_model_get_item(G_LIST_MODEL(fixture->list), position + i);
    g_ptr_array_insert(fixture->seen, (gint)(position + i), item);
  }
  fixture->most_added = MAX(fixture->most_added, added);
  fixture->most_removed = MAX(fixture->most_removed, removed);
}

static void count_behind(Fixture *fixture)
{
  fixture->n_behind++;
}

static void set_up(Fixture *fixture, gconstpointer data)
{
  fixture->whole = g_list_store_new(G_TYPE_OBJECT);
  fixture->list = viewer_gradual_list_new(G_LIST_MODEL(fixture->whole));
  fixture->seen = g_ptr_array_new();
  g_signal_connect_swapped(fixture->list, "items-changed", G_CALLBACK(follow_changes), fixture);
  g_signal_connect_swapped(fixture->list, "behind", G_CALLBACK(count_behind), fixture);
}

static void tear_down(Fixture *fixture, gconstpointer data)
{
  g_assert_finalize_object(fixture->list);
  g_assert_finalize_object(fixture->whole);
  g_ptr_array_unref(fixture->seen);
}

/* In place of `removed` items at a position stand `added` new ones. */
static void splice(Fixture *fixture, guint position, guint removed, guint added)
{
  g_autoptr(GPtrArray) items = g_ptr_array_new_with_free_func(g_object_unref);

  for (guint i = 0; i < added; i++)
    g_ptr_array_add(items, g_object_new(G_TYPE_OBJECT, NULL));
  g_list_store_splice(fixture->whole, position, removed, items->pdata, added);
}

static guint get_n_whole(Fixture *fixture)
{
  return g_list_model_get_n_items(G_LIST_MODEL(fixture->whole));
}

/* Or more than the whole, where rows linger. */
static void assert_beginning(Fixture *fixture)
{
  guint n = g_list_model_get_n_items(G_LIST_MODEL(fixture->list));

  g_assert_cmpuint(n, ==, fixture->seen->len);
  g_assert_cmpuint(n, <=, get_n_whole(fixture) + fixture->most_lingering);
  for (guint i = 0; i < MIN(n, get_n_whole(fixture)); i++) {
    g_autoptr(GObject) item = g_list_model_get_item(G_LIST_MODEL(fixture->whole), i);
    g_assert_true(item == g_ptr_array_index(fixture->seen, i));
  }
  g_assert_null(g_list_model_get_item(G_LIST_MODEL(fixture->list), n));
}

static void grow_up(Fixture *fixture)
{
  while (viewer_gradual_list_grow(fixture->list))
    assert_beginning(fixture);
  assert_beginning(fixture);
  g_assert_cmpuint(fixture->seen->len, ==, get_n_whole(fixture));
}

static void test_grows(Fixture *fixture, gconstpointer data)
{
  splice(fixture, 0, 0, MANY);
  assert_beginning(fixture);
  g_assert_cmpuint(fixture->seen->len, >, 0);
  g_assert_cmpuint(fixture->n_behind, ==, 1);
  for (guint n = fixture->seen->len; n < MOST_AT_ONCE; n = fixture->seen->len) {
    g_assert_true(viewer_gradual_list_grow(fixture->list));
    g_assert_cmpuint(fixture->seen->len, >, n);
  }
  g_assert_cmpuint(fixture->most_added, <, MOST_AT_ONCE);
  grow_up(fixture);
}

/* Whoever has as many rows as a view makes gets all that come at once. */
static void test_is_whole_then(Fixture *fixture, gconstpointer data)
{
  splice(fixture, 0, 0, MANY);
  grow_up(fixture);
  fixture->n_behind = 0;
  splice(fixture, 20, 5, MANY);
  g_assert_cmpuint(fixture->seen->len, ==, get_n_whole(fixture));
  splice(fixture, 2, MANY, 0);
  assert_beginning(fixture);
  g_assert_cmpuint(fixture->seen->len, ==, get_n_whole(fixture));
  g_assert_cmpuint(fixture->n_behind, ==, 0);
}

static void test_starts_again(Fixture *fixture, gconstpointer data)
{
  splice(fixture, 0, 0, MANY);
  grow_up(fixture);
  splice(fixture, 0, MANY, 3);
  g_assert_cmpuint(fixture->seen->len, ==, 3);
  fixture->most_added = 0;
  splice(fixture, 3, 0, MANY);
  assert_beginning(fixture);
  g_assert_cmpuint(fixture->most_added, <, MOST_AT_ONCE);
  grow_up(fixture);
}

static void test_reaches(Fixture *fixture, gconstpointer data)
{
  splice(fixture, 0, 0, MANY);
  viewer_gradual_list_reach(fixture->list, MANY / 2);
  assert_beginning(fixture);
  g_assert_cmpuint(fixture->seen->len, >, MANY / 2);
  viewer_gradual_list_reach(fixture->list, MANY - 1);
  g_assert_cmpuint(fixture->seen->len, ==, MANY);
  viewer_gradual_list_reach(fixture->list, G_MAXUINT);
  assert_beginning(fixture);
}

/* What is selected stays, and stays the same item, though many come in before it. */
static void test_keeps(Fixture *fixture, gconstpointer data)
{
  splice(fixture, 0, 0, 30);
  grow_up(fixture);
  gpointer kept = g_ptr_array_index(fixture->seen, 20);
  viewer_gradual_list_keep(fixture->list, 20);
  splice(fixture, 5, 2, 1000);
  assert_beginning(fixture);
  g_assert_cmpuint(fixture->seen->len, >, 1018);
  g_assert_true(g_ptr_array_index(fixture->seen, 1018) == kept);
}

static void let_linger(Fixture *fixture)
{
  viewer_gradual_list_linger(fixture->list);
  fixture->most_lingering = MOST_WIDGETS;
}

/* They go from the end, a few at a time, and there is an item for each of them. */
static void test_lingers(Fixture *fixture, gconstpointer data)
{
  let_linger(fixture);
  splice(fixture, 0, 0, MANY);
  grow_up(fixture);
  fixture->n_behind = 0;
  splice(fixture, 5, MANY - 5, 0);
  assert_beginning(fixture);
  g_assert_cmpuint(fixture->n_behind, ==, 1);
  g_assert_cmpuint(fixture->seen->len, >, MOST_AT_ONCE);
  g_autoptr(GObject) last = g_list_model_get_item(G_LIST_MODEL(fixture->list), fixture->seen->len - 1);
  g_assert_true(G_IS_OBJECT(last));
  fixture->most_removed = 0;
  grow_up(fixture);
  g_assert_cmpuint(fixture->most_removed, <, MOST_AT_ONCE);
}

static void test_lingers_no_longer_than_that(Fixture *fixture, gconstpointer data)
{
  let_linger(fixture);
  splice(fixture, 0, 0, MANY);
  grow_up(fixture);
  splice(fixture, 5, MANY - 5, 0);
  splice(fixture, 2, 1, 3);
  fixture->most_lingering = 0;
  assert_beginning(fixture);
  grow_up(fixture);
}

static void do_anything(Fixture *fixture)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(7);

  for (guint i = 0; i < 2000; i++) {
    guint n = get_n_whole(fixture), position = (guint)g_rand_int_range(rand, 0, (gint)n + 1);
    guint removed = (guint)g_rand_int_range(rand, 0, (gint)(n - position) + 1);
    gboolean is_end = g_rand_int_range(rand, 0, 9) == 0;
    splice(fixture, position, is_end ? n - position : (g_rand_boolean(rand) ? removed : 0),
           is_end ? 0 : (guint)g_rand_int_range(rand, 0, 60));
    assert_beginning(fixture);
    if (g_rand_int_range(rand, 0, 3) == 0)
      viewer_gradual_list_grow(fixture->list);
    if (g_rand_int_range(rand, 0, 9) == 0)
      viewer_gradual_list_reach(fixture->list, (guint)g_rand_int_range(rand, 0, 500));
    assert_beginning(fixture);
  }
  grow_up(fixture);
}

static void test_anything(Fixture *fixture, gconstpointer data)
{
  do_anything(fixture);
}

static void test_anything_and_lingers(Fixture *fixture, gconstpointer data)
{
  let_linger(fixture);
  do_anything(fixture);
}

int main(int argc, char **argv)
{
  static const struct {
    const char *path;
    void (*test)(Fixture *fixture, gconstpointer data);
  } tests[] = {{"/viewer/gradual-list/grows", test_grows},
               {"/viewer/gradual-list/is-whole-then", test_is_whole_then},
               {"/viewer/gradual-list/starts-again", test_starts_again},
               {"/viewer/gradual-list/reaches", test_reaches},
               {"/viewer/gradual-list/keeps", test_keeps},
               {"/viewer/gradual-list/lingers", test_lingers},
               {"/viewer/gradual-list/lingers-no-longer-than-that", test_lingers_no_longer_than_that},
               {"/viewer/gradual-list/anything", test_anything},
               {"/viewer/gradual-list/anything-and-lingers", test_anything_and_lingers}};

  g_test_init(&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS(tests); i++)
    g_test_add(tests[i].path, Fixture, NULL, set_up, tests[i].test, tear_down);
  return g_test_run();
}
