/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is known of the names and places in one binary, and which files it was learnt from: an entry of the
 * store of names (names-store.h), on its way there or back. Built by one thread, then readable from any.
 */
#pragma once

#include "profile/capture/function-table.h"
#include "profile/naming/stored-places.h"

G_BEGIN_DECLS

/* No string is longer, and no entry holds more strings: longer ones are not stored. */
#define PROFILE_STORED_NAMES_STRING_MAX (64 * 1024)
#define PROFILE_STORED_NAMES_BYTES_MAX  (64 * 1024 * 1024)

/* Tells whether a file is still the one it was. All zero: there was none. */
typedef struct {
  guint64 inode;
  guint64 size;
  gint64 time; /* of its last change, nanoseconds */
} ProfileFileStamp;

/* What names are read from. They hold only as long as the same files would be read again: binaries with one
 * build-id may be stripped or not, and debug files come and go. */
typedef struct {
  ProfileFileStamp binary;
  ProfileFileStamp debug;
} ProfileNameSources;

typedef struct _ProfileStoredNames ProfileStoredNames;

/* link (NULL: none) is the name in the binary's .gnu_debuglink. Build-ids longer than CAPTURE_BUILD_ID_MAX
 * are cut. */
ProfileStoredNames *profile_stored_names_new(const guint8 *build_id, guint size, enum capture_naming status,
                                             const ProfileNameSources *sources, const char *link);
void profile_stored_names_free(ProfileStoredNames *self);

/* Adds a copy of a function, or, with name NULL, of a stretch that is known to have no name; file, line and
 * module are not kept. They ascend. False, and nothing is added, when it makes no sense: it is empty, begins
 * before the last one ended, ends beyond G_MAXINT64, or is beyond the limits above. */
gboolean profile_stored_names_add(ProfileStoredNames *self, const ProfileFunctionRange *range);

const guint8 *profile_stored_names_get_build_id(const ProfileStoredNames *self, guint *ret_size);
enum capture_naming profile_stored_names_get_status(const ProfileStoredNames *self);
const ProfileNameSources *profile_stored_names_get_sources(const ProfileStoredNames *self);
const char *profile_stored_names_get_link(const ProfileStoredNames *self);
const ProfileFunctionRange *profile_stored_names_get_ranges(const ProfileStoredNames *self, gsize *ret_n);

/* What is known of an offset, or NULL. */
const ProfileFunctionRange *profile_stored_names_find(const ProfileStoredNames *self, guint64 offset);

/* What is known of places; NULL: nothing. Takes places (NULL: nothing), before others look at it. */
const ProfileStoredPlaces *profile_stored_names_get_places(const ProfileStoredNames *self);
void profile_stored_names_take_places(ProfileStoredNames *self, ProfileStoredPlaces *places);

gboolean profile_name_sources_equal(const ProfileNameSources *a, const ProfileNameSources *b);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileStoredNames, profile_stored_names_free)

G_END_DECLS
