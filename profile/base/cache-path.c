/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/base/cache-path.h"

#include <sys/stat.h>
#include <unistd.h>

#define OF_ROOT "/var/cache"

static gboolean is_own(const char *directory)
{
  struct stat status;

  return directory && *directory == '/' && (stat(directory, &status) < 0 || status.st_uid == geteuid());
}

char *profile_cache_path(const char *name)
{
  gboolean usual = geteuid() != 0 || is_own(g_getenv("XDG_CACHE_HOME"));

  return g_build_filename(usual ? g_get_user_cache_dir() : OF_ROOT, "capture", name, NULL);
}
