/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of languages as BPF programs tell of them: tables of lines, texts, damaged records. */
#include <glib.h>
#include <string.h>

#include "helpers/recorder/languages/functions.h"
#include "helpers/recorder/languages/python-lines.h"
#include "helpers/recorder/languages/text.h"
#include "helpers/recorder/languages/v8-places.h"
#include "unwind/walk/walk-types.h"

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
  g_assert_cmpuint(functions.told.count, ==, 1);
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
  g_assert_cmpuint(functions.told.count, >, 1000);
  g_assert_cmpuint(functions.told.count, <, 19000);
  recorder_functions_clear(&functions);
  g_free(told);
}

/* As V8 has it: the position plus one, and of which inlined call. */
static guint64 place_at(guint64 position, guint64 inlined)
{
  return (position + 1) << 1 | inlined << 31;
}

static void put_number(GByteArray *table, guint64 value)
{
  do {
    guint8 byte = (guint8)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
    g_byte_array_append(table, &byte, 1);
    value >>= 7;
  } while (value != 0);
}

static void put_signed(GByteArray *table, gint64 value)
{
  put_number(table, (guint64)value << 1 ^ (guint64)(value >> 63));
}

/* Offsets ascend from -1 on; every other one is of an expression. */
static GByteArray *make_places(const gint64 *offsets, const guint64 *places, guint n)
{
  GByteArray *table = g_byte_array_new();

  for (guint i = 0; i < n; i++) {
    gint64 further = offsets[i] - (i == 0 ? -1 : offsets[i - 1]);
    put_signed(table, i % 2 == 0 ? further : ~further);
    put_signed(table, (gint64)(places[i] - (i == 0 ? 0 : places[i - 1])));
  }
  return table;
}

static void test_v8_places(void)
{
  const gint64 offsets[] = {0, 3, 3, 90, 5000};
  const guint64 places[] = {place_at(70, 0), place_at(20, 2), place_at(99, 1), place_at(100000, 0),
                            place_at(1, 0xfffe)};
  g_autoptr(GByteArray) table = make_places(offsets, places, G_N_ELEMENTS(offsets));

  g_assert_cmpuint(recorder_v8_place(table->data, table->len, 0), ==, places[0]);
  g_assert_cmpuint(recorder_v8_place(table->data, table->len, 2), ==, places[0]);
  g_assert_cmpuint(recorder_v8_place(table->data, table->len, 3), ==, places[2]);
  g_assert_cmpuint(recorder_v8_place(table->data, table->len, 4999), ==, places[3]);
  g_assert_cmpuint(recorder_v8_place(table->data, table->len, G_MAXUINT32), ==, places[4]);
  g_assert_cmpuint(recorder_v8_place(table->data, 0, 3), ==, 0);
  g_assert_cmpuint(recorder_v8_place(table->data, 1, 3), ==, 0);
  g_assert_cmpuint(recorder_v8_position(places[2]), ==, 99);
  g_assert_cmpuint(recorder_v8_inlined(places[2]), ==, 1);
  g_assert_cmpuint(recorder_v8_inlined(places[4]), ==, 0xfffe);
  g_assert_cmpuint(recorder_v8_position(0), ==, G_MAXUINT32);
  g_assert_cmpuint(recorder_v8_position(1 | 8), ==, G_MAXUINT32);
}

static void test_v8_lines(void)
{
  const guint32 lengths[] = {10, 1, 200, G_MAXUINT32};

  g_assert_cmpuint(recorder_v8_line(50, 7, lengths, 4, 50), ==, 7);
  g_assert_cmpuint(recorder_v8_line(50, 7, lengths, 4, 59), ==, 7);
  g_assert_cmpuint(recorder_v8_line(50, 7, lengths, 4, 60), ==, 8);
  g_assert_cmpuint(recorder_v8_line(50, 7, lengths, 4, 61), ==, 9);
  g_assert_cmpuint(recorder_v8_line(50, 7, lengths, 4, 261), ==, 10);
  g_assert_cmpuint(recorder_v8_line(50, 7, lengths, 3, 261), ==, 0); /* there was no room for the last one */
  g_assert_cmpuint(recorder_v8_line(50, 7, lengths, 4, 49), ==, 0);
  g_assert_cmpuint(recorder_v8_line(50, 7, lengths, 4, G_MAXUINT32), ==, 0);
  g_assert_cmpuint(recorder_v8_line(50, 0, lengths, 4, 50), ==, 0);
}

/* Four bytecodes: of 1, of 3, wide of 1 + 5, and of 1 byte; their code begins after 12 bytes. */
static void test_v8_baseline(void)
{
  guint8 lengths[3 * 8] = {[5] = 1, [6] = 3, [8 + 6] = 5, [16 + 6] = 9};
  const guint8 bytecode[] = {5, 6, 0, 0, 0, 6, 0, 0, 0, 0, 5};
  const guint8 table[] = {12, 4, 0x80, 1, 6, 2};

  const struct {
    guint64 at, expected;
  } cases[] = {{11, G_MAXUINT64}, {12, 0},  {15, 0},   {16, 1},   {143, 1},
               {144, 4},          {149, 4}, {150, 10}, {151, 10}, {152, G_MAXUINT64}};
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
    g_assert_cmpuint(
        recorder_v8_bytecode(table, sizeof table, bytecode, sizeof bytecode, lengths, 8, cases[i].at), ==,
        cases[i].expected);
  g_assert_cmpuint(recorder_v8_bytecode(table, sizeof table, bytecode, 3, lengths, 8, 150), ==, G_MAXUINT64);
  g_assert_cmpuint(recorder_v8_bytecode(table, sizeof table, bytecode, sizeof bytecode, lengths, 2, 16), ==,
                   G_MAXUINT64);
}

