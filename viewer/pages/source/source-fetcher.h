/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Texts of source files that are not on this computer, from debuginfod servers. Fetched one at a time, in a
 * thread; what came, and why something did not, is kept as long as this: nothing is asked for twice. Main
 * thread only, but for lookup.
 *
 * Signal, without arguments:
 *   "changed"  something came, or did not
 */
#pragma once

#include "profile/capture/capture.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_SOURCE_FETCHER (viewer_source_fetcher_get_type())
G_DECLARE_FINAL_TYPE(ViewerSourceFetcher, viewer_source_fetcher, VIEWER, SOURCE_FETCHER, GObject)

ViewerSourceFetcher *viewer_source_fetcher_new(void);

/* Begins to fetch the file that debug information of a binary (index) says; what is being fetched besides is
 * cancelled. Nothing happens for what came, did not come, or is being fetched. The person said yes to the
 * servers, and one may have it: profile_fetch_may_have_source(). */
void viewer_source_fetcher_start(ViewerSourceFetcher *self, ProfileCapture *capture, guint32 binary,
                                 const char *path, const char *servers);
/* What did not come by then may be asked for again. */
void viewer_source_fetcher_cancel(ViewerSourceFetcher *self);

gboolean viewer_source_fetcher_is_busy(ViewerSourceFetcher *self);
/* The text that came; NULL: none. Thread-safe. */
GBytes *viewer_source_fetcher_lookup(ViewerSourceFetcher *self, ProfileCapture *capture, guint32 binary,
                                     const char *path);
/* Why it did not come, a sentence; NULL: it was not asked for to the end, or came. Free it. */
char *viewer_source_fetcher_explain(ViewerSourceFetcher *self, ProfileCapture *capture, guint32 binary,
                                    const char *path);

G_END_DECLS
