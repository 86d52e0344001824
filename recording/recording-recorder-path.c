/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/recording-recorder-path-private.h"

#include <glib/gi18n.h>
#include <unistd.h>

#include "recording/recording-error.h"

/* From the directory of a program: in a build directory, and in an installation that was moved. */
static const char *const beside[] = {"../helpers/recorder/capture-recorder",
                                     "../libexec/capture/capture-recorder", NULL};

static char *find_beside_program(void)
{
  g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
  g_autofree char *directory = program ? g_path_get_dirname(program) : NULL;

  for (guint i = 0; directory && beside[i]; i++) {
    char *path = g_build_filename(directory, beside[i], NULL);
    if (access(path, X_OK) == 0)
      return path;
    g_free(path);
  }
  return NULL;
}

char *recording_recorder_find_path(GError **error)
{
  const char *wanted = g_getenv("CAPTURE_RECORDER");
  char *path = wanted ? g_strdup(wanted) : find_beside_program();

  if (!path)
    path = g_strdup(RECORDING_LIBEXECDIR "/capture-recorder");
  if (access(path, X_OK) == 0)
    return path;
  g_set_error(error, RECORDING_ERROR, RECORDING_ERROR_RECORDER,
              _("The recorder “%s” is missing; install capturectl again, or name one in CAPTURE_RECORDER."),
              path);
  g_free(path);
  return NULL;
}
