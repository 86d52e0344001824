/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HotSpot's tables of lines and the names of class files. */
#include <glib.h>
#include <string.h>

#include "helpers/recorder/languages/java-lines.h"
#include "helpers/recorder/languages/java-text.h"

/* UNSIGNED5: up to five bytes, of which all but the last are 192 or more. */
static void write_number(GByteArray *table, guint32 value, guint least)
{
  guint32 low = 192 - least;

  for (guint i = 0;; i++) {
    guint8 byte;
    if (value < low || i == 4) {
      byte = (guint8)(value + least);
      g_byte_array_append(table, &byte, 1);
      return;
    }
    value -= low;
    byte = (guint8)(192 + value % 64);
    value /= 64;
    g_byte_array_append(table, &byte, 1);
  }
}

static void write_signed(GByteArray *table, gint32 value, guint least)
{
  write_number(table, (guint32)value << 1 ^ (guint32)(value >> 31), least);
}

static void write_entry(GByteArray *table, gint32 further, gint32 lines, guint least)
{
  guint8 byte = 0xff;

  if (further >= 0 && further < 32 && lines >= 0 && lines < 8 && further + lines > 0 &&
      (further << 3 | lines) != 0xff) {
    byte = (guint8)(further << 3 | lines);
    g_byte_array_append(table, &byte, 1);
    return;
  }
  g_byte_array_append(table, &byte, 1);
  write_signed(table, further, least);
  write_signed(table, lines, least);
}

static void test_lines(void)
{
  static const struct {
    guint at;
    guint line;
  } entries[] = {{0, 57}, {4, 58}, {9, 64}, {30, 60}, {31, 61}, {300, 20000}, {6000, 3}, {6001, 65535}};

  for (guint version = 11; version <= 25; version++) {
    guint least = version >= 20 ? 1 : 0;
    g_autoptr(GByteArray) table = g_byte_array_new();
    gint32 at = 0, line = 0;
    for (guint i = 0; i < G_N_ELEMENTS(entries); i++) {
      write_entry(table, (gint32)entries[i].at - at, (gint32)entries[i].line - line, least);
      at = (gint32)entries[i].at;
      line = (gint32)entries[i].line;
    }
    const guint8 end[] = {0, 9};
    g_byte_array_append(table, end, sizeof end);
    for (guint i = 0; i < G_N_ELEMENTS(entries); i++) {
      g_assert_cmpuint(recorder_java_line(version, table->data, table->len, entries[i].at), ==,
                       entries[i].line);
      guint last = i + 1 < G_N_ELEMENTS(entries) ? entries[i + 1].at - 1 : 9000;
      g_assert_cmpuint(recorder_java_line(version, table->data, table->len, last), ==, entries[i].line);
    }
  }
  g_assert_cmpuint(recorder_java_line(17, NULL, 0, 0), ==, 0);
}

/* As `javap -l` says it of a method of three lines: 0 to 5, 4 to 6, 11 to 5. */
static void test_lines_of_a_class(void)
{
  const guint8 before[] = {0x05, 0x21, 0xff, 14, 1, 0}, later[] = {0x05, 0x21, 0xff, 15, 2, 0};

  for (guint i = 0; i < 2; i++) {
    const guint8 *table = i == 0 ? before : later;
    g_assert_cmpuint(recorder_java_line(i == 0 ? 17 : 21, table, sizeof before, 3), ==, 5);
    g_assert_cmpuint(recorder_java_line(i == 0 ? 17 : 21, table, sizeof before, 10), ==, 6);
    g_assert_cmpuint(recorder_java_line(i == 0 ? 17 : 21, table, sizeof before, 11), ==, 5);
  }
}

/* Bytes of any kind are read to their end at most. */
static void test_anything(void)
{
  for (guint turn = 0; turn < 20000; turn++) {
    gsize size = (gsize)g_test_rand_int_range(0, 40);
    g_autofree guint8 *bytes = g_malloc(size + 1);
    for (gsize i = 0; i < size; i++)
      bytes[i] = (guint8)g_test_rand_int_range(0, 256);
    g_autofree guint8 *exact = g_memdup2(bytes, size);
    g_assert_cmpuint(
        recorder_java_line(turn % 2 ? 17 : 21, exact, size, (guint32)g_test_rand_int_range(0, 500)), <=,
        G_MAXUINT16);
    char text[100];
    gsize length = recorder_java_text(text, sizeof text, exact, size, turn % 3 == 0);
    g_assert_cmpuint(length, <=, sizeof text);
    g_assert_true(g_utf8_validate_len(text, length, NULL));
    for (gsize i = 0; i < length; i++)
      g_assert_false(g_ascii_iscntrl(text[i]));
  }
}

static void assert_text(const char *from, gboolean is_name, const char *expected)
{
  char text[200];
  gsize length = recorder_java_text(text, sizeof text - 1, from, strlen(from), is_name);

  text[length] = '\0';
  g_assert_cmpstr(text, ==, expected);
}

static void test_text(void)
{
  assert_text("java/util/HashMap.get", TRUE, "java.util.HashMap.get");
  assert_text("Known$$Lambda+0x00007f98.run", TRUE, "Known$$Lambda/0x00007f98.run");
  assert_text("a/b+c.java", FALSE, "a/b+c.java");
  assert_text("\xf0\x9f\x92\x8e.\xf0\x9f\x94\xa5", FALSE, "\xf0\x9f\x92\x8e.\xf0\x9f\x94\xa5");
  assert_text("\xed\xa0\xbd\xed\xb2\x8e.\xed\xa0\xbd", FALSE, "\xf0\x9f\x92\x8e.\xef\xbf\xbd");
  assert_text("\xf4\x90\x80\x80", FALSE, "\xef\xbf\xbd");
  assert_text("Gr\xc3\xb6\xc3\x9f"
              "e.\xe2\x82\xac",
              TRUE, "Größe.€");
  assert_text("a\xc0\x80\x1b\xffz", TRUE, "a���z");
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/recorder/java/lines", test_lines);
  g_test_add_func("/recorder/java/lines-of-a-class", test_lines_of_a_class);
  g_test_add_func("/recorder/java/anything", test_anything);
  g_test_add_func("/recorder/java/text", test_text);
  return g_test_run();
}
