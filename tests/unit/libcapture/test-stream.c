/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A writer in one thread, a collector in another: what arrives in the file is what was written, less what
 * the writer was told did not fit. */
#include "tests/unit/libcapture/support.h"

#define SAMPLES 60000u
#define DEPTH   6u

typedef struct {
  TestCapture *t; /* its file */
  capture_pool *pool;
  capture_tap *tap;
  GArray *written; /* uint32_t: the times of the samples that the writer took */
  int done;
} Stress;

static uint64_t address_of(uint32_t time, uint32_t depth)
{
  return 0x7f0000000000u + ((time >> (2 * depth)) % 9973) * 16 + depth;
}

/* The stack of one sample; a full epoch is followed by another. -EAGAIN when no window is free. */
static int64_t define_stack(capture_writer *writer, uint32_t time)
{
  uint32_t frames[DEPTH];
  int64_t r = 0;

  for (uint32_t i = 0; i < DEPTH && r >= 0; i++) {
    r = capture_writer_frame(writer, CAPTURE_SPACE_PROCESS, 1, address_of(time, i));
    frames[i] = (uint32_t)r;
  }
  if (r >= 0)
    r = capture_writer_stack(writer, 0, frames, DEPTH);
  if (r != -ENOSPC)
    return r;
  g_assert_cmpint(capture_writer_next_epoch(writer), ==, 0);
  return define_stack(writer, time);
}

static gpointer produce(gpointer data)
{
  const struct capture_writer_options options = {
      .size = sizeof options, .max_nodes = 20000, .max_frames = 15000};
  Stress *stress = data;
  capture_writer *writer;
  capture_sink sink;

  capture_sink_init_pool(&sink, stress->pool);
  g_assert_cmpint(capture_writer_create(&writer, &sink, &options), ==, 0);
  for (uint32_t time = 1; time <= SAMPLES; time++) {
    int64_t leaf = define_stack(writer, time);
    struct capture_writer_sample sample = {.time = time, .event = 1 + time % 2, .thread = 1, .weight = 1};

    sample.leaf = leaf > 0 ? (uint32_t)leaf : 0;
    if (leaf == -EAGAIN || capture_writer_sample(writer, &sample) == -EAGAIN)
      g_thread_yield();
    else
      g_array_append_val(stress->written, time);
    if (time % 100 == 0)
      capture_writer_commit(writer);
  }
  g_assert_cmpint(capture_writer_destroy(writer), ==, 0);
  __atomic_store_n(&stress->done, 1, __ATOMIC_RELEASE);
  return NULL;
}

static int append(const struct capture_taken *taken, void *data)
{
  TestCapture *t = data;
  struct capture_window_header header = taken->header;

  header.stream = 1;
  return capture_file_append(t->file, &header, taken->content);
}

static int compare_times(gconstpointer a, gconstpointer b)
{
  const TestSample *first = a, *second = b;

  return (first->time > second->time) - (first->time < second->time);
}

static void check_stress(Stress *stress)
{
  TestCapture *t = stress->t;

  g_assert_cmpuint(t->samples->len, ==, stress->written->len);
  g_array_sort(t->samples, compare_times);
  for (uint32_t i = 0; i < t->samples->len; i++) {
    uint64_t expected[DEPTH];

    g_assert_cmpuint(test_get_sample(t, i)->time, ==, g_array_index(stress->written, uint32_t, i));
    for (uint32_t k = 0; k < DEPTH; k++)
      expected[k] = address_of((uint32_t)test_get_sample(t, i)->time, k);
    test_assert_leaf(t, i, expected, DEPTH);
  }
}

static void test_stress(void)
{
  const struct capture_pool_options options = {
      .size = sizeof options, .window_size = 4096, .window_count = 12};
  Stress stress = {.t = test_capture_new(NULL, 0), .written = g_array_new(FALSE, FALSE, sizeof(uint32_t))};
  GThread *producer;
  int done;

  g_assert_cmpint(capture_pool_create(&stress.pool, &options), ==, 0);
  g_assert_cmpint(capture_tap_open(&stress.tap, capture_pool_windows_fd(stress.pool),
                                   capture_pool_control_fd(stress.pool)),
                  ==, 0);
  producer = g_thread_new("producer", produce, &stress);
  do {
    done = __atomic_load_n(&stress.done, __ATOMIC_ACQUIRE);
    g_assert_cmpint(capture_tap_take(stress.tap, append, stress.t), >=, 0);
  } while (!done);
  g_thread_join(producer);
  g_assert_cmpuint(capture_pool_free_windows(stress.pool), ==, 12);
  test_capture_read(stress.t);
  check_stress(&stress);
  g_test_message("%u of %u samples found a window", stress.written->len, SAMPLES);
  g_assert_cmpuint(stress.written->len, >, 1000);
  g_array_unref(stress.written);
  capture_tap_close(stress.tap);
  capture_pool_destroy(stress.pool);
  test_capture_free(stress.t);
}

/* Without a collector: the writer says so, defines nothing by halves, and goes on when there is room again.
 */
static void test_stalled(void)
{
  const struct capture_pool_options options = {
      .size = sizeof options, .window_size = 4096, .window_count = 3};
  Stress stress = {.t = test_capture_new(NULL, 0), .written = g_array_new(FALSE, FALSE, sizeof(uint32_t))};
  capture_writer *writer;
  capture_sink sink;
  uint32_t refused = 0;

  g_assert_cmpint(capture_pool_create(&stress.pool, &options), ==, 0);
  g_assert_cmpint(capture_tap_open(&stress.tap, capture_pool_windows_fd(stress.pool),
                                   capture_pool_control_fd(stress.pool)),
                  ==, 0);
  capture_sink_init_pool(&sink, stress.pool);
  g_assert_cmpint(capture_writer_create(&writer, &sink, NULL), ==, 0);
  for (uint32_t time = 1; time < 4000; time++) {
    int64_t leaf = define_stack(writer, time * 37);
    struct capture_writer_sample sample = {
        .time = time * 37, .event = 1, .leaf = (uint32_t)leaf, .weight = 1};
    uint32_t written = time * 37;

    if (leaf < 0 || capture_writer_sample(writer, &sample) < 0)
      refused++;
    else
      g_array_append_val(stress.written, written);
    if (time % 1000 == 0)
      g_assert_cmpint(capture_tap_take(stress.tap, append, stress.t), >=, 0);
  }
  g_assert_cmpuint(refused, >, 1000);
  g_assert_cmpint(capture_writer_destroy(writer), ==, 0);
  g_assert_cmpint(capture_tap_take(stress.tap, append, stress.t), >=, 0);
  test_capture_read(stress.t);
  check_stress(&stress);
  g_array_unref(stress.written);
  capture_tap_close(stress.tap);
  capture_pool_destroy(stress.pool);
  test_capture_free(stress.t);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/libcapture/stream/stress", test_stress);
  g_test_add_func("/libcapture/stream/stalled", test_stalled);
  return g_test_run();
}
