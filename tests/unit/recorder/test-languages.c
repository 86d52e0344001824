/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of languages as BPF programs tell of them: tables of lines, texts, damaged records. */
#include <glib.h>
#include <string.h>

#include "helpers/recorder/languages/functions.h"
#include "helpers/recorder/languages/python-lines.h"
#include "helpers/recorder/languages/text.h"

static GByteArray *read_hex(const char *hex)
{
  GByteArray *bytes = g_byte_array_new();

  for (; g_ascii_isxdigit(hex[0]) && g_ascii_isxdigit(hex[1]); hex += 2) {
    guint8 byte = (guint8)(g_ascii_xdigit_value(hex[0]) << 4 | g_ascii_xdigit_value(hex[1]));
    g_byte_array_append(bytes, &byte, 1);
  }
  return bytes;
}

/* Each line of the data: version, name, first line and table of a code object, and the lines that this
 * version of CPython itself gives its instructions (0: none; before 3.10 PyCode_Addr2Line, else co_lines). */
static void test_lines(void)
{
  g_autofree char *path = g_test_build_filename(G_TEST_DIST, "data", "python-lines.txt", NULL);
  g_autofree char *text = NULL;
  guint compared = 0;

  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  g_auto(GStrv) rows = g_strsplit(g_strstrip(text), "\n", -1);
  for (guint row = 0; rows[row]; row++) {
    g_auto(GStrv) fields = g_strsplit(rows[row], " ", -1);
    g_assert_cmpuint(g_strv_length(fields), ==, 5);
    guint32 version = (guint32)g_ascii_strtoull(fields[0], NULL, 16);
    guint32 first = (guint32)g_ascii_strtoull(fields[2], NULL, 10);
    g_autoptr(GByteArray) table = read_hex(fields[3]);
    g_auto(GStrv) lines = g_strsplit(fields[4], ",", -1);
    for (guint at = 0; lines[at]; at++, compared++) {
      guint32 line = recorder_python_line(version, table->data, table->len, first, at);
      g_assert_cmpuint(line, ==, g_ascii_strtoull(lines[at], NULL, 10));
    }
  }
  g_assert_cmpuint(compared, >, 1000);
}

/* Bytes of any kind are read to their end at most. */
static void test_lines_of_anything(void)
{
  const guint32 versions[] = {0x0308, 0x030a, 0x030b};

  for (guint turn = 0; turn < 20000; turn++) {
    gsize size = (gsize)g_test_rand_int_range(0, 40);
    g_autofree guint8 *table = g_malloc(size + 1);
    for (gsize i = 0; i < size; i++)
      table[i] = (guint8)g_test_rand_int_range(0, 256);
    guint8 *end = g_memdup2(table, size);
    guint32 at = (guint32)g_test_rand_int_range(0, 200);
    guint32 line = recorder_python_line(versions[turn % 3], end, size, (guint32)g_test_rand_int(), at);
    g_assert_cmpuint(line, <=, G_MAXINT32);
    g_free(end);
  }
}

static void check_text(const void *from, gsize size, guint width, gsize room, const char *expected)
{
  char text[64];
  gsize length = recorder_text_convert(text, room, from, size, width);

  g_assert_cmpmem(text, length, expected, strlen(expected));
}

static void test_texts(void)
{
  const guint16 two[] = {'a', 0x20ac, 0xd800, '\n'};
  const guint32 four[] = {0x1f600, 0x110000, 'z'};

  check_text("fn", 2, 0, 64, "fn");
  check_text("Gr\xf6\xdf"
             "e",
             5, 1, 64, "Größe");
  check_text("a\x1b[0m\x7f\x9b", 7, 1, 64, "a\uFFFD[0m\uFFFD\uFFFD");
  check_text(two, sizeof two, 2, 64, "a€\uFFFD\uFFFD");
  check_text(two, sizeof two - 1, 2, 64, "a€\uFFFD");
  check_text(four, sizeof four, 4, 64, "😀\uFFFDz");
  check_text(four, sizeof four, 4, 3, "");
  check_text(two, sizeof two, 2, 3, "a");
}

typedef struct {
  struct recorder_raw raw;
  struct recorder_raw_function function;
  guint8 bytes[RECORDER_RAW_FUNCTION_BYTES];
} Told;

static void test_damaged(void)
{
  const gsize whole = sizeof(Told) - RECORDER_RAW_FUNCTION_LINES;
  struct recorder_functions functions;
  Told *told = g_new0(Told, 1);

  told->raw.kind = RECORDER_RAW_FUNCTION;
  told->function.number = 1;
  recorder_functions_init(&functions);
  g_assert_false(recorder_functions_add(&functions, &told->raw, (guint32)whole - 1));
  g_assert_false(recorder_functions_add(&functions, &told->raw, 0));
  told->function.lines_size = 1;
  g_assert_false(recorder_functions_add(&functions, &told->raw, (guint32)whole));
  told->function.lines_size = 0;
  told->function.name_size = RECORDER_RAW_FUNCTION_NAME + 1;
  g_assert_false(recorder_functions_add(&functions, &told->raw, (guint32)whole));
  told->function.name_size = RECORDER_RAW_FUNCTION_NAME;
  told->function.file_size = RECORDER_RAW_FUNCTION_FILE + 1;
  g_assert_false(recorder_functions_add(&functions, &told->raw, (guint32)whole));
  told->function.file_size = RECORDER_RAW_FUNCTION_FILE;
  memset(told->bytes, 0xff, sizeof told->bytes); /* each character takes two bytes */
  told->function.name_width = told->function.file_width = 1;
  g_assert_true(recorder_functions_add(&functions, &told->raw, (guint32)whole));
  g_assert_cmpuint(functions.told.count, ==, 1);
  g_assert_true(recorder_functions_add(&functions, &told->raw, (guint32)whole)); /* told twice */
  g_assert_cmpuint(functions.refused, ==, 1);
  recorder_functions_clear(&functions);
  g_free(told);
}

/* What names them is bounded, whatever a program makes. */
static void test_bound(void)
{
  struct recorder_functions functions;
  Told *told = g_new0(Told, 1);

  told->function.lines_size = RECORDER_RAW_FUNCTION_LINES;
  recorder_functions_init(&functions);
  for (guint32 i = 1; i <= 20000; i++) {
    told->function.number = i;
    g_assert_true(recorder_functions_add(&functions, &told->raw, sizeof *told));
  }
  g_assert_cmpuint(functions.size, <=, 64 << 20);
  g_assert_cmpuint(functions.refused, >, 1000);
  g_assert_cmpuint(functions.refused + functions.told.count, ==, 20000);
  recorder_functions_clear(&functions);
  g_free(told);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/recorder/languages/lines", test_lines);
  g_test_add_func("/recorder/languages/lines-of-anything", test_lines_of_anything);
  g_test_add_func("/recorder/languages/texts", test_texts);
  g_test_add_func("/recorder/languages/damaged", test_damaged);
  g_test_add_func("/recorder/languages/bound", test_bound);
  return g_test_run();
}
