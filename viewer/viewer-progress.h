/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a document is doing, how far that is, and a button that stops it. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/viewer-document.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_PROGRESS (viewer_progress_get_type())
G_DECLARE_FINAL_TYPE(ViewerProgress, viewer_progress, VIEWER, PROGRESS, GtkBox)

/* NULL: none. */
void viewer_progress_set_document(ViewerProgress *self, ViewerDocument *document);

G_END_DECLS
