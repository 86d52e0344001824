/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/capture/span.h"
#include "tests/unit/profile/told-capture.h"

static const guint64 address = TOLD_LIBRARY + 0x100;

static void check(TestFile *file, guint64 ended, guint64 expected_first, guint64 expected_end)
{
  g_autoptr(ProfileCapture) capture = test_file_load(file, ended);
  guint64 first, end;

  profile_span_get(capture, &first, &end);
  g_assert_cmpuint(first, ==, expected_first);
  g_assert_cmpuint(end, ==, expected_end);
}

static TestFile write_samples(guint64 begin, guint64 first, guint64 last)
{
  TestFile file = test_file_open(begin, FALSE);
  ToldStream stream = told_open_stream(&file, CAPTURE_STREAM_RECORDER, "test");

  told_define_outside(&stream);
  told_add_sample(&stream, first, &address, 1);
  told_add_sample(&stream, last, &address, 1);
  told_close_stream(&stream);
  return file;
}

/* The file says when it began (1) and ended. */
static void test_known(void)
{
  TestFile file = write_samples(1, 500, 700);

  check(&file, 1000, 1, 1001);
}

/* What it says of its end cannot be: a sample came later. */
static void test_contradicted(void)
{
  TestFile file = write_samples(1, 500, 2000);

  check(&file, 1000, 1, 2001);
}

/* Nor can its beginning be: a sample came before it. */
static void test_begun_before(void)
{
  TestFile file = write_samples(600, 500, 700);

  check(&file, 1000, 500, 701);
}

static void test_nothing(void)
{
  TestFile file = test_file_open(1, FALSE);

  check(&file, 1000, 1, 1001);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/profile/span/known", test_known);
  g_test_add_func("/profile/span/contradicted", test_contradicted);
  g_test_add_func("/profile/span/begun-before", test_begun_before);
  g_test_add_func("/profile/span/nothing", test_nothing);
  return g_test_run();
}
