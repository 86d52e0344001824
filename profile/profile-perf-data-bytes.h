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
} ProfilePerfBytes;

static inline guint16 profile_perf_load_16(const guint8 *at)
{
  guint16 value;

  memcpy(&value, at, sizeof value);
  return value;
}

static inline guint32 profile_perf_load_32(const guint8 *at)
{
  guint32 value;

  memcpy(&value, at, sizeof value);
  return value;
}

static inline guint64 profile_perf_load_64(const guint8 *at)
{
  guint64 value;

  memcpy(&value, at, sizeof value);
  return value;
}

/* The next length bytes, or NULL. */
static inline const guint8 *profile_perf_bytes_take(ProfilePerfBytes *bytes, guint64 length)
{
  const guint8 *taken = bytes->at;

  if (bytes->failed || length > (guint64)(bytes->end - bytes->at)) {
    bytes->failed = TRUE;
    return NULL;
  }
  bytes->at += length;
  return taken;
}

static inline guint32 profile_perf_bytes_take_32(ProfilePerfBytes *bytes)
{
  const guint8 *at = profile_perf_bytes_take(bytes, 4);

  return at ? profile_perf_load_32(at) : 0;
}

static inline guint64 profile_perf_bytes_take_64(ProfilePerfBytes *bytes)
{
  const guint8 *at = profile_perf_bytes_take(bytes, 8);

  return at ? profile_perf_load_64(at) : 0;
}

/* Text of at most length bytes that ends at its first NUL; free with g_free. NULL beyond the end. */
static inline char *profile_perf_bytes_take_text(ProfilePerfBytes *bytes, guint64 length)
{
  const guint8 *at = profile_perf_bytes_take(bytes, length);

  return at ? g_strndup((const char *)at, length) : NULL;
}

G_END_DECLS
