/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/kit/paths.h"

#include <gio/gio.h>

/* `places` are from the program's directory. */
static char *find_beside_program(const char *const *places, const char *content)
{
  g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
  g_autofree char *directory = program ? g_path_get_dirname(program) : NULL;

  for (; directory && *places; places++) {
    g_autofree char *path = g_build_filename(directory, *places, NULL);
    g_autofree char *wanted = g_build_filename(path, content, NULL);

    if (g_file_test(wanted, G_FILE_TEST_EXISTS))
      return g_canonicalize_filename(path, NULL);
  }
  return NULL;
}

char *viewer_paths_find_locale(void)
{
  static const char *const places[] = {"../po", "../share/locale", NULL};
  char *path = find_beside_program(places, "de/LC_MESSAGES/" GETTEXT_PACKAGE ".mo");

  return path ? path : g_strdup(LOCALEDIR);
}

char *viewer_paths_find_schema(void)
{
  static const char *const places[] = {"../data", "../share/glib-2.0/schemas", NULL};

  return find_beside_program(places, "gschemas.compiled");
}
