/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a program tells, in a capture of its own. */
#include <dlfcn.h>
#include <errno.h>
#include <glib.h>
#include <gnu/libc-version.h>
#include <string.h>
#include <sys/mman.h>

#include "own-file.h"

/* ── Names ────────────────────────────────────────────────────────────────────────────────────────────── */

static void test_names(void)
{
  g_autofree char *longest = g_strnfill(5000, 'x');
  Fixture f;
  uint32_t a, b;

  set_up(&f, NULL);
  a = name(f.c, "a name");
  b = name(f.c, "another");
  g_assert_cmpuint(a, !=, 0);
  g_assert_cmpuint(b, !=, 0);
  g_assert_cmpuint(a, !=, b);
  g_assert_cmpuint(capture_string(f.c, "a name and more", 6), ==, a);
  g_assert_cmpuint(capture_string(f.c, NULL, 6), ==, 0);
  g_assert_cmpuint(name(f.c, ""), !=, 0);
  g_assert_cmpuint(name(f.c, longest), ==, capture_string(f.c, longest, 4095));
  g_assert_cmpuint(name(f.c, longest), !=, capture_string(f.c, longest, 4094));
  g_assert_cmpuint(capture_function(f.c, a, b, 1), ==, capture_function(f.c, a, b, 1));
  g_assert_cmpuint(capture_function(f.c, a, b, 1), !=, capture_function(f.c, a, b, 2));
  g_assert_cmpuint(capture_function(f.c, a, b, 1), !=, capture_function(f.c, b, a, 1));
  g_assert_cmpuint(capture_version(), ==, CAPTURE_VERSION_MAJOR << 16 | CAPTURE_VERSION_MINOR);
  told_free(finish(&f));
}

static void test_all_lengths_of_names(void)
{
  char text[64] = "";
  uint32_t handles[64];
  Fixture f;

  set_up(&f, NULL);
  for (size_t i = 0; i < sizeof text; i++) {
    handles[i] = capture_string(f.c, text, i);
    text[i] = (char)('a' + i % 26);
  }
  for (size_t i = 0; i < sizeof text; i++) {
    g_assert_cmpuint(capture_string(f.c, text, i), ==, handles[i]);
    g_assert_true(i == 0 || handles[i] != handles[i - 1]);
  }
  told_free(finish(&f));
}

static void test_full_table_of_names(void)
{
  const struct capture_options options = {.size = sizeof options, .max_strings = 100};
  uint32_t n = 0, first;
  Fixture f;

  set_up(&f, &options);
  first = name(f.c, "name 0");
  for (int i = 0; i < 300; i++) {
    g_autofree char *text = g_strdup_printf("name %d", i);

    n += name(f.c, text) != 0;
  }
  g_assert_cmpuint(n, ==, 100);
  g_assert_cmpuint(name(f.c, "name 0"), ==, first);
  g_assert_cmpuint(name(f.c, "name 200"), ==, 0);
  /* 0 is no name, and nothing else is wrong with it. */
  capture_mark(f.c, 0, name(f.c, "name 200"), "nameless");
  capture_mark(f.c, 0, first, "named");
  {
    g_autoptr(Told) told = finish(&f);

    g_assert_cmpuint(told_count_marks(told, NULL), ==, 1);
    g_assert_cmpuint(told_count_marks(told, "name 0"), ==, 1);
    g_assert_cmpuint(told->messages->len, ==, 1);
    g_assert_nonnull(strstr(told->messages->pdata[0], "max_strings"));
  }
}

static void test_hot_name_is_written_once(void)
{
  Fixture f;
  g_autoptr(Told) told = NULL;
  GHashTableIter iter;
  gpointer count;

  set_up(&f, NULL);
  for (int i = 0; i < 10000; i++)
    capture_mark(f.c, name(f.c, "category"), name(f.c, "hot"), NULL);
  told = finish(&f);
  g_assert_cmpuint(told_count_marks(told, "hot"), ==, 10000);
  g_hash_table_iter_init(&iter, told->texts_in);
  while (g_hash_table_iter_next(&iter, NULL, &count))
    g_assert_cmpuint(GPOINTER_TO_UINT(count), ==, 1);
}

/* ── Everything once ──────────────────────────────────────────────────────────────────────────────────── */

