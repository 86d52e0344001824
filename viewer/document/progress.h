/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is being done, how far that is, and a button that stops it.
 *
 * Signals: "stopped", the button was pressed; a document has been cancelled then.
 */
#pragma once

#include <gtk/gtk.h>

#include "viewer/document/document.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_PROGRESS (viewer_progress_get_type())
G_DECLARE_FINAL_TYPE(ViewerProgress, viewer_progress, VIEWER, PROGRESS, GtkBox)

/* Shows what it is doing from now on. NULL: none. */
void viewer_progress_set_document(ViewerProgress *self, ViewerDocument *document);
/* For what no document does. activity NULL: nothing is done; share: 0 … 1, negative when it is not known. */
void viewer_progress_show(ViewerProgress *self, const char *activity, double share);

G_END_DECLS
