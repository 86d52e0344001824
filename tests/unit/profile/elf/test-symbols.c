/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <elf.h>
#include <string.h>

#include "profile/base/demangle.h"
#include "profile/base/zstd.h"
#include "profile/elf/symbols.h"

static void assert_held(const ProfileSymbols *symbols, guint64 offset, const char *name, guint64 start,
                        guint64 end)
{
  guint64 found_start = 0, found_end = 0;
  const ProfileSymbol *symbol = profile_symbols_lookup(symbols, offset, &found_start, &found_end);

  if (!name) {
    g_assert_null(symbol);
    return;
  }
  g_assert_nonnull(symbol);
  g_assert_cmpstr(symbol->name, ==, name);
  g_assert_cmphex(found_start, ==, start);
  g_assert_cmphex(found_end, ==, end);
}

static void test_empty(void)
{
  g_autoptr(ProfileSymbols) symbols = profile_symbols_new();

  profile_symbols_settle(symbols);
  assert_held(symbols, 0, NULL, 0, 0);
}

static void test_gaps(void)
{
  g_autoptr(ProfileSymbols) symbols = profile_symbols_new();

  profile_symbols_add(symbols, 0x200, 0x10, STB_GLOBAL, "second");
  profile_symbols_add(symbols, 0x100, 0x10, STB_GLOBAL, "first");
  profile_symbols_settle(symbols);
  assert_held(symbols, 0xff, NULL, 0, 0);
  assert_held(symbols, 0x100, "first", 0x100, 0x110);
  assert_held(symbols, 0x10f, "first", 0x100, 0x110);
  assert_held(symbols, 0x110, NULL, 0, 0);
  assert_held(symbols, 0x20f, "second", 0x200, 0x210);
  assert_held(symbols, 0x210, NULL, 0, 0);
}

static void test_unsized(void)
{
  g_autoptr(ProfileSymbols) symbols = profile_symbols_new();

  profile_symbols_add(symbols, 0x100, 0, STB_GLOBAL, "unsized");
  profile_symbols_add(symbols, 0x180, 8, STB_GLOBAL, "sized");
  profile_symbols_add(symbols, 0x1234, 0, STB_GLOBAL, "last");
  profile_symbols_settle(symbols);
  assert_held(symbols, 0x17f, "unsized", 0x100, 0x180);
  assert_held(symbols, 0x188, NULL, 0, 0);
  assert_held(symbols, 0x2fff, "last", 0x1234, 0x3000);
  assert_held(symbols, 0x3000, NULL, 0, 0);
}

/* Of an unsized group the last one has the length, as each other ends where the next begins: at itself. */
static void test_unsized_aliases(void)
{
  g_autoptr(ProfileSymbols) symbols = profile_symbols_new();

  profile_symbols_add(symbols, 0x100, 0, STB_GLOBAL, "much_longer_name");
  profile_symbols_add(symbols, 0x100, 0, STB_LOCAL, "__last");
  profile_symbols_add(symbols, 0x200, 1, STB_GLOBAL, "next");
  profile_symbols_settle(symbols);
  assert_held(symbols, 0x100, "__last", 0x100, 0x200);
}

typedef struct {
  const char *path;
  const char *a, *b; /* added in this order */
  guint64 a_length, b_length;
  guint8 a_binding, b_binding;
  const char *best;
} Choice;

static const Choice choices[] = {
    {"/symbols/choice/size", "longer", "b", 0, 8, STB_GLOBAL, STB_WEAK, "b"},
    {"/symbols/choice/weak", "longer", "b", 8, 8, STB_WEAK, STB_LOCAL, "b"},
    {"/symbols/choice/global", "longer", "b", 8, 8, STB_LOCAL, STB_GLOBAL, "b"},
    {"/symbols/choice/underscores", "__libc_start", "b", 8, 8, STB_GLOBAL, STB_GLOBAL, "b"},
    {"/symbols/choice/known", "__read", "read", 8, 8, STB_GLOBAL, STB_WEAK, "read"},
    {"/symbols/choice/longest", "a", "longer", 8, 8, STB_GLOBAL, STB_GLOBAL, "longer"},
    {"/symbols/choice/first", "aa", "bb", 8, 8, STB_GLOBAL, STB_GLOBAL, "aa"},
    {"/symbols/choice/demangled", "_ZN1aC1Ev", "_Z1fv", 8, 8, STB_GLOBAL, STB_GLOBAL, "_ZN1aC1Ev"},
    {"/symbols/choice/size-differs", "short", "longer", 80, 8, STB_GLOBAL, STB_GLOBAL, "longer"},
};

