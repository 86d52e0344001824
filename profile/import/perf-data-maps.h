/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is mapped where in one address space, as perf keeps it: a new mapping cuts those that it
 * covers. Forked processes share one list until either changes. One thread at a time.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* More than the kernel's default for all mappings of a process (vm.max_map_count). */
#define PROFILE_PERF_MAPS_MAX 65536

typedef struct {
  guint64 start, end;
  guint64 offset; /* in the file, of start */
  guint64 time;
  guint32 binary; /* index */
  guint32 protection;
  guint32 flags;
  /* The same part of the binary is mapped elsewhere in the process too, so that an offset in the file does
   * not tell the address. Once true it stays, also when the other is gone. */
  guint32 ambiguous;
} ProfilePerfMapping;

typedef struct {
  guint ref_count;
  guint n;
  guint capacity;
  ProfilePerfMapping *items; /* ascending, not overlapping */
} ProfilePerfMaps;

ProfilePerfMaps *profile_perf_maps_new(void);
ProfilePerfMaps *profile_perf_maps_ref(ProfilePerfMaps *self);
void profile_perf_maps_unref(ProfilePerfMaps *self);
/* Inserts into *maps, which is replaced by a copy when it is shared, and adds to *n_kept how many mappings
 * more (or, below zero, less) are in memory now. False when there are PROFILE_PERF_MAPS_MAX already.
 * mapping->start must be less than mapping->end. */
gboolean profile_perf_maps_insert(ProfilePerfMaps **maps, const ProfilePerfMapping *mapping, gint64 *n_kept);
/* The mapping that holds address, or NULL; valid until the next insertion. */
const ProfilePerfMapping *profile_perf_maps_find(const ProfilePerfMaps *self, guint64 address);

G_END_DECLS
