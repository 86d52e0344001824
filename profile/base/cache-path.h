/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where what saves time is kept. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* NAME in $XDG_CACHE_HOME/capture, or in ~/.cache/capture; root's in /var/cache/capture unless XDG_CACHE_HOME
 * is root's own, since what root makes in the home of another (sudo keeps HOME) would be in that one's way.
 * Free it. */
char *profile_cache_path(const char *name);

G_END_DECLS
