/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/base/printable.h"

#include <string.h>

#define REPLACEMENT 0xfffd

gboolean profile_is_printable(gunichar c)
{
  GUnicodeType type = g_unichar_type(c);

  return g_unichar_isprint(c) && type != G_UNICODE_LINE_SEPARATOR && type != G_UNICODE_PARAGRAPH_SEPARATOR;
}

/* How many bytes at the beginning are ASCII and stand for themselves: nearly always all. */
static gsize count_plain(const char *text)
{
  gsize n = 0;

  while (text[n] >= 0x20 && text[n] < 0x7f)
    n++;
  return n;
}

void profile_printable_append(GString *out, const char *text)
{
  const char *end = text + strlen(text);

  for (;;) {
    gsize plain = count_plain(text);
    g_string_append_len(out, text, (gssize)plain);
    text += plain;
    if (text == end)
      return;
    gunichar c = g_utf8_get_char_validated(text, end - text);
    gboolean valid = c != (gunichar)-1 && c != (gunichar)-2;
    gboolean blank = c == '\n' || c == '\t' || c == '\r';
    g_string_append_unichar(out, blank ? ' ' : valid && profile_is_printable(c) ? c : REPLACEMENT);
    text += valid ? g_utf8_next_char(text) - text : 1;
  }
}

char *profile_printable(const char *text)
{
  GString *out = g_string_new(NULL);

  profile_printable_append(out, text);
  return g_string_free(out, FALSE);
}
