/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib.h>

#include "helpers/preload/preload-blocks.h"

static const void *block(uint64_t i)
{
  return (const void *)(uintptr_t)(0x550000000000 + i * 48);
}

static void test_take_once(void)
{
  struct preload_blocks blocks;
  g_assert_cmpint(preload_blocks_init(&blocks, 4), ==, 0);
  g_assert_cmpuint(preload_blocks_take(&blocks, block(1)), ==, 0);
  g_assert_true(preload_blocks_add(&blocks, block(1), 77));
  g_assert_true(preload_blocks_add(&blocks, block(2), 78));
  g_assert_cmpuint(preload_blocks_take(&blocks, block(1)), ==, 77);
  g_assert_cmpuint(preload_blocks_take(&blocks, block(1)), ==, 0);
  g_assert_cmpuint(preload_blocks_take(&blocks, block(2)), ==, 78);
  preload_blocks_clear(&blocks);
}

/* Full: what was put in stays, what was not is counted, and there is room again afterwards. */
static void test_full(void)
{
  struct preload_blocks blocks;
  unsigned in = 0, out = 0;
  bool is_in[4096];
  g_assert_cmpint(preload_blocks_init(&blocks, 6), ==, 0);
  for (unsigned i = 0; i < 4096; i++)
    in += is_in[i] = preload_blocks_add(&blocks, block(i), i + 1);
  g_assert_cmpuint(in, ==, 64 * PRELOAD_BLOCKS_WAYS);
  g_assert_cmpuint(atomic_load(&blocks.lost), ==, 4096 - in);
  for (unsigned i = 0; i < 4096; i++) {
    uint64_t weight = preload_blocks_take(&blocks, block(i));
    g_assert_cmpuint(weight, ==, is_in[i] ? i + 1 : 0);
    out += weight != 0;
  }
  g_assert_cmpuint(out, ==, in);
  g_assert_true(preload_blocks_add(&blocks, block(9999), 5));
  g_assert_cmpuint(preload_blocks_take(&blocks, block(9999)), ==, 5);
  preload_blocks_clear(&blocks);
}

/* Half full, next to nothing is lost. */
static void test_load(void)
{
  struct preload_blocks blocks;
  g_assert_cmpint(preload_blocks_init(&blocks, 10), ==, 0);
  for (unsigned i = 0; i < 1024 * PRELOAD_BLOCKS_WAYS / 2; i++)
    preload_blocks_add(&blocks, block(i), 1);
  g_assert_cmpuint(atomic_load(&blocks.lost), <, 1024 * PRELOAD_BLOCKS_WAYS / 200);
  preload_blocks_clear(&blocks);
}

struct worker {
  struct preload_blocks *blocks;
  unsigned first;
};

static void *work(void *data)
{
  const struct worker *worker = data;
  for (unsigned round = 0; round < 200; round++) {
    for (unsigned i = 0; i < 100; i++)
      g_assert_true(preload_blocks_add(worker->blocks, block(worker->first + i), worker->first + i));
    for (unsigned i = 0; i < 100; i++)
      g_assert_cmpuint(preload_blocks_take(worker->blocks, block(worker->first + i)), ==, worker->first + i);
  }
  return NULL;
}

static void test_threads(void)
{
  struct preload_blocks blocks;
  struct worker workers[4];
  GThread *threads[4];
  g_assert_cmpint(preload_blocks_init(&blocks, 9), ==, 0);
  for (unsigned i = 0; i < 4; i++) {
    workers[i] = (struct worker){&blocks, 1 + i * 1000};
    threads[i] = g_thread_new("worker", work, &workers[i]);
  }
  for (unsigned i = 0; i < 4; i++)
    g_thread_join(threads[i]);
  preload_blocks_clear(&blocks);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/preload/blocks/take-once", test_take_once);
  g_test_add_func("/preload/blocks/full", test_full);
  g_test_add_func("/preload/blocks/load", test_load);
  g_test_add_func("/preload/blocks/threads", test_threads);
  return g_test_run();
}
