/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/time/time-axis.h"

#define SECOND G_GUINT64_CONSTANT(1000000000)

static ViewerTimeAxis make_axis(guint64 low, guint64 high, double width)
{
  ViewerTimeAxis axis;

  viewer_time_axis_init(&axis, low, high);
  viewer_time_axis_set_width(&axis, width);
  return axis;
}

static void test_pixels(void)
{
  ViewerTimeAxis axis = make_axis(100, 100 + 10 * SECOND, 1000);

  g_assert_true(viewer_time_axis_shows_all(&axis));
  g_assert_cmpfloat(viewer_time_axis_get_scale(&axis), ==, 1e7);
  g_assert_cmpfloat(viewer_time_axis_get_x(&axis, 100 + 5 * SECOND), ==, 500);
  g_assert_cmpfloat(viewer_time_axis_get_x(&axis, 0), <, 0);
  g_assert_cmpuint(viewer_time_axis_get_time(&axis, 500), ==, 100 + 5 * SECOND);
  g_assert_cmpuint(viewer_time_axis_get_time(&axis, -3), ==, 100);
  g_assert_cmpuint(viewer_time_axis_get_time(&axis, 5000), ==, 100 + 10 * SECOND);
}

static void test_zoom(void)
{
  ViewerTimeAxis axis = make_axis(0, 10 * SECOND, 1000);

  g_assert_true(viewer_time_axis_zoom(&axis, 2, 250));
  g_assert_cmpuint(axis.end - axis.first, ==, 5 * SECOND);
  g_assert_cmpfloat_with_epsilon(viewer_time_axis_get_x(&axis, 2500000000), 250, 0.01);
  g_assert_true(viewer_time_axis_zoom(&axis, 0.5, 250));
  g_assert_true(viewer_time_axis_shows_all(&axis));
  g_assert_false(viewer_time_axis_zoom(&axis, 0.5, 250));
  for (guint i = 0; i < 100; i++)
    viewer_time_axis_zoom(&axis, 3, 999);
  g_assert_cmpuint(axis.end - axis.first, ==, 1000);
  g_assert_false(viewer_time_axis_zoom(&axis, 3, 10));
  for (guint i = 0; i < 100; i++)
    viewer_time_axis_zoom(&axis, 0.3, 0);
  g_assert_true(viewer_time_axis_shows_all(&axis));
}

static void test_pan(void)
{
  ViewerTimeAxis axis = make_axis(7, 7 + 10 * SECOND, 1000);

  g_assert_false(viewer_time_axis_pan(&axis, 100));
  viewer_time_axis_show(&axis, 7 + SECOND, 7 + 2 * SECOND);
  g_assert_true(viewer_time_axis_pan(&axis, 500));
  g_assert_cmpuint(axis.first, ==, 7 + SECOND + SECOND / 2);
  g_assert_cmpuint(axis.end, ==, 7 + 2 * SECOND + SECOND / 2);
  g_assert_true(viewer_time_axis_pan(&axis, -1e9));
  g_assert_cmpuint(axis.first, ==, 7);
  g_assert_cmpuint(axis.end, ==, 7 + SECOND);
  g_assert_true(viewer_time_axis_pan(&axis, 1e9));
  g_assert_cmpuint(axis.end, ==, 7 + 10 * SECOND);
  g_assert_cmpuint(axis.first, ==, 7 + 9 * SECOND);
}

static void test_limits(void)
{
  ViewerTimeAxis axis = make_axis(50, 50, 0);

  g_assert_cmpuint(axis.end, ==, 51);
  g_assert_cmpfloat(axis.width, ==, 1);
  viewer_time_axis_set_limits(&axis, 0, SECOND);
  g_assert_true(viewer_time_axis_shows_all(&axis));
  viewer_time_axis_show(&axis, 1000, 900000);
  viewer_time_axis_set_limits(&axis, 0, 2 * SECOND);
  g_assert_cmpuint(axis.first, ==, 1000);
  g_assert_cmpuint(axis.end, ==, 900000);
  viewer_time_axis_set_limits(&axis, 5 * SECOND, 6 * SECOND);
  g_assert_true(viewer_time_axis_shows_all(&axis));
  axis = make_axis(G_MAXUINT64, G_MAXUINT64, 100);
  g_assert_cmpuint(axis.first, <, axis.end);
  axis = make_axis(0, G_MAXUINT64, 100);
  for (guint i = 0; i < 50; i++) {
    viewer_time_axis_zoom(&axis, i % 3 == 2 ? 0.1 : 4, 100 - i);
    viewer_time_axis_pan(&axis, i % 2 ? 1000 : -77);
    g_assert_cmpuint(axis.first, <, axis.end);
  }
}

static void test_ticks(void)
{
  ViewerTimeAxis axis = make_axis(100, 100 + 10 * SECOND, 1000);

  g_assert_cmpuint(viewer_time_axis_get_step(&axis, 100), ==, SECOND);
  g_assert_cmpuint(viewer_time_axis_get_step(&axis, 90), ==, SECOND);
  g_assert_cmpuint(viewer_time_axis_get_step(&axis, 101), ==, 2 * SECOND);
  g_assert_cmpuint(viewer_time_axis_get_first_tick(&axis, SECOND), ==, 100);
  viewer_time_axis_show(&axis, 101, 100 + SECOND);
  g_assert_cmpuint(viewer_time_axis_get_first_tick(&axis, SECOND), ==, 100 + SECOND);
  axis = make_axis(0, 7200 * SECOND, 720);
  g_assert_cmpuint(viewer_time_axis_get_step(&axis, 80), ==, 900 * SECOND);
  axis = make_axis(0, G_MAXUINT64, 10);
  g_assert_cmpuint(viewer_time_axis_get_step(&axis, 5), >, G_MAXUINT64 / 4);
  g_assert_cmpuint(viewer_time_axis_get_step(&axis, 1000), ==, G_MAXINT64);
}

/* Texts count from the beginning of the recording. */
static void test_texts(void)
{
  ViewerTimeAxis axis = make_axis(3, 3 + 10 * SECOND, 1000);
  g_autofree char *tick = viewer_time_axis_format(&axis, 3 + 5 * SECOND / 2, SECOND / 2);
  g_autofree char *before = viewer_time_axis_format(&axis, 0, SECOND);
  g_autofree char *far = viewer_time_axis_format_exactly(&axis, 3 + 1234567890);
  g_autofree char *span = viewer_time_axis_format_span(&axis, 3 + SECOND, 3 + 2 * SECOND);

  g_assert_cmpstr(tick, ==, "2.5 s");
  g_assert_cmpstr(before, ==, "0 s");
  g_assert_cmpstr(far, ==, "1.23 s");
  g_assert_cmpstr(span, ==, "1.00 s – 2.00 s");
  viewer_time_axis_show(&axis, 3 + SECOND, 3 + SECOND + 1000000);
  g_autofree char *near = viewer_time_axis_format_exactly(&axis, 3 + 1000567000);
  g_assert_cmpstr(near, ==, "1.000567 s");
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/viewer/time-axis/pixels", test_pixels);
  g_test_add_func("/viewer/time-axis/zoom", test_zoom);
  g_test_add_func("/viewer/time-axis/pan", test_pan);
  g_test_add_func("/viewer/time-axis/limits", test_limits);
  g_test_add_func("/viewer/time-axis/ticks", test_ticks);
  g_test_add_func("/viewer/time-axis/texts", test_texts);
  return g_test_run();
}
