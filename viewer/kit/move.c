/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/kit/move.h"

#include <errno.h>
#include <gio/gfiledescriptorbased.h>
#include <glib/gi18n.h>
#include <unistd.h>

/* What is copied between two looks at whether it is to go on. */
#define PIECE ((gsize)1024 * 1024)

/* Within a file system, at once. */
#define RENAME (G_FILE_COPY_OVERWRITE | G_FILE_COPY_NO_FALLBACK_FOR_MOVE)

typedef struct {
  GFile *from, *to;
  ViewerActivity *activity;
  char *text;
} Move;

static void move_free(gpointer data)
{
  Move *self = data;

  g_object_unref(self->from);
  g_object_unref(self->to);
  viewer_activity_unref(self->activity);
  g_free(self->text);
  g_free(self);
}

/* Beside the place where it shall stand, so that it can be renamed. */
static GFile *choose_part(GFile *to)
{
  g_autoptr(GFile) directory = g_file_get_parent(to);
  g_autofree char *name = g_strdup_printf(".capture-%08x%08x", g_random_int(), g_random_int());

  return g_file_get_child(directory, name);
}

static void move_tell(const Move *self, goffset done, goffset size)
{
  viewer_activity_set(self->activity, size > 0 ? MIN((double)done / (double)size, 1) : -1, self->text);
}

/* The only other copy is about to go. */
static gboolean write_out(GOutputStream *out, GError **error)
{
  if (!G_IS_FILE_DESCRIPTOR_BASED(out) ||
      fsync(g_file_descriptor_based_get_fd(G_FILE_DESCRIPTOR_BASED(out))) == 0)
    return TRUE;
  g_set_error_literal(error, G_IO_ERROR, g_io_error_from_errno(errno), g_strerror(errno));
  return FALSE;
}

static gboolean copy_content(const Move *self, GInputStream *in, GOutputStream *out, goffset size,
                             GCancellable *cancellable, GError **error)
{
  g_autofree char *piece = g_malloc(PIECE);
  goffset done = 0;
  gssize n;

  move_tell(self, 0, size);
  while ((n = g_input_stream_read(in, piece, PIECE, cancellable, error)) > 0) {
    if (!g_output_stream_write_all(out, piece, (gsize)n, NULL, cancellable, error))
      return FALSE;
    done += n;
    move_tell(self, done, size);
  }
  return n == 0 && !g_cancellable_set_error_if_cancelled(cancellable, error) && write_out(out, error) &&
         g_output_stream_close(out, cancellable, error);
}

static goffset get_size(GFileInputStream *in)
{
  g_autoptr(GFileInfo) info = g_file_input_stream_query_info(in, G_FILE_ATTRIBUTE_STANDARD_SIZE, NULL, NULL);

  return info ? g_file_info_get_size(info) : 0;
}

static gboolean move_copy(const Move *self, GCancellable *cancellable, GError **error)
{
  g_autoptr(GFile) part = choose_part(self->to);
  g_autoptr(GFileOutputStream) out = NULL;

  move_tell(self, 0, 0);
  g_autoptr(GFileInputStream) in = g_file_read(self->from, cancellable, error);
  if (in)
    out = g_file_create(part, G_FILE_CREATE_PRIVATE, cancellable, error);
  if (!out)
    return FALSE;
  gboolean copied =
      copy_content(self, G_INPUT_STREAM(in), G_OUTPUT_STREAM(out), get_size(in), cancellable, error) &&
      g_file_move(part, self->to, RENAME, cancellable, NULL, NULL, error);
  if (!copied)
    g_file_delete(part, NULL, NULL);
  return copied;
}

static void move_run(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Move *self = data;
  GError *error = NULL;
  gboolean moved = g_file_move(self->from, self->to, RENAME, cancellable, NULL, NULL, &error);

  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED)) {
    g_clear_error(&error);
    moved = move_copy(self, cancellable, &error);
    if (moved)
      g_file_delete(self->from, NULL, NULL); /* or there are two: nothing is lost */
  }
  if (moved)
    g_task_return_boolean(task, TRUE);
  else
    g_task_return_error(task, error);
}

void viewer_move_async(GFile *from, GFile *to, ViewerActivity *activity, GCancellable *cancellable,
                       GAsyncReadyCallback done, gpointer data)
{
  g_autoptr(GTask) task = g_task_new(NULL, cancellable, done, data);
  g_autofree char *base = g_file_get_basename(to), *name = g_filename_display_name(base);
  Move *self = g_new(Move, 1);

  *self = (Move){g_object_ref(from), g_object_ref(to), viewer_activity_ref(activity),
                 g_strdup_printf(_("Saving “%s”"), name)};
  g_task_set_source_tag(task, viewer_move_async);
  g_task_set_task_data(task, self, move_free);
  /* Who cancels what was done meanwhile shall know that it was. */
  g_task_set_check_cancellable(task, FALSE);
  g_task_run_in_thread(task, move_run);
}

gboolean viewer_move_finish(GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean(G_TASK(result), error);
}
