/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory for columns: like g_new, but large ones ask for huge pages. A capture fills tens of megabytes that
 * are touched once or all over the place, and page faults and TLB misses would cost more than the work
 * itself.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* n × size bytes, ended by g_free; aborts like g_malloc. May be NULL when n is 0. */
gpointer profile_memory_new(gsize n, gsize size);
/* The same, zeroed. */
gpointer profile_memory_new0(gsize n, gsize size);

#define profile_new(type, n)  ((type *)profile_memory_new((n), sizeof(type)))
#define profile_new0(type, n) ((type *)profile_memory_new0((n), sizeof(type)))

G_END_DECLS
