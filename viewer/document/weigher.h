/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes the weights that a query asks for, in another thread, one after the other: what was asked for last is
 * always made, what was asked for while another one was made may be left out. Keeps the stacks that
 * transforms led to, so that only those that are new are made. Main thread only.
 *
 * Signals, none with arguments:
 *   "ready" get_weights has another answer
 */
#pragma once

#include "profile/capture/weights.h"
#include "viewer/document/query.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_WEIGHER (viewer_weigher_get_type())
G_DECLARE_FINAL_TYPE(ViewerWeigher, viewer_weigher, VIEWER, WEIGHER, GObject)

ViewerWeigher *viewer_weigher_new(ViewerQuery *query);
/* Asks for the weights of the query as it is now, in a capture. */
void viewer_weigher_ask(ViewerWeigher *self, ProfileCapture *capture);
/* NULL before the first are ready. The weigher's. */
ProfileWeights *viewer_weigher_get_weights(ViewerWeigher *self);
/* A bit (1 << ProfileKind) for each kind of function in the stacks of those weights. */
guint viewer_weigher_get_kinds(ViewerWeigher *self);
/* Drops weights, and what is under way. */
void viewer_weigher_clear(ViewerWeigher *self);

G_END_DECLS
