/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file a recording is written to: a new inode without a name until it is published, so that a
 * recording that cannot begin leaves nothing, and whoever has an older FILE mapped keeps it.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _RecordingOutput RecordingOutput;

/* Checks that `path` may be written or replaced (a symbolic link stands for its target; anything but a
 * regular file is refused) and makes the new file in its directory, readable by its owner only. */
RecordingOutput *recording_output_new(const char *path, GError **error);
/* The new file, open for reading and writing; stays the output's. */
int recording_output_get_fd(RecordingOutput *self);
/* Gives the new file its name, replacing what had it. */
gboolean recording_output_publish(RecordingOutput *self, GError **error);
/* Closes; a file that was not published is gone. */
void recording_output_free(RecordingOutput *self);

/* The file that a path leads to through symbolic links, also where there is none yet; the path itself when it
 * is no link. What leads in a circle stays a link. Free it. */
char *recording_output_follow_links(const char *path);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordingOutput, recording_output_free)

G_END_DECLS
