/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/kit/heat.h"

#include <math.h>

/* So that what has a tenth of the hottest is seen. */
static float heat_soften(double heat)
{
  return heat > 0 ? (float)sqrt(MIN(heat, 1)) : 0;
}

GdkRGBA viewer_heat_get_color(double heat, ViewerScheme scheme)
{
  GdkRGBA light = {1, 0.47f, 0, 1}, dark = {0.78f, 0.27f, 0, 1};
  GdkRGBA color = scheme.dark ? dark : light;
  float most = scheme.high_contrast ? 0.45f : scheme.dark ? 0.75f : 0.6f;

  color.alpha = heat_soften(heat) * most;
  return color;
}

GdkRGBA viewer_heat_get_mark(double heat, ViewerScheme scheme)
{
  GdkRGBA light = {0.9f, 0.35f, 0, 1}, dark = {1, 0.5f, 0.1f, 1};
  GdkRGBA color = scheme.dark ? dark : light;

  color.alpha = heat > 0 ? 0.25f + 0.75f * heat_soften(heat) : 0;
  return color;
}
