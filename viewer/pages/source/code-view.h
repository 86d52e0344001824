/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The machine code of a function: samples per instruction, the lines that instructions come from, jumps as
 * arrows. Nothing is decoded as long as it is not in sight. Main thread only.
 *
 * Signals:
 *   "line-chosen" (uint)      the user selected an instruction that comes from that line of the shown file
 *   "function-chosen" (uint)  the user activated an instruction that calls that function
 */
#pragma once

#include "viewer/kit/copy.h"
#include "viewer/pages/source/code.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_CODE_VIEW (viewer_code_view_get_type())
G_DECLARE_FINAL_TYPE(ViewerCodeView, viewer_code_view, VIEWER, CODE_VIEW, GtkWidget)

/* Of the function whose source that is, with the lines of its file; NULL: of nothing. line: the current one.
 */
void viewer_code_view_show(ViewerCodeView *self, const ViewerSource *source, guint32 line);
/* Selects the hottest instruction of a line of that file, if it has one. */
void viewer_code_view_select(ViewerCodeView *self, guint32 line);
ViewerCopyRows viewer_code_view_get_copied(ViewerCodeView *self);

G_END_DECLS
