/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small tables that the loader and the views stand on. */
#include "profile/base/column-sort.h"
#include "profile/capture/address-spaces.h"
#include "profile/capture/function-table.h"

static void add(ProfileFunctionTable *table, guint64 start, guint64 end, const char *name)
{
  ProfileFunctionRange range = {.start = start, .end = end, .name = name};

  profile_function_table_add(table, &range);
}

static const char *look_up(const ProfileFunctionTable *table, guint64 offset)
{
  const ProfileFunctionRange *range = profile_function_table_lookup(table, offset);

  return range ? range->name : NULL;
}

static void test_lookup(void)
{
  g_autoptr(ProfileFunctionTable) table = profile_function_table_new(CAPTURE_NAMING_SYMBOLS);

  add(table, 300, 400, "third");
  add(table, 100, 200, "first");
  add(table, 200, 250, "second");
  add(table, 50, 50, "empty");
  profile_function_table_seal(table);
  g_assert_null(look_up(table, 50));
  g_assert_null(look_up(table, 99));
  g_assert_cmpstr(look_up(table, 100), ==, "first");
  g_assert_cmpstr(look_up(table, 199), ==, "first");
  g_assert_cmpstr(look_up(table, 200), ==, "second");
  g_assert_null(look_up(table, 250));
  g_assert_cmpstr(look_up(table, 399), ==, "third");
  g_assert_null(look_up(table, 400));
  g_assert_null(look_up(table, G_MAXUINT64));
}

static void test_overlap(void)
{
  g_autoptr(ProfileFunctionTable) table = profile_function_table_new(CAPTURE_NAMING_SYMBOLS);
  gsize n;

  add(table, 100, 300, "outer");
  add(table, 200, 250, "inner");
  profile_function_table_seal(table);
  g_assert_cmpstr(look_up(table, 199), ==, "outer");
  g_assert_cmpstr(look_up(table, 200), ==, "inner");
  g_assert_null(look_up(table, 260));
  profile_function_table_get_ranges(table, &n);
  g_assert_cmpuint(n, ==, 2);
}

static void test_empty_table(void)
{
  g_autoptr(ProfileFunctionTable) table = profile_function_table_new(CAPTURE_NAMING_NONE);

  profile_function_table_seal(table);
  g_assert_null(look_up(table, 0));
  g_assert_cmpint(profile_function_table_get_status(table), ==, CAPTURE_NAMING_NONE);
}

/* Dense stretches far apart, as kernel and modules are, against a search through all ranges. */
static void test_sparse(void)
{
  g_autoptr(ProfileFunctionTable) table = profile_function_table_new(CAPTURE_NAMING_SYMBOLS);
  g_autoptr(GRand) random = g_rand_new_with_seed(3);
  static const guint64 bases[] = {0xffffffff81000000, 0xffffffffc0000000, 0xfffffffffffff000};

  for (guint i = 0; i < 2000; i++) {
    guint64 start = bases[i % 3] + i / 3 * (i % 3 == 2 ? 1 : 16 * (i % 7 + 1));
    add(table, start, start + 1 + g_rand_int_range(random, 0, 20), "function");
  }
  profile_function_table_seal(table);
  gsize n;
  const ProfileFunctionRange *ranges = profile_function_table_get_ranges(table, &n);
  for (guint i = 0; i < 5000; i++) {
    guint64 address = bases[i % 3] + g_rand_int_range(random, 0, i % 3 == 2 ? 0xfff : 90000);
    const ProfileFunctionRange *expected = NULL;
    for (gsize j = 0; j < n; j++)
      if (ranges[j].start <= address && address < ranges[j].end)
        expected = &ranges[j];
    g_assert_true(profile_function_table_lookup(table, address) == expected);
  }
}

static void test_sort(void)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(5);

  for (gsize n = 0; n < 60; n++) {
    g_autofree guint64 *times = g_new(guint64, n);
    for (gsize i = 0; i < n; i++)
      times[i] = g_rand_int_range(random, 0, 20) + (n % 3 == 0 ? i : 0);
    g_autofree guint32 *order = profile_column_sort(times, n);
    guint8 *column = g_new(guint8, n);
    for (gsize i = 0; i < n; i++)
      column[i] = (guint8)i;
    profile_column_reorder(&column, order, n, 1);
    for (gsize i = 1; i < n; i++) {
      g_assert_cmpuint(times[column[i - 1]], <=, times[column[i]]);
      g_assert_true(times[column[i - 1]] < times[column[i]] || column[i - 1] < column[i]);
    }
    g_free(column);
  }
}

