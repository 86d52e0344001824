/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/import/syscap.h"

#define VERSION   1
#define PATH_SIZE 256

gboolean profile_syscap_is(const guint8 *bytes, gsize length)
{
  return length >= 4 && profile_bytes_load_32(bytes) == GUINT32_TO_LE(PROFILE_SYSCAP_MAGIC);
}

/* Text in a field of fixed length, which need not end with a NUL; ret has a place for it. */
static void take_field(ProfileBytes *bytes, char *ret, gsize length)
{
  const guint8 *at = profile_bytes_take(bytes, length);

  memset(ret, 0, length + 1);
  if (at)
    memcpy(ret, at, strnlen((const char *)at, length));
}

/* The magic is little endian whatever the rest is, which a bit says: the lowest of the bits after the
 * version. Where those bits begin depends on the byte order, as C lays bit fields out. */
static gboolean read_order(ProfileBytes *bytes)
{
  const guint8 *at = profile_bytes_take(bytes, 4);
  gboolean little = at && at[1] & 1, big = at && !little && at[0] == VERSION;

  if (!little && !big)
    return FALSE;
  bytes->swap = little != (G_BYTE_ORDER == G_LITTLE_ENDIAN);
  return at[0] == VERSION;
}

gboolean profile_syscap_open(ProfileSyscap *self, const guint8 *bytes, gsize length)
{
  ProfileSyscap result = {.bytes = {.at = bytes, .end = bytes + length}};

  if (length < PROFILE_SYSCAP_HEADER_SIZE || !profile_syscap_is(bytes, length))
    return FALSE;
  profile_bytes_take(&result.bytes, 4);
  if (!read_order(&result.bytes))
    return FALSE;
  take_field(&result.bytes, result.wall_time, sizeof result.wall_time - 1);
  result.begin = (gint64)profile_bytes_take_64(&result.bytes);
  result.end = (gint64)profile_bytes_take_64(&result.bytes);
  result.bytes.at = bytes + PROFILE_SYSCAP_HEADER_SIZE;
  *self = result;
  return TRUE;
}

static gboolean read_frame(ProfileBytes *bytes, ProfileSyscapFrame *ret)
{
  ProfileBytes head = *bytes;
  const guint8 *start = head.at;
  guint16 length = profile_bytes_take_16(&head);
  gint64 time;

  ret->start = start;
  ret->cpu = (gint16)profile_bytes_take_16(&head);
  ret->pid = (gint32)profile_bytes_take_32(&head);
  time = (gint64)profile_bytes_take_64(&head);
  ret->time = time > 0 ? (guint64)time : 0;
  const guint8 *type = profile_bytes_take(&head, PROFILE_SYSCAP_FRAME_SIZE - 16);
  if (!type || length < PROFILE_SYSCAP_FRAME_SIZE || !profile_bytes_take(bytes, length)) {
    bytes->failed = FALSE;
    return FALSE;
  }
  ret->type = *type;
  ret->payload = (ProfileBytes){.at = head.at, .end = start + length, .swap = bytes->swap};
  return TRUE;
}

/* Programs that write to one descriptor have a header each. No frame begins like one: its processor would
 * have a number below -1. */
static gboolean skip_headers(ProfileBytes *bytes)
{
  while (profile_syscap_is(bytes->at, (gsize)(bytes->end - bytes->at))) {
    ProfileBytes header = {.at = bytes->at + 4, .end = bytes->end};

    if (bytes->end - bytes->at < PROFILE_SYSCAP_HEADER_SIZE || !read_order(&header) ||
        header.swap != bytes->swap)
      return FALSE;
    bytes->at += PROFILE_SYSCAP_HEADER_SIZE;
  }
  return TRUE;
}

gboolean profile_syscap_next(ProfileSyscap *self, ProfileSyscapFrame *ret)
{
  return skip_headers(&self->bytes) && read_frame(&self->bytes, ret);
}

void profile_syscap_get(const ProfileSyscap *self, const guint8 *start, ProfileSyscapFrame *ret)
{
  ProfileBytes bytes = {.at = start, .end = self->bytes.end, .swap = self->bytes.swap};

  read_frame(&bytes, ret);
}

gboolean profile_syscap_read_stack(ProfileSyscapFrame *frame, ProfileSyscapStack *ret)
{
  ProfileBytes *payload = &frame->payload;
  ProfileSyscapStack stack = {0};

  if (frame->type == PROFILE_SYSCAP_ALLOCATION) {
    stack.address = profile_bytes_take_64(payload);
    stack.size = (gint64)profile_bytes_take_64(payload);
    stack.tid = (gint32)profile_bytes_take_32(payload);
    stack.n = profile_bytes_take_16(payload);
    profile_bytes_take_16(payload);
  } else {
    stack.n = profile_bytes_take_16(payload);
    /* One bit; in the other byte order it is the highest one. */
    const guint8 *flags = profile_bytes_take(payload, 2);
    stack.entering =
        flags && (payload->swap == (G_BYTE_ORDER == G_LITTLE_ENDIAN) ? flags[0] >> 7 : flags[0] & 1);
    stack.tid = (gint32)profile_bytes_take_32(payload);
  }
  if (payload->failed)
    return FALSE;
  stack.n = (guint32)MIN(stack.n, (gsize)(payload->end - payload->at) / 8);
  stack.addresses = *payload;
  *ret = stack;
  return TRUE;
}

