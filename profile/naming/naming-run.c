/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stores names in a capture file. */
#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <unistd.h>

#include "libcapture/file/capture-file.h"
#include "profile/base/zstd.h"
#include "profile/capture/names-window.h"
#include "profile/capture/reader.h"
#include "profile/naming/code-copier.h"
#include "profile/naming/source-copier.h"

typedef struct {
  int fd;
  capture_file *file;
  guint32 sequence; /* last window of stream 0 */
  guint32 epoch;    /* of these names */
  int error;        /* -errno of an append */
} Output;

static void output_clear(Output *self)
{
  g_clear_pointer(&self->file, capture_file_free);
  if (self->fd >= 0)
    close(self->fd);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Output, output_clear)

/* Continues the file behind its last whole part, with a number of window and an epoch that are free. */
static int continue_file(Output *self, const capture_reader *reader)
{
  struct capture_file_options options = {.size = sizeof options, .compress = profile_zstd_compress};

  self->epoch = 1;
  for (size_t i = 0; i < capture_reader_n_parts(reader); i++) {
    const struct capture_window_header *header = &capture_reader_part(reader, i)->header;

    if (header->stream == 0)
      self->sequence = MAX(self->sequence, header->sequence);
    if (header->kind == CAPTURE_WINDOW_NAMES && header->epoch < G_MAXUINT32)
      self->epoch = MAX(self->epoch, header->epoch + 1);
  }
  return capture_file_continue(&self->file, self->fd, capture_reader_end(reader), &options);
}

static gboolean append_window(const guint8 *content, gsize length, gpointer data)
{
  Output *self = data;
  struct capture_window_header header = {.kind = CAPTURE_WINDOW_NAMES,
                                         .flags = CAPTURE_WINDOW_CLOSED,
                                         .sequence = ++self->sequence,
                                         .epoch = self->epoch,
                                         .length = (guint32)length};

  self->error = capture_file_append(self->file, &header, content);
  return self->error == 0;
}

static int append_tables(Output *self, ProfileCapture *capture, const ProfileNamingTables *tables)
{
  ProfileNamesEncoder *encoder = profile_names_encoder_new(append_window, self);
  guint n;
  const ProfileBinary *binaries = profile_capture_get_binaries(capture, &n);

  for (guint slot = 0; slot < tables->n; slot++)
    if (tables->tables[slot])
      profile_names_encoder_add(encoder, slot < n ? &binaries[slot] : NULL, tables->tables[slot],
                                tables->places[slot], tables->code[slot]);
  if (tables->source)
    profile_names_encoder_add_sources(encoder, tables->source);
  if (!profile_names_encoder_finish(encoder))
    return self->error;
  if (tables->result.kernel_hidden)
    self->error = capture_file_add_metadata(self->file, "kernel-addresses", "hidden");
  return self->error ? self->error : capture_file_add_index(self->file);
}

static gboolean naming_run_store(const char *path, ProfileCapture *capture, const ProfileNamingTables *tables,
                                 GError **error)
{
  g_auto(Output) output = {.fd = open(path, O_RDWR | O_CLOEXEC)};
  capture_reader *reader;
  int result;

  if (output.fd < 0) {
    int saved = errno;
    g_set_error(error, G_IO_ERROR, g_io_error_from_errno(saved),
                _("“%s” cannot be opened for writing names: %s."), path, g_strerror(saved));
    return FALSE;
  }
  reader = profile_reader_open(path, FALSE, NULL, error);
  if (!reader)
    return FALSE;
  result = continue_file(&output, reader);
  capture_reader_close(reader);
  if (result == 0)
    result = append_tables(&output, capture, tables);
  if (result < 0)
    g_set_error(error, G_IO_ERROR, g_io_error_from_errno(-result),
                _("The names cannot be stored in “%s”: %s."), path, g_strerror(-result));
  return result == 0;
}

/* How much of it a capture takes along was decided when it was named first. When that is cancelled names are
 * stored nonetheless. */
static void naming_run_copy_code(ProfileCapture *capture, const ProfileNamingOptions *options,
                                 ProfileNamingTables *tables, GCancellable *cancellable)
{
  const ProfileNamer namer = profile_naming_make_namer(capture, options, cancellable);

  if (!options || (!options->no_code && !options->only))
    profile_code_copier_copy(capture, &namer,
                             options && options->code_size ? options->code_size : PROFILE_NAMING_CODE_SIZE,
                             tables);
}

gboolean profile_naming_run(const char *path, const ProfileNamingOptions *options,
                            ProfileNamingResult *ret_result, GCancellable *cancellable, GError **error)
{
  g_autoptr(ProfileCapture) capture = profile_capture_load(path, PROFILE_LOAD_DEFAULT, cancellable, error);
  g_auto(ProfileNamingTables) tables = {0};

  if (!capture || !profile_naming_make_tables(capture, options, &tables, cancellable, error))
    return FALSE;
  naming_run_copy_code(capture, options, &tables, cancellable);
  if (options && options->source)
    tables.source = profile_source_copier_copy(tables.places, tables.n, options->source);
  if (!naming_run_store(path, capture, &tables, error))
    return FALSE;
  if (ret_result)
    *ret_result = tables.result;
  return TRUE;
}

GPtrArray *profile_naming_describe_gaps(const ProfileNamingResult *result, const GError *error)
{
  GPtrArray *sentences = g_ptr_array_new_with_free_func(g_free);

  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    g_ptr_array_add(sentences,
                    g_strdup(_("Naming was interrupted: not every function has a name in the capture.")));
  else if (error)
    g_ptr_array_add(sentences, g_strdup_printf(_("Not every function was named: %s"), error->message));
  if (result->left > 0)
    g_ptr_array_add(
        sentences,
        g_strdup_printf(
            ngettext("The lines and inlined functions of %u file were not all found in the time that "
                     "a recording may take at its end; whoever opens it here finds the rest.",
                     "The lines and inlined functions of %u files were not all found in the time "
                     "that a recording may take at its end; whoever opens it here finds the rest.",
                     result->left),
            result->left));
  if (result->kernel_hidden)
    g_ptr_array_add(sentences,
                    g_strdup(_("The kernel hides its addresses from this user, so its functions have no "
                               "names; “sudo sysctl kernel.kptr_restrict=0” shows them.")));
  return sentences;
}
