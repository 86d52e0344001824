/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/profile-jitdump.h"

#define MAGIC          0x4A695444u
#define HEADER_SIZE    40
#define PREFIX_SIZE    16
#define ARCH_TIMESTAMP 1

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
  profile_bytes_take(bytes, 8); /* their number: the record's length says as much */
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

gboolean profile_jitdump_next_line(ProfileBytes *lines, ProfileJitdumpLine *ret)
{
  ProfileJitdumpLine line = {.address = profile_bytes_take_64(lines)};

  line.line = profile_bytes_take_32(lines);
  profile_bytes_take(lines, 4); /* discriminator */
  line.file = profile_bytes_take_line(lines);
  if (!line.file)
    return FALSE;
  if (strcmp(line.file, "\xff") == 0)
    line.file = NULL;
  *ret = line;
  return TRUE;
}
