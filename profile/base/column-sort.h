/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Brings columns into ascending order of time: captures of several producers interleave. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The stable order that sorts times: its element i is the row that comes i-th. Fast where the rows are
 * already a few ascending runs. n is below 2^32. Free with g_free. */
guint32 *profile_column_sort(const guint64 *times, gsize n);
/* Replaces *column, made by g_malloc, n rows of `size` bytes (1, 2, 4 or 8), by one in that order. */
void profile_column_reorder(gpointer column, const guint32 *order, gsize n, gsize size);

G_END_DECLS
