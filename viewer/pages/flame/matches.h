/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The places of what is searched for, heaviest first, to be gone through one after the other. They are looked
 * for in a thread when one is first asked for. Main thread only.
 *
 * Signal, without arguments:
 *   "reached"  viewer_matches_get is the place that was asked for
 */
#pragma once

#include <gio/gio.h>

#include "profile/views/search.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_MATCHES (viewer_matches_get_type())
G_DECLARE_FINAL_TYPE(ViewerMatches, viewer_matches, VIEWER, MATCHES, GObject)

ViewerMatches *viewer_matches_new(void);
/* Of what the places are, and in which tree; search NULL: of nothing. What it is already of stays as it is.
 */
void viewer_matches_set(ViewerMatches *self, ProfileSearch *search, gboolean inverted);
/* To the next place (direction 1) or the one before (-1), around the end: "reached" comes at once, or when
 * the places are known. False: there are none. */
gboolean viewer_matches_go(ViewerMatches *self, int direction);
/* NULL: none was reached yet. Valid until the next call. */
const ProfilePath *viewer_matches_get(ViewerMatches *self);

G_END_DECLS
