/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions that programs tell of, with the truth known: code whose addresses are used again and again, seen
 * by a recorder from outside and by a sampler from inside, must never be named by what stood there at another
 * time.
 */
#include <string.h>

#include "profile/capture/stacks.h"
#include "profile/naming/naming.h"
#include "tests/unit/profile/told-capture.h"

enum { SLOTS = 16, SLOT_SIZE = 256, ROUNDS = 20000 };

typedef struct {
  guint64 time;
  guint n;
  char names[TOLD_MAX_DEPTH][16]; /* from the leaf; "" is the library */
} Truth;

/* What stands in each slot now. */
typedef struct {
  guint length; /* 0: nothing */
  guint number;
} Slot;

/* A stack over what stands there, and what it must be called. The leaf may be any byte of a function, a
 * return address any byte behind its first one up to the one behind its last. */
static guint choose_stack(GRand *random, const Slot *slots, guint64 *addresses, Truth *truth)
{
  guint n = (guint)g_rand_int_range(random, 1, TOLD_MAX_DEPTH + 1);

  for (guint i = 0; i < n; i++) {
    guint slot = (guint)g_rand_int_range(random, 0, SLOTS + 2);
    if (slot >= SLOTS || slots[slot].length == 0) {
      gboolean native = slot >= SLOTS;
      addresses[i] = native ? TOLD_LIBRARY + 0x100 : TOLD_CODE + (guint64)slot * SLOT_SIZE + 8;
      g_snprintf(truth->names[i], sizeof truth->names[i], "%s", native ? "" : "?");
      continue;
    }
    static const guint at[] = {0, 1, 40, 128};
    guint offset = at[g_rand_int_range(random, 0, 4)];
    offset = MIN(offset, slots[slot].length - 1) + (i > 0);
    addresses[i] = TOLD_CODE + (guint64)slot * SLOT_SIZE + offset;
    g_snprintf(truth->names[i], sizeof truth->names[i], "f%u", slots[slot].number);
  }
  return truth->n = n;
}

static void change_slot(GRand *random, ToldStream *stream, Slot *slots, guint64 time)
{
  guint slot = (guint)g_rand_int_range(random, 0, SLOTS);
  guint64 start = TOLD_CODE + (guint64)slot * SLOT_SIZE;
  char name[16];

  if (slots[slot].length > 0 && g_rand_boolean(random)) {
    told_end_code(stream, start, slots[slot].length, time);
    slots[slot].length = 0;
    return;
  }
  if (slots[slot].length > 0)
    told_end_code(stream, start, slots[slot].length, time);
  slots[slot].length = g_rand_boolean(random) ? SLOT_SIZE : 64;
  slots[slot].number = (guint)g_rand_int_range(random, 0, 1000);
  g_snprintf(name, sizeof name, "f%u", slots[slot].number);
  told_add_code(stream, start, slots[slot].length, time, name);
}

static gboolean matches(ProfileCapture *capture, guint32 function, const char *wanted)
{
  const char *name = profile_capture_get_function_name(capture, function);
  const char *binary = profile_capture_get_function_binary(capture, function);

  if (*wanted == '\0')
    return strcmp(binary, "/usr/lib/runtime.so") == 0;
  if (*wanted == '?')
    return g_str_has_prefix(name, "0x7f") && strcmp(binary, "[unknown]") == 0;
  return strcmp(name, wanted) == 0 && strcmp(binary, "[runtime]") == 0 &&
         profile_capture_function_is_told(capture, function);
}

static void check_event(ProfileCapture *capture, const ProfileEvent *event, const GArray *truths)
{
  const guint32 *functions = profile_capture_get_node_functions(capture), *parents, *frames;
  gsize n_nodes;

  profile_capture_get_nodes(capture, &parents, &frames, &n_nodes);
  g_assert_cmpuint(event->n_samples, ==, truths->len);
  for (gsize i = 0; i < event->n_samples; i++) {
    const Truth *truth = &g_array_index(truths, Truth, i);
    guint32 node = event->leaf[i];
    g_assert_cmpuint(event->time[i], ==, truth->time);
    for (guint j = 0; j < truth->n; j++, node = parents[node])
      if (!matches(capture, functions[node], truth->names[j]))
        g_error("sample %zu frame %u is %s, not %s", i, j,
                profile_capture_get_function_name(capture, functions[node]), truth->names[j]);
    g_assert_cmpuint(node, ==, 0);
  }
}

