/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Short news at the lower edge of a window. Main thread only. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Shows text, which may be of a file or of another program, in the window that widget stands in; nowhere when
 * that shows no news. */
void viewer_toast(GtkWidget *widget, const char *text);

G_END_DECLS
