/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profile/elf/kallsyms.h"
#include "tests/unit/profile/symbol-files.h"

static ProfileKallsyms *parse(const char *text)
{
  return profile_kallsyms_new(g_strdup(text), strlen(text));
}

static void assert_symbol(const ProfileKallsyms *kallsyms, guint64 address, const char *name,
                          const char *module, guint64 start, guint64 end)
{
  ProfileKallsym symbol;

  if (!name) {
    g_assert_false(profile_kallsyms_lookup(kallsyms, address, &symbol));
    return;
  }
  g_assert_true(profile_kallsyms_lookup(kallsyms, address, &symbol));
  g_assert_cmpmem(symbol.name, symbol.name_length, name, strlen(name));
  g_assert_cmpmem(symbol.module ? symbol.module : "", symbol.module_length, module ? module : "",
                  module ? strlen(module) : 0);
  g_assert_cmphex(symbol.start, ==, start);
  g_assert_cmphex(symbol.end, ==, end);
}

static const char list[] = "0000000000000000 A fixed_percpu_data\n"
                           "ffffffff81000000 T _stext\n"
                           "ffffffff81000000 t __last_of_group\n"
                           "ffffffff81000040 W weak_function\n"
                           "ffffffff81000080 r constant\n"
                           "ffffffff810000c0 D some_data\n"
                           "ffffffff810000d0 b some_bss\n"
                           "ffffffffc0002000 t second\t[module_b]\n"
                           "ffffffffc0001000 t first\t[module_a]\n"
                           "ffffffffc0001100 T first.more\t[module_a]\n"
                           "ffffffffc0003010 t bpf_prog_6deef7357e7b4530\t[bpf]\n";

static void test_list(void)
{
  g_autoptr(ProfileKallsyms) kallsyms = parse(list);

  g_assert_false(profile_kallsyms_is_hidden(kallsyms));
  g_assert_cmpuint(profile_kallsyms_get_n(kallsyms), ==, 9);
  assert_symbol(kallsyms, 0, NULL, NULL, 0, 0);
  assert_symbol(kallsyms, 0xffffffff80ffffff, NULL, NULL, 0, 0);
  assert_symbol(kallsyms, 0xffffffff81000000, "__last_of_group", NULL, 0xffffffff81000000,
                0xffffffff81000040);
  assert_symbol(kallsyms, 0xffffffff810000bf, "weak_function", NULL, 0xffffffff81000040, 0xffffffff810000c0);
  assert_symbol(kallsyms, 0xffffffff810000c8, "some_data", NULL, 0xffffffff810000c0, 0xffffffff810000d0);
  assert_symbol(kallsyms, 0xffffffff81001fff, "some_bss", NULL, 0xffffffff810000d0, 0xffffffff81002000);
  assert_symbol(kallsyms, 0xffffffff81002000, NULL, NULL, 0, 0);
  assert_symbol(kallsyms, 0xffffffffc00010ff, "first", "module_a", 0xffffffffc0001000, 0xffffffffc0001100);
  assert_symbol(kallsyms, 0xffffffffc0001100, "first.more", "module_a", 0xffffffffc0001100,
                0xffffffffc0002000);
  assert_symbol(kallsyms, 0xffffffffc0002fff, "second", "module_b", 0xffffffffc0002000, 0xffffffffc0003000);
  assert_symbol(kallsyms, 0xffffffffc0003010, "bpf_prog_6deef7357e7b4530", "bpf", 0xffffffffc0003010,
                0xffffffffc0005000);
}

static void test_find(void)
{
  g_autoptr(ProfileKallsyms) kallsyms = parse(list);
  guint64 address;

  g_assert_true(profile_kallsyms_find(kallsyms, "_stext", &address));
  g_assert_cmphex(address, ==, 0xffffffff81000000);
  g_assert_false(profile_kallsyms_find(kallsyms, "_stex", &address));
  g_assert_false(profile_kallsyms_find(kallsyms, "first", &address));
}