static void tell_v8(struct recorder_functions *functions, Told *told, guint32 number,
                    enum recorder_raw_form form, gsize size)
{
  told->function.kind = UNWIND_RUNTIME_V8;
  told->function.number = number;
  told->function.form = (guint8)form;
  told->function.lines_size = (guint16)size;
  g_assert_true(recorder_functions_add(functions, &told->raw, sizeof *told));
}

/* Code of function 1 in which 2 is inlined, twice in each other: it stands for all three. */
static void test_v8_expanded(void)
{
  struct recorder_functions functions;
  Told *told = g_new0(Told, 1);
  guint8 *lines = told->bytes + RECORDER_RAW_FUNCTION_NAME + RECORDER_RAW_FUNCTION_FILE;
  const struct recorder_raw_v8_code code = {.n_functions = 2,
                                            .n_inlined = 2,
                                            .functions = {2, 1},
                                            .inlined = {{place_at(113, 0), 0, 0}, {place_at(203, 1), 0, 0}}};
  const gint64 offsets[] = {0, 40};
  const guint64 places[] = {place_at(101, 0), place_at(215, 2)};
  g_autoptr(GByteArray) table = make_places(offsets, places, 2);
  const guint64 stack[] = {0x1000, WALK_WORD(3, 41 + 1), WALK_WORD(3, 5 + 1),
                           WALK_WORD(1, WALK_WORD_AT_NONE)};
  guint64 words[16];

  recorder_functions_init(&functions);
  /* Another processor may be telling it. */
  g_assert_cmpuint(recorder_functions_expand(&functions, stack, 4, words, 16), ==, 4);
  g_assert_false(recorder_functions_know(&functions, stack[1]));
  g_assert_true(recorder_functions_know(&functions, WALK_WORD(0, 1)));
  for (guint32 number = 1; number <= 2; number++) {
    told->function.line = 10 * number;
    const struct recorder_raw_v8 function = {
        .start = 100 * number, .n_lengths = 2, .lengths = {12, G_MAXUINT32}};
    memcpy(lines, &function, sizeof function);
    tell_v8(&functions, told, number, RECORDER_RAW_V8, sizeof function);
  }
  memcpy(lines, &code, sizeof code);
  memcpy(lines + sizeof code, table->data, table->len);
  tell_v8(&functions, told, 3, RECORDER_RAW_V8_CODE, sizeof code + table->len);

  guint n = recorder_functions_expand(&functions, stack, 4, words, 16);
  g_assert_cmpuint(n, ==, 6);
  g_assert_cmphex(words[0], ==, 0x1000);
  g_assert_cmphex(words[1], ==, WALK_WORD(2, 21) | WALK_WORD_LINE);
  g_assert_cmphex(words[2], ==, WALK_WORD(2, 20) | WALK_WORD_LINE);
  g_assert_cmphex(words[3], ==, WALK_WORD(1, 11) | WALK_WORD_LINE);
  g_assert_cmphex(words[4], ==, WALK_WORD(1, 10) | WALK_WORD_LINE);
  g_assert_cmphex(words[5], ==, WALK_WORD(1, WALK_WORD_AT_NONE));
  g_assert_cmpuint(recorder_functions_expand(&functions, stack, 4, words, 4), ==, 4);
  g_assert_cmphex(words[1], ==, WALK_WORD(1, 11) | WALK_WORD_LINE);
  recorder_functions_clear(&functions);
  g_free(told);
}

/* Records whose bytes are anything, and words that name anything. */
static void test_v8_anything(void)
{
  struct recorder_functions functions;
  Told *told = g_new0(Told, 1);
  guint64 words[64];

  recorder_functions_init(&functions);
  for (guint32 turn = 1; turn <= 3000; turn++) {
    for (gsize i = 0; i < sizeof told->bytes; i += 4) {
      guint32 word = g_test_rand_bit() ? (guint32)g_test_rand_int() : (guint32)g_test_rand_int_range(0, 64);
      memcpy(told->bytes + i, &word, sizeof word);
    }
    told->function.line = (guint32)g_test_rand_int();
    tell_v8(&functions, told, turn, (enum recorder_raw_form)(turn % 5),
            (gsize)g_test_rand_int_range(0, RECORDER_RAW_FUNCTION_LINES + 1));
    for (guint i = 0; i < 20; i++) {
      guint64 word = WALK_WORD(g_test_rand_int_range(0, (gint32)turn + 2), g_test_rand_int_range(0, 1 << 12));
      guint n = recorder_functions_expand(&functions, &word, 1, words, G_N_ELEMENTS(words));
      g_assert_cmpuint(n, >=, 1);
      g_assert_cmpuint(n, <=, 16);
    }
  }
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
  g_test_add_func("/recorder/languages/v8-places", test_v8_places);
  g_test_add_func("/recorder/languages/v8-lines", test_v8_lines);
  g_test_add_func("/recorder/languages/v8-baseline", test_v8_baseline);
  g_test_add_func("/recorder/languages/v8-expanded", test_v8_expanded);
  g_test_add_func("/recorder/languages/v8-anything", test_v8_anything);
  return g_test_run();
}
