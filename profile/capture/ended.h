/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why a recording ended, in words. */
#pragma once

#include <glib.h>

#include "libcapture/format/capture-format.h"

G_BEGIN_DECLS

/* "exited", "cut-off" …, for enum capture_end; "unknown" for one that this version does not know. Static. */
const char *profile_ended_get_name(guint32 reason);
/* The end of a sentence that begins with "ended:", without a full stop, translated. Free it. */
char *profile_ended_describe(const struct capture_ended *ended);

G_END_DECLS
