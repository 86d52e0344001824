/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is to be known of the shown text, or why there is none, with buttons for what helps. A file that is
 * not on this computer is asked for from servers while this is in sight, if the person said yes to them; else
 * they are offered. Main thread only.
 *
 * Signal, without arguments:
 *   "fetched"  the fetcher has the text now
 */
#pragma once

#include <gtk/gtk.h>

#include "viewer/pages/source/source.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_SOURCE_NOTICE (viewer_source_notice_get_type())
G_DECLARE_FINAL_TYPE(ViewerSourceNotice, viewer_source_notice, VIEWER, SOURCE_NOTICE, GtkBox)

/* NULL: nothing is shown any more. */
void viewer_source_notice_show(ViewerSourceNotice *self, const ViewerSource *source);
/* Where fetched texts are. Borrowed. */
ViewerSourceFetcher *viewer_source_notice_get_fetcher(ViewerSourceNotice *self);

G_END_DECLS
