/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a person did lately: captures that were made or opened, and commands that were recorded. A GListModel
 * of ViewerRecent, the one used last first; kept in a ViewerRecentsStore, of which only threads of this
 * object's wait. Main thread only.
 *
 * Signals:
 *   "commands-changed"   get_commands
 *   "problem"  (string)  nothing is kept beyond this session, and why; at most once
 */
#pragma once

#include "profile/capture/weights.h"
#include "viewer/recents/recent.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_RECENTS (viewer_recents_get_type())
G_DECLARE_FINAL_TYPE(ViewerRecents, viewer_recents, VIEWER, RECENTS, GObject)

/* Those of the user, shared by all windows. Recordings that nobody has saved are tidied up when this is
 * called first. The library's. */
ViewerRecents *viewer_recents_get_default(void);
/* Those that are kept at path. */
ViewerRecents *viewer_recents_new(const char *path);

/* Looks again at what is kept and which files are there. */
void viewer_recents_refresh(ViewerRecents *self);
/* The capture of these weights, loaded from file, was shown just now: it becomes the first. Its thumbnail is
 * made. */
void viewer_recents_add_capture(ViewerRecents *self, GFile *file, const char *title, ProfileWeights *weights);
/* Forgets it. A recording that nobody has saved (recordings.h) is deleted, any other file stays. */
void viewer_recents_remove(ViewerRecents *self, ViewerRecent *recent);
/* Forgets what is known of the file; the file stays. */
void viewer_recents_forget(ViewerRecents *self, GFile *file);

/* Command lines, the one used last first. Borrowed until "commands-changed". */
const char *const *viewer_recents_get_commands(ViewerRecents *self);
void viewer_recents_add_command(ViewerRecents *self, const char *command);

G_END_DECLS