static void test_choice(gconstpointer data)
{
  const Choice *choice = data;
  g_autoptr(ProfileSymbols) symbols = profile_symbols_new();
  guint64 start, end;

  profile_symbols_add(symbols, 0x10, choice->a_length, choice->a_binding, choice->a);
  profile_symbols_add(symbols, 0x10, choice->b_length, choice->b_binding, choice->b);
  profile_symbols_settle(symbols);
  g_assert_cmpstr(profile_symbols_lookup(symbols, 0x10, &start, &end)->name, ==, choice->best);
  g_assert_cmpuint(profile_symbols_get_n(symbols), ==, 1);
}

static void test_nested(void)
{
  g_autoptr(ProfileSymbols) symbols = profile_symbols_new();

  profile_symbols_add(symbols, 0x100, 0x100, STB_GLOBAL, "outer");
  profile_symbols_add(symbols, 0x120, 0x20, STB_GLOBAL, "inner");
  profile_symbols_add(symbols, 0x128, 0x08, STB_GLOBAL, "innermost");
  profile_symbols_add(symbols, 0x180, 0x100, STB_GLOBAL, "overlapping");
  profile_symbols_settle(symbols);
  assert_held(symbols, 0x110, "outer", 0x100, 0x120);
  assert_held(symbols, 0x120, "inner", 0x120, 0x128);
  assert_held(symbols, 0x12f, "innermost", 0x128, 0x130);
  assert_held(symbols, 0x130, "inner", 0x130, 0x140);
  assert_held(symbols, 0x150, "outer", 0x140, 0x180);
  assert_held(symbols, 0x190, "overlapping", 0x180, 0x280);
}

static void test_huge(void)
{
  g_autoptr(ProfileSymbols) symbols = profile_symbols_new();

  profile_symbols_add(symbols, G_MAXUINT64 - 1, G_MAXUINT64, STB_GLOBAL, "wraps");
  profile_symbols_add(symbols, G_MAXUINT64, 0, STB_GLOBAL, "last");
  profile_symbols_settle(symbols);
  assert_held(symbols, G_MAXUINT64 - 1, "wraps", G_MAXUINT64 - 1, G_MAXUINT64);
}

static void assert_demangled(const char *name, const char *expected)
{
  g_autofree char *demangled = profile_demangle(name);

  g_assert_cmpstr(demangled, ==, expected);
}

static void test_demangle(void)
{
  g_autofree char *huge = g_strnfill(9000, '1');
  g_autofree char *deep = g_strnfill(8000, 'P');
  g_autofree char *nested = g_strconcat("_Z1f", deep, "i", NULL);

  assert_demangled("main", NULL);
  assert_demangled("", NULL);
  assert_demangled("_Z", NULL);
  assert_demangled("_Zq", NULL);
  assert_demangled("_ZN3foo3barEi", "foo::bar(int)");
  assert_demangled("_ZN3fooC1Ev", "foo::foo()");
  assert_demangled("_ZN3foo3barEi.cold", "foo::bar(int)");
  assert_demangled("_ZN3foo3barEi@@VERS_1", "foo::bar(int)");
  assert_demangled("cfree@GLIBC_2.2.5", "cfree");
  assert_demangled("foo.part.0.isra.0.cold", "foo");
  assert_demangled("_ZN3foo3barEi.constprop.12.cold.3", "foo::bar(int)");
  assert_demangled("foo.llvm.8245917263", "foo");
  assert_demangled("main.part", NULL); /* these are Go's */
  assert_demangled("main.main.func1", NULL);
  assert_demangled("foo.7", NULL);
  assert_demangled(".cold", NULL);
  assert_demangled("@plt", NULL);
  assert_demangled("free@plt", NULL);
  assert_demangled("_ZN3foo3barEi@plt", "foo::bar(int)@plt");
  assert_demangled("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt");
  assert_demangled("_RNvC6_123foo3bar", "123foo::bar");
  assert_demangled("_D3std5stdio7writelnFZv", "std.stdio.writeln()");
  assert_demangled("_Dmain", "D main");
  assert_demangled(huge, NULL);
  g_free(profile_demangle(nested));
}

