/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How stacks ended, in words. All returned texts are static. */
#pragma once

#include <glib.h>

#include "libcapture/format/capture-format.h"

G_BEGIN_DECLS

#define PROFILE_OUTCOMES (CAPTURE_OUTCOME_LATE + 1)

/* "no-table": for programs. */
const char *profile_outcome_get_name(enum capture_outcome outcome);
/* "No unwind table": for a table's cell. Translated. */
const char *profile_outcome_get_label(enum capture_outcome outcome);
/* "end in code without unwind tables": goes on from "12 % of stacks" or "they". Translated. NULL for what
 * lacks nothing of the user's stack as far as it is known. */
const char *profile_outcome_get_clause(enum capture_outcome outcome);

G_END_DECLS