/* Both see the same address space; code changes between any two samples. */
static void test_reused_addresses(void)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(7);
  TestFile file = test_file_open(1, FALSE);
  ToldStream inside = told_open_stream(&file, CAPTURE_STREAM_SAMPLER, "runtime");
  ToldStream outside = told_open_stream(&file, CAPTURE_STREAM_RECORDER, "recorder");
  g_autoptr(GArray) seen_outside = g_array_new(FALSE, TRUE, sizeof(Truth));
  g_autoptr(GArray) seen_inside = g_array_new(FALSE, TRUE, sizeof(Truth));
  Slot slots[SLOTS] = {0};
  guint64 time = 1000, addresses[TOLD_MAX_DEPTH];

  told_define_outside(&outside);
  told_define_inside(&inside, time);
  for (guint i = 0; i < ROUNDS; i++, time += (guint64)g_rand_int_range(random, 1, 3)) {
    guint which = i % 2;
    Truth truth = {.time = time};
    if (i == ROUNDS / 2) { /* what was told before stands on */
      g_assert_cmpint(capture_writer_next_epoch(inside.writer), ==, 0);
      told_define_inside(&inside, 1000);
    }
    if (i % 3 == 0)
      change_slot(random, &inside, slots, time);
    choose_stack(random, slots, addresses, &truth);
    told_add_sample(which ? &inside : &outside, time, addresses, truth.n);
    g_array_append_vals(which ? seen_inside : seen_outside, &truth, 1);
  }
  told_close_stream(&outside);
  told_close_stream(&inside);

  g_autoptr(ProfileCapture) capture = test_file_load(&file, time);
  guint n_events, n_processes, n_threads;
  const ProfileEvent *events = profile_capture_get_events(capture, &n_events);
  const ProfileThread *threads = profile_capture_get_threads(capture, &n_threads);
  profile_capture_get_processes(capture, &n_processes);
  g_assert_cmpuint(n_events, ==, 2);
  g_assert_cmpstr(events[0].name, ==, "cpu-clock");
  g_assert_cmpstr(events[1].name, ==, "cpu-time");
  g_assert_cmpuint(n_processes, ==, 2);
  g_assert_cmpuint(n_threads, ==, 2);
  g_assert_cmpint(threads[1].tid, ==, TOLD_TID);
  check_event(capture, &events[0], seen_outside);
  check_event(capture, &events[1], seen_inside);
}

static const char *get_leaf_name(ProfileCapture *capture, guint event, gsize sample)
{
  const ProfileEvent *item = profile_capture_get_event(capture, event);
  g_assert_cmpuint(sample, <, item->n_samples);
  return profile_capture_get_function_name(capture,
                                           profile_capture_get_node_functions(capture)[item->leaf[sample]]);
}

/* The same address before the code was there, while it was, after a part was overwritten, after it ended. */
static void test_one_address(void)
{
  static const char *const expected[] = {"0x7f0000001010", "first",          "first",
                                         "second",         "0x7f0000001010", "third"};
  TestFile file = test_file_open(1, FALSE);
  ToldStream inside = told_open_stream(&file, CAPTURE_STREAM_SAMPLER, "runtime");
  const guint64 address = TOLD_CODE + 0x10, whole = G_MAXUINT64 - TOLD_CODE;

  told_define_inside(&inside, 50);
  told_add_code(&inside, TOLD_CODE, 0x100, 100, "first");
  told_add_code(&inside, TOLD_CODE + 0x20, 0x10, 200, "beside");
  told_add_code(&inside, TOLD_CODE, 0x20, 300, "second");
  told_end_code(&inside, TOLD_CODE - 0x1000, whole, 400);
  told_add_code(&inside, TOLD_CODE, G_MAXUINT64, 500, "third");
  told_add_code(&inside, TOLD_CODE, 0, 550, "nothing");
  for (guint i = 0; i < G_N_ELEMENTS(expected); i++)
    told_add_sample(&inside, 60 + i * 100, &address, 1);
  told_close_stream(&inside);
  g_autoptr(ProfileCapture) capture = test_file_load(&file, 1000);
  for (guint i = 0; i < G_N_ELEMENTS(expected); i++)
    g_assert_cmpstr(get_leaf_name(capture, 0, i), ==, expected[i]);
}