static void test_mappings_in_time(void)
{
  g_autoptr(ProfileAddressSpaces) spaces = profile_address_spaces_new();
  const ProfileMapping mappings[] = {
      {.start = 1000, .end = 2000, .time = 5, .process = 1, .binary = 7},
      {.start = 1000, .end = 3000, .time = 9, .process = 1, .binary = G_MAXUINT32},
      {.start = 1500, .end = 2500, .time = 12, .process = 1, .binary = 8},
  };
  const struct {
    guint64 time, from, until;
    guint32 binary;
  } expected[] = {{3, 0, 5, 7}, {5, 5, 9, 7}, {9, 9, 12, G_MAXUINT32}, {12, 12, G_MAXUINT64, 8}};

  for (guint i = 0; i < G_N_ELEMENTS(mappings); i++)
    profile_address_spaces_add(spaces, &mappings[i]);
  profile_address_spaces_seal(spaces);
  for (guint i = 0; i < G_N_ELEMENTS(expected); i++) {
    guint64 from = 0, until = G_MAXUINT64;
    const ProfileMapping *found =
        profile_address_spaces_find_at(spaces, 1, 1600, expected[i].time, &from, &until);
    g_assert_cmpuint(found->binary, ==, expected[i].binary);
    g_assert_cmpuint(from, ==, expected[i].from);
    g_assert_cmpuint(until, ==, expected[i].until);
  }
}

static void test_mappings(void)
{
  g_autoptr(ProfileAddressSpaces) spaces = profile_address_spaces_new();
  const ProfileMapping mappings[] = {
      {.start = 1000, .end = 2000, .offset = 0, .time = 5, .process = 1, .binary = 7},
      {.start = 1500, .end = 2500, .offset = 100, .time = 9, .process = 1, .binary = 8},
      {.start = 1000, .end = 2000, .offset = 0, .time = 5, .process = 1, .binary = 7},
      {.start = 5000, .end = 6000, .offset = 0, .time = 20, .process = 1, .binary = 7},
      {.start = 3000, .end = 4000, .process = 1, .binary = G_MAXUINT32},
      {.start = 1000, .end = 2000, .process = 2, .binary = 9},
  };
  gboolean ambiguous = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS(mappings); i++)
    profile_address_spaces_add(spaces, &mappings[i]);
  profile_address_spaces_seal(spaces);
  g_assert_null(profile_address_spaces_find(spaces, 1, 999, &ambiguous));
  g_assert_cmpuint(profile_address_spaces_find(spaces, 1, 2400, &ambiguous)->binary, ==, 8);
  g_assert_false(ambiguous);
  g_assert_cmpuint(profile_address_spaces_find(spaces, 1, 1600, &ambiguous)->binary, ==, 7);
  g_assert_true(ambiguous);
  g_assert_null(profile_address_spaces_find(spaces, 1, 2500, &ambiguous));
  g_assert_null(profile_address_spaces_find(spaces, 1, 3500, &ambiguous));
  g_assert_cmpuint(profile_address_spaces_find(spaces, 2, 1600, &ambiguous)->binary, ==, 9);
  g_assert_cmpuint(profile_address_spaces_find_offset(spaces, 1, 7, 10, 10)->start, ==, 1000);
  g_assert_cmpuint(profile_address_spaces_find_offset(spaces, 1, 7, 10, 30)->start, ==, 5000);
  g_assert_cmpuint(profile_address_spaces_find_offset(spaces, 1, 7, 10, 0)->start, ==, 1000);
  g_assert_cmpuint(profile_address_spaces_find_offset(spaces, 1, 8, 1099, 10)->start, ==, 1500);
  g_assert_null(profile_address_spaces_find_offset(spaces, 1, 8, 1100, 10));
  g_assert_null(profile_address_spaces_find_offset(spaces, 1, 8, 99, 10));
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/profile/tables/lookup", test_lookup);
  g_test_add_func("/profile/tables/overlap", test_overlap);
  g_test_add_func("/profile/tables/empty", test_empty_table);
  g_test_add_func("/profile/tables/sparse", test_sparse);
  g_test_add_func("/profile/tables/sort", test_sort);
  g_test_add_func("/profile/tables/mappings", test_mappings);
  g_test_add_func("/profile/tables/mappings-in-time", test_mappings_in_time);
  return g_test_run();
}
