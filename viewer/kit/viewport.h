/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which part of a drawing's width is seen: from first to end, of 0 … 1. A plain value. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  double first, end;
} ViewerViewport;

#define VIEWER_VIEWPORT_ALL ((ViewerViewport){0, 1})
/* No narrower than this: places are floats. */
#define VIEWER_VIEWPORT_MIN (1.0 / 8192)

/* Enlarges by factor (below 1: makes smaller); what is seen at `at`, a share of the width that is seen, stays
 * there as far as the edges allow. */
ViewerViewport viewer_viewport_zoom(ViewerViewport self, double at, double factor);
/* Moves by a share of what is seen, to the right when it is positive, up to the edge. */
ViewerViewport viewer_viewport_move(ViewerViewport self, double by);
/* Moves and widens as little as it takes to show all of first … end. */
ViewerViewport viewer_viewport_show(ViewerViewport self, double first, double end);
/* Of the way from self to other, the share t. */
ViewerViewport viewer_viewport_mix(ViewerViewport self, ViewerViewport other, double t);
/* As wide again on both sides: what one may come to see soon. */
ViewerViewport viewer_viewport_with_margin(ViewerViewport self);

double viewer_viewport_get_width(ViewerViewport self);
gboolean viewer_viewport_is_all(ViewerViewport self);
gboolean viewer_viewport_contains(ViewerViewport self, ViewerViewport other);
/* From a place (0 … 1) to pixels and back, where `width` pixels show self. */
double viewer_viewport_to_pixels(ViewerViewport self, double place, double width);
double viewer_viewport_from_pixels(ViewerViewport self, double x, double width);

G_END_DECLS
