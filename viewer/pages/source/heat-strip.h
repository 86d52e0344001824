/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A strip beside a scroll bar that shows where in all lines of a file the hot ones are. A click goes there.
 * Screen readers have the list of lines for it. Main thread only.
 *
 * Signal:
 *   "chosen" (uint)  the line with a cost that is next to where it was clicked
 */
#pragma once

#include <gtk/gtk.h>

#include "viewer/pages/source/source.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_HEAT_STRIP (viewer_heat_strip_get_type())
G_DECLARE_FINAL_TYPE(ViewerHeatStrip, viewer_heat_strip, VIEWER, HEAT_STRIP, GtkWidget)

/* Borrowed, until the next one is set; NULL: none. */
void viewer_heat_strip_set_source(ViewerHeatStrip *self, const ViewerSource *source);

G_END_DECLS
