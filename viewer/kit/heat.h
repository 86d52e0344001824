/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The colour of what is hot: behind numbers, lines of source, instructions. Main thread only. */
#pragma once

#include "viewer/kit/palette.h"

G_BEGIN_DECLS

/* heat: 0 … 1 of the hottest; 0 is not seen. On a page's own ground, where its text keeps a contrast of 4.5 :
 * 1, in high contrast 7 : 1. */
GdkRGBA viewer_heat_get_color(double heat, ViewerScheme scheme);
/* The same as strong as can be, for what has no text on it. */
GdkRGBA viewer_heat_get_mark(double heat, ViewerScheme scheme);

G_END_DECLS
