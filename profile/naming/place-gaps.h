/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where lines and inlined functions are not all there, and why not. */
#pragma once

#include "profile/capture/capture.h"

G_BEGIN_DECLS

/* A sentence, translated, that names the first of the files whose places ended so, and says how many more
 * there are. NULL: none did. Free with g_free. */
char *profile_place_gaps_describe(ProfileCapture *capture, enum capture_places_outcome outcome);

/* All of them, the worst first (char *, NULL-terminated). Free with g_strfreev. */
char **profile_place_gaps_list(ProfileCapture *capture);

G_END_DECLS
