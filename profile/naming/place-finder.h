/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Has lines and inlined functions of one binary found by an elf-reader. Thread-safe. */
#pragma once

#include "profile/elf/debug-files.h"
#include "profile/naming/elf-readers.h"
#include "profile/naming/stored-places.h"

G_BEGIN_DECLS

/* Why places are missing that the debugging information may have. */
typedef enum {
  PROFILE_PLACES_COMPLETE,
  PROFILE_PLACES_DAMAGED, /* some of it could not be read, or an elf-reader died of it */
  PROFILE_PLACES_LATE,    /* reading all of it takes longer than it may */
  PROFILE_PLACES_LARGE    /* or more memory */
} ProfilePlacesGap;

/* Asks for those of n offsets, which ascend, that known (NULL: nothing) does not cover; file is the binary
 * and debug its debug file (elf NULL: none). Split units, packages and alternate files are opened as this
 * user, by the paths that the files say, if they are regular files. No elf-reader is started for a binary
 * that has no DWARF. Returns what was found out, which may be nothing, and never NULL: when the elf-reader
 * dies or time is over, that is what was known by then, and *ret_gap says so. Blocking; ends soon when
 * cancelled. */
ProfileStoredPlaces *profile_place_finder_find(ProfileElfReaders *readers, const ProfileDebugFile *file,
                                               const ProfileDebugFile *debug, const guint64 *offsets, gsize n,
                                               const ProfileStoredPlaces *known, GCancellable *cancellable,
                                               ProfilePlacesGap *ret_gap);

G_END_DECLS
