/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Debug information on demand: gets from debuginfod servers what is missing for the names, lines and inlined
 * functions of a capture. What lies on this machine is used first, and waits for no server. To be named anew
 * afterwards, see profile_fetch_list_build_ids.
 */
#pragma once

#include "profile/fetch/debug-servers.h"
#include "profile/naming/missing-names.h"

G_BEGIN_DECLS

#define PROFILE_FETCH_SIZE_MAX    (G_GUINT64_CONSTANT(4) << 30) /* larger files nobody reads here */
#define PROFILE_FETCH_SECONDS_MAX 3600
/* Of a source file. */
#define PROFILE_FETCH_SOURCE_SIZE_MAX    (16 * 1024 * 1024)
#define PROFILE_FETCH_SOURCE_SECONDS_MAX 30

/* bytes of total (0: not known) of what belongs to the path of an entry have come. From the thread that
 * asked. */
typedef void (*ProfileFetchProgressFunc)(const char *path, guint64 bytes, guint64 total, gpointer data);

/* The person must have said yes to the servers, or asked for it. */
typedef struct {
  const char *servers;
  guint64 size_max;                  /* bytes of each file; 0: as above */
  guint seconds_max;                 /* for all of it; 0: as above */
  ProfileFetchProgressFunc progress; /* NULL: silent */
  gpointer progress_data;
} ProfileFetchOptions;

typedef struct {
  gboolean here;    /* what helps is on this machine: profile_fetch_look */
  gboolean fetched; /* something that helps came */
  guint64 bytes;    /* that came */
  GError *error;    /* one sentence; NULL: none, or it was not asked for */
} ProfileFetchResult;

void profile_fetch_result_clear(ProfileFetchResult *result);

/* Whether a server may help: it is a file that says its build-id, and does not name all that it could. */
gboolean profile_fetch_may_help(ProfileCapture *capture, const ProfileMissingEntry *entry);

/* Looks for what helps n entries on this machine, where it may not have been when the capture was named.
 * results has n, zeroed. Returns how many have something: whoever fetches names these first, since nobody
 * should wait for a server then. Asks nobody. Blocking. */
guint profile_fetch_look(ProfileCapture *capture, const ProfileMissingEntry *entries, guint n,
                         ProfileFetchResult *results);

/* Fetches for n entries, one after the other, what is not on this machine; those that profile_fetch_may_help
 * says no of are left out. results are those of profile_fetch_look. When no server answers, time is over or
 * it was cancelled, the rest is not asked for. Returns for how many something came. Blocking. */
guint profile_fetch_run(ProfileCapture *capture, const ProfileMissingEntry *entries, guint n,
                        const ProfileFetchOptions *options, ProfileFetchResult *results,
                        GCancellable *cancellable);

/* Whether a server may have a source file, by the path that debug information of the binary says: a whole
 * path, and a binary that says its build-id. binary: index, or G_MAXUINT32 for none. */
gboolean profile_fetch_may_have_source(ProfileCapture *capture, guint32 binary, const char *path);
/* The text of the source file with that path, which debug information of the binary says, for who has no such
 * file, and which profile_fetch_may_have_source. What came is kept: a second time nobody is asked for it.
 * Nothing tells whether it is the text that the binary was built from. Errors are one sentence, see
 * profile_fetch_file(). Blocking. */
GBytes *profile_fetch_source(ProfileCapture *capture, guint32 binary, const char *path,
                             const ProfileFetchOptions *options, GCancellable *cancellable, GError **error);

/* The build-ids of the binaries of n entries, for ProfileNamingOptions. */
GHashTable *profile_fetch_list_build_ids(ProfileCapture *capture, const ProfileMissingEntry *entries,
                                         guint n);

G_END_DECLS
