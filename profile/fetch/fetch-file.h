/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One file from debuginfod servers: fetched, looked at, and kept where debuginfod's clients keep theirs. */
#pragma once

#include "profile/elf/debug-files.h"
#include "profile/fetch/symbol-fetcher.h"

G_BEGIN_DECLS

/* The person must have said yes to the servers (profile/fetch/debug-servers.h), or asked for it. */
typedef struct {
  const char *servers;
  guint64 size_max;            /* bytes of a file */
  guint seconds_max;           /* from the beginning of all that is fetched to its end */
  gint64 deadline;             /* that end, by g_get_monotonic_time() */
  ProfileFetchedFunc progress; /* NULL: silent */
  gpointer progress_data;
} ProfileFetchFile;

/*
 * Fetches the file with that build-id, DEBUG or BINARY. What came counts only if it is an ELF file that says
 * the same of itself; then it is in the cache when this returns, in place of what was there, and ret has it
 * open. Anything else is thrown away. `path` is whose file it is, for messages.
 *
 * Errors are one sentence: G_IO_ERROR_NOT_FOUND when no server has it, G_IO_ERROR_MESSAGE_TOO_LARGE,
 * G_IO_ERROR_INVALID_DATA when another file came, G_IO_ERROR_TIMED_OUT, G_IO_ERROR_CANCELLED, and
 * G_IO_ERROR_HOST_UNREACHABLE when no server answers. Blocking.
 */
gboolean profile_fetch_file(const ProfileFetchFile *self, enum symbol_fetcher_kind kind,
                            const guint8 *build_id, guint size, const char *path, ProfileDebugFile *ret,
                            GCancellable *cancellable, GError **error);

/* The text of a source file, by the whole path that the debug file of that binary says. What was fetched
 * before is in the cache, where libdebuginfod looks first. Nobody can tell whether it is the right text.
 * Errors as above. Blocking. */
GBytes *profile_fetch_file_source(const ProfileFetchFile *self, const guint8 *build_id, guint size,
                                  const char *path, GCancellable *cancellable, GError **error);

G_END_DECLS
