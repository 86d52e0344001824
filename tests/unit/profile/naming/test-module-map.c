/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the sections of a module are, from a list of symbols as the kernel's. */
#include "profile/naming/module-map.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dwarf/dwarf-object.h"
#include "profile/elf/kallsyms.h"
#include "tests/unit/remove-tree.h"
#include "tests/unit/run-shell.h"

#define MODULES G_GUINT64_CONSTANT(0xffffffffc0301000)
#define APART   0x10000
#define OTHER   0x800

static const char source[] =
    "static __attribute__((noinline)) int same(int x) { return x * NUMBER; }\n"
    "__attribute__((cold, noinline)) int JOIN(rare)(int x) { return x / 3; }\n"
    "int JOIN(work)(int x) { return x > 7 ? JOIN(rare)(x) : same(x); }\n"
    "__attribute__((section(\".init.text\"))) int JOIN(begin)(int x) { return same(x); }\n";

/* A function of the file. */
typedef struct {
  char name[32];
  char section[32];
  guint64 offset, size;
} Symbol;

typedef struct {
  char *directory;
  int fd;
  ProfileElf *elf;
  GArray *symbols; /* Symbol */
  ProfileFunctionTable *table;
} Module;

static void build(const char *directory)
{
  g_autofree char *path = g_build_filename(directory, "m.c", NULL);

  g_assert_true(g_file_set_contents(path, source, -1, NULL));
  g_free(run_shell(
      directory,
      "for n in 1 2; do gcc -c -O2 -g -ffreestanding -fno-pic -DNUMBER=$n -D'JOIN(name)=name##_'$n -o $n.o "
      "m.c; done; ld -r -o m.ko 1.o 2.o"));
}

static GArray *read_symbols(const char *directory)
{
  g_autofree char *text = run_shell(directory, "objdump -t m.ko | grep ' F '");
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  GArray *symbols = g_array_new(FALSE, TRUE, sizeof(Symbol));

  for (char **line = lines; *line; line++) {
    unsigned long long offset, size;
    Symbol symbol = {.offset = 0};

    if (sscanf(*line, "%llx %*c F %31s %llx %31s", &offset, symbol.section, &size, symbol.name) != 4)
      continue;
    symbol.offset = offset;
    symbol.size = size;
    g_array_append_val(symbols, symbol);
  }
  g_assert_cmpuint(symbols->len, >=, 8);
  return symbols;
}

static guint32 find_number(const ProfileElf *elf, const char *name)
{
  for (guint i = 1; profile_elf_get_section(elf, i); i++)
    if (g_str_equal(profile_elf_get_section(elf, i)->name, name))
      return i;
  g_assert_not_reached();
}

static guint64 get_address(const Module *module, const Symbol *symbol)
{
  return MODULES + find_number(module->elf, symbol->section) * APART + symbol->offset;
}

/* As /proc/kallsyms has it, with another module in between. */
static ProfileKallsyms *list_kallsyms(const Module *module)
{
  GString *text = g_string_new("ffffffff81000000 T _stext\n");
  gsize length;

  for (guint i = 0; i < module->symbols->len; i++) {
    const Symbol *symbol = &g_array_index(module->symbols, Symbol, i);

    g_string_append_printf(text, "%" G_GINT64_MODIFIER "x t %s\t[some_module]\n", get_address(module, symbol),
                           symbol->name);
    g_string_append_printf(text, "%" G_GINT64_MODIFIER "x t other\t[other_module]\n",
                           get_address(module, symbol) + OTHER);
  }
  length = text->len;
  return profile_kallsyms_new(g_string_free(text, FALSE), length);
}

static ProfileFunctionTable *name_functions(const Module *module)
{
  g_autoptr(ProfileKallsyms) kallsyms = list_kallsyms(module);
  ProfileFunctionTable *table = profile_function_table_new(CAPTURE_NAMING_SYMBOLS);

  for (guint i = 0; i < module->symbols->len; i++) {
    ProfileKallsym found;
    g_autofree char *name = NULL;

    g_assert_true(profile_kallsyms_lookup(
        kallsyms, get_address(module, &g_array_index(module->symbols, Symbol, i)), &found));
    name = g_strndup(found.name, found.name_length);
    g_assert_cmpmem(found.module, found.module_length, "some_module", strlen("some_module"));
    profile_function_table_add(table, &(ProfileFunctionRange){.start = found.start,
                                                              .end = found.end,
                                                              .name = name,
                                                              .linkage_name = name,
                                                              .module = "some_module"});
  }
  profile_function_table_seal(table);
  return table;
}

