/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Naming a binary of which something is known already: what is read again, and that nothing is told
 * otherwise. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "profile/naming/binary-file.h"
#include "profile/naming/namer.h"
#include "tests/unit/profile/symbol-files.h"

/* ./program, and every offset of it that is mapped. */
typedef struct {
  char *directory;
  char *path;
  ProfileBinary binary;
  GArray *offsets; /* guint64 */
} Case;

static void read_program(Case *c)
{
  int fd = open("program", O_RDONLY | O_CLOEXEC);
  g_autoptr(ProfileElf) elf = profile_elf_new_for_fd(fd, NULL);
  const guint8 *build_id = profile_elf_get_build_id(elf, &c->binary.build_id_size);

  g_assert_cmpuint(c->binary.build_id_size, ==, 20);
  memcpy(c->binary.build_id, build_id, 20);
  for (guint64 address, offset = 0; offset < 0x5000; offset++)
    if (profile_elf_offset_to_address(elf, offset, &address))
      g_array_append_val(c->offsets, offset);
  close(fd);
}

static Case case_new(const char *flags)
{
  Case c = {.directory = symbol_files_enter(), .offsets = g_array_new(FALSE, FALSE, sizeof(guint64))};

  symbol_files_write("program.c", symbol_files_program);
  symbol_files_run("gcc %s -Wl,--build-id=sha1 program.c -o program", flags);
  c.path = g_build_filename(c.directory, "program", NULL);
  c.binary.path = c.path;
  read_program(&c);
  return c;
}

static void case_clear(Case *c)
{
  g_array_unref(c->offsets);
  g_free(c->path);
  symbol_files_leave(c->directory);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Case, case_clear)

/* lines: with places, which an elf-reader finds. */
static ProfileFunctionTable *name(const Case *c, gboolean lines, const ProfileStoredNames *known,
                                  ProfileStoredNames **ret_learnt)
{
  g_autoptr(ProfileElfReaders) readers = profile_elf_readers_new();
  g_autoptr(ProfilePlaces) places = NULL;
  ProfileNamer namer = {.readers = readers};

  g_assert_nonnull(readers);
  return profile_namer_name_binary(&namer, &c->binary, (const guint64 *)(gpointer)c->offsets->data,
                                   c->offsets->len, known, ret_learnt, lines ? &places : NULL);
}

static ProfileStoredNames *learn(const Case *c, gboolean lines)
{
  ProfileStoredNames *learnt;
  g_autoptr(ProfileFunctionTable) table = name(c, lines, NULL, &learnt);

  g_assert_nonnull(learnt);
  return learnt;
}

static void assert_tables_equal(const ProfileFunctionTable *a, const ProfileFunctionTable *b)
{
  gsize n, n_b;
  const ProfileFunctionRange *x = profile_function_table_get_ranges(a, &n);
  const ProfileFunctionRange *y = profile_function_table_get_ranges(b, &n_b);

  g_assert_cmpint(profile_function_table_get_status(a), ==, profile_function_table_get_status(b));
  g_assert_cmpuint(n, ==, n_b);
  for (gsize i = 0; i < n; i++) {
    g_assert_cmpuint(x[i].start, ==, y[i].start);
    g_assert_cmpuint(x[i].end, ==, y[i].end);
    g_assert_cmpstr(x[i].name, ==, y[i].name);
    g_assert_cmpstr(x[i].linkage_name, ==, y[i].linkage_name);
    g_assert_cmpint(x[i].linkage_name == x[i].name, ==, y[i].linkage_name == y[i].name);
    g_assert_cmpstr(x[i].file, ==, y[i].file);
    g_assert_cmpuint(x[i].line, ==, y[i].line);
  }
}

/* Whatever is known, the answer is what it would be without. learns: whether anything is found out besides.
 */
static void assert_same_as_unknown(const Case *c, gboolean lines, const ProfileStoredNames *known,
                                   gboolean learns)
{
  g_autoptr(ProfileStoredNames) learnt = NULL;
  g_autoptr(ProfileFunctionTable) table = name(c, lines, known, &learnt);
  g_autoptr(ProfileFunctionTable) wanted = name(c, lines, NULL, NULL);

  assert_tables_equal(table, wanted);
  g_assert_cmpint(learnt != NULL, ==, learns);
}

static guint count_functions(const ProfileStoredNames *names)
{
  gsize n;
  const ProfileFunctionRange *ranges = profile_stored_names_get_ranges(names, &n);
  guint functions = 0;

  for (gsize i = 0; i < n; i++)
    functions += ranges[i].name != NULL;
  return functions;
}

