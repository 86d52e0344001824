/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where every capture opens: sentences about what is slow, each with a button that shows more of it, and who
 * the time belongs to. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A ViewerPage. */
GtkWidget *viewer_summary_page_new(void);

G_END_DECLS
