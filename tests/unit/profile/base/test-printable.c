/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "profile/base/printable.h"

static void assert_shown(const char *text, const char *expected)
{
  g_autofree char *shown = profile_printable(text);
  g_assert_cmpstr(shown, ==, expected);
}

static void test_texts(void)
{
  assert_shown("", "");
  assert_shown("std::map<int, char>::operator[]", "std::map<int, char>::operator[]");
  assert_shown("größe λ 漢字 שלום 🦀", "größe λ 漢字 שלום 🦀");
  assert_shown("a\tb\nc\rd", "a b c d");
  assert_shown("\x1b[31mred\x7f", "\xef\xbf\xbd[31mred\xef\xbf\xbd");
  assert_shown("\xc2\x9b"
               "31m",
               "\xef\xbf\xbd"
               "31m");
  assert_shown("\xff\xfe cut \xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd cut \xef\xbf\xbd\xef\xbf\xbd");
  assert_shown("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); /* half a surrogate pair */
}

/* Whatever Unicode calls a control, a format, a separator of lines, or nothing at all. */
static void test_every_character(void)
{
  guint n = 0;

  for (gunichar c = 1; c <= 0x10ffff; c++) {
    char text[8] = "";
    GUnicodeType type = g_unichar_type(c);
    if (!g_unichar_validate(c))
      continue;
    gboolean bad = type == G_UNICODE_CONTROL || type == G_UNICODE_FORMAT || type == G_UNICODE_UNASSIGNED ||
                   type == G_UNICODE_LINE_SEPARATOR || type == G_UNICODE_PARAGRAPH_SEPARATOR;
    text[g_unichar_to_utf8(c, text)] = '\0';
    g_autofree char *shown = profile_printable(text);
    n += bad;
    if (bad)
      g_assert_true(g_str_equal(shown, " ") || g_str_equal(shown, "\xef\xbf\xbd"));
    else
      g_assert_cmpstr(shown, ==, text);
  }
  g_assert_cmpuint(n, >, 200);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/printable/texts", test_texts);
  g_test_add_func("/printable/every-character", test_every_character);
  return g_test_run();
}