static guint count_lines(const ProfileFunctionTable *table)
{
  gsize n;
  const ProfileFunctionRange *ranges = profile_function_table_get_ranges(table, &n);
  guint lines = 0;

  for (gsize i = 0; i < n; i++)
    lines += ranges[i].line > 0 && g_str_has_suffix(ranges[i].file, "/program.c");
  return lines;
}

static void test_same(void)
{
  g_auto(Case) c = case_new("-g");
  g_autoptr(ProfileStoredNames) known = learn(&c, TRUE);
  g_autoptr(ProfileFunctionTable) table = name(&c, TRUE, known, NULL);

  g_assert_cmpuint(count_functions(known), >, 5);
  g_assert_cmpuint(count_lines(table), >=, 3);
  assert_same_as_unknown(&c, TRUE, known, FALSE);
  assert_same_as_unknown(&c, FALSE, known, FALSE);
}

static int count_opening(const ProfileBinary *binary, gpointer data)
{
  ++*(guint *)data;
  return -1;
}

/* Other symbols in a file with the same size, time and inode: whoever looked into it would see them. */
static void rename_symbols(void)
{
  g_autofree char *bytes = NULL;
  gsize length;
  char *found;
  int fd;

  symbol_files_run("touch -r program time");
  g_assert_true(g_file_get_contents("program", &bytes, &length, NULL));
  while ((found = memmem(bytes, length, "\0inner", 7)))
    found[1] = 'X';
  fd = open("program", O_WRONLY | O_CLOEXEC);
  g_assert_cmpint(pwrite(fd, bytes, length, 0), ==, length);
  close(fd);
  symbol_files_run("touch -r time program");
}

static void test_not_read(void)
{
  g_auto(Case) c = case_new("");
  g_autoptr(ProfileStoredNames) known = learn(&c, FALSE);
  g_autoptr(ProfileFunctionTable) before = name(&c, FALSE, NULL, NULL);
  g_autoptr(ProfileFunctionTable) after = NULL;
  g_autoptr(ProfileFunctionTable) unknown = NULL;
  guint opened = 0;
  ProfileNamer namer = {.open = count_opening, .open_data = &opened};
  guint64 inner = symbol_files_address("program", "inner");

  rename_symbols();
  after = profile_namer_name_binary(&namer, &c.binary, (const guint64 *)(gpointer)c.offsets->data,
                                    c.offsets->len, known, NULL, NULL);
  assert_tables_equal(before, after);
  g_assert_cmpuint(opened, ==, 0);
  unknown = name(&c, FALSE, NULL, NULL);
  g_assert_cmpstr(profile_function_table_lookup(unknown, inner)->name, ==, "Xnner");
}

static void test_lines_later(void)
{
  g_auto(Case) c = case_new("-g");
  g_autoptr(ProfileStoredNames) known = learn(&c, FALSE);

  assert_same_as_unknown(&c, FALSE, known, FALSE);
  assert_same_as_unknown(&c, TRUE, known, TRUE);
}

/* Every third offset first, then all. */
static void test_more_offsets(void)
{
  g_auto(Case) c = case_new("-g");
  g_autoptr(ProfileStoredNames) all = learn(&c, TRUE);
  g_autoptr(ProfileStoredNames) known = NULL;
  g_autoptr(ProfileStoredNames) learnt = NULL;
  g_autoptr(ProfileFunctionTable) table = NULL;
  GArray *offsets = c.offsets;

  c.offsets = g_array_new(FALSE, FALSE, sizeof(guint64));
  for (guint64 offset = 0x1100; offset < 0x1180; offset += 3)
    g_array_append_val(c.offsets, offset);
  known = learn(&c, TRUE);
  g_array_unref(c.offsets);
  c.offsets = offsets;
  assert_same_as_unknown(&c, TRUE, known, TRUE);
  table = name(&c, TRUE, known, &learnt);
  g_assert_cmpuint(count_functions(known), >, 0);
  g_assert_cmpuint(count_functions(known) + count_functions(learnt), ==, count_functions(all));
}

static void test_debug_file_comes_and_goes(void)
{
  g_auto(Case) c = case_new("-g -rdynamic");
  g_autoptr(ProfileStoredNames) stripped = NULL;
  g_autoptr(ProfileStoredNames) full = NULL;

  symbol_files_run("objcopy --only-keep-debug program away && strip program &&"
                   " objcopy --add-gnu-debuglink=away program");
  symbol_files_run("mv away hidden");
  stripped = learn(&c, TRUE);
  g_assert_cmpint(profile_stored_names_get_status(stripped), ==, CAPTURE_NAMING_DYNAMIC);
  assert_same_as_unknown(&c, TRUE, stripped, FALSE);

  symbol_files_run("mkdir .debug && cp hidden .debug/away");
  assert_same_as_unknown(&c, TRUE, stripped, TRUE);
  full = learn(&c, TRUE);
  g_assert_cmpint(profile_stored_names_get_status(full), ==, CAPTURE_NAMING_SYMBOLS);
  assert_same_as_unknown(&c, TRUE, full, FALSE);

  symbol_files_run("echo other >.debug/away");
  assert_same_as_unknown(&c, TRUE, full, TRUE);
  symbol_files_run("rm .debug/away");
  assert_same_as_unknown(&c, TRUE, full, TRUE);
}