static void set_up(Module *module, gconstpointer data)
{
  g_autofree char *path = NULL;

  module->directory = g_dir_make_tmp("module-map-XXXXXX", NULL);
  build(module->directory);
  path = g_build_filename(module->directory, "m.ko", NULL);
  module->fd = open(path, O_RDONLY | O_CLOEXEC);
  module->elf = profile_elf_new_for_fd(module->fd, NULL);
  g_assert_nonnull(module->elf);
  module->symbols = read_symbols(module->directory);
  module->table = name_functions(module);
}

static void tear_down(Module *module, gconstpointer data)
{
  profile_function_table_unref(module->table);
  g_array_unref(module->symbols);
  profile_elf_free(module->elf);
  close(module->fd);
  remove_tree(module->directory);
  g_free(module->directory);
}

/* From those functions whose names begin so. */
static ProfileModuleMap *make_map(const Module *module, const char *prefix, guint64 wrong)
{
  g_autoptr(GPtrArray) functions = g_ptr_array_new();
  gsize n;
  const ProfileFunctionRange *ranges = profile_function_table_get_ranges(module->table, &n);
  g_autofree ProfileFunctionRange *copies = g_memdup2(ranges, n * sizeof *ranges);

  for (gsize i = 0; i < n; i++) {
    if (!g_str_has_prefix(ranges[i].linkage_name, prefix))
      continue;
    copies[i].start += functions->len * wrong;
    g_ptr_array_add(functions, &copies[i]);
  }
  return profile_module_map_new(module->elf, (const ProfileFunctionRange *const *)functions->pdata,
                                functions->len);
}

static void assert_placed(const Module *module, const ProfileModuleMap *map, const char *section)
{
  for (guint i = 0; i < module->symbols->len; i++) {
    const Symbol *symbol = &g_array_index(module->symbols, Symbol, i);
    guint64 first = get_address(module, symbol), expected, moved;

    expected = dwarf_object_address(find_number(module->elf, symbol->section), (guint32)symbol->offset);
    for (guint64 address = first; address < first + symbol->size; address++) {
      gboolean is_known = profile_module_map_find(map, address, &moved);

      g_assert_cmpint(is_known, ==, !section || g_str_equal(symbol->section, section));
      if (is_known)
        g_assert_cmphex(address - moved, ==, expected + address - first);
    }
    g_assert_false(profile_module_map_find(map, first + OTHER, &moved));
  }
}

/* What is named once in each section places all that stands there, static functions of one name too. */
static void test_all(Module *module, gconstpointer data)
{
  g_autoptr(ProfileModuleMap) map = make_map(module, "", 0);

  assert_placed(module, map, NULL);
}

static void test_some(Module *module, gconstpointer data)
{
  g_autoptr(ProfileModuleMap) cold = make_map(module, "rare_2", 0), init = make_map(module, "begin_1", 0);

  assert_placed(module, cold, ".text.unlikely");
  assert_placed(module, init, ".init.text");
}

static void test_nothing(Module *module, gconstpointer data)
{
  g_autoptr(ProfileModuleMap) same = make_map(module, "same", 0), none = make_map(module, "nothing", 0);

  assert_placed(module, same, "");
  assert_placed(module, none, "");
}

/* The file is not that of the module, whatever its build-id: its functions stand otherwise. */
static void test_wrong(Module *module, gconstpointer data)
{
  g_autoptr(ProfileModuleMap) map = make_map(module, "work", 16);

  assert_placed(module, map, "");
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add("/module-map/all", Module, NULL, set_up, test_all, tear_down);
  g_test_add("/module-map/some", Module, NULL, set_up, test_some, tear_down);
  g_test_add("/module-map/nothing", Module, NULL, set_up, test_nothing, tear_down);
  g_test_add("/module-map/wrong", Module, NULL, set_up, test_wrong, tear_down);
  return g_test_run();
}
