/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A capture in small: its flame graph without words. */
#pragma once

#include "profile/capture/weights.h"

G_BEGIN_DECLS

/* A PNG of the weights' capture, on nothing, for light and dark backgrounds: of all samples of the first
 * event that has some. NULL when there is nothing to show. Weights of just those are used as they are; in
 * place of others it makes its own. Takes as long as a flame graph takes: for any thread but the main one. */
GBytes *viewer_thumbnail_new(ProfileWeights *weights, guint width, guint height);

G_END_DECLS
