/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a writer puts into a file is what a reader finds there. */
#include "tests/unit/libcapture/support.h"

/* A deep stack, another that shares its root, and one that is a prefix. */
static void test_stacks(void)
{
  TestCapture *t = test_capture_new(NULL, 0);
  uint32_t frames[600];
  int64_t deep, branch, prefix;

  for (uint32_t i = 0; i < G_N_ELEMENTS(frames); i++)
    frames[i] = (uint32_t)capture_writer_frame(t->writer, CAPTURE_SPACE_KERNEL, 0, 0xffffffff81000000u + i);
  deep = capture_writer_stack(t->writer, 0, frames, 600);
  g_assert_cmpint(deep, ==, 600);
  prefix = capture_writer_stack(t->writer, 0, frames + 590, 10);
  g_assert_cmpint(prefix, ==, 10);
  branch = capture_writer_stack(t->writer, (uint32_t)prefix, frames, 3);
  g_assert_cmpint(branch, ==, 603);
  g_assert_cmpint(capture_writer_stack(t->writer, 0, frames, 600), ==, deep);
  g_assert_cmpint(capture_writer_stack(t->writer, (uint32_t)prefix, frames, 3), ==, branch);
  g_assert_cmpint(capture_writer_stack(t->writer, 7, NULL, 0), ==, 7);
  test_sample(t, 1000, (uint32_t)branch, 1);
  test_capture_read(t);
  test_assert_leaf(
      t, 0,
      (uint64_t[]){0xffffffff81000000u, 0xffffffff81000001u, 0xffffffff81000002u, 0xffffffff81000000u + 590,
                   0xffffffff81000000u + 591, 0xffffffff81000000u + 592, 0xffffffff81000000u + 593,
                   0xffffffff81000000u + 594, 0xffffffff81000000u + 595, 0xffffffff81000000u + 596,
                   0xffffffff81000000u + 597, 0xffffffff81000000u + 598, 0xffffffff81000000u + 599},
      13);
  test_capture_free(t);
}

static void test_joins(void)
{
  TestCapture *t = test_capture_new(NULL, 0);
  uint32_t user_frame = (uint32_t)capture_writer_frame(t->writer, CAPTURE_SPACE_BINARY, 1, 0x1234);
  uint32_t kernel_frame =
      (uint32_t)capture_writer_frame(t->writer, CAPTURE_SPACE_KERNEL, 0, 0xffffffff00000001u);
  uint32_t user = (uint32_t)capture_writer_stack(t->writer, 0, &user_frame, 1);
  uint32_t kernel = (uint32_t)capture_writer_stack(t->writer, 0, &kernel_frame, 1);
  int64_t join = capture_writer_join(t->writer, user, kernel);

  g_assert_cmpint(join, ==, 3);
  g_assert_cmpint(capture_writer_join(t->writer, user, kernel), ==, join);
  g_assert_cmpint(capture_writer_join(t->writer, kernel, user), ==, 4);
  g_assert_cmpint(capture_writer_join(t->writer, user, 0), ==, user);
  g_assert_cmpint(capture_writer_join(t->writer, 0, kernel), ==, kernel);
  g_assert_cmpint(capture_writer_join(t->writer, (uint32_t)join, kernel), ==, -EINVAL);
  g_assert_cmpint(capture_writer_stack(t->writer, (uint32_t)join, &user_frame, 1), ==, -EINVAL);
  /* The node after a join must not be taken for a child of its user stack. */
  g_assert_cmpint(capture_writer_stack(t->writer, user, &kernel_frame, 1), ==, 5);
  test_sample(t, 5, (uint32_t)join, 1);
  test_capture_read(t);
  test_assert_leaf(t, 0, (uint64_t[]){0xffffffff00000001u, 0x1234}, 2);
  test_capture_free(t);
}

