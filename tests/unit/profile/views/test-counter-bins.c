/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/views/counter-bins.h"

#include <math.h>

#define SECOND G_GUINT64_CONSTANT(1000000000)

static const guint64 times[] = {10 * SECOND, 11 * SECOND, 12 * SECOND, 14 * SECOND};

static ProfileCounter make_counter(const double *values, gsize n, gboolean totals)
{
  return (ProfileCounter){
      .category = "", .name = "heap", .totals = totals, .n = n, .time = times, .value = values};
}

static void check(const ProfileCounter *counter, guint64 first, guint64 end, const double *expected, guint n)
{
  g_autoptr(ProfileCounterBins) bins = profile_counter_bins_new(counter, first, end, n);

  g_assert_cmpuint(profile_counter_bins_get_n(bins), ==, n);
  for (guint i = 0; i < n; i++) {
    double value = profile_counter_bins_get(bins)[i];
    if (isnan(expected[i]))
      g_assert_true(isnan(value));
    else
      g_assert_cmpfloat_with_epsilon(value, expected[i], 1e-9);
  }
}

/* Each stays as it was until the next one; where several fall into one bin it is what they are on average. */
static void test_values(void)
{
  const double values[] = {5, 7, 9, 1};
  ProfileCounter counter = make_counter(values, 4, FALSE);

  check(&counter, 9 * SECOND, 15 * SECOND, (double[]){NAN, 5, 7, 9, 9, 1}, 6);
  check(&counter, 10 * SECOND, 14 * SECOND, (double[]){6, 9}, 2);
  check(&counter, 12 * SECOND + 1, 13 * SECOND, (double[]){9}, 1);
  check(&counter, 20 * SECOND, 21 * SECOND, (double[]){1}, 1);
}

static void test_totals(void)
{
  const double values[] = {100, 200, 200, 300};
  ProfileCounter counter = make_counter(values, 4, TRUE);

  check(&counter, 9 * SECOND, 15 * SECOND, (double[]){NAN, 100, 0, 50, 50, NAN}, 6);
  /* Half of the second in which 100 came, and half of the one in which none did. */
  check(&counter, 10 * SECOND + SECOND / 2, 11 * SECOND + SECOND / 2, (double[]){50}, 1);
  /* Known of a half only. */
  check(&counter, 9 * SECOND + SECOND / 2, 10 * SECOND + SECOND / 2, (double[]){100}, 1);
}

/* One that begins again has lost nothing. */
static void test_restart(void)
{
  const double values[] = {100, 0, 10, 10};
  ProfileCounter counter = make_counter(values, 4, TRUE);

  check(&counter, 10 * SECOND, 12 * SECOND, (double[]){0, 10}, 2);
}

static void test_range(void)
{
  const double values[] = {5, 7, -2, INFINITY};
  ProfileCounter counter = make_counter(values, 4, FALSE);
  g_autoptr(ProfileCounterBins) all = profile_counter_bins_new(&counter, 10 * SECOND, 15 * SECOND, 5);
  g_autoptr(ProfileCounterBins) some = profile_counter_bins_new(&counter, 10 * SECOND, 12 * SECOND, 2);
  g_autoptr(ProfileCounterBins) none = profile_counter_bins_new(&counter, 5, 5, 10);
  double low, high;

  g_assert_true(profile_counter_bins_get_range(all, &low, &high));
  g_assert_cmpfloat(low, ==, -2);
  g_assert_cmpfloat(high, ==, 7);
  g_assert_true(isnan(profile_counter_bins_get(all)[4]));
  g_assert_true(profile_counter_bins_get_range(some, &low, &high));
  g_assert_cmpfloat(low, ==, 0);
  g_assert_false(profile_counter_bins_get_range(none, &low, &high));
  g_assert_cmpuint(profile_counter_bins_get_n(none), ==, 1);
}

static void test_nothing(void)
{
  for (guint totals = 0; totals < 2; totals++) {
    ProfileCounter counter = make_counter(NULL, 0, totals);
    check(&counter, 0, SECOND, (double[]){NAN, NAN}, 2);
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/profile/counter-bins/values", test_values);
  g_test_add_func("/profile/counter-bins/totals", test_totals);
  g_test_add_func("/profile/counter-bins/restart", test_restart);
  g_test_add_func("/profile/counter-bins/range", test_range);
  g_test_add_func("/profile/counter-bins/nothing", test_nothing);
  return g_test_run();
}
