/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of functions: this program's own, those that compilers and linkers leave, and damage. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib.h>
#include <glib/gstdio.h>

#include "tests/unit/run-shell.h"
#include "unwind/names/unwind-names.h"
#include "unwind/names/unwind-symbols-private.h"

static const char program[] =
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "__attribute__((noinline)) static int inner(int i) { __asm__ volatile(\"\"); return i * 3; }\n"
    "__attribute__((noinline)) int outer(int i) { return inner(i) + 1; }\n"
    "int main(int n, char **v) { puts(v[0]); return outer((int)strtol(v[0], 0, 10)); }\n";

static char *directory;

static char *read_file(const char *name, gsize *ret_size)
{
  g_autofree char *path = g_build_filename(directory, name, NULL);
  char *bytes;

  g_assert_true(g_file_get_contents(path, &bytes, ret_size, NULL));
  return bytes;
}

/* Compiles the program; its file offsets are its addresses, as far as code goes. */
static void build(const char *options)
{
  g_autofree char *source = g_build_filename(directory, "p.c", NULL);

  g_assert_true(g_file_set_contents(source, program, -1, NULL));
  g_free(run_shell(directory, "gcc -O1 %s -o p p.c", options));
}

static guint64 address_of(const char *symbol)
{
  g_autofree char *text = NULL,
                  *command = g_strdup_printf("nm p | awk '$3 == \"%s\" {print $1}' > address", symbol);
  gsize size;

  g_free(run_shell(directory, "%s", command));
  text = read_file("address", &size);
  guint64 address = g_ascii_strtoull(text, NULL, 16);
  g_assert_cmpuint(address, >, 0);
  return address;
}

/* The name of an offset, or NULL. */
static char *name_of(const char *file, guint64 offset)
{
  gsize size;
  g_autofree char *elf = read_file(file, &size);
  struct unwind_names *names;
  char *name = NULL;

  g_assert_cmpint(unwind_names_find(elf, size, &offset, 1, &names), ==, 0);
  g_assert_true(unwind_names_are_valid(names, names->size));
  if (names->n > 0)
    name = g_strndup((const char *)names + names->names[0].at, names->names[0].length);
  free(names);
  return name;
}

static enum unwind_names_status status_of(const char *file)
{
  gsize size;
  g_autofree char *elf = read_file(file, &size);
  struct unwind_names *names;

  g_assert_cmpint(unwind_names_find(elf, size, NULL, 0, &names), ==, 0);
  g_assert_cmpuint(names->n, ==, 0);
  enum unwind_names_status status = names->status;
  free(names);
  return status;
}

static void assert_name(const char *file, guint64 offset, const char *expected)
{
  g_autofree char *name = name_of(file, offset);

  g_assert_cmpstr(name, ==, expected);
}

/* Nothing but the unwind information knows the function that begins there. */
static void assert_nameless(const char *file, guint64 offset)
{
  g_autofree char *name = g_strdup_printf("fn@%" G_GINT64_MODIFIER "x", offset);

  assert_name(file, offset, name);
  assert_name(file, offset + 1, name);
}

static void test_full(void)
{
  build("");
  guint64 inner = address_of("inner"), outer = address_of("outer");
  assert_name("p", inner, "inner");
  assert_name("p", outer, "outer");
  assert_name("p", outer + 1, "outer");
  assert_name("p", G_MAXUINT64, NULL);
  g_assert_cmpint(status_of("p"), ==, UNWIND_NAMES_SYMBOLS);
}

static void test_stripped(void)
{
  build("-rdynamic");
  guint64 inner = address_of("inner"), outer = address_of("outer");
  g_free(run_shell(directory, "strip p"));
  assert_name("p", outer, "outer");
  assert_nameless("p", inner);
  g_assert_cmpint(status_of("p"), ==, UNWIND_NAMES_DYNAMIC);
}

static void test_mini_debug_info(void)
{
  build("");
  guint64 inner = address_of("inner");
  g_free(run_shell(
      directory,
      "objcopy --only-keep-debug p debug; objcopy -S --remove-section .gdb_index --keep-symbol=inner debug "
      "mini; "
      "xz -f mini; strip p; objcopy --add-section .gnu_debugdata=mini.xz p"));
  assert_name("p", inner, "inner");
  g_assert_cmpint(status_of("p"), ==, UNWIND_NAMES_SYMBOLS);
  g_free(run_shell(directory,
                   "head -c 100 mini.xz > cut; strip p; objcopy --remove-section .gnu_debugdata p; "
                   "objcopy --add-section .gnu_debugdata=cut p"));
  assert_nameless("p", inner);
}