/* A child has its parent's code of the time of the fork, and not what the parent made later. */
static void test_fork(void)
{
  TestFile file = test_file_open(1, FALSE);
  ToldStream stream = told_open_stream(&file, CAPTURE_STREAM_RECORDER, "recorder");
  struct capture_record_process child = {.record = {sizeof child, CAPTURE_RECORD_PROCESS, 0},
                                         .pid = TOLD_PID + 1,
                                         .time = 200,
                                         .origin = CAPTURE_PROCESS_FORKED};
  const guint64 address = TOLD_CODE + 0x10;

  told_define_process(&stream, 0, CAPTURE_PROCESS_EXISTED, "parent");
  told_define_thread(&stream, 0, "parent");
  told_define_event(&stream, "cpu-clock");
  told_add_code(&stream, TOLD_CODE, 0x100, 100, "before");
  told_add_code(&stream, TOLD_CODE, 0x100, 300, "after");
  told_add_sample(&stream, 350, &address, 1);
  child.parent = stream.process;
  child.name = told_add_string(&stream, "child");
  child.id = stream.process = capture_writer_next_id(stream.writer, CAPTURE_RECORD_PROCESS);
  told_define(&stream, &child);
  told_add_sample(&stream, 360, &address, 1);
  told_close_stream(&stream);
  g_autoptr(ProfileCapture) capture = test_file_load(&file, 1000);
  g_assert_cmpstr(get_leaf_name(capture, 0, 0), ==, "after");
  g_assert_cmpstr(get_leaf_name(capture, 0, 1), ==, "before");
}

/* A program that another one became by an exec has none of its code, whatever stream tells of it. */
static void test_exec(void)
{
  TestFile file = test_file_open(1, FALSE);
  ToldStream outside = told_open_stream(&file, CAPTURE_STREAM_RECORDER, "recorder");
  ToldStream inside[2] = {told_open_stream(&file, CAPTURE_STREAM_SAMPLER, "a"),
                          told_open_stream(&file, CAPTURE_STREAM_SAMPLER, "b")};
  const guint64 address = TOLD_CODE + 0x10;
  guint32 first;

  told_define_outside(&outside);
  told_add_sample(&outside, 150, &address, 1);
  first = outside.process;
  told_define_process(&outside, 200, CAPTURE_PROCESS_EXECED, "next");
  g_assert_cmpuint(outside.process, !=, first);
  told_define_thread(&outside, 200, "next");
  told_add_sample(&outside, 250, &address, 1);
  told_add_sample(&outside, 350, &address, 1);
  told_define_inside(&inside[0], 50);
  told_add_code(&inside[0], TOLD_CODE, 0x100, 100, "old");
  told_define_inside(&inside[1], 210);
  told_add_code(&inside[1], TOLD_CODE, 0x100, 300, "new");
  told_close_stream(&outside);
  told_close_stream(&inside[0]);
  told_close_stream(&inside[1]);
  g_autoptr(ProfileCapture) capture = test_file_load(&file, 1000);
  guint n;
  profile_capture_get_processes(capture, &n);
  g_assert_cmpuint(n, ==, 3);
  g_assert_cmpstr(get_leaf_name(capture, 0, 0), ==, "old");
  g_assert_cmpstr(get_leaf_name(capture, 0, 1), ==, "0x7f0000001010");
  g_assert_cmpstr(get_leaf_name(capture, 0, 2), ==, "new");
}

