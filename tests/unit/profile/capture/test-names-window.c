/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "profile/capture/names-window.h"

static gboolean collect(const guint8 *content, gsize length, gpointer data)
{
  g_ptr_array_add(data, g_bytes_new(content, length));
  g_assert_cmpuint(length, <=, 1 << 20);
  return TRUE;
}

typedef struct {
  guint n;
  ProfileBinary binaries[8];
  ProfileFunctionTable *tables[8];
} Found;

static void keep(const ProfileBinary *binary, ProfileFunctionTable *table, ProfilePlaces *places,
                 ProfileMachineCode *code, gpointer data)
{
  Found *found = data;

  g_assert_null(places);

  if (found->n == G_N_ELEMENTS(found->tables))
    return;
  found->binaries[found->n] = *binary;
  found->binaries[found->n].path = g_strdup(binary->path);
  found->tables[found->n++] = profile_function_table_ref(table);
}

static void found_clear(Found *found)
{
  for (guint i = 0; i < found->n; i++) {
    g_free((char *)found->binaries[i].path);
    profile_function_table_unref(found->tables[i]);
  }
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Found, found_clear)

static ProfileFunctionTable *make_table(enum capture_naming status, guint n, const char *prefix)
{
  ProfileFunctionTable *table = profile_function_table_new(status);

  for (guint i = 0; i < n; i++) {
    g_autofree char *name = g_strdup_printf("%s::function%u(int)", prefix, i);
    g_autofree char *linkage_name = g_strdup_printf("_ZN%s%u", prefix, i);
    ProfileFunctionRange range = {.start = 0x1000 + 64 * (guint64)i,
                                  .end = 0x1020 + 64 * (guint64)i,
                                  .name = name,
                                  .linkage_name = i % 2 ? linkage_name : name,
                                  .file = i % 3 ? "/source/file.c" : NULL,
                                  .module = i % 5 ? NULL : "module",
                                  .line = i % 3 ? i : 0};
    profile_function_table_add(table, &range);
  }
  profile_function_table_seal(table);
  return table;
}

static void assert_equal_tables(const ProfileFunctionTable *a, const ProfileFunctionTable *b)
{
  gsize n, other;
  const ProfileFunctionRange *x = profile_function_table_get_ranges(a, &n);
  const ProfileFunctionRange *y = profile_function_table_get_ranges(b, &other);

  g_assert_cmpint(profile_function_table_get_status(a), ==, profile_function_table_get_status(b));
  g_assert_cmpuint(n, ==, other);
  for (gsize i = 0; i < n; i++) {
    g_assert_cmphex(x[i].start, ==, y[i].start);
    g_assert_cmphex(x[i].end, ==, y[i].end);
    g_assert_cmpstr(x[i].name, ==, y[i].name);
    g_assert_cmpstr(x[i].linkage_name, ==, y[i].linkage_name);
    g_assert_cmpstr(x[i].file, ==, y[i].file);
    g_assert_cmpstr(x[i].module, ==, y[i].module);
    g_assert_cmpuint(x[i].line, ==, y[i].line);
  }
}

static void decode(GPtrArray *contents, Found *found)
{
  ProfileNamesDecoder *decoder = profile_names_decoder_new(FALSE);

  for (guint i = 0; i < contents->len; i++) {
    gsize length;
    const guint8 *content = g_bytes_get_data(contents->pdata[i], &length);

    g_assert_true(profile_names_decoder_add(decoder, content, length));
  }
  profile_names_decoder_finish(decoder, keep, found);
}

static const ProfileBinary program = {.path = "/usr/bin/program",
                                      .device = 0x800000002,
                                      .inode = 77,
                                      .flags = CAPTURE_BINARY_DELETED,
                                      .build_id = "19 bytes and a zero",
                                      .build_id_size = 20};

static GPtrArray *encode(const ProfileFunctionTable *table, const ProfileFunctionTable *kernel)
{
  GPtrArray *contents = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
  ProfileNamesEncoder *encoder = profile_names_encoder_new(collect, contents);

  profile_names_encoder_add(encoder, &program, table, NULL, NULL);
  profile_names_encoder_add(encoder, NULL, kernel, NULL, NULL);
  g_assert_true(profile_names_encoder_finish(encoder));
  return contents;
}