/* Stubs of all sorts, found through what the program calls. */
static void assert_stub(const char *options)
{
  g_autofree char *text = NULL;
  gsize size;

  build(options);
  g_free(run_shell(directory, "objdump -d p | awk '/<puts@plt>:$/ {print $1}' > address"));
  text = read_file("address", &size);
  guint64 stub = g_ascii_strtoull(text, NULL, 16);
  g_assert_cmpuint(stub, >, 0);
  assert_name("p", stub, "puts@plt");
  assert_name("p", stub + 4, "puts@plt");
}

static void test_stubs(void)
{
  assert_stub("-fcf-protection=full -Wl,-z,ibtplt");
  assert_stub("-fcf-protection=none -Wl,-z,lazy");
  assert_stub("-fcf-protection=none -Wl,-z,now");
}

static void test_no_names(void)
{
  struct unwind_names *names;
  const guint64 wrong[] = {2, 1}, twice[] = {1, 1};
  gsize size;
  g_autofree char *elf = NULL;

  build("-s -static");
  elf = read_file("p", &size);
  g_assert_cmpint(unwind_names_find("nonsense", 8, NULL, 0, &names), ==, -ENOEXEC);
  g_assert_cmpint(unwind_names_find(elf, size, wrong, 2, &names), ==, -EINVAL);
  g_assert_cmpint(unwind_names_find(elf, size, twice, 2, &names), ==, -EINVAL);
  g_assert_cmpint(status_of("p"), ==, UNWIND_NAMES_NONE);
}

/* Bytes of the headers, of the symbols and of their names are anything. */
static void test_damage(void)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(1);
  gsize size;
  guint64 offsets[64];

  build("");
  g_autofree char *elf = read_file("p", &size);
  for (guint i = 0; i < G_N_ELEMENTS(offsets); i++)
    offsets[i] = size / G_N_ELEMENTS(offsets) * i + 1;
  for (guint round = 0; round < 3000; round++) {
    g_autofree char *damaged = g_memdup2(elf, size);
    struct unwind_names *names;

    for (guint i = 0; i < 1u << round % 8; i++) {
      gsize at = round % 3 == 0 ? (gsize)g_rand_int_range(random, 0, 64)
                                : (gsize)g_rand_int_range(random, 0, (gint32)size);
      damaged[at] = (char)g_rand_int(random);
    }
    if (unwind_names_find(damaged, round % 5 ? size : size / (round % 7 + 1), offsets, G_N_ELEMENTS(offsets),
                          &names) < 0)
      continue;
    g_assert_true(unwind_names_are_valid(names, names->size));
    free(names);
  }
}

/* The rule that profile/ has, case by case; tests/integration/unwind/test_elf_names.py compares both over
 * whole files. */
static void test_rule(void)
{
  static const struct {
    const char *first, *second, *best;
    guint64 first_size, second_size;
    guint8 first_binding, second_binding;
  } cases[] = {
      {"label", "sized", "sized", 0, 16, 1, 0},
      {"weak", "global", "global", 16, 16, 2, 1},
      {"local", "global", "global", 16, 16, 0, 1},
      {"__libc_read", "read", "read", 16, 16, 1, 1},
      {"short", "longer", "longer", 16, 16, 1, 1},
      {"first", "other", "first", 16, 16, 1, 1},
      {"__read", "read", "read", 16, 16, 1, 2},
      {"_ZN1aEv", "_function", "_ZN1aEv", 16, 16, 1, 1},
      {"_Z1fIiEvv", "_Z1fIiQ1cEvv", "_Z1fIiEvv", 16, 16, 1, 1},
      {"_ZN1aC1EvQ1c", "_ZN1aC2Ev", "_ZN1aC2Ev", 16, 16, 2, 2},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    struct unwind_symbols symbols = {0};
    guint64 start, end;

    unwind_symbols_add(&symbols, 0x100, cases[i].first_size, cases[i].first_binding, cases[i].first,
                       (guint32)strlen(cases[i].first));
    unwind_symbols_add(&symbols, 0x100, cases[i].second_size, cases[i].second_binding, cases[i].second,
                       (guint32)strlen(cases[i].second));
    unwind_symbols_settle(&symbols);
    const struct unwind_symbol *found = unwind_symbols_find(&symbols, 0x108, &start, &end);
    g_assert_nonnull(found);
    g_assert_cmpmem(found->name, found->length, cases[i].best, strlen(cases[i].best));
    unwind_symbols_clear(&symbols);
  }
}

