/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Has lines and inlined functions of one binary found by an elf-reader. Thread-safe. */
#pragma once

#include "profile/elf/debug-files.h"
#include "profile/naming/elf-readers.h"
#include "profile/naming/stored-places.h"

G_BEGIN_DECLS

/* Asks for those of n offsets, which ascend, that known (NULL: nothing) does not cover; file is the binary
 * and debug its debug file (elf NULL: none). Split units, packages and alternate files (those in roots, too;
 * debug-roots.h) are opened as this user, by the paths that the files say, if they are regular files. No
 * elf-reader is started for a binary that has no DWARF. Returns what was found out, which may be nothing, and
 * never NULL: when the elf-reader dies or time is over, that is what was known by then. Blocking; ends soon
 * when cancelled. */
ProfileStoredPlaces *profile_place_finder_find(ProfileElfReaders *readers, const ProfileDebugFile *file,
                                               const ProfileDebugFile *debug, const guint64 *offsets, gsize n,
                                               const ProfileStoredPlaces *known, const char *const *roots,
                                               GCancellable *cancellable);

G_END_DECLS