static void test_marks(void)
{
  const uint64_t before = capture_time();
  const ToldMark *marks;
  uint32_t category, work;
  g_autoptr(Told) told = NULL;
  Fixture f;

  set_up(&f, NULL);
  g_assert_cmpint(capture_thread_begin(f.c, "the worker"), ==, 0);
  category = name(f.c, "frame");
  work = name(f.c, "work");
  errno = 4711;
  capture_mark(f.c, category, work, "now");
  capture_mark_begin(f.c, category, work);
  capture_mark_end(f.c, category, work, "done");
  capture_mark_span(f.c, before, 12345, category, work, NULL);
  capture_log(f.c, 4, category, "a line");
  g_assert_cmpint(errno, ==, 4711);
  told = finish(&f);
  g_assert_cmpuint(told->marks->len, ==, 5);
  marks = (const ToldMark *)(void *)told->marks->data;
  for (uint32_t i = 0; i < 4; i++) {
    g_assert_cmpuint(marks[i].kind, ==, i);
    g_assert_cmpstr(marks[i].thread, ==, "the worker");
    g_assert_cmpstr(marks[i].category, ==, "frame");
    g_assert_cmpstr(marks[i].name, ==, "work");
    g_assert_cmpuint(marks[i].time, >=, before);
    g_assert_cmpuint(marks[i].time, <=, capture_time());
  }
  g_assert_cmpstr(marks[0].message, ==, "now");
  g_assert_cmpstr(marks[2].message, ==, "done");
  g_assert_cmpuint(marks[3].time, ==, before);
  g_assert_cmpuint(marks[3].duration, ==, 12345);
  g_assert_cmpstr(marks[4].message, ==, "a line");
  g_assert_cmpuint(marks[4].duration, ==, 4);
}

static void test_long_messages(void)
{
  g_autofree char *text = g_strnfill(3000, 'm');
  g_autoptr(Told) told = NULL;
  Fixture f;

  set_up(&f, NULL);
  capture_mark(f.c, 0, 0, text);
  capture_log(f.c, 6, 0, text);
  told = finish(&f);
  for (guint i = 0; i < 2; i++)
    g_assert_cmpuint(strlen(g_array_index(told->marks, ToldMark, i).message), ==, 1023);
}

static void test_counters(void)
{
  struct capture_counter_options options = {
      .size = sizeof options, .category = "memory", .name = "heap", .unit = "bytes"};
  const ToldCount *counts;
  uint32_t heap, n = 1;
  g_autoptr(Told) told = NULL;
  Fixture f;

  set_up(&f, NULL);
  heap = capture_counter(f.c, &options);
  g_assert_cmpuint(heap, !=, 0);
  g_assert_cmpuint(capture_counter(f.c, &options), ==, heap);
  capture_count(f.c, heap, 1.5);
  capture_count(f.c, heap, -2);
  capture_count(f.c, 0, 3);
  capture_count(f.c, 9999, 4);
  options.name = NULL;
  g_assert_cmpuint(capture_counter(f.c, &options), ==, 0);
  for (int i = 0; i < 300; i++) {
    g_autofree char *text = g_strdup_printf("counter %d", i);

    options.name = text;
    n += capture_counter(f.c, &options) != 0;
  }
  g_assert_cmpuint(n, ==, 256);
  told = finish(&f);
  g_assert_cmpuint(told->counts->len, ==, 2);
  counts = (const ToldCount *)(void *)told->counts->data;
  g_assert_cmpstr(counts[0].name, ==, "memory/heap bytes");
  g_assert_cmpfloat(counts[0].value, ==, 1.5);
  g_assert_cmpfloat(counts[1].value, ==, -2);
}