static void test_interning(void)
{
  TestCapture *t = test_capture_new(NULL, 0);
  int64_t hello = capture_writer_string(t->writer, "hello", 5);
  char long_text[4096];

  memset(long_text, 'x', sizeof long_text);
  g_assert_cmpint(hello, ==, 1);
  g_assert_cmpint(capture_writer_string(t->writer, "hello, world", 12), ==, 2);
  g_assert_cmpint(capture_writer_string(t->writer, "", 0), ==, 3);
  g_assert_cmpint(capture_writer_string(t->writer, long_text, 4095), ==, 4);
  g_assert_cmpint(capture_writer_string(t->writer, long_text, 4096), ==, -EINVAL);
  g_assert_cmpint(capture_writer_string(t->writer, "hello", 5), ==, hello);
  g_assert_cmpint(capture_writer_space(t->writer, CAPTURE_SPACE_PROCESS, 9, 0), ==, 1);
  g_assert_cmpint(capture_writer_space(t->writer, CAPTURE_SPACE_PROCESS, 9, 1), ==, -EINVAL);
  g_assert_cmpint(capture_writer_space(t->writer, CAPTURE_SPACE_PROCESS, 10, 0), ==, 2);
  g_assert_cmpint(capture_writer_frame(t->writer, CAPTURE_SPACE_PROCESS, 9, 0x10), ==, 1);
  g_assert_cmpint(capture_writer_frame(t->writer, CAPTURE_SPACE_PROCESS, 10, 0x10), ==, 2);
  g_assert_cmpint(capture_writer_frame(t->writer, CAPTURE_SPACE_PROCESS, 9, 0x10), ==, 1);
  g_assert_cmpint(capture_writer_frame(t->writer, CAPTURE_SPACE_PROCESS, 9, 0x100000010u), ==, 3);
  test_capture_read(t);
  g_assert_cmpuint(t->spaces->len, ==, 3 + 1);
  g_assert_cmpstr(g_ptr_array_index(t->strings, 2), ==, "hello, world");
  g_assert_cmpuint(strlen(g_ptr_array_index(t->strings, 4)), ==, 4095);
  test_capture_free(t);
}

/* Functions count with the strings, counters on their own; both are defined like any other record. */
static void test_function_identifiers(void)
{
  TestCapture *t = test_capture_new(NULL, 0);
  struct capture_record_function function = {
      .record = {.size = sizeof function, .type = CAPTURE_RECORD_FUNCTION}, .name = 1};
  struct capture_record_counter counter = {.record = {.size = sizeof counter, .type = CAPTURE_RECORD_COUNTER},
                                           .name = 1};

  g_assert_cmpint(capture_writer_string(t->writer, "one", 3), ==, 1);
  g_assert_cmpuint(function.id = capture_writer_next_id(t->writer, CAPTURE_RECORD_FUNCTION), ==, 2);
  g_assert_cmpint(capture_writer_string(t->writer, "", 0), ==, 3);
  g_assert_cmpint(capture_writer_string(t->writer, "one", 3), ==, 1);
  g_assert_cmpuint(counter.id = capture_writer_next_id(t->writer, CAPTURE_RECORD_COUNTER), ==, 1);
  g_assert_cmpuint(capture_writer_next_id(t->writer, CAPTURE_RECORD_COUNTER), ==, 2);
  g_assert_cmpuint(capture_writer_next_id(t->writer, CAPTURE_RECORD_CODE), ==, 0);
  g_assert_cmpint(capture_writer_define(t->writer, &function.record), ==, 0);
  g_assert_cmpint(capture_writer_define(t->writer, &counter.record), ==, 0);
  test_capture_read(t);
  g_assert_cmpuint(t->n_records[CAPTURE_RECORD_FUNCTION], ==, 1);
  g_assert_cmpuint(t->n_records[CAPTURE_RECORD_COUNTER], ==, 1);
  test_capture_free(t);
}

