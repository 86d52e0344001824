/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recent captures, each to be opened again; also a button that opens any other. */
#pragma once

#include <adwaita.h>

#include "viewer/recents/recents.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_RECENT_LIST (viewer_recent_list_get_type())
G_DECLARE_FINAL_TYPE(ViewerRecentList, viewer_recent_list, VIEWER, RECENT_LIST, AdwPreferencesGroup)

/* Once. */
void viewer_recent_list_set_recents(ViewerRecentList *self, ViewerRecents *recents);

G_END_DECLS
