/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Offers to get debug information from servers: a button for each file that lacks names and one for all, how
 * far it is, and what went wrong. Not there when no server may help or none is known. The first time it asks
 * whether servers may be asked. Main thread only. */
#pragma once

#include <adwaita.h>

#include "profile/report/health.h"
#include "viewer/document/document.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_DOWNLOADS (viewer_downloads_get_type())
G_DECLARE_FINAL_TYPE(ViewerDownloads, viewer_downloads, VIEWER, DOWNLOADS, AdwPreferencesGroup)

/* health is that of the document's capture; both NULL: nothing is shown any more. */
void viewer_downloads_show(ViewerDownloads *self, ViewerDocument *document, ProfileHealth *health);

G_END_DECLS