static void test_weights(void)
{
  TestCapture *t = test_capture_new(NULL, 0);

  for (uint32_t i = 0; i < 100; i++)
    test_sample(t, 1000 + i, 0, 7);
  for (uint32_t i = 0; i < 100; i++)
    test_sample(t, 2000 + i, 0, 10 + i);
  capture_writer_sample(t->writer,
                        &(struct capture_writer_sample){
                            .time = 3000, .event = 1, .weight = 5, .detail = 77, .has_detail = true});
  test_sample(t, 3001, 0, 6);
  test_capture_read(t);
  g_assert_cmpuint(t->samples->len, ==, 202);
  for (uint32_t i = 0; i < 200; i++) {
    g_assert_cmpuint(test_get_sample(t, i)->weight, ==, i < 100 ? 7 : i - 90);
    g_assert_cmpuint(test_get_sample(t, i)->time, ==, i < 100 ? 1000 + i : 1900 + i);
  }
  g_assert_cmpuint(test_get_sample(t, 200)->detail, ==, 77);
  g_assert_cmpuint(test_get_sample(t, 201)->detail, ==, 0);
  g_assert_cmpuint(test_get_sample(t, 201)->weight, ==, 6);
  g_assert_cmpuint(t->sample_parts[16], ==, 1);
  g_assert_cmpuint(t->sample_parts[24], ==, 1);
  g_assert_cmpuint(t->sample_parts[32], ==, 1);
  test_capture_free(t);
}

static void test_times(void)
{
  static const uint64_t times[] = {100,        100, 99, 5, 5 + (uint64_t)UINT32_MAX, 6 + (uint64_t)UINT32_MAX,
                                   UINT64_MAX, 0};
  TestCapture *t = test_capture_new(NULL, 0);

  for (size_t i = 0; i < G_N_ELEMENTS(times); i++)
    test_sample(t, times[i], 0, 1);
  test_capture_read(t);
  g_assert_cmpuint(t->samples->len, ==, G_N_ELEMENTS(times));
  for (size_t i = 0; i < G_N_ELEMENTS(times); i++)
    g_assert_cmpuint(test_get_sample(t, (uint32_t)i)->time, ==, times[i]);
  g_assert_cmpuint(t->sample_parts[16], ==, 6);
  test_capture_free(t);
}

static void test_epochs(void)
{
  const struct capture_writer_options options = {
      .size = sizeof options, .max_nodes = 8, .max_frames = 6, .max_strings = 2, .max_events = 2};
  TestCapture *t = test_capture_new(&options, 0);
  uint32_t frames[6];
  int64_t r = 0;

  for (uint32_t i = 0; i < 6; i++)
    frames[i] = (uint32_t)capture_writer_frame(t->writer, CAPTURE_SPACE_KERNEL, 0, i);
  g_assert_cmpint(capture_writer_frame(t->writer, CAPTURE_SPACE_KERNEL, 0, 6), ==, -ENOSPC);
  g_assert_cmpint(capture_writer_frame(t->writer, CAPTURE_SPACE_KERNEL, 0, 3), ==, frames[3]);
  g_assert_cmpint(capture_writer_stack(t->writer, 0, frames, 6), ==, 6);
  g_assert_cmpint(capture_writer_stack(t->writer, 1, frames, 3), ==, -ENOSPC);
  g_assert_cmpint(capture_writer_stack(t->writer, 1, frames + 1, 2), ==, 8);
  g_assert_cmpint(capture_writer_join(t->writer, 1, 2), ==, -ENOSPC);
  test_sample(t, 1, 8, 1);
  for (uint32_t i = 0; i < 3; i++)
    r = capture_writer_string(t->writer, &"abc"[i], 1);
  g_assert_cmpint(r, ==, -ENOSPC);
  g_assert_cmpuint(capture_writer_next_id(t->writer, CAPTURE_RECORD_EVENT), ==, 1);
  g_assert_cmpuint(capture_writer_next_id(t->writer, CAPTURE_RECORD_EVENT), ==, 2);
  g_assert_cmpuint(capture_writer_next_id(t->writer, CAPTURE_RECORD_EVENT), ==, 0);
  g_assert_cmpuint(capture_writer_epoch(t->writer), ==, 1);
  g_assert_cmpint(capture_writer_next_epoch(t->writer), ==, 0);
  g_assert_cmpuint(capture_writer_epoch(t->writer), ==, 2);
  g_assert_cmpuint(capture_writer_next_id(t->writer, CAPTURE_RECORD_EVENT), ==, 1);
  g_assert_cmpint(capture_writer_stack(t->writer, 0, frames, 1), ==, -EINVAL);
  frames[0] = (uint32_t)capture_writer_frame(t->writer, CAPTURE_SPACE_KERNEL, 0, 0xabc);
  g_assert_cmpuint(frames[0], ==, 1);
  test_sample(t, 2, (uint32_t)capture_writer_stack(t->writer, 0, frames, 1), 1);
  g_assert_cmpint(capture_writer_string(t->writer, "c", 1), ==, 1);
  test_capture_read(t);
  test_assert_leaf(t, 0, (uint64_t[]){1, 2, 5}, 3);
  test_assert_leaf(t, 1, (uint64_t[]){0xabc}, 1);
  test_capture_free(t);
}

