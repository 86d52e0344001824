/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Debug information that a document's capture lacks, from servers: fetched in a thread, then the document
 * shows the names, and its file has them. Main thread only.
 *
 * Signal, without arguments:
 *   "changed"  all that can be asked here; some times a second while something comes
 */
#pragma once

#include "profile/report/health.h"
#include "viewer/document/document.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_FETCHING (viewer_fetching_get_type())
G_DECLARE_FINAL_TYPE(ViewerFetching, viewer_fetching, VIEWER, FETCHING, GObject)

/* The document's, which lives as long as that. Made when first asked for. */
ViewerFetching *viewer_fetching_of(ViewerDocument *document);

/* Asks the servers, to which the person said yes, for entry `index` of what has no names in the document's
 * capture, which health is of; G_MAXUINT: for all. Only when it is not busy. */
void viewer_fetching_start(ViewerFetching *self, ProfileHealth *health, guint index, const char *servers);
void viewer_fetching_cancel(ViewerFetching *self);

gboolean viewer_fetching_is_busy(ViewerFetching *self);
/* What is being done: "Fetching for libc.so.6", and how far that is: "1.2 MB of 3.4 MB". Free them. The share
 * is negative when it is not known. */
char *viewer_fetching_describe(ViewerFetching *self, char **ret_amount, double *ret_share);
/* What went wrong the last time, sentences (char *). Borrowed. */
const GPtrArray *viewer_fetching_get_sentences(ViewerFetching *self);

G_END_DECLS
