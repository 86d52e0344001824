/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of events by their names. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The shortest period in own sessions of events that come as fast as the processor runs: nanoseconds of a
 * clock (10 kHz), or cycles and the like. */
#define CAPTURED_OWN_PERIOD_MIN 100000

/* Whether a session of the scope own may have it: the hardware's and the software's events that say no more
 * than what the process itself does. "" is the machine's default. */
gboolean captured_events_fit_own(const char *name);
/* Whether a period (0: none) makes more samples of it than an own session may have. */
gboolean captured_events_is_too_fast(const char *name, guint64 period);
G_END_DECLS