/* Identifiers and code of one name and place are one function; others are not. */
static void test_functions(void)
{
  TestFile file = test_file_open(1, FALSE);
  ToldStream inside = told_open_stream(&file, CAPTURE_STREAM_SAMPLER, "runtime");
  struct capture_record_function function = {.record = {sizeof function, CAPTURE_RECORD_FUNCTION, 0}};
  guint64 address = TOLD_CODE + 0x10;

  told_define_inside(&inside, 50);
  function.name = told_add_string(&inside, "update");
  function.file = told_add_string(&inside, "program.lua");
  function.line = 7;
  function.id = capture_writer_next_id(inside.writer, CAPTURE_RECORD_FUNCTION);
  told_define(&inside, &function);
  told_add_code(&inside, TOLD_CODE, 0x100, 100, "update");
  told_add_sample(&inside, 150, &address, 1);
  const guint64 identifiers[] = {function.id, told_add_string(&inside, "update"), 9999};
  for (guint i = 0; i < G_N_ELEMENTS(identifiers); i++) {
    struct capture_writer_sample sample = {.time = 160 + i, .event = inside.event, .weight = 1000};
    guint32 frame =
        test_take_id(capture_writer_frame(inside.writer, CAPTURE_SPACE_IDENTIFIERS, inside.process,
                                          G_GUINT64_CONSTANT(0xe000000000000000) | identifiers[i]));
    sample.leaf = test_take_id(capture_writer_stack(inside.writer, 0, &frame, 1));
    g_assert_cmpint(capture_writer_sample(inside.writer, &sample), ==, 0);
  }
  told_close_stream(&inside);
  g_autoptr(ProfileCapture) capture = test_file_load(&file, 1000);
  const guint32 *functions = profile_capture_get_node_functions(capture);
  const guint32 *leaf = profile_capture_get_event(capture, 0)->leaf;
  gsize n;
  const ProfileFunction *all = profile_capture_get_functions(capture, &n);
  g_assert_cmpuint(functions[leaf[0]], ==, functions[leaf[1]]);
  g_assert_cmpuint(functions[leaf[0]], !=, functions[leaf[2]]);
  g_assert_cmpstr(all[functions[leaf[0]]].range->file, ==, "program.lua");
  g_assert_cmpuint(all[functions[leaf[0]]].range->line, ==, 7);
  g_assert_null(all[functions[leaf[2]]].range->file);
  g_assert_cmpstr(get_leaf_name(capture, 0, 2), ==, "update");
  g_assert_cmpstr(get_leaf_name(capture, 0, 3), ==, "[unknown]");
}

/* What the program itself named, no file is looked for. */
static void test_naming(void)
{
  const ProfileNamingOptions options = {.no_store = TRUE};
  ProfileNamingResult result;
  TestFile file = test_file_open(1, FALSE);
  ToldStream inside = told_open_stream(&file, CAPTURE_STREAM_SAMPLER, "runtime");
  const guint64 addresses[] = {TOLD_CODE + 0x10, TOLD_CODE + 0x20};

  told_define_inside(&inside, 50);
  told_add_code(&inside, TOLD_CODE, 0x100, 100, "update");
  told_add_sample(&inside, 150, addresses, 2);
  told_close_stream(&inside);
  g_autoptr(ProfileCapture) capture = test_file_load(&file, 1000);
  g_assert_true(profile_naming_resolve(capture, &options, &result, NULL, NULL));
  g_assert_cmpuint(result.binaries, ==, 0);
  g_assert_cmpstr(get_leaf_name(capture, 0, 0), ==, "update");
}

/* What was inlined is a function of its own, below the one that holds it, unless it is folded. */
static void assert_inlined_path(ProfileCapture *capture, guint32 leaf)
{
  g_autoptr(ProfileStacks) folded = profile_stacks_new_without_inlined(capture);
  g_autoptr(ProfileStacks) stacks = profile_stacks_new(capture);
  const guint32 *functions = profile_stacks_get_functions(stacks);
  guint32 node = profile_stacks_get_map(stacks)[leaf], holder = profile_stacks_get_parents(stacks)[node];

  g_assert_cmpstr(profile_stacks_get_function_name(stacks, functions[node]), ==, "inner");
  g_assert_cmpuint(profile_stacks_get_inlined(stacks)[node], ==, 1);
  g_assert_cmpstr(profile_stacks_get_function_name(stacks, functions[holder]), ==, "f");
  functions = profile_stacks_get_functions(folded);
  g_assert_cmpstr(profile_stacks_get_function_name(folded, functions[leaf]), ==, "f");
}

