/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A window to choose one of the running processes in: a list that can be searched.
 *
 * Signals:
 *   "chosen"  (ViewerProcess)  it closes then
 */
#pragma once

#include <adwaita.h>

#include "viewer/record/process.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_PROCESS_CHOOSER (viewer_process_chooser_get_type())
G_DECLARE_FINAL_TYPE(ViewerProcessChooser, viewer_process_chooser, VIEWER, PROCESS_CHOOSER, AdwWindow)

/* own, others: whose processes may be chosen. */
GtkWidget *viewer_process_chooser_new(GtkWindow *parent, gboolean own, gboolean others);

G_END_DECLS
