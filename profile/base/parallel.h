/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a loop on all processors. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Does items begin … end - 1; called from several threads at once, for disjoint ranges. */
typedef void (*ProfileParallelFunc)(gsize begin, gsize end, gpointer data);

/* Calls function for 0 … n - 1 in pieces of at most `piece` items and returns when all are done.
 * The caller's thread works too; small loops run on it alone. */
void profile_parallel(gsize n, gsize piece, ProfileParallelFunc function, gpointer data);

G_END_DECLS
