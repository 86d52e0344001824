/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What can be sampled on. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The names of all events that every kernel knows, and of those that are recorded otherwise ("off-cpu"): what
 * a machine's processor has besides, and its tracepoints, are not among them. Free it with g_strfreev. */
char **recording_events_list(void);

G_END_DECLS
