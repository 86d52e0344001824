/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pages of a stack as a list: those of its pages that are visible, in their order. Main thread only. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define VIEWER_TYPE_SIDEBAR (viewer_sidebar_get_type())
G_DECLARE_FINAL_TYPE(ViewerSidebar, viewer_sidebar, VIEWER, SIDEBAR, GtkWidget)

/* Signal, without arguments: "chosen", when somebody chose a page, the one in sight as well. */

/* Once, when the stack has all its pages. */
void viewer_sidebar_set_stack(ViewerSidebar *self, AdwViewStack *stack);

G_END_DECLS
