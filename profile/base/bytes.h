/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checked reads of untrusted, possibly misaligned bytes. */
#pragma once

#include <glib.h>
#include <string.h>

G_BEGIN_DECLS

/* A place in some bytes. A read beyond the end gives 0 and sets failed for good. */
typedef struct {
  const guint8 *at;
  const guint8 *end;
  gboolean failed;
  gboolean swap; /* numbers are in the other byte order than this machine's */
} ProfileBytes;

static inline guint16 profile_bytes_load_16(const guint8 *at)
{
  guint16 value;

  memcpy(&value, at, sizeof value);
  return value;
}

static inline guint32 profile_bytes_load_32(const guint8 *at)
{
  guint32 value;

  memcpy(&value, at, sizeof value);
  return value;
}

static inline guint64 profile_bytes_load_64(const guint8 *at)
{
  guint64 value;

  memcpy(&value, at, sizeof value);
  return value;
}

/* The next length bytes, or NULL. */
static inline const guint8 *profile_bytes_take(ProfileBytes *bytes, guint64 length)
{
  const guint8 *taken = bytes->at;

  if (bytes->failed || length > (guint64)(bytes->end - bytes->at)) {
    bytes->failed = TRUE;
    return NULL;
  }
  bytes->at += length;
  return taken;
}

static inline guint16 profile_bytes_take_16(ProfileBytes *bytes)
{
  const guint8 *at = profile_bytes_take(bytes, 2);
  guint16 value = at ? profile_bytes_load_16(at) : 0;

  return bytes->swap ? GUINT16_SWAP_LE_BE(value) : value;
}

static inline guint32 profile_bytes_take_32(ProfileBytes *bytes)
{
  const guint8 *at = profile_bytes_take(bytes, 4);

  guint32 value = at ? profile_bytes_load_32(at) : 0;

  return bytes->swap ? GUINT32_SWAP_LE_BE(value) : value;
}

static inline guint64 profile_bytes_take_64(ProfileBytes *bytes)
{
  const guint8 *at = profile_bytes_take(bytes, 8);

  guint64 value = at ? profile_bytes_load_64(at) : 0;

  return bytes->swap ? GUINT64_SWAP_LE_BE(value) : value;
}

/* Text of at most length bytes that ends at its first NUL; free with g_free. NULL beyond the end. */
static inline char *profile_bytes_take_text(ProfileBytes *bytes, guint64 length)
{
  const guint8 *at = profile_bytes_take(bytes, length);

  return at ? g_strndup((const char *)at, length) : NULL;
}

/* Text with a NUL behind it, in place; NULL, and failed, where no NUL comes. */
static inline const char *profile_bytes_take_line(ProfileBytes *bytes)
{
  const guint8 *at = bytes->at, *nul = bytes->failed ? NULL : memchr(at, 0, (gsize)(bytes->end - at));

  return nul ? (const char *)profile_bytes_take(bytes, (guint64)(nul - at) + 1)
             : (bytes->failed = TRUE, NULL);
}

G_END_DECLS
