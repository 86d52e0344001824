/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/import/jitdump.h"

#define MAGIC          0x4A695444u
#define HEADER_SIZE    40
#define PREFIX_SIZE    16
#define ARCH_TIMESTAMP 1
#define LINE_SIZE      16 /* without the name */
#define PADDING        8

gboolean profile_jitdump_open(ProfileJitdump *self, const guint8 *bytes, gsize length)
{
  ProfileJitdump result = {.bytes = {.at = bytes, .end = bytes + length}};
  guint32 magic = profile_bytes_take_32(&result.bytes), size;

  if (magic != MAGIC && magic != GUINT32_SWAP_LE_BE(MAGIC))
    return FALSE;
  result.bytes.swap = magic != MAGIC;
  profile_bytes_take(&result.bytes, 4);
  size = profile_bytes_take_32(&result.bytes);
  result.machine = profile_bytes_take_32(&result.bytes);
  profile_bytes_take(&result.bytes, 4);
  result.pid = (gint32)profile_bytes_take_32(&result.bytes);
  profile_bytes_take(&result.bytes, 8); /* when it was begun: V8 means another clock than in records */
  result.has_other_clock = (profile_bytes_take_64(&result.bytes) & ARCH_TIMESTAMP) != 0;
  if (result.bytes.failed || size < HEADER_SIZE || size > length)
    return FALSE;
  result.bytes.at = bytes + size;
  *self = result;
  return TRUE;
}

static gboolean is_range(const ProfileJitdumpRecord *record)
{
  guint64 behind;

  return record->length > 0 && !__builtin_add_overflow(record->start, record->length, &behind);
}

static gboolean read_load(ProfileBytes *bytes, ProfileJitdumpRecord *ret)
{
  ret->pid = (gint32)profile_bytes_take_32(bytes);
  profile_bytes_take(bytes, 4 + 8); /* thread, address again */
  ret->start = profile_bytes_take_64(bytes);
  ret->length = profile_bytes_take_64(bytes);
  ret->index = profile_bytes_take_64(bytes);
  ret->name = profile_bytes_take_line(bytes);
  ret->code = ret->name ? profile_bytes_take(bytes, ret->length) : NULL;
  return ret->name && is_range(ret);
}

static gboolean read_move(ProfileBytes *bytes, ProfileJitdumpRecord *ret)
{
  ret->pid = (gint32)profile_bytes_take_32(bytes);
  profile_bytes_take(bytes, 4 + 8);
  ret->old_start = profile_bytes_take_64(bytes);
  ret->start = profile_bytes_take_64(bytes);
  ret->length = profile_bytes_take_64(bytes);
  ret->index = profile_bytes_take_64(bytes);
  return !bytes->failed && is_range(ret);
}

static gboolean read_lines(ProfileBytes *bytes, ProfileJitdumpRecord *ret)
{
  ret->start = profile_bytes_take_64(bytes);
  ret->n_lines = profile_bytes_take_64(bytes);
  ret->lines = *bytes;
  return !bytes->failed;
}

static gboolean read_body(ProfileBytes bytes, ProfileJitdumpRecord *ret)
{
  switch (ret->type) {
  case PROFILE_JITDUMP_LOAD:
    return read_load(&bytes, ret);
  case PROFILE_JITDUMP_MOVE:
    return read_move(&bytes, ret);
  case PROFILE_JITDUMP_LINES:
    return read_lines(&bytes, ret);
  default:
    return ret->type <= PROFILE_JITDUMP_UNWINDING;
  }
}

gboolean profile_jitdump_next(ProfileJitdump *self, ProfileJitdumpRecord *ret)
{
  ProfileBytes *bytes = &self->bytes;

  for (;;) {
    ProfileJitdumpRecord record = {0};
    ProfileBytes body = *bytes;
    guint32 size;

    record.type = profile_bytes_take_32(&body);
    size = profile_bytes_take_32(&body);
    record.time = profile_bytes_take_64(&body);
    if (self->has_other_clock)
      record.time = 0;
    if (body.failed || size < PREFIX_SIZE || size > (gsize)(bytes->end - bytes->at))
      return FALSE;
    body.end = bytes->at + size;
    bytes->at = body.end;
    if (!read_body(body, &record))
      continue;
    *ret = record;
    return TRUE;
  }
}

static gboolean is_text(const char *file)
{
  for (const char *c = file; *c; c++)
    if (g_ascii_iscntrl(*c))
      return FALSE;
  return *file != '\0' && g_utf8_validate(file, -1, NULL);
}

/* Address, line and discriminator; false where they cannot be of that code. */
static gboolean read_place(const ProfileJitdumpRecord *record, ProfileBytes *bytes, ProfileJitdumpLine *ret)
{
  ret->address = profile_bytes_take_64(bytes);
  ret->line = profile_bytes_take_32(bytes);
  profile_bytes_take(bytes, 4);
  return !bytes->failed && ret->address >= record->start && ret->address - record->start <= G_MAXUINT32;
}

static gboolean read_named(const ProfileJitdumpRecord *record, GArray *lines)
{
  ProfileBytes bytes = record->lines;
  ProfileJitdumpLine line = {0};

  for (guint64 i = 0; i < record->n_lines; i++) {
    const char *file = read_place(record, &bytes, &line) ? profile_bytes_take_line(&bytes) : NULL;
    gboolean as_before = file && strcmp(file, "\xff") == 0;

    if (!file || (!as_before && !is_text(file)))
      return FALSE;
    if (!as_before)
      line.file = file;
    g_array_append_val(lines, line);
  }
  return TRUE;
}

static gboolean read_unnamed(const ProfileJitdumpRecord *record, guint64 stride, GArray *lines)
{
  ProfileBytes bytes = record->lines;
  ProfileJitdumpLine line = {0};

  for (guint64 i = 0; i < record->n_lines; i++) {
    if (!read_place(record, &bytes, &line) || !profile_bytes_take(&bytes, stride - LINE_SIZE))
      return FALSE;
    g_array_append_val(lines, line);
  }
  return TRUE;
}

/* Every name as long as every other; less than 8 bytes of padding follow. */
static void read_equally_long(const ProfileJitdumpRecord *record, GArray *lines)
{
  guint64 length = (guint64)(record->lines.end - record->lines.at);
  guint before = lines->len;

  if (record->n_lines == 0 || record->n_lines > length / LINE_SIZE)
    return;
  for (guint64 stride = length / record->n_lines;
       stride > LINE_SIZE && length - stride * record->n_lines < PADDING; stride--) {
    if (read_unnamed(record, stride, lines))
      return;
    g_array_set_size(lines, before);
  }
}

void profile_jitdump_read_lines(const ProfileJitdumpRecord *record, GArray *lines)
{
  guint before = lines->len;

  if (read_named(record, lines))
    return;
  g_array_set_size(lines, before);
  read_equally_long(record, lines);
}
