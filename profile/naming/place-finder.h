/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Has lines and inlined functions of one binary found by an elf-reader. Thread-safe. */
#pragma once

#include "profile/elf/debug-files.h"
#include "profile/naming/elf-readers.h"
#include "profile/naming/stored-places.h"

G_BEGIN_DECLS

/* What is to be found, and where. */
typedef struct {
  const ProfileDebugFile *file;  /* the binary */
  const ProfileDebugFile *debug; /* its debug file; elf NULL: none */
  const guint64 *offsets;        /* in the binary, ascending */
  gsize n;
  guint64 text;                     /* not 0: offsets are from this address on instead, as in the kernel */
  const ProfileStoredPlaces *known; /* what it covers is not looked for; NULL: nothing */
  const char *const *roots;         /* where else alternate files are (debug-roots.h); NULL: nowhere */
  gint64 until;                     /* when to end, as g_get_monotonic_time; 0: when it is done */
  GCancellable *cancellable;        /* NULL: none */
} ProfilePlaceSearch;

/* Split units, packages and alternate files are opened as this user, by the paths that the files say, if they
 * are regular files. No elf-reader is started for a binary that has no DWARF. Returns what was found out,
 * which may be nothing, and never NULL: when the elf-reader dies or time is over, that is what was known by
 * then, and *ret_outcome says so, but not what the answers say themselves. Blocking; ends soon when
 * cancelled. */
ProfileStoredPlaces *profile_place_finder_find(ProfileElfReaders *readers, const ProfilePlaceSearch *search,
                                               enum capture_places_outcome *ret_outcome);

G_END_DECLS
