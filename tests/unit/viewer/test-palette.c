/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/kit/palette.h"

#include <math.h>

static const ViewerScheme schemes[] = {{FALSE, FALSE}, {FALSE, TRUE}, {TRUE, FALSE}, {TRUE, TRUE}};
static const char *const names[] = {"/usr/lib/x86_64-linux-gnu/libc.so.6",
                                    "/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus",
                                    "/usr/bin/ld.bfd",
                                    "[lua]",
                                    "/usr/lib/libLLVM-14.so.1",
                                    "",
                                    "/"};

static double linear(float value)
{
  return value <= 0.04045f ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

/* As the Web Content Accessibility Guidelines define them. */
static double get_luminance(const GdkRGBA *color)
{
  return 0.2126 * linear(color->red) + 0.7152 * linear(color->green) + 0.0722 * linear(color->blue);
}

static double get_contrast(const GdkRGBA *left, const GdkRGBA *right)
{
  double a = get_luminance(left), b = get_luminance(right);

  return (MAX(a, b) + 0.05) / (MIN(a, b) + 0.05);
}

/* Text on it can be read; and where fills cannot stand out from the ground for that, what is mixed of both
 * does. */
static void check_contrast(ViewerColor color, ViewerScheme scheme)
{
  GdkRGBA ground, sliver = viewer_color_mix(&color, 0.5f);

  gdk_rgba_parse(&ground, scheme.dark ? "#1e1e1e" : "#ffffff");
  g_assert_cmpfloat(get_contrast(&color.fill, &color.text), >=, scheme.high_contrast ? 7 : 4.5);
  if (scheme.dark && !scheme.high_contrast)
    g_assert_cmpfloat(get_contrast(&color.fill, &ground), >=, 2.4);
  if (scheme.high_contrast) {
    g_assert_cmpfloat(get_contrast(&sliver, &ground), >=, 3);
    g_assert_cmpfloat(get_contrast(&color.text, &ground), >=, 7);
  }
}

static void test_contrast(void)
{
  for (guint i = 0; i < G_N_ELEMENTS(schemes); i++) {
    for (guint kind = 0; kind < PROFILE_KINDS; kind++)
      check_contrast(viewer_palette_of_kind((ProfileKind)kind, schemes[i]), schemes[i]);
    for (guint j = 0; j < 500; j++) {
      g_autofree char *name = g_strdup_printf("/usr/bin/program-%u", j);
      check_contrast(viewer_palette_of_name(name, schemes[i]), schemes[i]);
    }
  }
}

static double get_distance(const ViewerColor *a, const ViewerColor *b)
{
  return fabs(a->fill.red - b->fill.red) + fabs(a->fill.green - b->fill.green) +
         fabs(a->fill.blue - b->fill.blue);
}

/* From each other, and from the root. */
static void test_kinds_differ(void)
{
  for (guint i = 0; i < G_N_ELEMENTS(schemes); i++)
    for (guint a = 0; a < PROFILE_KINDS; a++) {
      ViewerColor root = viewer_palette_of_root(schemes[i]);
      ViewerColor kind = viewer_palette_of_kind((ProfileKind)a, schemes[i]);
      g_assert_cmpfloat(get_distance(&root, &kind), >, 0.1);
      for (guint b = 0; b < a; b++) {
        ViewerColor left = viewer_palette_of_kind((ProfileKind)a, schemes[i]);
        ViewerColor right = viewer_palette_of_kind((ProfileKind)b, schemes[i]);
        g_assert_cmpfloat(get_distance(&left, &right), >, 0.1);
      }
    }
}

/* Two colours of binaries are the same or can be told apart; and many are used. */
static void test_names_spread(void)
{
  for (guint i = 0; i < G_N_ELEMENTS(schemes); i++) {
    g_autoptr(GArray) seen = g_array_new(FALSE, FALSE, sizeof(ViewerColor));
    for (guint j = 0; j < 300; j++) {
      g_autofree char *name = g_strdup_printf("lib%u.so.%u", j, j % 3);
      ViewerColor color = viewer_palette_of_name(name, schemes[i]);
      gboolean known = FALSE;
      for (guint k = 0; k < seen->len && !known; k++) {
        double distance = get_distance(&color, &g_array_index(seen, ViewerColor, k));
        known = distance == 0;
        g_assert_true(known || distance > 0.02);
      }
      if (!known)
        g_array_append_val(seen, color);
    }
    g_assert_cmpuint(seen->len, >=, 20);
  }
}

static void test_names_are_stable(void)
{
  ViewerScheme scheme = {FALSE, FALSE};
  ViewerColor a = viewer_palette_of_name("/usr/lib/x86_64-linux-gnu/libc.so.6", scheme);
  ViewerColor b = viewer_palette_of_name("/snap/core22/1/lib/libc.so.7.1", scheme);
  ViewerColor other = viewer_palette_of_name("/usr/lib/libm.so.6", scheme);

  g_assert_cmpfloat(get_distance(&a, &b), ==, 0);
  g_assert_cmpfloat(get_distance(&a, &other), >, 0);
  for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    check_contrast(viewer_palette_of_name(names[i], scheme), scheme);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/viewer/palette/contrast", test_contrast);
  g_test_add_func("/viewer/palette/kinds-differ", test_kinds_differ);
  g_test_add_func("/viewer/palette/names-spread", test_names_spread);
  g_test_add_func("/viewer/palette/names-are-stable", test_names_are_stable);
  return g_test_run();
}
