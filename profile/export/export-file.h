/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file that something is exported to: there as a whole or not at all. What is there already is written
 * beside its place and renamed, so it stays when anything fails. Blocks; from any thread.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Closing the stream ends it well. *ret_is_new is for discard. */
GFileOutputStream *profile_export_file_open(GFile *file, gboolean *ret_is_new, GCancellable *cancellable,
                                            GError **error);
/* Throws away what was written to the stream, which stays the caller's: the file is as it was. */
void profile_export_file_discard(GFile *file, GFileOutputStream *stream, gboolean is_new);

G_END_DECLS
