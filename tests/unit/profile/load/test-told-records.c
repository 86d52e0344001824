/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Marks, counters and log lines that programs tell. */
#include <string.h>

#include "tests/unit/profile/told-capture.h"

static void add_mark(ToldStream *stream, guint64 time, guint32 kind, guint32 name, guint64 duration)
{
  struct capture_record_mark *mark;
  guint64 memory[7] = {0};

  mark = (struct capture_record_mark *)memory;
  *mark = (struct capture_record_mark){.record = {sizeof memory, CAPTURE_RECORD_MARK, 0},
                                       .time = time,
                                       .duration = duration,
                                       .thread = stream->thread,
                                       .kind = kind,
                                       .category = told_add_string(stream, "frame"),
                                       .name = name};
  g_assert_cmpint(capture_writer_record(stream->writer, &mark->record, time), ==, 0);
}

static void test_marks(void)
{
  static const struct {
    guint64 time, duration;
    const char *name;
    gboolean unfinished;
  } expected[] = {{90, 0, "draw", FALSE},      {100, 400, "draw", FALSE}, {200, 100, "draw", FALSE},
                  {250, 150, "layout", FALSE}, {600, 0, "key", FALSE},    {700, 70, "load", FALSE},
                  {800, 200, "draw", TRUE}};
  TestFile file = test_file_open(1, FALSE);
  ToldStream inside = told_open_stream(&file, CAPTURE_STREAM_SAMPLER, "runtime");
  gsize n;

  told_define_inside(&inside, 50);
  guint32 draw = told_add_string(&inside, "draw"), layout = told_add_string(&inside, "layout");
  add_mark(&inside, 90, CAPTURE_RECORD_MARK_END, draw, 0); /* begun before anybody recorded */
  add_mark(&inside, 100, CAPTURE_RECORD_MARK_BEGIN, draw, 0);
  add_mark(&inside, 200, CAPTURE_RECORD_MARK_BEGIN, draw, 0);
  add_mark(&inside, 250, CAPTURE_RECORD_MARK_BEGIN, layout, 0);
  add_mark(&inside, 300, CAPTURE_RECORD_MARK_END, draw, 0);
  add_mark(&inside, 400, CAPTURE_RECORD_MARK_END, layout, 0);
  add_mark(&inside, 500, CAPTURE_RECORD_MARK_END, draw, 0);
  add_mark(&inside, 700, CAPTURE_RECORD_MARK_SPAN, told_add_string(&inside, "load"), 70);
  add_mark(&inside, 600, CAPTURE_RECORD_MARK_INSTANT, told_add_string(&inside, "key"), 0);
  add_mark(&inside, 800, CAPTURE_RECORD_MARK_BEGIN, draw, 0);
  told_close_stream(&inside);
  g_autoptr(ProfileCapture) capture = test_file_load(&file, 1000);
  const ProfileMark *marks = profile_capture_get_marks(capture, &n);
  g_assert_cmpuint(n, ==, G_N_ELEMENTS(expected));
  for (gsize i = 0; i < n; i++) {
    g_assert_cmpuint(marks[i].time, ==, expected[i].time);
    g_assert_cmpuint(marks[i].duration, ==, expected[i].duration);
    g_assert_cmpstr(marks[i].name, ==, expected[i].name);
    g_assert_cmpstr(marks[i].category, ==, "frame");
    g_assert_cmpint(marks[i].is_unfinished, ==, expected[i].unfinished);
    g_assert_cmpint(marks[i].is_span, ==, expected[i].time != 90 && expected[i].time != 600);
    g_assert_cmpuint(marks[i].thread, ==, 1);
  }
}

static void test_counters(void)
{
  struct {
    struct capture_record_counts counts;
    struct capture_count values[2];
  } record = {.counts = {.record = {sizeof record, CAPTURE_RECORD_COUNTS, 2}}};
  struct capture_record_counter counter = {.record = {sizeof counter, CAPTURE_RECORD_COUNTER, 0}};
  TestFile file = test_file_open(1, FALSE);
  ToldStream inside = told_open_stream(&file, CAPTURE_STREAM_SAMPLER, "runtime");
  guint n;

  told_define_inside(&inside, 50);
  for (guint i = 0; i < 2; i++) {
    counter.id = record.values[i].counter = capture_writer_next_id(inside.writer, CAPTURE_RECORD_COUNTER);
    counter.process = i ? inside.process : 0;
    counter.name = told_add_string(&inside, i ? "heap" : "load");
    counter.flags = i ? CAPTURE_COUNTER_TOTALS : 0;
    told_define(&inside, &counter);
  }
  for (guint i = 0; i < 3; i++) {
    record.counts.time = 300 - i * 100;
    record.values[0].value = 0.5 * i;
    record.values[1].value = 10 - (double)i;
    g_assert_cmpint(capture_writer_record(inside.writer, &record.counts.record, record.counts.time), ==, 0);
  }
  told_close_stream(&inside);
  g_autoptr(ProfileCapture) capture = test_file_load(&file, 1000);
  const ProfileCounter *counters = profile_capture_get_counters(capture, &n);
  g_assert_cmpuint(n, ==, 2);
  g_assert_cmpstr(counters[1].name, ==, "heap");
  g_assert_cmpuint(counters[0].process, ==, 0);
  g_assert_cmpuint(counters[1].process, ==, 1);
  g_assert_true(counters[1].totals);
  for (guint i = 0; i < 3; i++) {
    g_assert_cmpuint(counters[1].time[i], ==, 100 + i * 100);
    g_assert_cmpfloat(counters[1].value[i], ==, 8 + i);
    g_assert_cmpfloat(counters[0].value[i], ==, 1 - 0.5 * i);
  }
}

static void test_log(void)
{
  guint64 memory[5] = {0};
  struct capture_record_log *log = (struct capture_record_log *)memory;
  TestFile file = test_file_open(1, FALSE);
  ToldStream inside = told_open_stream(&file, CAPTURE_STREAM_SAMPLER, "runtime");
  gsize n;

  told_define_inside(&inside, 50);
  *log = (struct capture_record_log){.record = {sizeof memory, CAPTURE_RECORD_LOG, 0},
                                     .time = 77,
                                     .thread = inside.thread,
                                     .severity = 4,
                                     .domain = told_add_string(&inside, "gc"),
                                     .length = 5};
  memcpy(log->text, "slow!", 5);
  g_assert_cmpint(capture_writer_record(inside.writer, &log->record, 77), ==, 0);
  told_close_stream(&inside);
  g_autoptr(ProfileCapture) capture = test_file_load(&file, 1000);
  const ProfileLogLine *lines = profile_capture_get_log(capture, &n);
  g_assert_cmpuint(n, ==, 1);
  g_assert_cmpstr(lines[0].text, ==, "slow!");
  g_assert_cmpstr(lines[0].domain, ==, "gc");
  g_assert_cmpuint(lines[0].severity, ==, 4);
  g_assert_cmpuint(lines[0].thread, ==, 1);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/told/marks", test_marks);
  g_test_add_func("/told/counters", test_counters);
  g_test_add_func("/told/log", test_log);
  return g_test_run();
}
