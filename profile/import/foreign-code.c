/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <gio/gio.h>
#include <glib/gi18n.h>
#include <string.h>

#include "profile/import/foreign-private.h"

#define STRING_MAX 4095
/* So many fit a window of any size that is used. */
#define LINES_MAX 4000

static gint64 define_process(ProfileForeignCode *self)
{
  struct capture_record_process record = {
      .record = {.size = sizeof record, .type = CAPTURE_RECORD_PROCESS},
      .pid = self->pid,
      .origin = CAPTURE_PROCESS_EXISTED,
  };
  int status;

  if (self->epoch == capture_writer_epoch(self->writer))
    return self->process;
  record.id = capture_writer_next_id(self->writer, CAPTURE_RECORD_PROCESS);
  status = capture_writer_define(self->writer, &record.record);
  if (status < 0)
    return status;
  self->epoch = capture_writer_epoch(self->writer);
  return self->process = record.id;
}

static gint64 define_text(ProfileForeignCode *self, const char *text, gsize length)
{
  return capture_writer_string(self->writer, text, MIN(length, STRING_MAX));
}

/* Many lines may name one file that is longer than anything that is kept of it. */
static gint64 define_line_file(ProfileForeignCode *self, const ProfileForeignLine *line)
{
  return define_text(self, line->file, strnlen(line->file, STRING_MAX));
}

/* Takes ":NUMBER" from the end of a text. */
static gboolean take_number(const char *text, gsize *length, guint32 *ret)
{
  gsize at = *length;
  guint64 value = 0, unit = 1;

  for (; at > 0 && g_ascii_isdigit(text[at - 1]) && *length - at < 9; at--, unit *= 10)
    value += unit * (guint64)g_ascii_digit_value(text[at - 1]);
  if (at == *length || at == 0 || text[at - 1] != ':')
    return FALSE;
  *length = at - 1;
  *ret = (guint32)value;
  return TRUE;
}

/* Of a name that ends like V8's: the file, *ret_length bytes of it; else NULL. */
static const char *find_file(const ProfileForeignPiece *piece, gsize *ret_length, guint32 *ret_line)
{
  gsize length = piece->name_length;
  guint32 column;
  const char *blank;

  if (!take_number(piece->name, &length, &column) || !take_number(piece->name, &length, ret_line))
    return NULL;
  blank = memmem(piece->name, length, " /", 2); /* names of functions may have blanks, too: "get size" */
  if (!blank)
    blank = memrchr(piece->name, ' ', length);
  if (!blank || blank + 1 == piece->name + length)
    return NULL;
  *ret_length = (gsize)(piece->name + length - (blank + 1));
  return blank + 1;
}

static gint64 define_file(ProfileForeignCode *self, const ProfileForeignPiece *piece,
                          struct capture_record_code *record)
{
  gsize length;
  const char *file = find_file(piece, &length, &record->line);
  gint64 id = 0;

  if (file)
    id = define_text(self, file, length);
  else if (piece->n_lines > 0 && piece->lines[0].file)
    id = define_line_file(self, &piece->lines[0]);
  record->file = (guint32)MAX(id, 0);
  return id;
}

static gint64 define_lines(ProfileForeignCode *self, const ProfileForeignPiece *piece,
                           struct capture_record_code *record)
{
  for (guint i = 0; i < MIN(piece->n_lines, LINES_MAX); i++) {
    const ProfileForeignLine *line = &piece->lines[i];
    gint64 file = line->file ? define_line_file(self, line) : 0;

    if (file < 0)
      return file;
    record->ranges[record->record.count++] =
        (struct capture_code_range){.offset = line->offset,
                                    .line = line->line,
                                    .file = (guint32)file == record->file ? 0 : (guint32)file};
  }
  return 0;
}

static int write_code(ProfileForeignCode *self, const ProfileForeignPiece *piece)
{
  gsize size =
      sizeof(struct capture_record_code) + MIN(piece->n_lines, LINES_MAX) * sizeof(struct capture_code_range);
  g_autofree struct capture_record_code *record = g_malloc0(size);
  gint64 process = define_process(self);
  gint64 name = process < 0 ? process : define_text(self, piece->name, piece->name_length);
  gint64 lines;

  record->record.size = (guint32)size;
  record->record.type = CAPTURE_RECORD_CODE;
  lines = name < 0 ? name : define_file(self, piece, record);
  if (lines >= 0)
    lines = define_lines(self, piece, record);
  if (lines < 0)
    return (int)lines;
  record->process = (guint32)process;
  record->name = (guint32)name;
  record->start = piece->start;
  record->length = piece->length;
  record->time = piece->time;
  return capture_writer_define(self->writer, &record->record);
}

int profile_foreign_add_code(ProfileForeignCode *self, const ProfileForeignPiece *piece)
{
  int status = write_code(self, piece);

  if (status != -ENOSPC)
    return status;
  status = capture_writer_next_epoch(self->writer);
  return status < 0 ? status : write_code(self, piece);
}

/* Needs no string, so that no epoch is too full for it. */
int profile_foreign_end_code(ProfileForeignCode *self, guint64 start, guint64 length, guint64 time)
{
  gint64 process = define_process(self);
  struct capture_record_code_end record = {
      .record = {.size = sizeof record, .type = CAPTURE_RECORD_CODE_END},
      .process = (guint32)process,
      .start = start,
      .length = length,
      .time = time,
  };

  return process < 0 ? (int)process : capture_writer_define(self->writer, &record.record);
}

gboolean profile_foreign_fail(const ProfileForeign *foreign, int status, GError **error)
{
  g_set_error(error, G_IO_ERROR, g_io_error_from_errno(-status), _("“%s” could not be read: %s."),
              foreign->name, g_strerror(-status));
  return FALSE;
}
