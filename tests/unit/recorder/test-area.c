/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Room in the area that walkers search. */
#include <glib.h>

#include "helpers/recorder/tables/area.h"

struct block {
  guint32 at;
  guint32 size;
};

static void give_any(struct recorder_area *area, GArray *blocks)
{
  guint i = (guint)g_test_rand_int_range(0, (gint)blocks->len);
  struct block block = g_array_index(blocks, struct block, i);
  recorder_area_give(area, block.at, block.size);
  g_array_remove_index_fast(blocks, i);
}

static void take_any(struct recorder_area *area, GArray *blocks)
{
  struct block block = {.size = (guint32)g_test_rand_int_range(1, g_test_rand_int_range(2, 100000))};
  block.at = recorder_area_take(area, block.size);
  if (block.at == 0) {
    give_any(area, blocks);
    return;
  }
  g_assert_cmpuint(block.at % 64, ==, 0);
  g_assert_cmpuint(block.at + block.size, <=, area->size);
  for (guint i = 0; i < blocks->len; i++) {
    struct block other = g_array_index(blocks, struct block, i);
    g_assert_true(block.at >= other.at + other.size || other.at >= block.at + block.size);
  }
  g_array_append_val(blocks, block);
}

/* Blocks of all sizes come and go; none overlaps another one, and in the end all is one piece again. */
static void check_area(void *bytes, guint rounds)
{
  const guint32 size = 1 << 20;
  struct recorder_area area;
  g_autoptr(GArray) blocks = g_array_new(FALSE, FALSE, sizeof(struct block));
  g_assert_cmpint(recorder_area_init(&area, bytes, size), ==, 0);
  for (guint i = 0; i < rounds; i++) {
    if (blocks->len != 0 && g_test_rand_int_range(0, 3) == 0)
      give_any(&area, blocks);
    else
      take_any(&area, blocks);
  }
  while (blocks->len != 0)
    give_any(&area, blocks);
  g_assert_cmpuint(recorder_area_room(&area), ==, size - 64);
  g_assert_cmpuint(recorder_area_take(&area, size - 64), ==, 64);
  g_assert_cmpuint(recorder_area_take(&area, 1), ==, 0);
  g_assert_cmpuint(recorder_area_take(&area, 0), ==, 0);
  recorder_area_clear(&area);
}

static void test_area(void)
{
  check_area(NULL, 3000);
}

/* What programs may be looking at is not used again before they were waited for. */
static void test_shared_area(void)
{
  g_autofree guint8 *bytes = g_malloc0(1 << 20);
  struct recorder_area area;
  check_area(bytes, 200);
  g_assert_cmpint(recorder_area_init(&area, bytes, 4096), ==, 0);
  guint32 first = recorder_area_take(&area, 1024), second;
  recorder_area_give(&area, first, 1024);
  g_assert_cmpuint(area.left.count, ==, 1);
  second = recorder_area_take(&area, 1024);
  g_assert_true(second >= first + 1024 || first >= second + 1024);
  g_assert_cmpuint(recorder_area_take(&area, 4096 - 64 - 2048), !=, 0);
  g_assert_cmpuint(area.left.count, ==, 1);
  g_assert_cmpuint(recorder_area_take(&area, 1024), ==, first);
  g_assert_cmpuint(area.left.count, ==, 0);
  recorder_area_clear(&area);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/recorder/area/own", test_area);
  g_test_add_func("/recorder/area/shared", test_shared_area);
  return g_test_run();
}
