/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What stands beside the text: the hottest lines, or the machine code. Which of the two is remembered. Main
 * thread only.
 *
 * Signals:
 *   "line-chosen" (uint)      the user selected something of that line
 *   "line-entered" (uint)     the user wants to go there
 *   "function-chosen" (uint)  the user wants to see that function
 */
#pragma once

#include "viewer/kit/copy.h"
#include "viewer/pages/source/source.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_SOURCE_SIDE (viewer_source_side_get_type())
G_DECLARE_FINAL_TYPE(ViewerSourceSide, viewer_source_side, VIEWER, SOURCE_SIDE, GtkWidget)

/* Borrowed, until another one is shown; NULL: none. line: the current one. */
void viewer_source_side_show(ViewerSourceSide *self, const ViewerSource *source, guint32 line);
/* Another line is the current one. */
void viewer_source_side_select(ViewerSourceSide *self, guint32 line);
/* The next line in the list of the hottest (direction 1), or the one before (-1). 0: there is none. */
guint32 viewer_source_side_get_next(ViewerSourceSide *self, int direction);
/* Of what is seen. */
ViewerCopyRows viewer_source_side_get_copied(ViewerSourceSide *self);

G_END_DECLS
