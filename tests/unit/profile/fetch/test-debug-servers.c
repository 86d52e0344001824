/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which debuginfod servers are known, and for which of them the person said yes. */
#include <glib/gstdio.h>

#include "profile/fetch/debug-servers.h"

static char *directory;

static void write_file(const char *name, const char *text)
{
  g_autofree char *path = g_build_filename(directory, name, NULL);

  g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

static void test_environment(void)
{
  g_autofree char *two = NULL;

  g_setenv("DEBUGINFOD_URLS", "  https://a.example/\thttps://b.example ", TRUE);
  two = profile_debug_servers_get();
  g_assert_cmpstr(two, ==, "https://a.example/ https://b.example");
  g_setenv("DEBUGINFOD_URLS", " ", TRUE); /* says that none is wanted, whatever the distribution has */
  g_assert_null(profile_debug_servers_get());
}

static void test_files(void)
{
  g_autofree char *empty = profile_debug_servers_read(directory), *read = NULL;

  g_assert_null(empty);
  g_assert_null(profile_debug_servers_read("/nonexistent"));
  write_file("b.urls", "https://b.example\n");
  write_file("a.urls", "https://a.example\nhttps://c.example");
  write_file("README", "https://d.example");
  read = profile_debug_servers_read(directory);
  g_assert_cmpstr(read, ==, "https://a.example https://c.example https://b.example");
}

static void test_consent(void)
{
  g_autoptr(GError) error = NULL;

  g_assert_false(profile_debug_servers_are_allowed("https://a.example"));
  g_assert_true(profile_debug_servers_allow("https://a.example", &error));
  g_assert_no_error(error);
  g_assert_true(profile_debug_servers_are_allowed("https://a.example"));
  g_assert_false(profile_debug_servers_are_allowed("https://a.example https://b.example"));
  g_assert_true(profile_debug_servers_allow("https://a.example https://b.example", &error));
  g_assert_true(profile_debug_servers_are_allowed("https://a.example https://b.example"));
  g_assert_true(profile_debug_servers_are_allowed("https://a.example"));
  g_assert_false(profile_debug_servers_are_allowed("https://b.example"));
}

/* A file where the directory of settings would be. */
static void test_no_room(void)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *settings = g_build_filename(directory, "capture", "debug-servers", NULL);
  g_autofree char *parent = g_path_get_dirname(settings);

  g_unlink(settings);
  g_rmdir(parent);
  write_file("capture", "");
  g_assert_false(profile_debug_servers_allow("https://a.example", &error));
  g_assert_nonnull(error);
  g_assert_false(profile_debug_servers_are_allowed("https://a.example"));
  g_unlink(parent);
}

static void remove_files(void)
{
  static const char *const names[] = {"a.urls", "b.urls", "README"};

  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autofree char *path = g_build_filename(directory, names[i], NULL);
    g_unlink(path);
  }
  g_rmdir(directory);
}

int main(int argc, char **argv)
{
  int status;

  directory = g_dir_make_tmp("debug-servers-XXXXXX", NULL);
  g_setenv("XDG_CONFIG_HOME", directory, TRUE);
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/debug-servers/environment", test_environment);
  g_test_add_func("/debug-servers/files", test_files);
  g_test_add_func("/debug-servers/consent", test_consent);
  g_test_add_func("/debug-servers/no-room", test_no_room);
  status = g_test_run();
  remove_files();
  g_free(directory);
  return status;
}
