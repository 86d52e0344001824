/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a program may put into a capture of itself: the check of a piece of its windows, before it is written.
 */
#pragma once

#include <glib.h>

#include "libcapture/pool/capture-pool.h"

G_BEGIN_DECLS

/* Whether a sampler's stream may hold that piece: a kind and records that are a sampler's to write, of no
 * process but `pid`, records and entries that fill it to its end, samples that are not of a time before
 * `began` or after `now` (CLOCK_MONOTONIC, nanoseconds). What else the records say is for readers to doubt.
 */
gboolean recording_stream_may_hold(const struct capture_taken *taken, gint32 pid, guint64 began, guint64 now);

G_END_DECLS
