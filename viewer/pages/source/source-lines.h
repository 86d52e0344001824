/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The lines of a function in one file that samples lead through, the hottest first. Main thread only.
 *
 * Signals:
 *   "chosen" (uint)     the user has selected that line
 *   "activated" (uint)  by a double click or the Enter key
 */
#pragma once

#include "viewer/kit/copy.h"
#include "viewer/pages/source/source.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_SOURCE_LINES (viewer_source_lines_get_type())
G_DECLARE_FINAL_TYPE(ViewerSourceLines, viewer_source_lines, VIEWER, SOURCE_LINES, GtkWidget)

/* Borrowed, until another one is shown; NULL: none. */
void viewer_source_lines_show(ViewerSourceLines *self, const ViewerSource *source);
/* Selects the row of a line, or none where the line has none. */
void viewer_source_lines_select(ViewerSourceLines *self, guint32 line);
/* The line in the row behind (direction 1) or before (-1) the selected one, from the other end on where none
 * is. 0: there is none. */
guint32 viewer_source_lines_get_next(ViewerSourceLines *self, int direction);
ViewerCopyRows viewer_source_lines_get_copied(ViewerSourceLines *self);

G_END_DECLS
