/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When a recording began and ended, as far as a capture tells. */
#pragma once

#include "profile/capture/capture.h"

G_BEGIN_DECLS

/* From its beginning to its end where the file says both and no sample contradicts. Where it does not know
 * its end, which was cut off or imported, it ends after the last sample; where a sample came before its
 * beginning, it begins with the first one. Of captures without samples it is marks and counters in place of
 * those. first < end, of a capture without anything too. */
void profile_span_get(ProfileCapture *capture, guint64 *ret_first, guint64 *ret_end);

G_END_DECLS
