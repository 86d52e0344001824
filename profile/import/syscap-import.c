/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/import/syscap-import.h"

#include <glib/gi18n.h>

#include "libcapture/file/capture-file.h"
#include "profile/base/nanoseconds.h"
#include "profile/base/zstd.h"
#include "profile/capture/reader.h"
#include "profile/import/syscap-convert.h"

typedef struct {
  const ProfileInput *input;
  const ProfileImportOptions *options;
  ProfileSyscap syscap;
  ProfileSyscapResult result;
  GPtrArray *facts;
  guint32 n_names; /* windows of names */
  int names_status;
  capture_file *file;
  capture_sink *sink;
  capture_writer *writer;
} Import;

static gint64 get_realtime(const Import *self)
{
  g_autoptr(GDateTime) time = g_date_time_new_from_iso8601(self->syscap.wall_time, NULL);

  return time ? profile_nanoseconds(g_date_time_to_unix(time), 0) : self->input->modified;
}

static int open_capture(Import *self, int fd)
{
  struct capture_file_options file = {
      .size = sizeof file,
      .compress = self->options->no_compress ? NULL : profile_zstd_compress,
      .clock = CAPTURE_CLOCK_MONOTONIC,
      .time = (guint64)MAX(self->syscap.begin, 1),
      .time_realtime = get_realtime(self),
      .foreign = TRUE,
  };
  struct capture_writer_options writer = {.size = sizeof writer, .max_nodes = self->options->max_nodes};
  int status = capture_file_create(&self->file, fd, &file);
  gint64 stream;

  if (status < 0)
    return status;
  stream = capture_file_add_stream(self->file, CAPTURE_STREAM_IMPORT, 0, "syscap");
  status = stream < 0 ? (int)stream : capture_file_sink_new(&self->sink, self->file, (guint32)stream, 0);
  return status < 0 ? status : capture_writer_create(&self->writer, self->sink, &writer);
}

static int add_facts(Import *self, const char *warning)
{
  int status = capture_file_add_metadata(self->file, "via", "import");

  if (status == 0)
    status = capture_file_add_metadata(self->file, "source", self->input->name);
  if (status == 0)
    status = capture_file_add_metadata(self->file, "source-format", "syscap");
  for (guint i = 0; i + 1 < self->facts->len && status == 0; i += 2)
    status = capture_file_add_metadata(self->file, self->facts->pdata[i], self->facts->pdata[i + 1]);
  if (status == 0 && warning)
    status = capture_file_add_message(self->file, self->result.last_time, 4, warning);
  return status;
}

static int close_capture(Import *self, const char *warning)
{
  int status = capture_writer_destroy(g_steal_pointer(&self->writer));

  if (status == 0)
    status = add_facts(self, warning);
  if (status == 0)
    status = capture_file_end(self->file, CAPTURE_END_IMPORTED, 0,
                              MAX(self->result.last_time, (guint64)MAX(self->syscap.begin, 1)));
  return status < 0 ? status : capture_file_add_index(self->file);
}

static gboolean append_names(const guint8 *content, gsize length, gpointer data)
{
  Import *self = data;
  const struct capture_window_header header = {.kind = CAPTURE_WINDOW_NAMES,
                                               .flags = CAPTURE_WINDOW_CLOSED,
                                               .sequence = ++self->n_names,
                                               .epoch = 1,
                                               .length = (guint32)length};

  self->names_status = capture_file_append(self->file, &header, content);
  return self->names_status == 0;
}

static int convert_all(Import *self)
{
  const ProfileSyscapOptions options = {.facts = self->facts,
                                        .names = profile_names_encoder_new(append_names, self)};
  int status = profile_syscap_convert(&self->syscap, self->writer, &options, &self->result);

  profile_names_encoder_finish(options.names);
  return status < 0 ? status : self->names_status;
}

static int syscap_import_convert(Import *self, int fd, char **ret_warning)
{
  int status = open_capture(self, fd);

  if (status == 0)
    status = convert_all(self);
  if (status == 0 && self->result.is_cut)
    *ret_warning =
        g_strdup_printf(_("“%s” ends in the middle of a frame, or is damaged; what follows was left out."),
                        self->input->name);
  return status < 0 ? status : close_capture(self, *ret_warning);
}

static void syscap_import_clear(Import *self)
{
  if (self->writer)
    capture_writer_destroy(self->writer);
  if (self->sink)
    capture_file_sink_free(self->sink);
  if (self->file)
    capture_file_free(self->file);
  g_ptr_array_unref(self->facts);
}

gboolean profile_syscap_import(const ProfileInput *input, int fd, const ProfileImportOptions *options,
                               ProfileImportResult *ret_result, GError **error)
{
  static const ProfileImportOptions none;
  Import self = {.input = input, .options = options ? options : &none};
  g_autofree char *warning = NULL;
  int status;

  if (!profile_syscap_open(&self.syscap, input->bytes, input->size)) {
    g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_DAMAGED,
                _("“%s” is damaged: the header of the .syscap makes no sense."), input->name);
    return FALSE;
  }
  self.facts = g_ptr_array_new_with_free_func(g_free);
  status = syscap_import_convert(&self, fd, &warning);
  syscap_import_clear(&self);
  if (status < 0) {
    g_set_error(error, G_IO_ERROR, g_io_error_from_errno(-status), _("The capture could not be written: %s."),
                g_strerror(-status));
    return FALSE;
  }
  *ret_result = (ProfileImportResult){
      .samples = self.result.samples + self.result.others,
      .damaged = self.result.damaged,
      .warning = g_steal_pointer(&warning),
  };
  return TRUE;
}
