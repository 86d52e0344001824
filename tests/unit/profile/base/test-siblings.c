/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/base/siblings.h"

enum { N = 3000 };

static void test_places(void)
{
  static const guint32 parents[] = {0, 0, 0, 1, 2, 1, 0, 3}, expected[] = {0, 1, 2, 4, 6, 5, 3, 7};
  gsize n;
  g_autofree guint32 *places = profile_siblings_place(parents, NULL, G_N_ELEMENTS(parents), &n);

  g_assert_cmpuint(n, ==, G_N_ELEMENTS(parents));
  g_assert_cmpmem(places, sizeof expected, expected, sizeof expected);
}

static void test_left_out(void)
{
  static const guint32 parents[] = {0, 0, 0, 1, 2, 1, 0, 3}, expected[] = {0, 1, 0, 2, 0, 3, 0, 4};
  static const guint8 kept[] = {1, 1, 0, 1, 0, 1, 0, 1};
  gsize n;
  g_autofree guint32 *places = profile_siblings_place(parents, kept, G_N_ELEMENTS(parents), &n);

  g_assert_cmpuint(n, ==, 5);
  g_assert_cmpmem(places, sizeof expected, expected, sizeof expected);
}

static void test_root_alone(void)
{
  static const guint32 parents[] = {0};
  gsize n;
  g_autofree guint32 *places = profile_siblings_place(parents, NULL, 1, &n);
  g_autofree guint32 *first = profile_siblings_find_first(parents, 1);

  g_assert_cmpuint(n, ==, 1);
  g_assert_cmpuint(places[0], ==, 0);
  g_assert_cmpuint(first[0], ==, 0);
}

/* Of nodes that are in order; each node is the child of its parent where the children are looked for. */
static void check_children(const guint32 *parents, gsize n)
{
  g_autofree guint32 *first = profile_siblings_find_first(parents, n);
  gsize found = 0;

  for (guint32 node = 0; node < n; node++)
    for (guint32 child = first[node]; child && child < n && parents[child] == node; child++)
      found++;
  g_assert_cmpuint(found, ==, n - 1);
}

static void test_random(void)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(1);
  g_autofree guint32 *parents = g_new0(guint32, N), *moved = g_new0(guint32, N);
  g_autofree guint8 *taken = g_new0(guint8, N);
  gsize n;

  for (gint32 node = 1; node < N; node++)
    parents[node] = (guint32)g_rand_int_range(random, MAX(0, node - 50), node);
  g_autofree guint32 *places = profile_siblings_place(parents, NULL, N, &n);
  g_assert_cmpuint(n, ==, N);
  for (guint32 node = 0; node < N; node++) {
    g_assert_cmpuint(places[node], <, N);
    g_assert_false(taken[places[node]]);
    taken[places[node]] = TRUE;
    g_assert_true(node == 0 || places[parents[node]] < places[node]);
    moved[places[node]] = places[parents[node]];
  }
  for (guint32 node = 1; node < N; node++)
    g_assert_cmpuint(moved[node - 1], <=, moved[node]);
  check_children(moved, N);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/profile/siblings/places", test_places);
  g_test_add_func("/profile/siblings/left-out", test_left_out);
  g_test_add_func("/profile/siblings/root-alone", test_root_alone);
  g_test_add_func("/profile/siblings/random", test_random);
  return g_test_run();
}
