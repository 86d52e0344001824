/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The directory that a symbol-fetcher writes into: below the cache of debuginfod's clients, and gone when the
 * file was looked at, so that a process that was killed leaves nothing. Thread-safe. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Makes the cache too, where there is none, and removes what a killed program of ours left there a day ago.
 * NULL and errno on failure. */
char *profile_fetch_directory_new(const char *cache);
/* Removes it and what is in it; free it with this. */
void profile_fetch_directory_free(char *directory);

/* Puts a file that is open into the cache as BUILD-ID/NAME, in place of whatever is there. False and errno on
 * failure. */
gboolean profile_fetch_directory_keep(const char *directory, const char *cache, int fd, const char *build_id,
                                      const char *name);

G_END_DECLS
