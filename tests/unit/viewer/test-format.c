/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <locale.h>
#include <string.h>

#include "viewer/kit/format.h"

#define SECOND G_GUINT64_CONSTANT(1000000000)

static void expect(char *text, const char *expected)
{
  g_assert_cmpstr(text, ==, expected);
  g_free(text);
}

static void test_share(void)
{
  expect(viewer_format_share(123, 1000), "12.3 %");
  expect(viewer_format_share(0, 1000), "0.0 %");
  expect(viewer_format_share(0, 0), "0.0 %");
  expect(viewer_format_share(1, 1000), "0.1 %");
  expect(viewer_format_share(1, 100000), "<0.1 %");
  expect(viewer_format_share(9994, 10000), "99.9 %");
  expect(viewer_format_share(9996, 10000), ">99.9 %");
  expect(viewer_format_share(G_MAXUINT64, G_MAXUINT64), "100.0 %");
}

static void test_amounts(void)
{
  expect(viewer_format_samples(1), "1 sample");
  expect(viewer_format_samples(2), "2 samples");
  expect(viewer_format_amount(CAPTURE_UNIT_NANOSECONDS, 56780000), "56.78 ms");
  expect(viewer_format_amount(CAPTURE_UNIT_BYTES, 1200000), "1.2\302\240MB");
  expect(viewer_format_amount(CAPTURE_UNIT_COUNT, 12), "12");
}

static void test_durations(void)
{
  expect(viewer_format_duration(0), "0 ns");
  expect(viewer_format_duration(1234 * SECOND / 1000), "1.234 s");
  expect(viewer_format_duration(59 * SECOND), "59.00 s");
  expect(viewer_format_duration(123 * SECOND), "2:03 min");
  expect(viewer_format_duration(3723 * SECOND), "1:02:03 h");
  expect(viewer_format_duration(G_MAXUINT64), "5124095:34:34 h");
}

static void test_times(void)
{
  expect(viewer_format_time(1234567890, SECOND / 100), "1.23 s");
  expect(viewer_format_time(1234567890, SECOND), "1 s");
  expect(viewer_format_time(1234567890, 1), "1.234567890 s");
  expect(viewer_format_time(1234567890, 0), "1.234567890 s");
  expect(viewer_format_time(123 * SECOND + SECOND / 2, SECOND / 10), "2:03.5");
  expect(viewer_format_time(3723 * SECOND, 10 * SECOND), "1:02:03");
  expect(viewer_format_time(59999999999, SECOND / 10), "1:00.0");
  expect(viewer_format_span(1200000000, 1450000000), "1.200 s – 1.450 s");
}

static void test_names(void)
{
  g_autofree char *long_name = g_strnfill(5000, 'x');

  expect(viewer_format_name("a\tb\nc", 0), "a b c");
  expect(viewer_format_name("a\xff", 0), "a\357\277\275");
  expect(viewer_format_name("abcdefghij", 5), "ab…ij");
  expect(viewer_format_name("äöüßéèêë", 5), "äö…êë");
  expect(viewer_format_name("", 5), "");
  expect(viewer_format_name(NULL, 5), "");
  g_autofree char *cut = viewer_format_name(long_name, 100);
  g_assert_cmpint(g_utf8_strlen(cut, -1), ==, 100);
}

static void test_short_names(void)
{
  expect(viewer_format_short_name("parse_expr"), "parse_expr");
  expect(viewer_format_short_name("foo::bar(int, std::vector<int>)"), "foo::bar");
  expect(viewer_format_short_name("std::map<int, char>::find(int const&)"), "std::map::find");
  expect(viewer_format_short_name("(anonymous namespace)::run(int)"), "(anonymous namespace)::run");
  expect(viewer_format_short_name("A::operator()(int)"), "A::operator()");
  expect(viewer_format_short_name("A::operator<(A const&)"), "A::operator<");
  expect(viewer_format_short_name("A::operator->(int)"), "A::operator->");
  expect(viewer_format_short_name("<impl Trait for X>::method"), "<impl Trait for X>::method");
  expect(viewer_format_short_name("f<g()->int>(int)"), "f");
  expect(viewer_format_short_name("((((("), "(");
  expect(viewer_format_short_name(""), "");
}

static void test_binaries(void)
{
  expect(viewer_format_binary("/usr/lib/libc.so.6"), "libc.so.6");
  expect(viewer_format_binary("[kernel]"), "[kernel]");
  expect(viewer_format_binary("/usr/lib/"), "/usr/lib/");
}

/* Words with hyphens may still break there. */
static void test_advice(void)
{
  expect(viewer_format_advice("hand-written: use --a-b, “-c”"),
         "hand-written: use -\342\201\240-\342\201\240a-\342\201\240b, “-\342\201\240c”");
  expect(viewer_format_advice(""), "");
}

/* Decimals and groups of digits are the language's, where it is installed. */
static void test_language(void)
{
  if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) {
    expect(viewer_format_count(1234567), "1234567");
    return;
  }
  expect(viewer_format_count(1234567), "1.234.567");
  expect(viewer_format_share(123, 1000), "12,3 %");
  setlocale(LC_NUMERIC, "C");
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/viewer/format/share", test_share);
  g_test_add_func("/viewer/format/amounts", test_amounts);
  g_test_add_func("/viewer/format/durations", test_durations);
  g_test_add_func("/viewer/format/times", test_times);
  g_test_add_func("/viewer/format/names", test_names);
  g_test_add_func("/viewer/format/short-names", test_short_names);
  g_test_add_func("/viewer/format/binaries", test_binaries);
  g_test_add_func("/viewer/format/advice", test_advice);
  g_test_add_func("/viewer/format/language", test_language);
  return g_test_run();
}
