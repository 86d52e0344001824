/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/base/path-maps.h"

#include <string.h>

static void path_map_clear(gpointer data)
{
  ProfilePathMap *map = data;

  g_free(map->from);
  g_free(map->to);
}

GArray *profile_path_maps_new(void)
{
  GArray *maps = g_array_new(FALSE, FALSE, sizeof(ProfilePathMap));

  g_array_set_clear_func(maps, path_map_clear);
  return maps;
}

void profile_path_maps_append(GArray *maps, const char *from, const char *to)
{
  ProfilePathMap map = {g_strdup(from), g_canonicalize_filename(to, NULL)};

  g_array_append_val(maps, map);
}

gboolean profile_path_maps_append_text(GArray *maps, const char *text)
{
  const char *equals = strchr(text, '=');

  if (!equals || !equals[1])
    return FALSE;
  g_autofree char *from = g_strndup(text, (gsize)(equals - text));
  profile_path_maps_append(maps, from, equals + 1);
  return TRUE;
}

char *profile_path_map_apply(const ProfilePathMap *map, const char *path)
{
  gsize length = strlen(map->from);

  while (length > 0 && map->from[length - 1] == '/')
    length--;
  if (strncmp(path, map->from, length) != 0 || (length > 0 && path[length] != '/' && path[length] != '\0'))
    return NULL;
  return path[length] ? g_build_filename(map->to, path + length, NULL) : g_strdup(map->to);
}

/* Both end in the same folder, and so do the folders that those are in. */
static gboolean can_shorten(const char *from, const char *to)
{
  g_autofree char *from_name = g_path_get_basename(from), *to_name = g_path_get_basename(to);
  g_autofree char *from_folder = g_path_get_dirname(from), *to_folder = g_path_get_dirname(to);
  g_autofree char *from_above = g_path_get_basename(from_folder), *to_above = g_path_get_basename(to_folder);

  return strcmp(from_name, to_name) == 0 && strcmp(from_above, to_above) == 0 && from_above[0] != '/' &&
         from_above[0] != '.';
}

static void append_shortened(GArray *maps, const char *path, const char *found)
{
  g_autofree char *from = g_path_get_dirname(path), *to = g_path_get_dirname(found);

  while (can_shorten(from, to)) {
    char *from_folder = g_path_get_dirname(from), *to_folder = g_path_get_dirname(to);
    g_free(from);
    g_free(to);
    from = from_folder;
    to = to_folder;
  }
  profile_path_maps_append(maps, strcmp(from, ".") == 0 ? "" : from, to);
}

gboolean profile_path_maps_append_found(GArray *maps, const char *path, const char *folder)
{
  for (const char *end = path; end; end = strchr(end, '/')) {
    end += strspn(end, "/");
    g_autofree char *found = g_build_filename(folder, end, NULL);
    if (*end && g_file_test(found, G_FILE_TEST_IS_REGULAR)) {
      append_shortened(maps, path, found);
      return TRUE;
    }
  }
  return FALSE;
}
