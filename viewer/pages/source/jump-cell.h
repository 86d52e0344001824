/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cell beside an instruction: how hot that is, and the jumps that begin, end and pass there. Main thread
 * only.
 */
#pragma once

#include <gtk/gtk.h>

#include "viewer/pages/source/code.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_JUMP_CELL (viewer_jump_cell_get_type())
G_DECLARE_FINAL_TYPE(ViewerJumpCell, viewer_jump_cell, VIEWER, JUMP_CELL, GtkWidget)

GtkWidget *viewer_jump_cell_new(void);
void viewer_jump_cell_set(ViewerJumpCell *self, double heat, ViewerCodeLanes lanes);

G_END_DECLS
