/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The help: how to record, how to read what was recorded, what to do when stacks are broken. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define VIEWER_TYPE_HELP_WINDOW (viewer_help_window_get_type())
G_DECLARE_FINAL_TYPE(ViewerHelpWindow, viewer_help_window, VIEWER, HELP_WINDOW, AdwWindow)

/* Escape closes it. parent may be NULL. */
GtkWindow *viewer_help_window_new(GtkWindow *parent);

G_END_DECLS
