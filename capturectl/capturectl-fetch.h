/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Debug information from servers, in the shell: `symbols --download` and `record --download-symbols`. */
#pragma once

#include "profile/fetch/fetch.h"

G_BEGIN_DECLS

/* Which servers are known; NULL after having said that there are none. Free it. */
char *capturectl_fetch_get_servers(void);

/* Fetches for n entries of the capture at path, and stores the names in it that the files bring, with a line
 * of progress and one sentence for each failure. options has no progress. results has n, zeroed. Runs the
 * default main context meanwhile, so that signals can cancel. False when something failed. */
gboolean capturectl_fetch(const char *path, ProfileCapture *capture, const ProfileMissingEntry *entries,
                          guint n, const ProfileFetchOptions *options, ProfileFetchResult *results,
                          gboolean quiet, GCancellable *cancellable);

G_END_DECLS
