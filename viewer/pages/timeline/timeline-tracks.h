/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which tracks there are, in which order. Main thread only. */
#pragma once

#include "profile/capture/filter.h"
#include "viewer/pages/timeline/timeline-data.h"
#include "viewer/pages/timeline/track.h"

G_BEGIN_DECLS

typedef struct _ViewerTimelineTracks ViewerTimelineTracks;

ViewerTimelineTracks *viewer_timeline_tracks_new(void);
void viewer_timeline_tracks_free(ViewerTimelineTracks *self);

/* All that are to be seen, with what belongs to those that are expanded: ViewerTrack. A track that was there
 * before is the same object. Valid are capture and whole only during the call. */
GPtrArray *viewer_timeline_tracks_build(ViewerTimelineTracks *self, const ProfileFilter *filter,
                                        const ViewerTimelineWhole *whole);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ViewerTimelineTracks, viewer_timeline_tracks_free)

G_END_DECLS
