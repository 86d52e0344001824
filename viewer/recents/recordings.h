/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recordings that nobody has saved yet: the captures that stand directly in the directory which the viewer
 * records into where nothing else is chosen. These are the viewer's to remove, and no other file is: nothing
 * in a directory below or reached through a symbolic link, and nobody else's.
 *
 * All functions may be called from any thread, and wait for the disk.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* What is kept when the viewer starts: so many that were written last, as far as they are together no longer
 * than so many bytes; and whatever was written in the last so many seconds. */
#define VIEWER_RECORDINGS_MAX       20
#define VIEWER_RECORDINGS_BYTES_MAX (G_GUINT64_CONSTANT(4) << 30)
#define VIEWER_RECORDINGS_FRESH     (24 * 60 * 60)

/* $XDG_CACHE_HOME/capture/recordings. Free it. */
char *viewer_recordings_get_directory(void);

/* Whether there is such a file, and it is such a recording. */
gboolean viewer_recordings_is_unsaved(GFile *file);
/* Removes it if it is one; any other file stays. Whether it was removed. */
gboolean viewer_recordings_remove(GFile *file);
/* Removes what is not kept. now: seconds since 1970. Returns what was removed, of GFile; free it. */
GPtrArray *viewer_recordings_tidy(gint64 now);

G_END_DECLS
