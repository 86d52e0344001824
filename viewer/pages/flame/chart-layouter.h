/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lays out stack charts away from the main thread: work for a ViewerLatest. Main thread only. */
#pragma once

#include "profile/views/chart.h"
#include "viewer/kit/latest.h"

G_BEGIN_DECLS

ViewerLatest *viewer_chart_layouter_new(void);

/* Of first ≤ time < end of a thread's samples (PROFILE_SEQUENCE_ALL: of all), on n_columns of pixels. The
 * filter is copied; generation is another one whenever it is. */
void viewer_chart_layouter_request(ViewerLatest *self, const ProfileFilter *filter, guint generation,
                                   guint32 thread, guint64 first, guint64 end, guint n_columns);
/* NULL before there is one. Borrowed. */
ProfileChart *viewer_chart_layouter_get_chart(ViewerLatest *self);

G_END_DECLS
