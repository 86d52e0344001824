/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a window shows before there is anything to look at: what can be recorded, what was recorded lately,
 * and what this machine forbids, which is looked at again whenever the window gets the focus.
 *
 * Signals:
 *   "record"  (gpointer: const RecordingOptions *)  valid while it is emitted
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define VIEWER_TYPE_START_PAGE (viewer_start_page_get_type())
G_DECLARE_FINAL_TYPE(ViewerStartPage, viewer_start_page, VIEWER, START_PAGE, AdwBin)

GtkWidget *viewer_start_page_new(void);

G_END_DECLS
