/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/import/perf-map.h"

/* A number and what separates it from the next field; false where there is none, or where it is too long. */
static gboolean take_number(const char **at, const char *end, guint64 *ret)
{
  const char *c = *at;
  guint64 value = 0;
  gsize digits = 0;

  if (end - c > 2 && c[0] == '0' && (c[1] | 0x20) == 'x')
    c += 2;
  for (; c < end && g_ascii_isxdigit(*c); c++, digits++) {
    if (value >> 60)
      return FALSE;
    value = value << 4 | (guint64)g_ascii_xdigit_value(*c);
  }
  if (digits == 0 || c == end || (*c != ' ' && *c != '\t'))
    return FALSE;
  while (c < end && (*c == ' ' || *c == '\t'))
    c++;
  *at = c;
  *ret = value;
  return TRUE;
}

static gboolean read_line(const char *at, const char *end, ProfilePerfMapLine *ret)
{
  guint64 behind;

  if (end > at && end[-1] == '\r')
    end--;
  if (!take_number(&at, end, &ret->start) || !take_number(&at, end, &ret->length) || at == end)
    return FALSE;
  ret->name = at;
  ret->name_length = strnlen(at, (gsize)(end - at));
  return ret->length > 0 && ret->name_length > 0 && !__builtin_add_overflow(ret->start, ret->length, &behind);
}

gboolean profile_perf_map_next(ProfileBytes *bytes, ProfilePerfMapLine *ret)
{
  while (bytes->at < bytes->end) {
    const char *line = (const char *)bytes->at;
    const char *end = memchr(line, '\n', (gsize)(bytes->end - bytes->at));

    bytes->at = end ? (const guint8 *)end + 1 : bytes->end;
    if (read_line(line, end ? end : (const char *)bytes->end, ret))
      return TRUE;
  }
  return FALSE;
}