static void test_samples(void)
{
  uint64_t frames[] = {0, 0x7f0012345678, UINT64_MAX};
  const ToldSample *samples;
  uint32_t bytes, count;
  g_autoptr(Told) told = NULL;
  Fixture f;

  set_up(&f, NULL);
  bytes = capture_event(f.c, "allocations", CAPTURE_EVENT_BYTES, 512);
  count = capture_event(f.c, "calls", CAPTURE_EVENT_COUNT, 0);
  g_assert_cmpuint(bytes, !=, count);
  g_assert_cmpuint(capture_event(f.c, "allocations", CAPTURE_EVENT_BYTES, 512), ==, bytes);
  frames[0] = CAPTURE_IDENTIFIER(capture_function(f.c, name(f.c, "f"), name(f.c, "f.lua"), 7));
  g_assert_cmpint(sample(f.c, bytes, frames, 3, 0, 0), ==, 0);
  frames[0] = CAPTURE_IDENTIFIER(name(f.c, "g"));
  g_assert_cmpint(sample(f.c, bytes, frames, 3, 100, 0), ==, 0);
  g_assert_cmpint(sample(f.c, bytes, frames, 3, 100, 99), ==, 0);
  g_assert_cmpint(sample(f.c, count, frames, 0, 0, 0), ==, 0);
  frames[0] = CAPTURE_IDENTIFIER(1234567); /* which nobody was given */
  g_assert_cmpint(sample(f.c, count, frames, 1, 2, 0), ==, 0);
  g_assert_cmpint(sample(f.c, 32, frames, 1, 2, 0), ==, -EINVAL); /* an event that is none */
  g_assert_cmpint(sample(f.c, 0, frames, 1, 2, 0), ==, -EINVAL);  /* the sampler's, and there is no sampler */
  told = finish(&f);
  g_assert_cmpuint(told->n_events, ==, 2);
  g_assert_cmpuint(told_count_samples(told, "allocations"), ==, 3);
  g_assert_cmpuint(told_count_samples(told, "calls"), ==, 2);
  samples = (const ToldSample *)(void *)told->samples->data;
  g_assert_cmpstr(samples[0].stack, ==, "f f.lua:7;7f0012345678;ffffffffffffffff");
  g_assert_cmpuint(samples[0].weight, ==, 512);
  for (guint i = 0; i < told->samples->len; i++) {
    if (samples[i].detail == 99)
      g_assert_cmpstr(samples[i].stack, ==, "g;7f0012345678;ffffffffffffffff");
  }
}

static void test_too_many_events(void)
{
  uint32_t n = 0;
  Fixture f;

  set_up(&f, NULL);
  for (int i = 0; i < 50; i++) {
    g_autofree char *text = g_strdup_printf("event %d", i);

    n += capture_event(f.c, text, CAPTURE_EVENT_COUNT, 1) != 0;
  }
  g_assert_cmpuint(n, ==, 32);
  told_free(finish(&f));
}

static void test_deep_stack(void)
{
  uint64_t frames[600];
  g_autoptr(Told) told = NULL;
  g_auto(GStrv) found = NULL;
  uint32_t event;
  Fixture f;

  for (uint32_t i = 0; i < 600; i++)
    frames[i] = 0x1000 + i % 97;
  set_up(&f, NULL);
  event = capture_event(f.c, "deep", CAPTURE_EVENT_COUNT, 1);
  sample(f.c, event, frames, 600, 0, 0);
  told = finish(&f);
  found = g_strsplit(g_array_index(told->samples, ToldSample, 0).stack, ";", -1);
  g_assert_cmpuint(g_strv_length(found), ==, 511);
  g_assert_cmpuint(g_array_index(told->samples, ToldSample, 0).outcome, ==, CAPTURE_OUTCOME_TRUNCATED);
  for (uint32_t i = 0; i < 511; i++)
    g_assert_cmphex(g_ascii_strtoull(found[i], NULL, 16), ==, frames[i]);
}

