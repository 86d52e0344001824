/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The decompressed side of a perf.data with compressed records. All compressed records of a file are one zstd
 * stream, and what comes out is one sequence of records that may be cut anywhere. It is kept to the end,
 * because records wait in the queue by their address: reserved address space of a bounded size, touched as it
 * fills.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _ProfilePerfInflate ProfilePerfInflate;

/* limit: decompressed bytes that are accepted at most. NULL when there is no memory. */
ProfilePerfInflate *profile_perf_inflate_new(gsize limit);
void profile_perf_inflate_free(ProfilePerfInflate *self);

/* Appends what the bytes decompress to. Returns NULL, or static text that says what is wrong with them. */
const char *profile_perf_inflate_add(ProfilePerfInflate *self, const guint8 *bytes, gsize length);
/* The decompressed bytes so far; the address never changes. */
const guint8 *profile_perf_inflate_get_bytes(const ProfilePerfInflate *self, gsize *ret_length);

G_END_DECLS
