/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gives a recording that nobody has saved (viewer-recordings.h) a place that the person chooses. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/viewer-document.h"

G_BEGIN_DECLS

/* Asks for the place and moves the file there. The document and the list of recents follow it; parent says
 * with its action "win.toast" how it went. */
void viewer_save_show(GtkWindow *parent, ViewerDocument *document);

G_END_DECLS
