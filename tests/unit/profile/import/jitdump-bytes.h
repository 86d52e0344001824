/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds the bytes of a file of another format, in either byte order, and of jitdump files in particular. */
#pragma once

#include <glib.h>
#include <string.h>

/* Of the process that wrote it. */
#define PID 77

typedef struct {
  GByteArray *bytes;
  gboolean swap;
} Bytes;

static inline void put_16(Bytes *self, guint16 value)
{
  value = self->swap ? GUINT16_SWAP_LE_BE(value) : value;
  g_byte_array_append(self->bytes, (const guint8 *)&value, sizeof value);
}

static inline void put_32(Bytes *self, guint32 value)
{
  value = self->swap ? GUINT32_SWAP_LE_BE(value) : value;
  g_byte_array_append(self->bytes, (const guint8 *)&value, sizeof value);
}

static inline void put_64(Bytes *self, guint64 value)
{
  value = self->swap ? GUINT64_SWAP_LE_BE(value) : value;
  g_byte_array_append(self->bytes, (const guint8 *)&value, sizeof value);
}

static inline void put_text(Bytes *self, const char *text)
{
  g_byte_array_append(self->bytes, (const guint8 *)text, (guint)strlen(text) + 1);
}

static inline void put_dump_header(Bytes *self, guint64 flags)
{
  put_32(self, 0x4A695444);
  put_32(self, 1);
  put_32(self, 40);
  put_32(self, 62);
  put_32(self, 0);
  put_32(self, PID);
  put_64(self, 1795296273047963); /* no time of CLOCK_MONOTONIC, as V8 writes it */
  put_64(self, flags);
}

static inline void put_prefix(Bytes *self, guint32 type, guint32 body, guint64 time)
{
  put_32(self, type);
  put_32(self, 16 + body);
  put_64(self, time);
}

static inline void put_load(Bytes *self, guint64 time, guint64 start, guint64 index, const char *name)
{
  static const guint8 code[64];

  put_prefix(self, 0, 40 + (guint32)strlen(name) + 1 + sizeof code, time);
  put_32(self, PID);
  put_32(self, PID);
  put_64(self, start);
  put_64(self, start);
  put_64(self, sizeof code);
  put_64(self, index);
  put_text(self, name);
  g_byte_array_append(self->bytes, code, sizeof code);
}

static inline void put_move(Bytes *self, guint64 time, guint64 from, guint64 to, guint64 index)
{
  put_prefix(self, 1, 48, time);
  put_32(self, PID);
  put_32(self, PID);
  put_64(self, to);
  put_64(self, from);
  put_64(self, to);
  put_64(self, 64);
  put_64(self, index);
}

/* Lines 10 and 11 of a file, from the code's beginning and from its 32nd byte. */
static inline void put_lines_of(Bytes *self, guint64 start, guint64 shift, const char *file)
{
  put_prefix(self, 2, 16 + 16 + (guint32)strlen(file) + 1 + 16 + 2, 1);
  put_64(self, start);
  put_64(self, 2);
  put_64(self, start + shift + 32);
  put_32(self, 11);
  put_32(self, 0);
  put_text(self, file);
  put_64(self, start + shift);
  put_32(self, 10);
  put_32(self, 0);
  put_text(self, "\xff");
}

static inline void put_lines(Bytes *self, guint64 start, guint64 shift)
{
  put_lines_of(self, start, shift, "a.js");
}

/* Lines 10 and 11, with names as Node 20 writes them: seven bytes that say nothing. */
static inline void put_lines_of_garbage(Bytes *self, guint64 start)
{
  static const guint8 garbage[] = {0xa9, 0x8d, 0, 0, 0x08, 0x16, 0}, padding[2];

  put_prefix(self, 2, 16 + 2 * (16 + 7) + 2, 1);
  put_64(self, start);
  put_64(self, 2);
  for (guint32 i = 0; i < 2; i++) {
    put_64(self, start + 0x40 + 32 * i);
    put_32(self, 10 + i);
    put_32(self, 0);
    g_byte_array_append(self->bytes, garbage, sizeof garbage);
  }
  g_byte_array_append(self->bytes, padding, sizeof padding);
}
