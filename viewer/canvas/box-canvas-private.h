/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "viewer/canvas/box-canvas.h"

G_BEGIN_DECLS

/* Keys, pointer and wheel. */
void viewer_box_canvas_add_controllers(ViewerBoxCanvas *self);

G_END_DECLS