/* So many distinct stacks that tables grow and windows fill, with the smallest windows. */
static void test_many(void)
{
  TestCapture *t = test_capture_new(NULL, 4096);
  const uint32_t n = 20000;

  for (uint32_t i = 0; i < n; i++) {
    uint32_t frames[3];
    int64_t user, kernel;

    for (uint32_t k = 0; k < 3; k++)
      frames[k] =
          (uint32_t)capture_writer_frame(t->writer, CAPTURE_SPACE_PROCESS, 1 + i % 5, (i >> k) * 4 + k);
    user = capture_writer_stack(t->writer, 0, frames, 3);
    kernel = capture_writer_stack(t->writer, 0, frames, 1 + i % 2);
    g_assert_cmpint(user, >, 0);
    test_sample(t, i, (uint32_t)capture_writer_join(t->writer, (uint32_t)user, (uint32_t)kernel), 1);
  }
  test_capture_read(t);
  g_assert_cmpuint(t->samples->len, ==, n);
  for (uint32_t i = 0; i < n; i++) {
    const uint64_t leaf[] = {i * 4, (i >> 1) * 4 + 1, (i >> 2) * 4 + 2};
    const uint64_t expected[] = {leaf[0], i % 2 ? leaf[1] : leaf[0], i % 2 ? leaf[0] : leaf[1],
                                 i % 2 ? leaf[1] : leaf[2], leaf[2]};

    test_assert_leaf(t, i, expected, i % 2 ? 5 : 4);
  }
  test_capture_free(t);
}

static void test_records(void)
{
  TestCapture *t = test_capture_new(NULL, 0);
  struct capture_record_thread thread = {
      .record = {sizeof thread, CAPTURE_RECORD_THREAD, 0}, .tid = 42, .time = 9};
  struct capture_record_lost lost = {
      .record = {sizeof lost, CAPTURE_RECORD_LOST, 0}, .time = 50, .samples = 3};
  const struct capture_record string[3] = {{sizeof string, CAPTURE_RECORD_STRING, 0}};

  thread.id = capture_writer_next_id(t->writer, CAPTURE_RECORD_THREAD);
  g_assert_cmpuint(thread.id, ==, 1);
  g_assert_cmpint(capture_writer_define(t->writer, &thread.record), ==, 0);
  g_assert_cmpint(capture_writer_define(t->writer, &lost.record), ==, -EINVAL);
  g_assert_cmpint(capture_writer_define(t->writer, string), ==, -EINVAL);
  g_assert_cmpint(capture_writer_record(t->writer, &lost.record, 0), ==, 0);
  g_assert_cmpint(capture_writer_record(t->writer, &lost.record, lost.time), ==, 0);
  g_assert_cmpint(capture_writer_record(t->writer, &thread.record, 0), ==, -EINVAL);
  lost.record.size = 40;
  g_assert_cmpint(capture_writer_record(t->writer, &lost.record, 0), ==, -EINVAL);
  test_capture_read(t);
  g_assert_cmpuint(t->n_records[CAPTURE_RECORD_THREAD], ==, 1);
  g_assert_cmpuint(t->n_records[CAPTURE_RECORD_LOST], ==, 2);
  g_assert_cmpuint(t->records_time_first, ==, 50);
  g_assert_cmpuint(t->records_time_last, ==, 50);
  test_capture_free(t);
}

