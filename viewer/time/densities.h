/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Densities made in a thread, and how they are written. Main thread only. */
#pragma once

#include "profile/views/density.h"
#include "viewer/kit/latest.h"

G_BEGIN_DECLS

/* What it makes are ProfileDensity. */
ViewerLatest *viewer_densities_new(void);
/* See profile_density_new_readable; the filter is taken over. */
void viewer_densities_request(ViewerLatest *self, ProfileFilter *filter, guint64 first, guint64 end,
                              guint n_bins, guint min_samples);
const ProfileDensity *viewer_densities_get(ViewerLatest *self);

/* How busy that was in one bin: "42 %" of a processor, or "1.2 MB", "17 samples". Free it. */
char *viewer_densities_format(const ProfileDensity *density, guint64 measure);
/* How much that is in all bins together. Free it. */
char *viewer_densities_format_total(const ProfileDensity *density, guint64 measure);

G_END_DECLS
