/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/tree/tree-indentation.h"

/* 600 pixels of which 360 may be indentation, and 20 rows in sight. */
static void fit(ViewerTreeIndentation *indentation, guint32 least, guint32 most)
{
  viewer_tree_indentation_fit(indentation, 600, 20, least, most);
}

static void test_shallow(void)
{
  ViewerTreeIndentation indentation = {0};

  fit(&indentation, 0, 19);
  g_assert_cmpint(viewer_tree_indentation_get(&indentation, 0), ==, 0);
  g_assert_cmpint(viewer_tree_indentation_get(&indentation, 1), ==, 14);
  g_assert_cmpint(viewer_tree_indentation_get(&indentation, 19), ==, 19 * 14);
  g_assert_false(viewer_tree_indentation_fit(&indentation, 600, 20, 3, 12));
}

/* A child stands farther in than its parent at every depth, and both have room. */
static void test_deep(void)
{
  ViewerTreeIndentation indentation = {0};

  for (guint32 least = 0; least < 500; least++) {
    fit(&indentation, least, least + 19);
    for (guint32 depth = least; depth < least + 19; depth++)
      g_assert_cmpint(viewer_tree_indentation_get(&indentation, depth) + 14, ==,
                      viewer_tree_indentation_get(&indentation, depth + 1));
    g_assert_cmpint(viewer_tree_indentation_get(&indentation, least + 19), <=, 360);
  }
}

/* Going up and down where there is room moves nothing. */
static void test_stays(void)
{
  ViewerTreeIndentation indentation = {0};

  fit(&indentation, 40, 50);
  g_assert_cmpint(viewer_tree_indentation_get(&indentation, 50), ==, 25 * 14);
  g_assert_false(viewer_tree_indentation_fit(&indentation, 600, 20, 30, 40));
  g_assert_true(viewer_tree_indentation_fit(&indentation, 600, 20, 10, 20));
  g_assert_cmpint(viewer_tree_indentation_get(&indentation, 10), ==, 0);
}

static void test_narrow(void)
{
  ViewerTreeIndentation indentation = {0};

  viewer_tree_indentation_fit(&indentation, 100, 50, 0, 49);
  g_assert_cmpint(viewer_tree_indentation_get(&indentation, 1), ==, 8);
  g_assert_cmpint(viewer_tree_indentation_get(&indentation, 49), <=, 60);
  viewer_tree_indentation_fit(&indentation, 0, 0, 0, 0);
  g_assert_cmpint(viewer_tree_indentation_get(&indentation, 49), ==, 0);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/viewer/tree-indentation/shallow", test_shallow);
  g_test_add_func("/viewer/tree-indentation/deep", test_deep);
  g_test_add_func("/viewer/tree-indentation/stays", test_stays);
  g_test_add_func("/viewer/tree-indentation/narrow", test_narrow);
  return g_test_run();
}
