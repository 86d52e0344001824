/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The generator's state is set, so each run is the same; bounds are six standard deviations. */
#include <glib.h>
#include <math.h>

#include "helpers/preload/preload-chance.h"

static struct preload_chance seeded(void)
{
  return (struct preload_chance){.is_seeded = true, .random = 42, .bytes_left = 1};
}

static void check_mean(uint64_t interval)
{
  struct preload_chance chance = seeded();
  const unsigned n = 1000000;
  double sum = 0, squares = 0;
  for (unsigned i = 0; i < n; i++) {
    double drawn = (double)preload_chance_draw(&chance, interval);
    g_assert_cmpfloat(drawn, >=, 1);
    sum += drawn;
    squares += drawn * drawn;
  }
  double mean = sum / n, deviation = sqrt(squares / n - mean * mean);
  double wanted = sqrt((double)interval * (double)(interval - 1));
  g_assert_cmpfloat(fabs(mean - (double)interval), <, 6 * wanted / sqrt(n) + 0.003 * (double)interval);
  g_assert_cmpfloat(fabs(deviation - wanted), <, 0.02 * wanted);
}

static void test_draw(void)
{
  check_mean(2);
  check_mean(3);
  check_mean(100);
  check_mean(524288);
}

/* Sizes in a pattern whose length is the interval: samples at fixed distances would see one of them alone. */
static void test_pattern(void)
{
  static const uint64_t sizes[] = {16, 48, 960};
  struct preload_chance chance = seeded();
  double sums[3] = {0};
  const unsigned n = 300000;
  for (unsigned i = 0; i < n; i++) {
    for (unsigned k = 0; k < 3; k++)
      sums[k] += (double)preload_chance_weight(&chance, sizes[k], 1024);
  }
  for (unsigned k = 0; k < 3; k++) {
    double wanted = (double)n * (double)sizes[k];
    g_assert_cmpfloat(fabs(sums[k] - wanted), <, 6 * sqrt(wanted * 1024));
  }
}

static void test_large_ones_stand_for_themselves(void)
{
  struct preload_chance chance = seeded();
  int64_t left = chance.bytes_left = 77;
  g_assert_cmpuint(preload_chance_weight(&chance, 1024, 1024), ==, 1024);
  g_assert_cmpuint(preload_chance_weight(&chance, UINT64_MAX, 1024), ==, UINT64_MAX);
  g_assert_cmpint(chance.bytes_left, ==, left);
}

static void test_each(void)
{
  struct preload_chance chance = {0};
  for (uint64_t size = 1; size < 1000; size++)
    g_assert_cmpuint(preload_chance_weight(&chance, size, 1), ==, size);
}

/* Threads begin anywhere in an interval, each elsewhere. */
static void test_seeds(void)
{
  static struct preload_chance chances[1000];
  unsigned n = 0;
  for (unsigned i = 0; i < G_N_ELEMENTS(chances); i++)
    n += preload_chance_weight(&chances[i], 64, 1024) != 0;
  /* 1000 × (1 - (1 - 1/1024)^64) = 60.6, with a deviation of 7.6 */
  g_assert_cmpuint(n, >, 14);
  g_assert_cmpuint(n, <, 107);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/preload/chance/draw", test_draw);
  g_test_add_func("/preload/chance/pattern", test_pattern);
  g_test_add_func("/preload/chance/large-ones-stand-for-themselves", test_large_ones_stand_for_themselves);
  g_test_add_func("/preload/chance/each", test_each);
  g_test_add_func("/preload/chance/seeds", test_seeds);
  return g_test_run();
}
