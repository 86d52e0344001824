/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs in which people edit source. Main thread only. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef struct {
  const char *program; /* looked for in PATH; "default": what the desktop opens such files with */
  const char *name;
  const char *arguments; /* separated by blanks; %f stands for the file, %l for the line */
} ViewerEditor;

/* The one that was chosen last, if it is there; else the first that is. */
const ViewerEditor *viewer_editor_get_chosen(void);
void viewer_editor_set_chosen(const char *program);
/* One item for each that is there, of an action that takes its program. */
GMenuModel *viewer_editors_make_menu(const char *action);
/* In the user's language where it is no name. */
const char *viewer_editor_get_name(const ViewerEditor *self);
/* Opens the file, at the line if the program takes one. What goes wrong is said by "win.toast". */
void viewer_editor_open(const ViewerEditor *self, GtkWidget *widget, const char *path, guint32 line);

G_END_DECLS
