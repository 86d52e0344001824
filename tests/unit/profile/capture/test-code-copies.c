/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "profile/capture/names-window.h"

static void add(ProfileMachineCode *code, guint64 start, char byte, gsize length)
{
  g_autofree char *text = g_malloc(length + 1);
  g_autoptr(GBytes) bytes = NULL;

  memset(text, byte, length + 1);
  bytes = g_bytes_new(text, length);
  profile_machine_code_add(code, start, start + 0x1000, 62, bytes);
}

static void assert_copy(const ProfileMachineCode *code, guint64 offset, guint64 start, guint64 end, char byte)
{
  const ProfileCodeCopy *copy = profile_machine_code_lookup(code, offset);

  g_assert_nonnull(copy);
  g_assert_cmphex(copy->start, ==, start);
  g_assert_cmphex(copy->end, ==, end);
  g_assert_cmphex(copy->address, ==, start + 0x1000);
  g_assert_cmpuint(copy->machine, ==, 62);
  g_assert_cmpuint(g_bytes_get_size(copy->bytes), >=, end - start);
  g_assert_cmpint(*(const char *)g_bytes_get_data(copy->bytes, NULL), ==, byte);
}

static void test_overlap(void)
{
  g_autoptr(ProfileMachineCode) code = profile_machine_code_new();
  gsize n;

  add(code, 300, 'd', 50);
  add(code, 100, 'a', 100);
  add(code, 100, 'b', 20);
  add(code, 100, 'c', 100); /* the last one that begins there counts */
  add(code, 150, 'e', 10);
  add(code, 400, 'f', 0);
  add(code, G_MAXUINT64 - 3, 'g', 10);
  profile_machine_code_seal(code);
  profile_machine_code_get(code, &n);
  g_assert_cmpuint(n, ==, 3);
  assert_copy(code, 100, 100, 150, 'c');
  assert_copy(code, 149, 100, 150, 'c');
  assert_copy(code, 150, 150, 160, 'e');
  g_assert_null(profile_machine_code_lookup(code, 160));
  g_assert_null(profile_machine_code_lookup(code, 99));
  assert_copy(code, 349, 300, 350, 'd');
  g_assert_null(profile_machine_code_lookup(code, G_MAXUINT64));
}

static void test_join(void)
{
  g_autoptr(ProfileMachineCode) old = profile_machine_code_new(), code = profile_machine_code_new(),
                                both = NULL;

  add(old, 0, 'a', 10);
  add(old, 20, 'b', 10);
  add(code, 20, 'c', 5);
  add(code, 40, 'd', 5);
  profile_machine_code_seal(old);
  profile_machine_code_seal(code);
  both = profile_machine_code_join(old, code);
  assert_copy(both, 9, 0, 10, 'a');
  assert_copy(both, 20, 20, 25, 'c');
  assert_copy(both, 44, 40, 45, 'd');
  g_assert_null(profile_machine_code_lookup(both, 26));
}

static gboolean collect(const guint8 *content, gsize length, gpointer data)
{
  g_assert_cmpuint(length, <=, 1 << 20);
  g_ptr_array_add(data, g_bytes_new(content, length));
  return TRUE;
}

static void keep(const ProfileBinary *binary, ProfileFunctionTable *table, ProfilePlaces *places,
                 ProfileMachineCode *code, gpointer data)
{
  ProfileMachineCode **found = data;

  g_assert_null(places);
  if (code)
    found[binary->flags & CAPTURE_BINARY_KERNEL ? 1 : 0] = profile_machine_code_ref(code);
}

/* Code of the kernel, then of two binaries, of which the second has none. */
static GPtrArray *encode(const ProfileMachineCode *kernel, const ProfileMachineCode *code)
{
  GPtrArray *contents = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
  g_autoptr(ProfileFunctionTable) table = profile_function_table_new(CAPTURE_NAMING_SYMBOLS);
  ProfileNamesEncoder *encoder = profile_names_encoder_new(collect, contents);

  profile_function_table_seal(table);
  profile_names_encoder_add(encoder, NULL, table, NULL, kernel);
  profile_names_encoder_add(encoder, &(ProfileBinary){.path = "/bin/a", .inode = 1}, table, NULL, code);
  profile_names_encoder_add(encoder, &(ProfileBinary){.path = "/bin/b", .inode = 2}, table, NULL, NULL);
  g_assert_true(profile_names_encoder_finish(encoder));
  return contents;
}

static void decode(GPtrArray *contents, ProfileMachineCode **found)
{
  ProfileNamesDecoder *decoder = profile_names_decoder_new(FALSE);

  for (guint i = contents->len; i-- > 0;) { /* in any order */
    gsize length;
    const guint8 *content = g_bytes_get_data(contents->pdata[i], &length);
    g_assert_true(profile_names_decoder_add(decoder, content, length));
  }
  profile_names_decoder_finish(decoder, keep, found);
}

static void test_names_window(void)
{
  g_autoptr(ProfileMachineCode) kernel = profile_machine_code_new(), code = profile_machine_code_new();
  g_autoptr(GPtrArray) contents = NULL;
  ProfileMachineCode *found[2] = {0};

  add(kernel, 0xffffffff81000000, 'k', 3);
  for (guint64 i = 0; i < 8; i++)
    add(code, i << 20, (char)('a' + i), i == 7 ? 300 << 10 : 200 << 10);
  profile_machine_code_seal(kernel);
  profile_machine_code_seal(code);
  contents = encode(kernel, code);
  g_assert_cmpuint(contents->len, ==, 2);
  decode(contents, found);
  assert_copy(found[1], 0xffffffff81000002, 0xffffffff81000000, 0xffffffff81000003, 'k');
  for (guint64 i = 0; i < 8; i++)
    assert_copy(found[0], i << 20, i << 20, (i << 20) + (i == 7 ? PROFILE_MACHINE_CODE_MAX : 200 << 10),
                (char)('a' + i));
  profile_machine_code_unref(found[0]);
  profile_machine_code_unref(found[1]);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/code-copies/overlap", test_overlap);
  g_test_add_func("/code-copies/join", test_join);
  g_test_add_func("/code-copies/names-window", test_names_window);
  return g_test_run();
}