/* Each parameter is made of the one before, twice: in full the last would be a hundred gigabytes. */
static void test_demangle_bomb(void)
{
  static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  g_autoptr(GString) name = g_string_new("_Z1f1PIiiE");

  for (const char *c = digits; *c; c++)
    g_string_append_printf(name, "S_IS%c_S%c_E", *c, *c);
  assert_demangled(name->str, NULL);
  g_string_truncate(name, strlen("_Z1f1PIiiES_IS0_S0_E"));
  assert_demangled(name->str, "f(P<int, int>, P<P<int, int>, P<int, int> >)");
}

/* D's would end the program when there is no memory left. */
static void test_demangle_d_bomb(void)
{
  g_autoptr(GString) name = g_string_new("_D1a1fFHiiHQeQg");

  for (guint i = 0; i < 60; i++)
    g_string_append(name, "HQgQi");
  g_string_append(name, "Zv");
  assert_demangled(name->str, NULL);
  assert_demangled("_D1a1fFHiiHQeQgZv", "a.f(int[int], int[int][int[int]])");
}

/* A table of names without ends would be copied once for each symbol. */
static void test_long_name(void)
{
  g_autofree char *longest = g_strnfill(PROFILE_SYMBOLS_NAME_MAX, 'l');
  g_autofree char *longer = g_strnfill(PROFILE_SYMBOLS_NAME_MAX + 1, 'm');
  g_autoptr(ProfileSymbols) symbols = profile_symbols_new();

  profile_symbols_add(symbols, 0x100, 8, STB_GLOBAL, longest);
  profile_symbols_add(symbols, 0x200, 8, STB_GLOBAL, longer);
  profile_symbols_settle(symbols);
  assert_held(symbols, 0x100, longest, 0x100, 0x108);
  assert_held(symbols, 0x200, NULL, 0, 0);
}

static void test_zstd(void)
{
  g_autofree guint8 *in = g_malloc0(100000);
  guint8 packed[2000];
  g_autofree guint8 *out = g_malloc(100000);
  size_t size;

  memcpy(in + 500, "something", 9);
  size = profile_zstd_compress(packed, sizeof packed, in, 100000, NULL);
  g_assert_cmpuint(size, >, 0);
  g_assert_true(profile_zstd_decompress(out, 100000, packed, size, NULL));
  g_assert_cmpmem(out, 100000, in, 100000);
  g_assert_false(profile_zstd_decompress(out, 99999, packed, size, NULL));
  g_assert_false(profile_zstd_decompress(out, 100000, packed, size - 1, NULL));
  g_assert_false(profile_zstd_decompress(out, 100000, packed, 0, NULL));
  packed[0] ^= 1;
  g_assert_false(profile_zstd_decompress(out, 100000, packed, size, NULL));
  g_assert_cmpuint(profile_zstd_compress(packed, 3, in, 100000, NULL), ==, 0);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/symbols/empty", test_empty);
  g_test_add_func("/symbols/gaps", test_gaps);
  g_test_add_func("/symbols/unsized", test_unsized);
  g_test_add_func("/symbols/unsized-aliases", test_unsized_aliases);
  for (guint i = 0; i < G_N_ELEMENTS(choices); i++)
    g_test_add_data_func(choices[i].path, &choices[i], test_choice);
  g_test_add_func("/symbols/nested", test_nested);
  g_test_add_func("/symbols/huge", test_huge);
  g_test_add_func("/symbols/demangle", test_demangle);
  g_test_add_func("/symbols/demangle-bomb", test_demangle_bomb);
  g_test_add_func("/symbols/demangle-d-bomb", test_demangle_d_bomb);
  g_test_add_func("/symbols/long-name", test_long_name);
  g_test_add_func("/symbols/zstd", test_zstd);
  return g_test_run();
}
