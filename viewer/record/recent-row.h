/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recent capture in a list: thumbnail, what was recorded, when and how much; a button to forget it. */
#pragma once

#include <adwaita.h>

#include "viewer/recents/recent.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_RECENT_ROW (viewer_recent_row_get_type())
G_DECLARE_FINAL_TYPE(ViewerRecentRow, viewer_recent_row, VIEWER, RECENT_ROW, AdwActionRow)

/* Activates "win.open-file", or "recents.remove" with the file's URI, which a widget around it has. */
GtkWidget *viewer_recent_row_new(ViewerRecent *recent);

G_END_DECLS
