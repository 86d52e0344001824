/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/fetch/fetch-directory.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PREFIX        ".capture-"
#define ABANDONED_AGE (24 * 60 * 60) /* seconds */

/* libdebuginfod makes a directory for each build-id, and none below. */
static void remove_tree(const char *path, guint depth)
{
  g_autoptr(GDir) dir = depth > 0 ? g_dir_open(path, 0, NULL) : NULL;
  const char *name;

  while (dir && (name = g_dir_read_name(dir))) {
    g_autofree char *child = g_build_filename(path, name, NULL);

    if (g_unlink(child) < 0 && (errno == EISDIR || errno == EPERM))
      remove_tree(child, depth - 1);
  }
  g_rmdir(path);
}

static void remove_abandoned(const char *cache)
{
  g_autoptr(GDir) dir = g_dir_open(cache, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name(dir))) {
    g_autofree char *path = g_build_filename(cache, name, NULL);
    struct stat status;

    if (g_str_has_prefix(name, PREFIX) && lstat(path, &status) == 0 && S_ISDIR(status.st_mode) &&
        status.st_mtime < time(NULL) - ABANDONED_AGE)
      remove_tree(path, 2);
  }
}

char *profile_fetch_directory_new(const char *cache)
{
  g_autofree char *template = g_build_filename(cache, PREFIX "XXXXXX", NULL);

  if (g_mkdir_with_parents(cache, 0700) < 0)
    return NULL;
  remove_abandoned(cache);
  return g_mkdtemp(template) ? g_steal_pointer(&template) : NULL;
}

void profile_fetch_directory_free(char *directory)
{
  remove_tree(directory, 2);
  g_free(directory);
}

gboolean profile_fetch_directory_keep(const char *directory, const char *cache, int fd, const char *build_id,
                                      const char *name)
{
  g_autofree char *open_file = g_strdup_printf("/proc/self/fd/%d", fd);
  g_autofree char *linked = g_build_filename(directory, "kept", NULL);
  g_autofree char *place = g_build_filename(cache, build_id, NULL);
  g_autofree char *kept = g_build_filename(place, name, NULL);

  return g_mkdir_with_parents(place, 0700) == 0 &&
         linkat(AT_FDCWD, open_file, AT_FDCWD, linked, AT_SYMLINK_FOLLOW) == 0 && rename(linked, kept) == 0;
}
