/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/kit/viewport.h"

static void assert_is(ViewerViewport view, double first, double end)
{
  g_assert_cmpfloat_with_epsilon(view.first, first, 1e-9);
  g_assert_cmpfloat_with_epsilon(view.end, end, 1e-9);
}

/* What is under the pointer stays there. */
static void test_zoom(void)
{
  ViewerViewport view = VIEWER_VIEWPORT_ALL;

  for (guint i = 0; i < 12; i++) {
    double before = viewer_viewport_from_pixels(view, 300, 1000);
    view = viewer_viewport_zoom(view, 0.3, 1.25);
    g_assert_cmpfloat_with_epsilon(viewer_viewport_from_pixels(view, 300, 1000), before, 1e-9);
  }
  g_assert_cmpfloat(viewer_viewport_get_width(view), <, 0.1);
  assert_is(viewer_viewport_zoom((ViewerViewport){0.5, 0.75}, 0, 2), 0.5, 0.625);
  assert_is(viewer_viewport_zoom((ViewerViewport){0.5, 0.75}, 1, 2), 0.625, 0.75);
}

static void test_zoom_limits(void)
{
  ViewerViewport view = {0.9, 1};

  assert_is(viewer_viewport_zoom(view, 0.5, 0.5), 0.8, 1);
  assert_is(viewer_viewport_zoom(view, 0.5, 0.01), 0, 1);
  g_assert_true(viewer_viewport_is_all(viewer_viewport_zoom(view, 0.5, 0.01)));
  g_assert_false(viewer_viewport_is_all(view));
  for (guint i = 0; i < 100; i++)
    view = viewer_viewport_zoom(view, 0.5, 2);
  g_assert_cmpfloat_with_epsilon(viewer_viewport_get_width(view), VIEWER_VIEWPORT_MIN, 1e-12);
  g_assert_cmpfloat(view.first, >, 0.9);
}

static void test_move(void)
{
  ViewerViewport view = {0.4, 0.6};

  assert_is(viewer_viewport_move(view, 0.5), 0.5, 0.7);
  assert_is(viewer_viewport_move(view, -1), 0.2, 0.4);
  assert_is(viewer_viewport_move(view, 10), 0.8, 1);
  assert_is(viewer_viewport_move(view, -10), 0, 0.2);
}

static void test_show(void)
{
  ViewerViewport view = {0.4, 0.6};

  assert_is(viewer_viewport_show(view, 0.45, 0.5), 0.4, 0.6);
  assert_is(viewer_viewport_show(view, 0.7, 0.8), 0.6, 0.8);
  assert_is(viewer_viewport_show(view, 0.1, 0.2), 0.1, 0.3);
  assert_is(viewer_viewport_show(view, 0.3, 0.9), 0.3, 0.9);
}

static void test_pixels(void)
{
  ViewerViewport view = {0.25, 0.75};

  g_assert_cmpfloat(viewer_viewport_to_pixels(view, 0.25, 800), ==, 0);
  g_assert_cmpfloat(viewer_viewport_to_pixels(view, 0.5, 800), ==, 400);
  g_assert_cmpfloat(viewer_viewport_to_pixels(view, 0, 800), ==, -400);
  g_assert_cmpfloat(viewer_viewport_from_pixels(view, 200, 800), ==, 0.375);
  g_assert_cmpfloat(viewer_viewport_from_pixels(view, 0, 0), ==, 0.25);
}

static void test_margin(void)
{
  ViewerViewport view = {0.4, 0.5};

  assert_is(viewer_viewport_with_margin(view), 0.3, 0.6);
  assert_is(viewer_viewport_with_margin(VIEWER_VIEWPORT_ALL), 0, 1);
  g_assert_true(viewer_viewport_contains(viewer_viewport_with_margin(view), view));
  g_assert_false(viewer_viewport_contains(view, viewer_viewport_with_margin(view)));
  assert_is(viewer_viewport_mix(view, VIEWER_VIEWPORT_ALL, 0.5), 0.2, 0.75);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/viewer/viewport/zoom", test_zoom);
  g_test_add_func("/viewer/viewport/zoom-limits", test_zoom_limits);
  g_test_add_func("/viewer/viewport/move", test_move);
  g_test_add_func("/viewer/viewport/show", test_show);
  g_test_add_func("/viewer/viewport/pixels", test_pixels);
  g_test_add_func("/viewer/viewport/margin", test_margin);
  return g_test_run();
}