static void test_round_trip(gconstpointer size)
{
  g_autoptr(ProfileFunctionTable) table = make_table(CAPTURE_NAMING_DYNAMIC, GPOINTER_TO_UINT(size), "user");
  g_autoptr(ProfileFunctionTable) kernel = make_table(CAPTURE_NAMING_HIDDEN, 3, "kernel");
  g_autoptr(GPtrArray) contents = encode(table, kernel);
  g_auto(Found) found = {0};

  decode(contents, &found);
  g_assert_cmpuint(found.n, ==, 2);
  g_assert_cmpstr(found.binaries[0].path, ==, program.path);
  g_assert_cmphex(found.binaries[0].device, ==, program.device);
  g_assert_cmpuint(found.binaries[0].flags, ==, CAPTURE_BINARY_DELETED);
  g_assert_true(profile_names_binary_matches(&found.binaries[0], &program));
  g_assert_cmpuint(found.binaries[1].flags, ==, CAPTURE_BINARY_KERNEL);
  assert_equal_tables(found.tables[0], table);
  assert_equal_tables(found.tables[1], kernel);
}

static void test_matches(void)
{
  ProfileBinary other = program;

  g_assert_true(profile_names_binary_matches(&other, &program));
  other.path = "/moved";
  g_assert_true(profile_names_binary_matches(&other, &program));
  other.build_id[0] ^= 1;
  g_assert_false(profile_names_binary_matches(&other, &program));
  other.build_id_size = 0;
  g_assert_false(profile_names_binary_matches(&other, &program));
  other.path = program.path;
  g_assert_true(profile_names_binary_matches(&other, &program));
  other.inode++;
  g_assert_false(profile_names_binary_matches(&other, &program));
  other.flags |= CAPTURE_BINARY_KERNEL;
  g_assert_false(profile_names_binary_matches(&other, &program));
  g_assert_true(profile_names_binary_matches(&other, &other));
}

static gboolean refuse(const guint8 *content, gsize length, gpointer data)
{
  ++*(guint *)data;
  return FALSE;
}

static void test_write_fails(void)
{
  g_autoptr(ProfileFunctionTable) table = make_table(CAPTURE_NAMING_SYMBOLS, 100000, "user");
  guint calls = 0;
  ProfileNamesEncoder *encoder = profile_names_encoder_new(refuse, &calls);

  profile_names_encoder_add(encoder, &program, table, NULL, NULL);
  g_assert_false(profile_names_encoder_finish(encoder));
  g_assert_cmpuint(calls, ==, 1);
}

/* Strings may come after what names them. */
static void test_any_order(void)
{
  g_autoptr(ProfileFunctionTable) table = make_table(CAPTURE_NAMING_SYMBOLS, 50000, "user");
  g_autoptr(ProfileFunctionTable) kernel = make_table(CAPTURE_NAMING_SYMBOLS, 3, "kernel");
  g_autoptr(GPtrArray) contents = encode(table, kernel);
  g_auto(Found) found = {0};

  g_assert_cmpuint(contents->len, >, 2);
  for (guint i = 0; i < contents->len / 2; i++) {
    gpointer kept = contents->pdata[i];
    contents->pdata[i] = contents->pdata[contents->len - 1 - i];
    contents->pdata[contents->len - 1 - i] = kept;
  }
  decode(contents, &found);
  g_assert_cmpuint(found.n, ==, 2);
  for (guint i = 0; i < 2; i++)
    assert_equal_tables(found.tables[i], found.binaries[i].flags & CAPTURE_BINARY_KERNEL ? kernel : table);
}

static void test_damage(void)
{
  g_autoptr(ProfileFunctionTable) table = make_table(CAPTURE_NAMING_SYMBOLS, 9, "user");
  g_autoptr(ProfileFunctionTable) kernel = make_table(CAPTURE_NAMING_SYMBOLS, 2, "kernel");
  g_autoptr(GPtrArray) contents = encode(table, kernel);
  gsize length;
  const guint8 *content = g_bytes_get_data(contents->pdata[0], &length);
  g_autofree guint8 *copy = g_memdup2(content, length);

  for (gsize i = 0; i < 2 * length; i++) {
    g_auto(Found) found = {0};
    ProfileNamesDecoder *decoder = profile_names_decoder_new(FALSE);
    gboolean flip = i < length;

    copy[i % length] ^= flip ? 0xff : 0;
    profile_names_decoder_add(decoder, copy, flip ? length : i - length);
    profile_names_decoder_finish(decoder, keep, &found);
    copy[i % length] ^= flip ? 0xff : 0;
    g_assert_cmpuint(found.n, <=, 2);
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/names-window/round-trip/empty", GUINT_TO_POINTER(0), test_round_trip);
  g_test_add_data_func("/names-window/round-trip/few", GUINT_TO_POINTER(10), test_round_trip);
  g_test_add_data_func("/names-window/round-trip/many", GUINT_TO_POINTER(100000), test_round_trip);
  g_test_add_func("/names-window/matches", test_matches);
  g_test_add_func("/names-window/write-fails", test_write_fails);
  g_test_add_func("/names-window/any-order", test_any_order);
  g_test_add_func("/names-window/damage", test_damage);
  return g_test_run();
}