/* Where in a function's source, by the lines of its code; a return address belongs to its call. */
static void test_lines(void)
{
  struct {
    struct capture_record_code code;
    struct capture_code_range ranges[2];
  } record = {.code = {.record = {sizeof record, CAPTURE_RECORD_CODE, 2}, .start = TOLD_CODE, .length = 64}};
  TestFile file = test_file_open(1, FALSE);
  ToldStream inside = told_open_stream(&file, CAPTURE_STREAM_SAMPLER, "runtime");
  const guint64 addresses[] = {TOLD_CODE + 16, TOLD_CODE + 16};
  const guint32 *parents, *frames;
  const char *source, *inlined;
  guint32 line;
  gsize n;

  told_define_inside(&inside, 50);
  record.code.process = inside.process;
  record.code.name = told_add_string(&inside, "f");
  record.code.file = told_add_string(&inside, "f.js");
  record.code.time = 60;
  record.ranges[0] = (struct capture_code_range){.offset = 4, .line = 10};
  record.ranges[1] = (struct capture_code_range){.offset = 16, .line = 20};
  record.ranges[1].file = told_add_string(&inside, "other.js");
  record.ranges[1].function = told_add_string(&inside, "inner");
  told_define(&inside, &record.code);
  told_add_sample(&inside, 100, addresses, 2);
  told_close_stream(&inside);
  g_autoptr(ProfileCapture) capture = test_file_load(&file, 1000);
  profile_capture_get_nodes(capture, &parents, &frames, &n);
  guint32 leaf = profile_capture_get_event(capture, 0)->leaf[0];
  g_assert_true(profile_capture_get_node_line(capture, leaf, &source, &line, &inlined));
  g_assert_cmpstr(source, ==, "other.js");
  g_assert_cmpuint(line, ==, 20);
  g_assert_cmpstr(inlined, ==, "inner");
  g_assert_true(profile_capture_get_node_line(capture, parents[leaf], &source, &line, &inlined));
  g_assert_cmpstr(source, ==, "f.js");
  g_assert_cmpuint(line, ==, 10);
  g_assert_null(inlined);
  assert_inlined_path(capture, leaf);
}

/* Two samplers in one process are two events; of one process after the other they are one. */
static void test_two_samplers(void)
{
  TestFile file = test_file_open(1, FALSE);
  ToldStream streams[3] = {told_open_stream(&file, CAPTURE_STREAM_SAMPLER, "program"),
                           told_open_stream(&file, CAPTURE_STREAM_SAMPLER, "luajit"),
                           told_open_stream(&file, CAPTURE_STREAM_SAMPLER, "later")};
  const guint64 times[3] = {100, 110, 300}, address = TOLD_LIBRARY + 16;
  guint n;

  for (guint i = 0; i < 3; i++) {
    told_define_inside(&streams[i], times[i]);
    told_add_sample(&streams[i], times[i], &address, 1);
    told_add_sample(&streams[i], times[i] + 50, &address, 1);
    told_close_stream(&streams[i]);
  }
  g_autoptr(ProfileCapture) capture = test_file_load(&file, 1000);
  const ProfileEvent *events = profile_capture_get_events(capture, &n);
  g_assert_cmpuint(n, ==, 2);
  g_assert_cmpstr(events[0].name, ==, "cpu-time");
  g_assert_cmpuint(events[0].n_samples, ==, 4);
  g_assert_cmpstr(events[1].name, ==, "cpu-time (luajit)");
  g_assert_cmpuint(events[1].n_samples, ==, 2);
  profile_capture_get_processes(capture, &n);
  g_assert_cmpuint(n, ==, 2);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/told/reused-addresses", test_reused_addresses);
  g_test_add_func("/told/one-address", test_one_address);
  g_test_add_func("/told/fork", test_fork);
  g_test_add_func("/told/exec", test_exec);
  g_test_add_func("/told/functions", test_functions);
  g_test_add_func("/told/naming", test_naming);
  g_test_add_func("/told/lines", test_lines);
  g_test_add_func("/told/two-samplers", test_two_samplers);
  return g_test_run();
}
