/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/import/syscap-writer.h"

#define FLUSH_SIZE (64 * 1024)
#define CHUNK_SIZE (32 * 1024)
#define PATH_SIZE  256

static void syscap_writer_put(ProfileSyscapWriter *self, gconstpointer bytes, gsize length)
{
  g_byte_array_append(self->bytes, bytes, (guint)length);
}

static void put_16(ProfileSyscapWriter *self, guint16 value)
{
  syscap_writer_put(self, &value, sizeof value);
}

static void put_32(ProfileSyscapWriter *self, guint32 value)
{
  syscap_writer_put(self, &value, sizeof value);
}

static void put_64(ProfileSyscapWriter *self, guint64 value)
{
  syscap_writer_put(self, &value, sizeof value);
}

static void put_zeroes(ProfileSyscapWriter *self, gsize n)
{
  guint old = self->bytes->len;

  g_byte_array_set_size(self->bytes, old + (guint)n);
  memset(self->bytes->data + old, 0, n);
}

/* A field of fixed length with at least one NUL. */
static void put_field(ProfileSyscapWriter *self, const char *text, gsize length)
{
  gsize used = MIN(strlen(text), length - 1);

  syscap_writer_put(self, text, used);
  put_zeroes(self, length - used);
}

/* Text and a NUL, no longer than the frame may get. */
static void put_text(ProfileSyscapWriter *self, const char *text)
{
  gsize room = PROFILE_SYSCAP_FRAME_MAX - (self->bytes->len - self->frame) - 1;

  syscap_writer_put(self, text, MIN(strlen(text), room));
  put_zeroes(self, 1);
}

static void syscap_writer_flush(ProfileSyscapWriter *self)
{
  if (!self->error)
    g_output_stream_write_all(self->stream, self->bytes->data, self->bytes->len, NULL, self->cancellable,
                              &self->error);
  g_byte_array_set_size(self->bytes, 0);
}

static void syscap_writer_begin(ProfileSyscapWriter *self, enum profile_syscap_type type,
                                ProfileSyscapPlace place)
{
  const guint8 kind[8] = {(guint8)type};

  self->frame = self->bytes->len;
  put_16(self, 0);
  put_16(self, (guint16)(gint16)CLAMP(place.cpu, -1, G_MAXINT16));
  put_32(self, (guint32)place.pid);
  put_64(self, place.time);
  syscap_writer_put(self, kind, sizeof kind);
}

static void syscap_writer_end(ProfileSyscapWriter *self)
{
  guint16 length;

  put_zeroes(self, (8 - (self->bytes->len - self->frame) % 8) % 8);
  length = (guint16)(self->bytes->len - self->frame);
  memcpy(self->bytes->data + self->frame, &length, sizeof length);
  if (self->bytes->len >= FLUSH_SIZE)
    syscap_writer_flush(self);
}

void profile_syscap_writer_init(ProfileSyscapWriter *self, GOutputStream *stream, GCancellable *cancellable,
                                guint64 begin_time, guint64 end_time, gint64 wall_time)
{
  const guint8 magic[] = {0x5e, 0x97, 0xca, 0xfd, 1, G_BYTE_ORDER == G_LITTLE_ENDIAN, 0, 0};
  g_autoptr(GDateTime) wall = g_date_time_new_from_unix_utc(wall_time / G_GINT64_CONSTANT(1000000000));
  g_autofree char *text = wall ? g_date_time_format_iso8601(wall) : g_strdup("");

  *self = (ProfileSyscapWriter){.bytes = g_byte_array_new(), .stream = stream, .cancellable = cancellable};
  syscap_writer_put(self, magic, sizeof magic);
  put_field(self, text, 64);
  put_64(self, begin_time);
  put_64(self, end_time);
  put_zeroes(self, PROFILE_SYSCAP_HEADER_SIZE - self->bytes->len);
}

gboolean profile_syscap_writer_finish(ProfileSyscapWriter *self, GError **error)
{
  syscap_writer_flush(self);
  g_byte_array_unref(self->bytes);
  if (!self->error)
    return TRUE;
  g_propagate_error(error, self->error);
  return FALSE;
}

void profile_syscap_write_process(ProfileSyscapWriter *self, ProfileSyscapPlace place, const char *command)
{
  syscap_writer_begin(self, PROFILE_SYSCAP_PROCESS, place);
  put_text(self, command);
  syscap_writer_end(self);
}

void profile_syscap_write_map(ProfileSyscapWriter *self, ProfileSyscapPlace place,
                              const ProfileSyscapMap *map)
{
  syscap_writer_begin(self, PROFILE_SYSCAP_MAP, place);
  put_64(self, map->start);
  put_64(self, map->end);
  put_64(self, map->offset);
  put_64(self, map->inode);
  put_text(self, map->path);
  syscap_writer_end(self);
}

