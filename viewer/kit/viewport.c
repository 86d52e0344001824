/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/kit/viewport.h"

static ViewerViewport viewport_place(double first, double width)
{
  width = CLAMP(width, VIEWER_VIEWPORT_MIN, 1);
  first = CLAMP(first, 0, 1 - width);
  return (ViewerViewport){first, first + width};
}

ViewerViewport viewer_viewport_zoom(ViewerViewport self, double at, double factor)
{
  double width = viewer_viewport_get_width(self);
  double wanted = CLAMP(width / factor, VIEWER_VIEWPORT_MIN, 1);

  return viewport_place(self.first + at * (width - wanted), wanted);
}

ViewerViewport viewer_viewport_move(ViewerViewport self, double by)
{
  double width = viewer_viewport_get_width(self);

  return viewport_place(self.first + by * width, width);
}

ViewerViewport viewer_viewport_show(ViewerViewport self, double first, double end)
{
  double width = MAX(viewer_viewport_get_width(self), end - first);

  if (end > self.first + width)
    return viewport_place(end - width, width);
  return viewport_place(MIN(self.first, first), width);
}

ViewerViewport viewer_viewport_mix(ViewerViewport self, ViewerViewport other, double t)
{
  return (ViewerViewport){self.first + (other.first - self.first) * t, self.end + (other.end - self.end) * t};
}

ViewerViewport viewer_viewport_with_margin(ViewerViewport self)
{
  double width = viewer_viewport_get_width(self);

  return (ViewerViewport){MAX(self.first - width, 0), MIN(self.end + width, 1)};
}

double viewer_viewport_get_width(ViewerViewport self)
{
  return self.end - self.first;
}

gboolean viewer_viewport_is_all(ViewerViewport self)
{
  return self.first <= 0 && self.end >= 1;
}

gboolean viewer_viewport_contains(ViewerViewport self, ViewerViewport other)
{
  return self.first <= other.first && self.end >= other.end;
}

double viewer_viewport_to_pixels(ViewerViewport self, double at, double width)
{
  return (at - self.first) / viewer_viewport_get_width(self) * width;
}

double viewer_viewport_from_pixels(ViewerViewport self, double x, double width)
{
  return self.first + x / MAX(width, 1) * viewer_viewport_get_width(self);
}
