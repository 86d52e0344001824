/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>

#include "profile/capture/reader.h"
#include "profile/import/foreign-private.h"
#include "profile/import/jitdump.h"

/* Length of the header of an ELF file. V8 adds it to the addresses of lines, for a tool that puts such a
 * header before the code. */
#define ELF_HEADER 0x40
/* What is behind that of a name is not looked at, for every move of the code looks again. */
#define NAME_MAX_BYTES 8192
/* Code that moves takes its lines along as often as makes this many times the file. No more: a move is a few
 * bytes, and its lines may be most of the file. */
#define LINES_AGAIN_MAX 16

typedef struct {
  ProfileForeignCode code;
  ProfileJitdump dump;
  guint64 shift;              /* of addresses of lines */
  guint64 lines_again;        /* bytes that may still be read again for code that moves */
  ProfileJitdumpRecord lines; /* told for the code that comes next; has that type then */
  GHashTable *loads;          /* number of the code → Load, for what moves */
  GArray *read;               /* ProfileJitdumpLine, of the code in work */
  GArray *sorted;             /* ProfileForeignLine, the same */
} Decode;

typedef struct {
  const char *name;
  gsize name_length;
  ProfileJitdumpRecord lines; /* of that type if there are any */
} Load;

/* A line before an ELF header's length into the code shows that nothing was added. */
static guint64 find_shift(ProfileJitdump dump, GArray *lines)
{
  ProfileJitdumpRecord record;
  gboolean any = FALSE;

  while (profile_jitdump_next(&dump, &record)) {
    g_array_set_size(lines, 0);
    if (record.type == PROFILE_JITDUMP_LINES)
      profile_jitdump_read_lines(&record, lines);
    for (guint i = 0; i < lines->len; i++)
      if (g_array_index(lines, ProfileJitdumpLine, i).address - record.start < ELF_HEADER)
        return 0;
    any |= lines->len > 0;
  }
  return any ? ELF_HEADER : 0;
}

static gint compare_lines(gconstpointer a, gconstpointer b)
{
  const ProfileForeignLine *left = a, *right = b;

  return (left->offset > right->offset) - (left->offset < right->offset);
}

static void sort_lines(Decode *self, const Load *load, guint64 length)
{
  g_array_set_size(self->read, 0);
  g_array_set_size(self->sorted, 0);
  if (load->lines.type == PROFILE_JITDUMP_LINES)
    profile_jitdump_read_lines(&load->lines, self->read);
  for (guint i = 0; i < self->read->len; i++) {
    const ProfileJitdumpLine *line = &g_array_index(self->read, ProfileJitdumpLine, i);
    guint64 offset = line->address - self->shift - load->lines.start;
    ProfileForeignLine item = {.offset = (guint32)offset, .line = line->line, .file = line->file};

    if (offset < length)
      g_array_append_val(self->sorted, item);
  }
  g_array_sort(self->sorted, compare_lines);
}

static int add_code(Decode *self, const ProfileJitdumpRecord *record, const Load *load)
{
  ProfileForeignPiece piece = {
      .start = record->start,
      .length = record->length,
      .time = record->time,
      .name = load->name,
      .name_length = load->name_length,
  };

  sort_lines(self, load, record->length);
  piece.lines = (const ProfileForeignLine *)self->sorted->data;
  piece.n_lines = self->sorted->len;
  return profile_foreign_add_code(&self->code, &piece);
}

static int take_load(Decode *self, const ProfileJitdumpRecord *record)
{
  Load *load = g_new0(Load, 1);

  load->name = record->name;
  load->name_length = strnlen(record->name, NAME_MAX_BYTES);
  if (self->lines.type == PROFILE_JITDUMP_LINES && self->lines.start == record->start)
    load->lines = self->lines;
  self->lines.type = PROFILE_JITDUMP_LOAD;
  g_hash_table_insert(self->loads, g_memdup2(&record->index, sizeof record->index), load);
  return add_code(self, record, load);
}

static void allow_lines(Decode *self, Load *load)
{
  guint64 bytes = (guint64)(load->lines.lines.end - load->lines.lines.at);

  if (load->lines.type != PROFILE_JITDUMP_LINES)
    return;
  if (bytes > self->lines_again)
    load->lines.type = PROFILE_JITDUMP_LOAD;
  else
    self->lines_again -= bytes;
}

static int take_move(Decode *self, const ProfileJitdumpRecord *record)
{
  Load *load = g_hash_table_lookup(self->loads, &record->index);
  int status;

  if (!load)
    return 0;
  allow_lines(self, load);
  status = profile_foreign_end_code(&self->code, record->old_start, record->length, record->time);
  return status < 0 ? status : add_code(self, record, load);
}

static int foreign_jitdump_take(Decode *self, const ProfileJitdumpRecord *record)
{
  switch (record->type) {
  case PROFILE_JITDUMP_LOAD:
    return take_load(self, record);
  case PROFILE_JITDUMP_MOVE:
    return take_move(self, record);
  case PROFILE_JITDUMP_LINES:
    self->lines = *record;
    return 0;
  default:
    return 0;
  }
}

static gboolean set_damaged(const ProfileForeign *foreign, GError **error, const char *what)
{
  g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_DAMAGED, what, foreign->name);
  return FALSE;
}

static int take_all(Decode *self)
{
  ProfileJitdumpRecord record;
  int status = 0;

  self->loads = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
  self->sorted = g_array_new(FALSE, FALSE, sizeof(ProfileForeignLine));
  self->read = g_array_new(FALSE, FALSE, sizeof(ProfileJitdumpLine));
  self->shift = find_shift(self->dump, self->read);
  while (status == 0 && profile_jitdump_next(&self->dump, &record))
    status = foreign_jitdump_take(self, &record);
  g_array_unref(self->read);
  g_array_unref(self->sorted);
  g_hash_table_unref(self->loads);
  return status;
}

/* A file that ends within a record is how any file ends whose writer was still running. */
gboolean profile_foreign_decode_jitdump(const ProfileForeign *foreign, capture_writer *writer, GError **error)
{
  Decode self = {.code = {.writer = writer}, .lines_again = LINES_AGAIN_MAX * (guint64)foreign->length};
  int status;

  if (!profile_jitdump_open(&self.dump, foreign->bytes, foreign->length))
    return set_damaged(foreign, error, _("“%s” is not a jitdump: its header is not valid."));
  self.code.pid = foreign->pid > 0 ? foreign->pid : self.dump.pid;
  status = take_all(&self);
  if (status < 0)
    return profile_foreign_fail(foreign, status, error);
  if (self.dump.has_other_clock)
    return set_damaged(
        foreign, error,
        _("“%s” counts time by the processor’s own clock: code that was replaced while it ran may "
          "be named by what replaced it."));
  return TRUE;
}
