/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A paned whose children stand side by side in a wide window, and below each other in a narrow one. Main
 * thread only. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Once a paned. least: pixels of its width from which on they stand side by side. share: of the first child,
 * 0 … 1, as long as nobody moves what is between the two. */
void viewer_split_follow(GtkPaned *paned, int least, double share);

G_END_DECLS