gboolean profile_syscap_read_map(ProfileSyscapFrame *frame, ProfileSyscapMap *ret)
{
  ProfileBytes *payload = &frame->payload;
  ProfileSyscapMap map = {.start = profile_bytes_take_64(payload),
                          .end = profile_bytes_take_64(payload),
                          .offset = profile_bytes_take_64(payload),
                          .inode = profile_bytes_take_64(payload),
                          .path = profile_bytes_take_line(payload)};

  if (!map.path || map.end <= map.start)
    return FALSE;
  /* Later versions put a build-id behind the path: '@', digits, NUL. */
  if (payload->at < payload->end && *payload->at == '@') {
    profile_bytes_take(payload, 1);
    map.build_id = profile_bytes_take_line(payload);
  }
  *ret = map;
  return TRUE;
}

guint32 profile_syscap_read_jitmap(ProfileSyscapFrame *frame)
{
  return profile_bytes_take_32(&frame->payload);
}

gboolean profile_syscap_read_jit(ProfileBytes *names, guint64 *ret_address, const char **ret_name)
{
  guint64 address = profile_bytes_take_64(names);
  const char *name = profile_bytes_take_line(names);

  if (!name)
    return FALSE;
  *ret_address = address;
  *ret_name = name;
  return TRUE;
}

guint32 profile_syscap_read_count(ProfileSyscapFrame *frame)
{
  guint32 n = profile_bytes_take_16(&frame->payload);

  profile_bytes_take(&frame->payload, 6);
  return frame->payload.failed ? 0 : n;
}

gboolean profile_syscap_read_counter(ProfileBytes *payload, ProfileSyscapCounter *ret)
{
  ProfileSyscapCounter counter;
  guint32 id_and_type;
  gboolean little = payload->swap != (G_BYTE_ORDER == G_LITTLE_ENDIAN);

  take_field(payload, counter.category, sizeof counter.category - 1);
  take_field(payload, counter.name, sizeof counter.name - 1);
  take_field(payload, counter.description, sizeof counter.description - 1);
  id_and_type = profile_bytes_take_32(payload);
  profile_bytes_take(payload, 8);
  counter.id = little ? id_and_type & 0xffffff : id_and_type >> 8;
  counter.is_double = (little ? id_and_type >> 24 : id_and_type & 0xff) != 0;
  if (payload->failed)
    return FALSE;
  *ret = counter;
  return TRUE;
}

gboolean profile_syscap_read_values(ProfileBytes *payload, ProfileSyscapValues *ret)
{
  for (guint i = 0; i < PROFILE_SYSCAP_VALUES; i++)
    ret->ids[i] = profile_bytes_take_32(payload);
  for (guint i = 0; i < PROFILE_SYSCAP_VALUES; i++)
    ret->values[i] = profile_bytes_take_64(payload);
  return !payload->failed;
}

gboolean profile_syscap_read_mark(ProfileSyscapFrame *frame, ProfileSyscapMark *ret)
{
  ret->duration = (gint64)profile_bytes_take_64(&frame->payload);
  take_field(&frame->payload, ret->group, sizeof ret->group - 1);
  take_field(&frame->payload, ret->name, sizeof ret->name - 1);
  if (frame->payload.failed)
    return FALSE;
  ret->message = profile_bytes_take_line(&frame->payload);
  if (!ret->message)
    ret->message = "";
  return TRUE;
}

gboolean profile_syscap_read_log(ProfileSyscapFrame *frame, ProfileSyscapLog *ret)
{
  ret->severity = profile_bytes_take_16(&frame->payload);
  profile_bytes_take(&frame->payload, 6);
  take_field(&frame->payload, ret->domain, sizeof ret->domain - 1);
  ret->message = profile_bytes_take_line(&frame->payload);
  return ret->message != NULL;
}

gboolean profile_syscap_read_metadata(ProfileSyscapFrame *frame, char ret_id[41], const char **ret_text)
{
  take_field(&frame->payload, ret_id, 40);
  const char *text = profile_bytes_take_line(&frame->payload);

  if (!text)
    return FALSE;
  *ret_text = text;
  return TRUE;
}

gboolean profile_syscap_read_chunk(ProfileSyscapFrame *frame, const char **ret_path, const guint8 **ret_data,
                                   gsize *ret_length)
{
  ProfileBytes *payload = &frame->payload;
  gsize length;

  profile_bytes_take(payload, 2);
  length = profile_bytes_take_16(payload);
  const guint8 *path = profile_bytes_take(payload, PATH_SIZE), *data = profile_bytes_take(payload, length);

  if (!data || !memchr(path, 0, PATH_SIZE))
    return FALSE;
  *ret_path = (const char *)path;
  *ret_data = data;
  *ret_length = length;
  return TRUE;
}

gboolean profile_syscap_read_overlay(ProfileSyscapFrame *frame, const char **ret_source,
                                     const char **ret_target)
{
  profile_bytes_take(&frame->payload, 8);
  const char *source = profile_bytes_take_line(&frame->payload);
  const char *target = profile_bytes_take_line(&frame->payload);

  if (!source || !target)
    return FALSE;
  *ret_source = source;
  *ret_target = target;
  return TRUE;
}
