/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The application: one process for all windows, which the desktop, the command line and the bus ask to open
 * files. Its actions are "app.new-window", "app.about", "app.help" and "app.quit".
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define VIEWER_APPLICATION_ID "org.capturectl.Viewer"

#define VIEWER_TYPE_APPLICATION (viewer_application_get_type())
G_DECLARE_FINAL_TYPE(ViewerApplication, viewer_application, VIEWER, APPLICATION, AdwApplication)

ViewerApplication *viewer_application_new(void);

/* Shows file in a window: in the one that shows it already, else in `window` or another one that is free,
 * else in a new one. `window` may be NULL. */
void viewer_application_open_file(ViewerApplication *self, GFile *file, GtkWindow *window);

G_END_DECLS
