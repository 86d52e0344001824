/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Says what a line costs, and has a button for each function that was inlined there. Main thread only.
 *
 * Signal:
 *   "chosen" (uint)  the user wants to see that function
 */
#pragma once

#include <gtk/gtk.h>

#include "viewer/pages/source/source.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_INLINED_BAR (viewer_inlined_bar_get_type())
G_DECLARE_FINAL_TYPE(ViewerInlinedBar, viewer_inlined_bar, VIEWER, INLINED_BAR, GtkWidget)

/* Nothing of the source is kept. line 0: of nothing. */
void viewer_inlined_bar_show(ViewerInlinedBar *self, const ViewerSource *source, guint32 line);
/* What it says, with the functions. */
const char *viewer_inlined_bar_get_text(ViewerInlinedBar *self);
/* The first of the functions; G_MAXUINT32: there is none. */
guint32 viewer_inlined_bar_get_first(ViewerInlinedBar *self);

G_END_DECLS
