/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/fetch/debug-servers.h"

#include <string.h>

#define OF_DISTRIBUTION "/etc/debuginfod"
#define GROUP           "debug-servers"
#define KEY             "allowed"

static void add_words(GString *all, const char *text)
{
  g_auto(GStrv) words = g_strsplit_set(text, " \t\r\n", -1);

  for (guint i = 0; words[i]; i++)
    if (*words[i])
      g_string_append_printf(all, "%s%s", all->len ? " " : "", words[i]);
}

static char *take_words(GString *all)
{
  return g_string_free(all, all->len == 0);
}

static int compare_names(gconstpointer a, gconstpointer b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

char *profile_debug_servers_read(const char *directory)
{
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GDir) dir = g_dir_open(directory, 0, NULL);
  GString *all = g_string_new(NULL);
  const char *name;

  while (dir && (name = g_dir_read_name(dir)))
    if (g_str_has_suffix(name, ".urls"))
      g_ptr_array_add(names, g_build_filename(directory, name, NULL));
  g_ptr_array_sort(names, compare_names);
  for (guint i = 0; i < names->len; i++) {
    g_autofree char *text = NULL;

    if (g_file_get_contents(names->pdata[i], &text, NULL, NULL))
      add_words(all, text);
  }
  return take_words(all);
}

char *profile_debug_servers_get(void)
{
  const char *urls = g_getenv("DEBUGINFOD_URLS");
  GString *all;

  if (!urls)
    return profile_debug_servers_read(OF_DISTRIBUTION);
  all = g_string_new(NULL);
  add_words(all, urls);
  return take_words(all);
}

static char *get_settings_path(void)
{
  return g_build_filename(g_get_user_config_dir(), "capture", "debug-servers", NULL);
}

gboolean profile_debug_servers_are_allowed(const char *servers)
{
  g_autoptr(GKeyFile) file = g_key_file_new();
  g_autofree char *path = get_settings_path();
  g_auto(GStrv) allowed = NULL;

  if (!g_key_file_load_from_file(file, path, G_KEY_FILE_NONE, NULL))
    return FALSE;
  allowed = g_key_file_get_string_list(file, GROUP, KEY, NULL, NULL);
  return allowed && g_strv_contains((const char *const *)allowed, servers);
}

gboolean profile_debug_servers_allow(const char *servers, GError **error)
{
  g_autoptr(GKeyFile) file = g_key_file_new();
  g_autofree char *path = get_settings_path();
  g_autofree char *directory = g_path_get_dirname(path);
  g_auto(GStrv) allowed = NULL;
  g_autoptr(GStrvBuilder) all = g_strv_builder_new();
  g_auto(GStrv) now = NULL;

  if (profile_debug_servers_are_allowed(servers))
    return TRUE;
  g_key_file_load_from_file(file, path, G_KEY_FILE_KEEP_COMMENTS, NULL);
  allowed = g_key_file_get_string_list(file, GROUP, KEY, NULL, NULL);
  if (allowed)
    g_strv_builder_addv(all, (const char **)allowed);
  g_strv_builder_add(all, servers);
  now = g_strv_builder_end(all);
  g_key_file_set_string_list(file, GROUP, KEY, (const char *const *)now, g_strv_length(now));
  g_mkdir_with_parents(directory, 0700);
  return g_key_file_save_to_file(file, path, error);
}
