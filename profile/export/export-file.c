/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/export/export-file.h"

/* GIO writes a file that was not there in its place, so whoever made it has to remove it again. */
GFileOutputStream *profile_export_file_open(GFile *file, gboolean *ret_is_new, GCancellable *cancellable,
                                            GError **error)
{
  g_autoptr(GError) why = NULL;
  GFileOutputStream *stream = g_file_create(file, G_FILE_CREATE_PRIVATE, cancellable, &why);

  *ret_is_new = stream != NULL;
  if (stream)
    return stream;
  if (g_error_matches(why, G_IO_ERROR, G_IO_ERROR_EXISTS))
    return g_file_replace(file, NULL, FALSE, G_FILE_CREATE_PRIVATE, cancellable, error);
  g_propagate_error(error, g_steal_pointer(&why));
  return NULL;
}

void profile_export_file_discard(GFile *file, GFileOutputStream *stream, gboolean is_new)
{
  g_autoptr(GCancellable) cancelled = g_cancellable_new();

  g_cancellable_cancel(cancelled);
  g_output_stream_close(G_OUTPUT_STREAM(stream), cancelled, NULL);
  if (is_new)
    g_file_delete(file, NULL, NULL);
}
