/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads and names captures in threads of their own. */
#pragma once

#include <gio/gio.h>

#include "profile/capture/capture.h"
#include "viewer/kit/activity.h"

G_BEGIN_DECLS

/* Loads a capture; a recording of perf or Sysprof is converted first. progress is told what is being done. */
void viewer_loader_load(GFile *file, ViewerActivity *progress, GCancellable *cancellable,
                        GAsyncReadyCallback done, gpointer data);
/* The same of a capture that is being recorded: what has no names yet gets them before it is handed out, and
 * whoever is recorded has the processors first. */
void viewer_loader_follow(GFile *file, ViewerActivity *progress, GCancellable *cancellable,
                          GAsyncReadyCallback done, gpointer data);
/* Owned by the caller. Errors: as profile_capture_load and profile_import_file. */
ProfileCapture *viewer_loader_load_finish(GAsyncResult *result, GError **error);

/* Makes a capture with the same content and with names, and with the lines and inlined functions that are
 * found in places_time, as in ProfileNamingOptions; is_done: that was long enough. */
void viewer_loader_name(ProfileCapture *capture, gint64 places_time, ViewerActivity *progress,
                        GCancellable *cancellable, GAsyncReadyCallback done, gpointer data);
ProfileCapture *viewer_loader_name_finish(GAsyncResult *result, gboolean *ret_is_done, GError **error);

G_END_DECLS
