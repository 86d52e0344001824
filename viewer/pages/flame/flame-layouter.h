/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lays out flame graphs away from the main thread: work for a ViewerLatest. Main thread only. */
#pragma once

#include "profile/views/flame.h"
#include "profile/views/search.h"
#include "viewer/kit/latest.h"

G_BEGIN_DECLS

ViewerLatest *viewer_flame_layouter_new(void);

/* Everything is copied or referenced. search: names to look for, NULL none. */
void viewer_flame_layouter_request(ViewerLatest *self, ProfileWeights *weights,
                                   const ProfileFlameOptions *options, const char *search);

/* Of the latest layout; NULL before there is one. Borrowed. */
ProfileFlame *viewer_flame_layouter_get_flame(ViewerLatest *self);
/* All of it, coarsely: for a small map. */
ProfileFlame *viewer_flame_layouter_get_overview(ViewerLatest *self);
/* NULL: nothing was looked for. */
ProfileSearch *viewer_flame_layouter_get_search(ViewerLatest *self);
G_END_DECLS
