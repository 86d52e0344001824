/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/program-path.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *program_path_beside(const char *relative, int mode)
{
  char program[PATH_MAX], path[2 * PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length <= 0)
    return NULL;
  program[length] = '\0';
  char *slash = strrchr(program, '/');
  if (!slash)
    return NULL;
  *slash = '\0';
  snprintf(path, sizeof path, "%s/%s", program, relative);
  return access(path, mode) == 0 ? realpath(path, NULL) : NULL;
}

/* A path that leads nowhere stays as it is: that is what is missing. */
static char *make_whole(const char *named)
{
  char *whole = realpath(named, NULL);
  return whole ? whole : strdup(named);
}

char *program_path_find(const struct program_path *place, int mode, char **ret_missing)
{
  const char *named = getenv(place->variable);
  char *path = named ? make_whole(named) : program_path_beside(place->built, mode);
  if (!path && !named)
    path = program_path_beside(place->moved, mode);
  if (!path && !named)
    path = strdup(place->installed);
  if (!path || access(path, mode) == 0)
    return path;
  if (ret_missing)
    *ret_missing = path;
  else
    free(path);
  return NULL;
}