static void test_code(void)
{
  struct capture_code_line lines[1000];
  struct capture_code code = {.size = sizeof code, .start = (void *)0x10000, .length = 4000, .line = 5};
  g_autoptr(Told) told = NULL;
  uint64_t next = 0x10000;
  const ToldCode *codes;
  Fixture f;
  guint n;

  set_up(&f, NULL);
  code.name = name(f.c, "compiled");
  code.file = name(f.c, "compiled.js");
  for (uint32_t i = 0; i < 1000; i++)
    lines[i] = (struct capture_code_line){.offset = i * 4, .line = i + 1};
  code.lines = lines;
  code.n_lines = 1000;
  g_assert_cmpint(capture_code_add(f.c, &code), ==, 0);
  g_assert_cmpint(capture_code_remove(f.c, code.start, code.length), ==, 0);
  lines[1].offset = 0x10000;
  g_assert_cmpint(capture_code_add(f.c, &code), ==, -EINVAL);
  code.length = 0;
  g_assert_cmpint(capture_code_add(f.c, &code), ==, -EINVAL);
  told = finish(&f);
  codes = (const ToldCode *)(void *)told->codes->data;
  n = told->codes->len;
  g_assert_cmpuint(n, >, 2);
  /* Several that follow each other, as one would not fit a window. */
  for (guint i = 0; i < n - 1; i++) {
    g_assert_cmpstr(codes[i].name, ==, "compiled");
    g_assert_cmphex(codes[i].start, ==, next);
    next += codes[i].length;
    g_assert_cmpuint(codes[i].start + codes[i].last_offset, ==, 0x10000 + (codes[i].last_line - 1) * 4);
  }
  g_assert_cmphex(next, ==, 0x10000 + 4000);
  g_assert_null(codes[n - 1].name);
  g_assert_cmpuint(codes[n - 1].length, ==, 4000);
  g_assert_cmpuint(codes[n - 1].time, >=, codes[0].time);
}

static void test_nobody_records(void)
{
  capture *c = (capture *)-1;
  struct capture_stack stack;
  const struct capture_sample_options options = {.size = sizeof options};
  const struct capture_code code = {.size = sizeof code};

  g_unsetenv("CAPTURE_SOCKET");
  g_assert_cmpint(capture_connect(&c, NULL), ==, -ENOENT);
  g_assert_null(c);
  g_assert_false(capture_is_recording(c));
  g_assert_cmpint(capture_thread_begin(c, "x"), ==, 0);
  g_assert_cmpuint(name(c, "x"), ==, 0);
  g_assert_cmpuint(capture_function(c, 1, 2, 3), ==, 0);
  g_assert_cmpuint(capture_event(c, "x", CAPTURE_EVENT_COUNT, 1), ==, 0);
  g_assert_cmpuint(capture_counter(c, NULL), ==, 0);
  capture_mark(c, 1, 2, "x");
  capture_mark_(c, 0, 0, 0, 1, 2, "x");
  capture_count(c, 1, 2);
  capture_count_(c, 1, 2);
  capture_log(c, 1, 2, "x");
  g_assert_cmpint(capture_sample_begin(c, &stack, &options), <, 0);
  capture_sample_frame(&stack, 1);
  capture_sample_end(&stack);
  g_assert_cmpint(capture_code_add(c, &code), ==, 0);
  g_assert_cmpint(capture_code_remove(c, NULL, 1), ==, 0);
  g_assert_cmpint(capture_flush(c), ==, 0);
  capture_thread_end(c);
  capture_close(c);
}

/* ── Epochs ───────────────────────────────────────────────────────────────────────────────────────────── */

/* Each sample says by its detail which stack it has. */
static void make_stack(uint64_t i, const uint32_t *names, uint64_t frames[4])
{
  frames[0] = CAPTURE_IDENTIFIER(names[i % 10]);
  frames[1] = 0x500000000000 + i / 3;
  frames[2] = 0x500000000000 + i * 7 % 5000;
  frames[3] = 0x500000000001;
}

static void test_epochs(void)
{
  const struct capture_options options = {.size = sizeof options, .max_nodes = 2000};
  const uint64_t total = 50000;
  uint32_t names[10], event;
  g_autoptr(Told) told = NULL;
  Fixture f;

  set_up(&f, &options);
  g_assert_cmpint(capture_thread_begin(f.c, "main thread"), ==, 0);
  event = capture_event(f.c, "calls", CAPTURE_EVENT_COUNT, 1);
  for (uint32_t i = 0; i < 10; i++) {
    g_autofree char *text = g_strdup_printf("function %u", i);

    names[i] = name(f.c, text);
  }
  for (uint64_t i = 1; i <= total; i++) {
    uint64_t frames[4];

    make_stack(i, names, frames);
    g_assert_cmpint(sample(f.c, event, frames, 4, 0, i), ==, 0);
    if (i % 1000 == 0)
      capture_mark(f.c, names[0], names[1], "thousand");
  }
  told = finish(&f);
  g_assert_cmpuint(told->max_epoch, >, 20);
  g_assert_cmpuint(told->lost_samples, ==, 0);
  g_assert_cmpuint(told->lost_records, ==, 0);
  g_assert_cmpuint(told->samples->len, ==, total);
  g_assert_cmpuint(told_count_marks(told, "function 1"), ==, total / 1000);
  for (guint i = 0; i < told->samples->len; i++) {
    const ToldSample *found = &g_array_index(told->samples, ToldSample, i);
    g_autofree char *expected = NULL;
    uint64_t frames[4];

    make_stack(found->detail, names, frames);
    expected =
        g_strdup_printf("function %u;%" G_GINT64_MODIFIER "x;%" G_GINT64_MODIFIER "x;%" G_GINT64_MODIFIER "x",
                        (unsigned)(found->detail % 10), frames[1], frames[2], frames[3]);
    g_assert_cmpstr(found->stack, ==, expected);
    g_assert_cmpstr(found->thread, ==, "main thread");
  }
}