void profile_syscap_write_sample(ProfileSyscapWriter *self, ProfileSyscapPlace place, gint32 tid,
                                 const guint64 *addresses, gsize n)
{
  gsize room = (PROFILE_SYSCAP_FRAME_MAX - PROFILE_SYSCAP_FRAME_SIZE - 8) / sizeof *addresses;

  n = MIN(n, room);
  syscap_writer_begin(self, PROFILE_SYSCAP_SAMPLE, place);
  put_16(self, (guint16)n);
  put_16(self, 0);
  put_32(self, (guint32)tid);
  syscap_writer_put(self, addresses, n * sizeof *addresses);
  syscap_writer_end(self);
}

void profile_syscap_write_allocation(ProfileSyscapWriter *self, ProfileSyscapPlace place, gint32 tid,
                                     guint64 address, gint64 size, const guint64 *addresses, gsize n)
{
  gsize room = (PROFILE_SYSCAP_FRAME_MAX - PROFILE_SYSCAP_FRAME_SIZE - 24) / sizeof *addresses;

  n = MIN(n, room);
  syscap_writer_begin(self, PROFILE_SYSCAP_ALLOCATION, place);
  put_64(self, address);
  put_64(self, (guint64)size);
  put_32(self, (guint32)tid);
  put_16(self, (guint16)n);
  put_16(self, 0);
  syscap_writer_put(self, addresses, n * sizeof *addresses);
  syscap_writer_end(self);
}

void profile_syscap_write_jit(ProfileSyscapWriter *self, ProfileSyscapPlace place, guint64 address,
                              const char *name)
{
  syscap_writer_begin(self, PROFILE_SYSCAP_JITMAP, place);
  put_32(self, 1);
  put_64(self, address);
  put_text(self, name);
  syscap_writer_end(self);
}

void profile_syscap_write_counter(ProfileSyscapWriter *self, ProfileSyscapPlace place,
                                  const ProfileSyscapCounter *counter)
{
  gboolean little = G_BYTE_ORDER == G_LITTLE_ENDIAN;

  syscap_writer_begin(self, PROFILE_SYSCAP_COUNTER_DEFINE, place);
  put_16(self, 1);
  put_zeroes(self, 6);
  put_field(self, counter->category, 32);
  put_field(self, counter->name, 32);
  put_field(self, counter->description, 52);
  put_32(self, little ? counter->id | 1u << 24 : counter->id << 8 | 1u);
  put_64(self, 0);
  syscap_writer_end(self);
}

void profile_syscap_write_values(ProfileSyscapWriter *self, ProfileSyscapPlace place,
                                 const ProfileSyscapValues *values)
{
  syscap_writer_begin(self, PROFILE_SYSCAP_COUNTER_SET, place);
  put_16(self, 1);
  put_zeroes(self, 6);
  syscap_writer_put(self, values->ids, sizeof values->ids);
  syscap_writer_put(self, values->values, sizeof values->values);
  syscap_writer_end(self);
}

void profile_syscap_write_mark(ProfileSyscapWriter *self, ProfileSyscapPlace place, guint64 duration,
                               const char *group, const char *name, const char *message)
{
  syscap_writer_begin(self, PROFILE_SYSCAP_MARK, place);
  put_64(self, duration);
  put_field(self, group, 24);
  put_field(self, name, 40);
  put_text(self, message);
  syscap_writer_end(self);
}

void profile_syscap_write_log(ProfileSyscapWriter *self, ProfileSyscapPlace place, guint16 levels,
                              const char *domain, const char *text)
{
  syscap_writer_begin(self, PROFILE_SYSCAP_LOG, place);
  put_16(self, levels);
  put_zeroes(self, 6);
  put_field(self, domain, 32);
  put_text(self, text);
  syscap_writer_end(self);
}

void profile_syscap_write_file(ProfileSyscapWriter *self, ProfileSyscapPlace place, const char *path,
                               const guint8 *bytes, gsize length)
{
  gsize done = 0;

  do {
    gsize piece = MIN(length - done, CHUNK_SIZE);
    gboolean is_last = done + piece == length;

    syscap_writer_begin(self, PROFILE_SYSCAP_FILE_CHUNK, place);
    put_16(self, G_BYTE_ORDER == G_LITTLE_ENDIAN ? is_last : (guint16)(is_last << 15));
    put_16(self, (guint16)piece);
    put_field(self, path, PATH_SIZE);
    syscap_writer_put(self, bytes + done, piece);
    syscap_writer_end(self);
    done += piece;
  } while (done < length);
}
