/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One process in a list: icon, name and command line, user, number, how busy it is. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/record/process.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_PROCESS_ROW (viewer_process_row_get_type())
G_DECLARE_FINAL_TYPE(ViewerProcessRow, viewer_process_row, VIEWER, PROCESS_ROW, GtkWidget)

GtkWidget *viewer_process_row_new(void);
/* Shows the process, and what of it changes; NULL: none. */
void viewer_process_row_set_process(ViewerProcessRow *self, ViewerProcess *process);

G_END_DECLS
