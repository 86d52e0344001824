/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks for files to open. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Calls `open` for each file that was chosen, while parent lives. */
void viewer_open_dialog_show(GtkWindow *parent, void (*open)(GFile *file, gpointer data), gpointer data);

G_END_DECLS
