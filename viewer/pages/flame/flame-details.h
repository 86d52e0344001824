/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is known of one box of a flame graph: name, numbers, where it is, and how the stacks that lead through
 * it ended. Main thread only.
 */
#pragma once

#include <gtk/gtk.h>

#include "profile/views/flame.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_FLAME_DETAILS (viewer_flame_details_get_type())
G_DECLARE_FINAL_TYPE(ViewerFlameDetails, viewer_flame_details, VIEWER, FLAME_DETAILS, GtkWidget)

GtkWidget *viewer_flame_details_new(void);
/* flame NULL: of nothing. */
void viewer_flame_details_show(ViewerFlameDetails *self, ProfileFlame *flame, guint box);

G_END_DECLS