/* Every epoch that uses the process has its mappings, with the build-ids of what is mapped. */
static void test_mappings_in_every_epoch(void)
{
  const struct capture_options options = {.size = sizeof options, .max_nodes = 1024};
  g_autoptr(Told) told = NULL;
  uint32_t event;
  guint libc = 0;
  Fixture f;

  set_up(&f, &options);
  event = capture_event(f.c, "calls", CAPTURE_EVENT_COUNT, 1);
  for (uint64_t i = 0; i < 5000; i++) {
    uint64_t frame = 0x1000 + i;

    sample(f.c, event, &frame, 1, 0, 0);
  }
  told = finish(&f);
  g_assert_cmpuint(told->max_epoch, >=, 5);
  for (guint i = 0; i < told->mappings->len; i++) {
    const ToldMapping *mapping = &g_array_index(told->mappings, ToldMapping, i);

    if (mapping->path == NULL || !g_str_has_suffix(mapping->path, "/libc.so.6"))
      continue;
    libc++;
    g_assert_cmpuint(mapping->build_id_size, ==, 20);
    g_assert_cmpuint((uintptr_t)&gnu_get_libc_version - mapping->start, <, mapping->end - mapping->start);
  }
  g_assert_cmpuint(libc, ==, told->max_epoch);
}

static void test_mapping_that_came_later(void)
{
  g_autoptr(Told) told = NULL;
  void *library, *symbol;
  uint64_t address;
  uint32_t event;
  bool found = false;
  Fixture f;

  set_up(&f, NULL);
  event = capture_event(f.c, "calls", CAPTURE_EVENT_COUNT, 1);
  g_usleep(250000); /* not read again at once */
  library = dlopen("libanl.so.1", RTLD_NOW);
  g_assert_nonnull(library);
  symbol = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  g_assert_true(symbol != MAP_FAILED);
  address = (uintptr_t)symbol;
  sample(f.c, event, &address, 1, 0, 0);
  told = finish(&f);
  for (guint i = 0; i < told->mappings->len; i++) {
    const ToldMapping *mapping = &g_array_index(told->mappings, ToldMapping, i);

    if (address >= mapping->start && address < mapping->end) {
      g_assert_null(mapping->path);
      found = true;
      /* It was there before it was seen: at the sample's time. */
      g_assert_cmpuint(mapping->time, <=, g_array_index(told->samples, ToldSample, 0).time);
    }
  }
  g_assert_true(found);
  munmap(symbol, 4096);
  dlclose(library);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/inside/names", test_names);
  g_test_add_func("/inside/names/lengths", test_all_lengths_of_names);
  g_test_add_func("/inside/names/full", test_full_table_of_names);
  g_test_add_func("/inside/names/hot", test_hot_name_is_written_once);
  g_test_add_func("/inside/marks", test_marks);
  g_test_add_func("/inside/marks/long", test_long_messages);
  g_test_add_func("/inside/counters", test_counters);
  g_test_add_func("/inside/samples", test_samples);
  g_test_add_func("/inside/samples/too-many-events", test_too_many_events);
  g_test_add_func("/inside/samples/deep", test_deep_stack);
  g_test_add_func("/inside/code", test_code);
  g_test_add_func("/inside/nobody", test_nobody_records);
  g_test_add_func("/inside/epochs", test_epochs);
  g_test_add_func("/inside/epochs/mappings", test_mappings_in_every_epoch);
  g_test_add_func("/inside/mappings/later", test_mapping_that_came_later);
  return g_test_run();
}
