/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes something in a thread, again and again, for what is asked for last: while it is made only the latest
 * request waits, the others are forgotten. What was made stays until there is a newer one. Main thread only.
 *
 * Signal:
 *   "ready"  get
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define VIEWER_TYPE_LATEST (viewer_latest_get_type())
G_DECLARE_FINAL_TYPE(ViewerLatest, viewer_latest, VIEWER, LATEST, GObject)

/* Runs in a thread; what it returns is not NULL. */
typedef gpointer (*ViewerLatestFunc)(gpointer request);

ViewerLatest *viewer_latest_new(ViewerLatestFunc make, GDestroyNotify free_request,
                                GDestroyNotify free_result);
/* The request is taken over. */
void viewer_latest_request(ViewerLatest *self, gpointer request);
/* Forgets what was made and what is being made. */
void viewer_latest_clear(ViewerLatest *self);
/* NULL: nothing yet. Valid until the next "ready" or clear. */
gpointer viewer_latest_get(ViewerLatest *self);
/* Whether something is being made: what was made is not of the latest request. */
gboolean viewer_latest_is_busy(ViewerLatest *self);

G_END_DECLS