/* What was interned is told again, whatever else stands in the window; names have one of their own. */
static void test_frames(void)
{
  TestCapture *t = test_capture_new(NULL, 0);
  const struct {
    uint32_t kind, owner;
    uint64_t address;
  } frames[] = {{CAPTURE_SPACE_BINARY, 7, 0x123456789},
                {CAPTURE_SPACE_KERNEL, 0, 0xffffffff81000010},
                {CAPTURE_SPACE_BINARY, 7, 0x10},
                {CAPTURE_SPACE_PROCESS, 3, 0x7fffffffffff}};

  g_assert_cmpuint(capture_writer_n_frames(t->writer), ==, 0);
  for (uint32_t i = 0; i < 4; i++)
    g_assert_cmpint(capture_writer_frame(t->writer, frames[i].kind, frames[i].owner, frames[i].address), ==,
                    i + 1);
  g_assert_cmpuint(capture_writer_n_frames(t->writer), ==, 4);
  for (uint32_t i = 0; i < 4; i++) {
    uint32_t kind, owner;
    uint64_t address;

    capture_writer_get_frame(t->writer, i + 1, &kind, &owner, &address);
    g_assert_cmpuint(kind, ==, frames[i].kind);
    g_assert_cmpuint(owner, ==, frames[i].owner);
    g_assert_cmpuint(address, ==, frames[i].address);
  }
  test_capture_read(t);
  test_capture_free(t);
}

static void test_names(void)
{
  TestCapture *t = test_capture_new(NULL, 0);
  struct capture_record_named_binary binary = {{sizeof binary, CAPTURE_RECORD_NAMED_BINARY, 0}, .id = 1};
  struct capture_record_lost lost = {{sizeof lost, CAPTURE_RECORD_LOST, 0}, .time = 50};
  union {
    struct capture_record_functions record;
    char bytes[sizeof(struct capture_record_functions) + 2 * sizeof(struct capture_function)];
  } functions = {.record = {{sizeof functions, CAPTURE_RECORD_FUNCTIONS, 2}, .binary = 1}};

  for (uint32_t i = 0; i < 1000; i++) {
    g_assert_cmpint(capture_writer_name(t->writer, &binary.record), ==, 0);
    g_assert_cmpint(capture_writer_name(t->writer, &functions.record.record), ==, 0);
  }
  g_assert_cmpint(capture_writer_name(t->writer, &lost.record), ==, -EINVAL);
  functions.record.record.count = 3;
  g_assert_cmpint(capture_writer_name(t->writer, &functions.record.record), ==, -EINVAL);
  g_assert_cmpint(capture_writer_record(t->writer, &binary.record, 0), ==, -EINVAL);
  test_capture_read(t);
  g_assert_cmpuint(t->n_records[CAPTURE_RECORD_NAMED_BINARY], ==, 1000);
  g_assert_cmpuint(t->n_records[CAPTURE_RECORD_FUNCTIONS], ==, 1000);
  test_capture_free(t);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/libcapture/round-trip/stacks", test_stacks);
  g_test_add_func("/libcapture/round-trip/joins", test_joins);
  g_test_add_func("/libcapture/round-trip/interning", test_interning);
  g_test_add_func("/libcapture/round-trip/function-identifiers", test_function_identifiers);
  g_test_add_func("/libcapture/round-trip/weights", test_weights);
  g_test_add_func("/libcapture/round-trip/times", test_times);
  g_test_add_func("/libcapture/round-trip/epochs", test_epochs);
  g_test_add_func("/libcapture/round-trip/many", test_many);
  g_test_add_func("/libcapture/round-trip/records", test_records);
  g_test_add_func("/libcapture/round-trip/frames", test_frames);
  g_test_add_func("/libcapture/round-trip/names", test_names);
  return g_test_run();
}
