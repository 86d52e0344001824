/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the stacks that lead through one path of functions ended: why something is missing above it. */
#pragma once

#include "profile/capture/ledger.h"
#include "profile/capture/weights.h"

G_BEGIN_DECLS

/* Samples of the weights that lead through the path (from the outermost function on; inverted: those that
 * were taken at its beginning and came up through it), by outcome; those that this version does not know
 * count as UNKNOWN. One pass over samples and nodes. */
void profile_path_outcomes(ProfileWeights *weights, gboolean inverted, const guint32 *path, guint n,
                           guint64 ret_samples[PROFILE_OUTCOMES]);

G_END_DECLS