static void test_hidden(void)
{
  g_autoptr(ProfileKallsyms) kallsyms = parse("0000000000000000 T _stext\n0000000000000000 t a\t[m]\n");

  g_assert_true(profile_kallsyms_is_hidden(kallsyms));
  assert_symbol(kallsyms, 0, NULL, NULL, 0, 0);
  assert_symbol(kallsyms, 0xffffffff81000000, NULL, NULL, 0, 0);
}

/* Lines of other shapes than a 64-bit kernel's; none leads astray. */
static void test_odd_lines(void)
{
  g_autoptr(ProfileKallsyms) kallsyms = parse("c0008000 T short_address\n"
                                              "\n"
                                              "nonsense\n"
                                              "0 T a\n"
                                              "10 T b\n20 T c\n30 T d\n"
                                              "40 T\n"
                                              "50 T \n"
                                              "60 Tx y\n"
                                              "ffffffff81000000 T last_without_newline");

  assert_symbol(kallsyms, 0x15, "b", NULL, 0x10, 0x20);
  assert_symbol(kallsyms, 0x30, "d", NULL, 0x30, 0xc0008000);
  assert_symbol(kallsyms, 0xc0008001, "short_address", NULL, 0xc0008000, 0xffffffff81000000);
  assert_symbol(kallsyms, 0xffffffff81000fff, "last_without_newline", NULL, 0xffffffff81000000,
                0xffffffff81001000);
}

static void test_cut_anywhere(void)
{
  for (gsize length = 0; length < sizeof list; length++) {
    g_autoptr(ProfileKallsyms) kallsyms = profile_kallsyms_new(g_memdup2(list, length), length);
    ProfileKallsym symbol;

    g_assert_cmpuint(profile_kallsyms_get_n(kallsyms), <=, 9);
    profile_kallsyms_lookup(kallsyms, 0xffffffffc0001100, &symbol);
  }
}

/* Every address of the running kernel's list against a plain reading of the same list. */
static void test_running(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(ProfileKallsyms) kallsyms = profile_kallsyms_new_running(FALSE, &error);
  g_autofree char *text = NULL;
  guint checked = 0;

  g_assert_no_error(error);
  g_assert_false(profile_kallsyms_is_hidden(kallsyms));
  g_assert_true(g_file_get_contents("/proc/kallsyms", &text, NULL, &error));
  /* Sanitizers take a tenth of a millisecond for each allocation: none is made for a line. */
  for (const char *line = text, *next; (next = strchr(line, '\n')) && next[1]; line = next + 1) {
    char *rest;
    guint64 address = g_ascii_strtoull(line, &rest, 16);
    const char *name = rest + strlen(" t ");
    ProfileKallsym symbol;

    /* Programs of BPF come and go, also while the list is read twice. */
    if (!strchr("tTwW", rest[1]) || g_ascii_strtoull(next + 1, NULL, 16) <= address ||
        g_strstr_len(line, next - line, "[bpf]"))
      continue;
    g_assert_true(profile_kallsyms_lookup(kallsyms, address, &symbol));
    g_assert_cmphex(symbol.start, ==, address);
    g_assert_cmpmem(symbol.name, symbol.name_length, name, strcspn(name, " \t\n"));
    checked++;
  }
  g_assert_cmpuint(checked, >, 10000);
}

/* As an ordinary user of a kernel that hides addresses sees them: in a process of another user. */
static void test_running_hidden(void)
{
  g_autofree char *before = NULL;
  int status;
  pid_t child;

  if (geteuid() != 0) {
    g_test_incomplete("kernel.kptr_restrict can be set by root only");
    return;
  }
  g_assert_true(g_file_get_contents("/proc/sys/kernel/kptr_restrict", &before, NULL, NULL));
  symbol_files_run("echo 2 >/proc/sys/kernel/kptr_restrict");
  child = fork();
  if (child == 0) {
    ProfileKallsyms *kallsyms = setuid(65534) == 0 ? profile_kallsyms_new_running(FALSE, NULL) : NULL;
    _exit(kallsyms && profile_kallsyms_is_hidden(kallsyms) ? 0 : 1);
  }
  waitpid(child, &status, 0);
  symbol_files_run("echo %s >/proc/sys/kernel/kptr_restrict", g_strchomp(before));
  g_assert_cmpint(status, ==, 0);
}

