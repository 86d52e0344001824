/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Moves a file, also to another file system, which takes as long as the file is large. */
#pragma once

#include <gio/gio.h>

#include "viewer/kit/activity.h"

G_BEGIN_DECLS

/* Works in a thread. What stands at `to` is replaced when all of the file is there; where that fails or is
 * cancelled both stay as they were. activity is told how far it is, but for what takes no time. */
void viewer_move_async(GFile *from, GFile *to, ViewerActivity *activity, GCancellable *cancellable,
                       GAsyncReadyCallback done, gpointer data);
/* Errors: G_IO_ERROR. */
gboolean viewer_move_finish(GAsyncResult *result, GError **error);

G_END_DECLS
