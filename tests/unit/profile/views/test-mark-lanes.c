/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lanes of marks against what must hold for all of them. */
#include "profile/views/mark-lanes.h"
#include "tests/unit/profile/told-capture.h"

static void add_mark(ToldStream *stream, guint64 time, guint64 duration, guint32 name, gboolean instant)
{
  struct capture_record_mark *mark;
  guint64 memory[7] = {0};

  mark = (struct capture_record_mark *)memory;
  *mark =
      (struct capture_record_mark){.record = {sizeof memory, CAPTURE_RECORD_MARK, 0},
                                   .time = time,
                                   .duration = duration,
                                   .thread = stream->thread,
                                   .kind = instant ? CAPTURE_RECORD_MARK_INSTANT : CAPTURE_RECORD_MARK_SPAN,
                                   .name = name};
  g_assert_cmpint(capture_writer_record(stream->writer, &mark->record, time), ==, 0);
}

static ToldStream begin_stream(TestFile *file)
{
  ToldStream stream = told_open_stream(file, CAPTURE_STREAM_SAMPLER, "runtime");

  told_define_inside(&stream, 50);
  return stream;
}

static const ProfileMarkItem *get_items(const ProfileMarkLanes *lanes, guint lane, gsize *n)
{
  return profile_mark_lanes_get(lanes, profile_mark_lanes_get_processes(lanes, &(guint){0})[0], lane, n);
}

static void check_lane(const ProfileMarkLanes *lanes, guint lane, const ProfileMarkItem *expected, gsize n)
{
  gsize found;
  const ProfileMarkItem *items = get_items(lanes, lane, &found);

  g_assert_cmpuint(found, ==, n);
  for (gsize i = 0; i < n; i++) {
    g_assert_cmpuint(items[i].first, ==, expected[i].first);
    g_assert_cmpuint(items[i].end, ==, expected[i].end);
    g_assert_cmpuint(items[i].n, ==, expected[i].n);
  }
}

static ProfileCapture *make_nested(void)
{
  TestFile file = test_file_open(1, FALSE);
  ToldStream stream = begin_stream(&file);
  guint32 name = told_add_string(&stream, "frame");

  add_mark(&stream, 100, 20, name, FALSE); /* begins with the next one, which contains it */
  add_mark(&stream, 100, 100, name, FALSE);
  add_mark(&stream, 110, 5, name, FALSE);
  add_mark(&stream, 130, 0, name, TRUE);
  add_mark(&stream, 200, 10, name, FALSE);
  told_close_stream(&stream);
  return test_file_load(&file, 1000);
}

static void test_nested(void)
{
  g_autoptr(ProfileCapture) capture = make_nested();
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  g_autoptr(ProfileMarkLanes) lanes = profile_mark_lanes_new(filter, 8);
  guint n;

  profile_mark_lanes_get_processes(lanes, &n);
  g_assert_cmpuint(n, ==, 1);
  g_assert_cmpuint(profile_mark_lanes_get_n_lanes(lanes, profile_mark_lanes_get_processes(lanes, &n)[0]), ==,
                   3);
  check_lane(lanes, 0, (ProfileMarkItem[]){{100, 200, 0, 1}, {200, 210, 0, 1}}, 2);
  check_lane(lanes, 1, (ProfileMarkItem[]){{100, 120, 0, 1}, {130, 130, 0, 1}}, 2);
  check_lane(lanes, 2, (ProfileMarkItem[]){{110, 115, 0, 1}}, 1);
  check_lane(lanes, 3, NULL, 0);
}

/* What has no lane of its own is counted in the last one. */
static void test_limit(void)
{
  g_autoptr(ProfileCapture) capture = make_nested();
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  g_autoptr(ProfileMarkLanes) lanes = profile_mark_lanes_new(filter, 1);

  check_lane(lanes, 0, (ProfileMarkItem[]){{100, 200, 0, 4}, {200, 210, 0, 1}}, 2);
}

static void test_find(void)
{
  const ProfileMarkItem items[] = {{10, 20, 0, 1}, {20, 30, 1, 1}, {40, 40, 2, 1}};

  g_assert_cmpuint(profile_mark_lanes_find(items, 3, 0), ==, 0);
  g_assert_cmpuint(profile_mark_lanes_find(items, 3, 20), ==, 0);
  g_assert_cmpuint(profile_mark_lanes_find(items, 3, 21), ==, 1);
  g_assert_cmpuint(profile_mark_lanes_find(items, 3, 40), ==, 2);
  g_assert_cmpuint(profile_mark_lanes_find(items, 3, 41), ==, 3);
  g_assert_cmpuint(profile_mark_lanes_find(NULL, 0, 41), ==, 0);
}

static void test_filter(void)
{
  g_autoptr(ProfileCapture) capture = make_nested();
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  guint n;

  profile_filter_add_thread(filter, 0);
  g_autoptr(ProfileMarkLanes) lanes = profile_mark_lanes_new(filter, 8);
  profile_mark_lanes_get_processes(lanes, &n);
  g_assert_cmpuint(n, ==, 0);
  g_assert_cmpuint(profile_mark_lanes_get_n_lanes(lanes, 1), ==, 0);
}

/* Many at random: each is there once, and no lane overlaps. */
static void test_many(void)
{
  TestFile file = test_file_open(1, FALSE);
  ToldStream stream = begin_stream(&file);
  g_autoptr(GRand) random = g_rand_new_with_seed(3);
  guint32 name = told_add_string(&stream, "frame");
  guint64 time = 100;
  guint found = 0;
  gsize n, n_marks;

  for (guint i = 0; i < 5000; i++) {
    time += (guint64)g_rand_int_range(random, 0, 20);
    add_mark(&stream, time, (guint64)g_rand_int_range(random, 0, 200), name, i % 7 == 0);
  }
  told_close_stream(&stream);
  g_autoptr(ProfileCapture) capture = test_file_load(&file, time + 1000);
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  g_autoptr(ProfileMarkLanes) lanes = profile_mark_lanes_new(filter, G_MAXUINT);
  const ProfileMark *marks = profile_capture_get_marks(capture, &n_marks);
  g_autofree guint8 *seen = g_new0(guint8, n_marks);
  guint n_lanes = profile_mark_lanes_get_n_lanes(lanes, 1);
  for (guint lane = 0; lane < n_lanes; lane++) {
    const ProfileMarkItem *items = get_items(lanes, lane, &n);
    for (gsize i = 0; i < n; i++) {
      g_assert_cmpuint(items[i].n, ==, 1);
      g_assert_cmpuint(items[i].first, ==, marks[items[i].mark].time);
      g_assert_cmpuint(items[i].end, ==, items[i].first + marks[items[i].mark].duration);
      g_assert_true(i == 0 || items[i].first >= items[i - 1].end);
      g_assert_cmpuint(seen[items[i].mark]++, ==, 0);
      found++;
    }
  }
  g_assert_cmpuint(found, ==, 5000);
  g_assert_cmpuint(n_marks, ==, 5000);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/profile/mark-lanes/nested", test_nested);
  g_test_add_func("/profile/mark-lanes/limit", test_limit);
  g_test_add_func("/profile/mark-lanes/find", test_find);
  g_test_add_func("/profile/mark-lanes/filter", test_filter);
  g_test_add_func("/profile/mark-lanes/many", test_many);
  return g_test_run();
}
