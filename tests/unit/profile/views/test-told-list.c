/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which marks a filter and a text let pass. */
#include "profile/views/told-list.h"

#include "tests/unit/profile/told-capture.h"

static const struct {
  guint64 time;
  const char *category, *name;
} marks[] = {{1000, "gc", "minor"}, {2000, "gc", "major"}, {3000, "frame", "minor"}, {4000, "gc", "minor"}};

static void add_mark(ToldStream *stream, guint64 time, const char *category, const char *name)
{
  struct {
    struct capture_record_mark mark;
    char text[8];
  } record = {.mark = {.record = {sizeof record & ~7u, CAPTURE_RECORD_MARK, 0},
                       .time = time,
                       .thread = stream->thread,
                       .kind = CAPTURE_RECORD_MARK_INSTANT}};

  record.mark.category = told_add_string(stream, category);
  record.mark.name = told_add_string(stream, name);
  g_assert_cmpint(capture_writer_record(stream->writer, &record.mark.record, time), ==, 0);
}

static ProfileFilter *make_filter(void)
{
  TestFile file = test_file_open(1, FALSE);
  ToldStream stream = told_open_stream(&file, CAPTURE_STREAM_SAMPLER, "runtime");

  told_define_inside(&stream, 500);
  for (guint i = 0; i < G_N_ELEMENTS(marks); i++)
    add_mark(&stream, marks[i].time, marks[i].category, marks[i].name);
  told_close_stream(&stream);
  g_autoptr(ProfileCapture) capture = test_file_load(&file, 5000);
  return profile_filter_new(capture);
}

static guint count(const ProfileFilter *filter, const ProfileToldOptions *options)
{
  g_autoptr(ProfileToldList) list = profile_told_list_new(filter, options);
  guint n;

  profile_told_list_get_marks(list, &n);
  return n;
}

static void test_marks(void)
{
  g_autoptr(ProfileFilter) filter = make_filter();

  g_assert_cmpuint(count(filter, NULL), ==, 4);
  g_assert_cmpuint(count(filter, &(ProfileToldOptions){.text = "MIN"}), ==, 3);
  g_assert_cmpuint(count(filter, &(ProfileToldOptions){.text = "frame"}), ==, 1);
  g_assert_cmpuint(count(filter, &(ProfileToldOptions){.text = "nothing"}), ==, 0);
  g_assert_cmpuint(count(filter, &(ProfileToldOptions){.category = "gc", .name = "minor"}), ==, 2);
  profile_filter_set_time(filter, 2000, 4000);
  g_assert_cmpuint(count(filter, NULL), ==, 2);
  g_assert_cmpuint(count(filter, &(ProfileToldOptions){.category = "gc", .name = "minor"}), ==, 0);
}

static void test_text(void)
{
  g_assert_true(profile_told_holds("Garbage", "ARB"));
  g_assert_true(profile_told_holds("GRÖSSE", "größe") || profile_told_holds("GRÖßE", "größe"));
  g_assert_false(profile_told_holds(NULL, "x"));
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/told-list/marks", test_marks);
  g_test_add_func("/told-list/text", test_text);
  return g_test_run();
}
