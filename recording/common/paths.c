/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/common/paths-private.h"

#include <glib/gi18n.h>
#include <string.h>
#include <unistd.h>

#include "recording/common/error.h"

/* Directories are from the one of this program. */
typedef struct {
  const char *variable;
  const char *built;
  const char *moved;
  const char *installed;
} Place;

static char *find_beside_program(const Place *place, int mode)
{
  g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
  g_autofree char *directory = program ? g_path_get_dirname(program) : NULL;
  const char *beside[] = {place->built, place->moved};

  for (guint i = 0; directory && i < G_N_ELEMENTS(beside); i++) {
    g_autofree char *path = g_build_filename(directory, beside[i], NULL);
    if (access(path, mode) == 0)
      return g_canonicalize_filename(path, NULL);
  }
  return NULL;
}

/* What is missing, if `mode` is not permitted of it. */
static char *paths_find(const Place *place, int mode, char **ret_missing)
{
  const char *wanted = g_getenv(place->variable);
  char *path = wanted ? g_canonicalize_filename(wanted, NULL) : find_beside_program(place, mode);

  if (!path)
    path = g_strdup(place->installed);
  if (access(path, mode) == 0)
    return path;
  *ret_missing = path;
  return NULL;
}

char *recording_paths_find_recorder(GError **error)
{
  static const Place place = {
      .variable = "CAPTURE_RECORDER",
      .built = "../helpers/recorder/capture-recorder",
      .moved = "../libexec/capture/capture-recorder",
      .installed = RECORDING_LIBEXECDIR "/capture-recorder",
  };
  g_autofree char *missing = NULL;
  char *path = paths_find(&place, X_OK, &missing);

  if (!path)
    g_set_error(error, RECORDING_ERROR, RECORDING_ERROR_RECORDER,
                _("The recorder “%s” is missing; install capturectl again, or name one in CAPTURE_RECORDER."),
                missing);
  return path;
}

char *recording_paths_find_elf_reader(GError **error)
{
  static const Place place = {
      .variable = "CAPTURE_ELF_READER",
      .built = "../helpers/elf-reader/capture-elf-reader",
      .moved = "../libexec/capture/capture-elf-reader",
      .installed = RECORDING_LIBEXECDIR "/capture-elf-reader",
  };
  g_autofree char *missing = NULL;
  char *path = paths_find(&place, X_OK, &missing);

  if (!path)
    g_set_error(
        error, RECORDING_ERROR, RECORDING_ERROR_FAILED,
        _("The program “%s” is missing; install capturectl again, or name one in CAPTURE_ELF_READER."),
        missing);
  return path;
}

char *recording_paths_find_preload(GError **error)
{
  static const Place place = {
      .variable = "CAPTURE_PRELOAD",
      .built = "../helpers/preload/libcapture-preload.so",
      .moved = "../libexec/capture/libcapture-preload.so",
      .installed = RECORDING_LIBEXECDIR "/libcapture-preload.so",
  };
  g_autofree char *missing = NULL;
  g_autofree char *path = paths_find(&place, R_OK, &missing);

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