static const guint8 key[32] = "this boot", other_key[32] = "another";

static void test_cache(void)
{
  char *directory = symbol_files_enter();
  g_autoptr(ProfileKallsyms) kallsyms = parse(list);
  g_autoptr(ProfileKallsyms) cached = NULL;
  g_autoptr(GError) error = NULL;

  g_assert_null(profile_kallsyms_load("deep/cache", key));
  g_assert_true(profile_kallsyms_save(kallsyms, "deep/cache", key, &error));
  g_assert_no_error(error);
  cached = profile_kallsyms_load("deep/cache", key);
  g_assert_nonnull(cached);
  g_assert_cmpuint(profile_kallsyms_get_n(cached), ==, 9);
  assert_symbol(cached, 0xffffffffc0001100, "first.more", "module_a", 0xffffffffc0001100, 0xffffffffc0002000);
  g_assert_null(profile_kallsyms_load("deep/cache", other_key));
  symbol_files_leave(directory);
}

static void test_cache_permissions(void)
{
  char *directory = symbol_files_enter();
  g_autoptr(ProfileKallsyms) kallsyms = parse(list);

  g_assert_true(profile_kallsyms_save(kallsyms, "cache", key, NULL));
  g_assert_cmpint(g_chmod("cache", 0620), ==, 0);
  g_assert_null(profile_kallsyms_load("cache", key));
  g_assert_cmpint(g_chmod("cache", 0600), ==, 0);
  g_assert_cmpint(symlink("cache", "link"), ==, 0);
  g_assert_null(profile_kallsyms_load("link", key));
  symbol_files_leave(directory);
}

/* Without waiting for the disk, as g_file_set_contents would. */
static void write_file(const char *name, const char *content, gsize length)
{
  int fd = g_open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

  g_assert_cmpint(write(fd, content, length), ==, (gssize)length);
  close(fd);
}

/* A damaged cache is refused, or leads to names that are wrong and to nothing worse. */
static void test_cache_damage(void)
{
  char *directory = symbol_files_enter();
  g_autoptr(ProfileKallsyms) kallsyms = parse(list);
  g_autofree char *content = NULL;
  gsize length;

  g_assert_true(profile_kallsyms_save(kallsyms, "cache", key, NULL));
  g_assert_true(g_file_get_contents("cache", &content, &length, NULL));
  g_assert_cmpint(g_chmod("cache", 0600), ==, 0);
  for (gsize i = 0; i < 2 * length; i++) {
    gboolean flip = i >= length;
    gsize at = i % length;
    g_autoptr(ProfileKallsyms) damaged = NULL;
    ProfileKallsym symbol;

    content[at] ^= flip ? (char)0xff : 0;
    write_file("cache", content, flip ? length : at);
    content[at] ^= flip ? (char)0xff : 0;
    damaged = profile_kallsyms_load("cache", key);
    g_assert_true(!damaged || (flip && at >= 72));
    for (guint64 address = 0xffffffff81000000; damaged && address < 0xffffffff81000100; address += 8)
      profile_kallsyms_lookup(damaged, address, &symbol);
  }
  symbol_files_leave(directory);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/kallsyms/list", test_list);
  g_test_add_func("/kallsyms/find", test_find);
  g_test_add_func("/kallsyms/hidden", test_hidden);
  g_test_add_func("/kallsyms/odd-lines", test_odd_lines);
  g_test_add_func("/kallsyms/cut-anywhere", test_cut_anywhere);
  g_test_add_func("/kallsyms/running", test_running);
  g_test_add_func("/kallsyms/running-hidden", test_running_hidden);
  g_test_add_func("/kallsyms/cache", test_cache);
  g_test_add_func("/kallsyms/cache/permissions", test_cache_permissions);
  g_test_add_func("/kallsyms/cache/damage", test_cache_damage);
  return g_test_run();
}
