/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks people in which folders source is now. Main thread only. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A dialog that lists, adds and removes. */
void viewer_source_folders_show(GtkWindow *parent);
/* Asks for the folder that has the file of that path, or a folder above it, and keeps it. A folder that has
 * none is told by "win.toast" of widget. */
void viewer_source_folders_choose(GtkWidget *widget, const char *path);

G_END_DECLS
