/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies machine code of sampled functions, for a capture to take along. */
#pragma once

#include "profile/naming/namer.h"
#include "profile/naming/naming-private.h"

G_BEGIN_DECLS

/* Fills in tables->code, for the functions of those tables that samples of the capture lead through: those
 * that most samples were taken in first, then those that most lead through, whole ones as far as `size` bytes
 * go. Left out is what the capture has already, what is longer than PROFILE_MACHINE_CODE_MAX, and what this
 * user cannot read. Blocking; ends soon when cancelled. */
void profile_code_copier_copy(ProfileCapture *capture, const ProfileNamer *namer, guint64 size,
                              ProfileNamingTables *tables);

G_END_DECLS
