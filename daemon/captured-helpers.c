/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-helpers.h"

#include <unistd.h>

#include "daemon/captured-error.h"

static char *take_program(char *path)
{
  if (g_file_test(path, G_FILE_TEST_IS_EXECUTABLE))
    return path;
  g_free(path);
  return NULL;
}

/* From the directory of this program: daemon/ of a build, libexec/ of an installation. */
static char *find_beside(const char *name)
{
  g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
  g_autofree char *directory = program ? g_path_get_dirname(program) : NULL;
  g_autofree char *file = g_strconcat("capture-", name, NULL);

  if (!directory)
    return NULL;
  char *path = take_program(g_build_filename(directory, "..", "helpers", name, file, NULL));
  return path ? path : take_program(g_build_filename(directory, "capture", file, NULL));
}

char *captured_helpers_find(const char *name, GError **error)
{
  char *path = find_beside(name);

  if (!path)
    path = take_program(g_strconcat(CAPTURED_LIBEXECDIR "/capture/capture-", name, NULL));
  if (!path)
    g_set_error(error, CAPTURED_ERROR, CAPTURED_ERROR_FAILED,
                "The program capture-%s is missing; install the service again.", name);
  return path;
}