/* The innermost symbol holds what it covers; the outer one what is left on either side. */
static void test_nested(void)
{
  struct unwind_symbols symbols = {0};
  guint64 start, end;

  unwind_symbols_add(&symbols, 0x100, 0x100, 1, "outer", 5);
  unwind_symbols_add(&symbols, 0x140, 0x20, 1, "inner", 5);
  unwind_symbols_settle(&symbols);
  g_assert_cmpstr(unwind_symbols_find(&symbols, 0x100, &start, &end)->name, ==, "outer");
  g_assert_cmpuint(end, ==, 0x140);
  g_assert_cmpstr(unwind_symbols_find(&symbols, 0x15f, &start, &end)->name, ==, "inner");
  g_assert_cmpstr(unwind_symbols_find(&symbols, 0x160, &start, &end)->name, ==, "outer");
  g_assert_cmpuint(start, ==, 0x160);
  g_assert_cmpuint(end, ==, 0x200);
  g_assert_null(unwind_symbols_find(&symbols, 0x200, &start, &end));
  g_assert_null(unwind_symbols_find(&symbols, 0xff, &start, &end));
  g_assert_cmpuint(end, ==, 0x100);
  unwind_symbols_clear(&symbols);
}

/* Two names, and their texts behind them. */
union forged {
  struct unwind_names names;
  char bytes[sizeof(struct unwind_names) + 2 * sizeof(struct unwind_name) + 16];
};

static void test_forged(void)
{
  union forged sound = {.names = {UNWIND_NAMES_MAGIC, sizeof sound, 0, 2}}, forged;

  sound.names.names[0] = (struct unwind_name){1, 2, 80, 8, 0, 0};
  sound.names.names[1] = (struct unwind_name){2, 3, 88, 8, 0, 0};
  g_assert_cmpuint(sizeof sound, ==, 96);
  g_assert_true(unwind_names_are_valid(&sound, sizeof sound));
  g_assert_false(unwind_names_are_valid(&sound, sizeof sound - 8));
#define ASSERT_FORGED(change)                                                                                \
  do {                                                                                                       \
    forged = sound;                                                                                          \
    forged.names.change;                                                                                     \
    g_assert_false(unwind_names_are_valid(&forged, sizeof forged));                                          \
  } while (0)
  ASSERT_FORGED(magic = 0);
  ASSERT_FORGED(size = 64);
  ASSERT_FORGED(status = 3);
  ASSERT_FORGED(n = 3);
  ASSERT_FORGED(n = G_MAXUINT32);
  ASSERT_FORGED(names[0].end = 1);
  ASSERT_FORGED(names[1].start = 1);
  ASSERT_FORGED(names[0].at = 8);
  ASSERT_FORGED(names[1].at = 1000);
  ASSERT_FORGED(names[1].length = 9);
  ASSERT_FORGED(names[1].length = G_MAXUINT32);
  ASSERT_FORGED(names[0].length = 0);
  ASSERT_FORGED(names[0].nameless = 2);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  directory = g_dir_make_tmp("unwind-names-XXXXXX", NULL);
  g_test_add_func("/unwind/names/full", test_full);
  g_test_add_func("/unwind/names/stripped", test_stripped);
  g_test_add_func("/unwind/names/mini-debug-info", test_mini_debug_info);
  g_test_add_func("/unwind/names/stubs", test_stubs);
  g_test_add_func("/unwind/names/no-names", test_no_names);
  g_test_add_func("/unwind/names/damage", test_damage);
  g_test_add_func("/unwind/names/rule", test_rule);
  g_test_add_func("/unwind/names/nested", test_nested);
  g_test_add_func("/unwind/names/forged", test_forged);
  int status = g_test_run();
  g_free(run_shell(directory, "rm -rf ./*"));
  g_rmdir(directory);
  g_free(directory);
  return status;
}
