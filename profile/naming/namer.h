/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names sampled offsets of one binary. Every function may be called from several threads at once. */
#pragma once

#include "profile/naming/elf-readers.h"
#include "profile/naming/naming.h"
#include "profile/naming/stored-names.h"

G_BEGIN_DECLS

typedef struct {
  ProfileNamingOpenFunc open; /* NULL: paths only */
  gpointer open_data;
  gboolean same_boot;         /* this boot was recorded: /proc/PID and the vDSO are those of the recording */
  gint64 end;                 /* nanoseconds since 1970 when the recording ended; 0 not known */
  ProfileElfReaders *readers; /* that find places; NULL: only those are there that are known */
  gint64 places_until;        /* when to end finding places, as g_get_monotonic_time; 0: when it is done */
  GCancellable *cancellable;  /* of finding places; NULL: none */
} ProfileNamer;

/* A sealed table of the functions that hold any of the n offsets, which ascend. Never NULL: what cannot be
 * named is missing in the table, and its status says why. Blocking.
 *
 * known (NULL: nothing) is what was learnt of a binary with that build-id before. While it came from the same
 * files that would be read now, they are read only for what it does not cover, and where the binary is out of
 * reach it is all there is. ret_learnt (NULL: not wanted) is set to what else was found out, or NULL:
 * nothing, or nothing that can be kept, as for a binary without build-id. ret_places (NULL: not wanted) is
 * set to the places of the offsets, sealed, or NULL: there is none to be known. Only they say in which file
 * and line a function begins. */
ProfileFunctionTable *profile_namer_name_binary(const ProfileNamer *self, const ProfileBinary *binary,
                                                const guint64 *offsets, gsize n,
                                                const ProfileStoredNames *known,
                                                ProfileStoredNames **ret_learnt, ProfilePlaces **ret_places);

/* Takes a table without files and lines, and gives back one that has them where places do. */
ProfileFunctionTable *profile_namer_add_declarations(ProfileFunctionTable *plain,
                                                     const ProfilePlaces *places);

/* Whether names of binary can be known before, and kept. */
gboolean profile_namer_can_keep(const ProfileBinary *binary);

G_END_DECLS
