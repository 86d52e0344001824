/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Looks for functions by name in a thread, the newest question wins. Main thread only.
 *
 * Signals, none with arguments:
 *   "found"  viewer_finder_get is another
 */
#pragma once

#include <gio/gio.h>

#include "profile/views/search.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_FINDER (viewer_finder_get_type())
G_DECLARE_FINAL_TYPE(ViewerFinder, viewer_finder, VIEWER, FINDER, GObject)

ViewerFinder *viewer_finder_new(void);
/* Weights NULL, text NULL or "": there is nothing to find, at once. */
void viewer_finder_find(ViewerFinder *self, ProfileWeights *weights, const char *text);
/* What was found last; NULL: nothing was looked for. Borrowed. */
ProfileSearch *viewer_finder_get(ViewerFinder *self);
/* Whether what was asked last is still being looked for. */
gboolean viewer_finder_is_busy(ViewerFinder *self);
/* "12 functions, 34.5 %"; NULL when nothing was looked for. Free it. */
char *viewer_finder_describe(ViewerFinder *self);

G_END_DECLS
