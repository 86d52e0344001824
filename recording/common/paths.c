/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/common/paths-private.h"

#include <glib/gi18n.h>
#include <string.h>
#include <unistd.h>

#include "helpers/program-path.h"
#include "recording/common/error.h"

char *recording_paths_find_recorder(GError **error)
{
  static const struct program_path place =
      PROGRAM_PATH("CAPTURE_RECORDER", "recorder", "capture-recorder", RECORDING_LIBEXECDIR);
  g_autofree char *missing = NULL;
  char *path = program_path_find(&place, X_OK, &missing);

  if (!path)
    g_set_error(error, RECORDING_ERROR, RECORDING_ERROR_RECORDER,
                _("The recorder “%s” is missing; install capturectl again, or name one in CAPTURE_RECORDER."),
                missing);
  return path;
}

char *recording_paths_find_elf_reader(GError **error)
{
  static const struct program_path place =
      PROGRAM_PATH("CAPTURE_ELF_READER", "elf-reader", "capture-elf-reader", RECORDING_LIBEXECDIR);
  g_autofree char *missing = NULL;
  char *path = program_path_find(&place, X_OK, &missing);

  if (!path)
    g_set_error(
        error, RECORDING_ERROR, RECORDING_ERROR_FAILED,
        _("The program “%s” is missing; install capturectl again, or name one in CAPTURE_ELF_READER."),
        missing);
  return path;
}

char *recording_paths_find_preload(GError **error)
{
  static const struct program_path place =
      PROGRAM_PATH("CAPTURE_PRELOAD", "preload", "libcapture-preload.so", RECORDING_LIBEXECDIR);
  g_autofree char *missing = NULL;
  g_autofree char *path = program_path_find(&place, R_OK, &missing);

  if (!path) {
    g_set_error(error, RECORDING_ERROR, RECORDING_ERROR_FAILED,
                _("The library “%s” is missing; install capturectl again, or name it in CAPTURE_PRELOAD."),
                missing);
    return NULL;
  }
  if (strpbrk(path, ": \t\n") != NULL) {
    g_set_error(error, RECORDING_ERROR, RECORDING_ERROR_FAILED,
                _("The library “%s” cannot be preloaded, since its path holds a colon or a space; put it "
                  "elsewhere and name it in CAPTURE_PRELOAD."),
                path);
    return NULL;
  }
  return g_steal_pointer(&path);
}
