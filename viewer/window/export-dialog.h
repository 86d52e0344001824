/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Asks in which format and where to export what one sees, and does it: with progress, until it is done or
 * cancelled. Says so with "win.toast" of its parent. Main thread only.
 */
#pragma once

#include <adwaita.h>

#include "viewer/document/page.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_EXPORT_DIALOG (viewer_export_dialog_get_type())
G_DECLARE_FINAL_TYPE(ViewerExportDialog, viewer_export_dialog, VIEWER, EXPORT_DIALOG, AdwWindow)

/* page: what is seen: a picture is taken of it once it has been drawn, then the dialog comes; and text says
 * what it does. Nothing is shown while the document has no weights. */
void viewer_export_dialog_show(GtkWindow *parent, ViewerDocument *document, ViewerPage *page);

G_END_DECLS