/* As debuginfod fetches it. */
static void test_debug_file_by_build_id(void)
{
  g_auto(Case) c = case_new("-g -rdynamic");
  g_autoptr(ProfileStoredNames) stripped = NULL;
  GString *hex = g_string_new(NULL);

  for (guint i = 0; i < c.binary.build_id_size; i++)
    g_string_append_printf(hex, "%02x", c.binary.build_id[i]);
  g_setenv("DEBUGINFOD_CACHE_PATH", "fetched", TRUE);
  symbol_files_run("mkdir -p fetched/%s && objcopy --only-keep-debug program debug && strip program",
                   hex->str);
  stripped = learn(&c, TRUE);
  assert_same_as_unknown(&c, TRUE, stripped, FALSE);
  symbol_files_run("mv debug fetched/%s/debuginfo", hex->str);
  assert_same_as_unknown(&c, TRUE, stripped, TRUE);
  g_unsetenv("DEBUGINFOD_CACHE_PATH");
  g_string_free(hex, TRUE);
}

/* One build-id, with and without symbols. */
static void test_other_file_in_place(void)
{
  g_auto(Case) c = case_new("-g -rdynamic");
  g_autoptr(ProfileStoredNames) full = learn(&c, TRUE);
  g_autoptr(ProfileStoredNames) stripped = NULL;

  symbol_files_run("cp -p program full && strip program");
  assert_same_as_unknown(&c, TRUE, full, TRUE);
  stripped = learn(&c, TRUE);
  symbol_files_run("mv full program");
  assert_same_as_unknown(&c, TRUE, stripped, TRUE);
}

static void test_gone(void)
{
  g_auto(Case) c = case_new("-g");
  g_autoptr(ProfileStoredNames) known = learn(&c, TRUE);
  g_autoptr(ProfileFunctionTable) before = name(&c, TRUE, NULL, NULL);
  g_autoptr(ProfileFunctionTable) after = NULL;
  g_autoptr(ProfileFunctionTable) replaced = NULL;
  guint64 beyond = 1 << 30;

  symbol_files_run("rm program");
  after = name(&c, TRUE, known, NULL);
  assert_tables_equal(before, after);
  symbol_files_run("cp /bin/true program");
  g_array_append_val(c.offsets, beyond);
  replaced = name(&c, TRUE, known, NULL);
  assert_tables_equal(before, replaced);
}

static void test_what_is_kept(void)
{
  ProfileBinary binary = {.path = "/usr/lib/libc.so.6", .build_id_size = 20};

  g_assert_true(profile_namer_can_keep(&binary));
  binary.flags = CAPTURE_BINARY_DELETED;
  g_assert_true(profile_namer_can_keep(&binary));
  binary.flags = CAPTURE_BINARY_VDSO;
  g_assert_false(profile_namer_can_keep(&binary));
  binary.flags = CAPTURE_BINARY_SPECIAL;
  g_assert_false(profile_namer_can_keep(&binary));
  binary.flags = 0;
  binary.build_id_size = 0;
  g_assert_false(profile_namer_can_keep(&binary));
}

static void test_without_build_id(void)
{
  g_auto(Case) c = case_new("-g");
  g_autoptr(ProfileStoredNames) learnt = NULL;
  g_autoptr(ProfileFunctionTable) table = NULL;

  c.binary.build_id_size = 0;
  table = name(&c, TRUE, NULL, &learnt);
  g_assert_cmpint(profile_function_table_get_status(table), ==, CAPTURE_NAMING_SYMBOLS);
  g_assert_null(learnt);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/known-names/same", test_same);
  g_test_add_func("/known-names/not-read", test_not_read);
  g_test_add_func("/known-names/lines-later", test_lines_later);
  g_test_add_func("/known-names/more-offsets", test_more_offsets);
  g_test_add_func("/known-names/debug-file-comes-and-goes", test_debug_file_comes_and_goes);
  g_test_add_func("/known-names/debug-file-by-build-id", test_debug_file_by_build_id);
  g_test_add_func("/known-names/other-file-in-place", test_other_file_in_place);
  g_test_add_func("/known-names/gone", test_gone);
  g_test_add_func("/known-names/what-is-kept", test_what_is_kept);
  g_test_add_func("/known-names/without-build-id", test_without_build_id);
  return g_test_run();
}
