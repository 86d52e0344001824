/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/elf/debug-roots.h"

#include <glob.h>
#include <sys/stat.h>

/* Of extensions: each is looked into for each file. */
#define EXTENSIONS_MAX 64

static gboolean is_same(const char *path, const char *other)
{
  struct stat one, two;

  return stat(path, &one) < 0 || stat(other, &two) < 0 ||
         (one.st_dev == two.st_dev && one.st_ino == two.st_ino);
}

static void add_process(GStrvBuilder *roots, gint32 pid)
{
  static const char *const below[] = {"/", "/usr/lib/debug", "/app/lib/debug"};
  g_autofree char *root = g_strdup_printf("/proc/%d/root", pid);
  g_autofree char *itself = g_strconcat(root, "/", NULL);
  g_autofree char *mounts = g_strdup_printf("/proc/%d/ns/mnt", pid);

  if (is_same(itself, "/") && is_same(mounts, "/proc/self/ns/mnt"))
    return;
  for (guint i = 0; i < G_N_ELEMENTS(below); i++) {
    g_autofree char *path = g_strconcat(root, below[i], NULL);

    if (g_file_test(path, G_FILE_TEST_IS_DIR))
      g_strv_builder_add(roots, path);
  }
}

static void add_installation(GStrvBuilder *roots, const char *installation)
{
  g_autofree char *pattern = g_build_filename(installation, "runtime/*.Debug/*/*/active/files", NULL);
  glob_t found;

  if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0)
    return;
  for (gsize i = 0; i < MIN(found.gl_pathc, EXTENSIONS_MAX); i++)
    g_strv_builder_add(roots, found.gl_pathv[i]);
  globfree(&found);
}

/* Once: what is installed while this program runs, the next one sees. */
static gpointer find_extensions(gpointer unused)
{
  g_autoptr(GStrvBuilder) roots = g_strv_builder_new();
  g_autofree char *own = g_build_filename(g_get_user_data_dir(), "flatpak", NULL);

  add_installation(roots, own);
  add_installation(roots, "/var/lib/flatpak");
  return g_strv_builder_end(roots);
}

GStrv profile_debug_roots_find(gint32 pid)
{
  static GOnce once = G_ONCE_INIT;
  g_autoptr(GStrvBuilder) roots = g_strv_builder_new();

  g_once(&once, find_extensions, NULL);
  if (pid > 0)
    add_process(roots, pid);
  g_strv_builder_addv(roots, (const char **)once.retval);
  return g_strv_builder_end(roots);
}
