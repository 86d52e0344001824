/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How amounts of what samples stand for are written for people. */
#pragma once

#include <glib.h>

#include "libcapture/format/capture-format.h"

G_BEGIN_DECLS

/* "56.78 ms", "1.2 MB", or for other units the number. Free it. */
char *profile_amount_to_string(enum capture_unit unit, guint64 amount);

G_END_DECLS
