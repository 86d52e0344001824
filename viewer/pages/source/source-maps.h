/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where people said that source is: the setting "source-folders", as path maps. Main thread only. */
#pragma once

#include "profile/base/path-maps.h"

G_BEGIN_DECLS

/* Free it. */
GArray *viewer_source_maps_get(void);
void viewer_source_maps_set(const GArray *maps);

G_END_DECLS
