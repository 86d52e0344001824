/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was once learnt of the names and places in binaries, by build-id, in one sqlite database that all
 * programs of a user share. The kernel's names are not in it: they are a mapped file of their own
 * (profile/elf/kallsyms.h), which is there in a fiftieth of a millisecond; a row a symbol could not be.
 *
 * It is a cache. Nothing of it is ever an error: where there is none, or it is damaged, not ours or cannot be
 * written, names are read from the binaries again, and one that is damaged or older than this version is
 * emptied. One of a newer version is left alone. Its content is not believed: what makes no sense counts as
 * damage.
 *
 * Any number of processes and threads may have it open at once, each with a store of its own; one thread at a
 * time uses a store. What is saved is there whole or not at all, whenever a process is killed.
 */
#pragma once

#include "profile/naming/stored-names.h"

G_BEGIN_DECLS

typedef struct _ProfileNamesStore ProfileNamesStore;

/* Bytes of the user's store. */
#define PROFILE_NAMES_STORE_MAX (64 * 1024 * 1024)

/* The user's, as profile_cache_path says. Free with g_free. */
char *profile_names_store_get_path(void);

/* Opens or makes the store at path, and its directory. It is kept below bytes_max by forgetting what was not
 * used for longest. NULL when it cannot be used. */
ProfileNamesStore *profile_names_store_open(const char *path, guint64 bytes_max);
void profile_names_store_free(ProfileNamesStore *self);

/* All that is stored of a build-id but its places, or NULL. */
ProfileStoredNames *profile_names_store_load(ProfileNamesStore *self, const guint8 *build_id, guint size);

/* Adds the places that are stored of the same build-id and the same sources. */
void profile_names_store_load_places(ProfileNamesStore *self, ProfileStoredNames *names);

/* Stores n entries, of which any may be NULL, in one transaction. An entry is added to the one with its
 * build-id if that came from the same sources, else it takes its place. Waits at most a second for other
 * writers. */
void profile_names_store_save(ProfileNamesStore *self, ProfileStoredNames *const *entries, gsize n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileNamesStore, profile_names_store_free)

G_END_DECLS
