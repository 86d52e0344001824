/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Lets the calling thread run ahead of ordinary programs where this is permitted, so that a busy machine does
 * not delay what a kill could cost: recorder and collector need little time, but need it in time. Processes
 * forked by it do not inherit this. Async-signal-safe. */
void recording_priority_raise(void);

G_END_DECLS
