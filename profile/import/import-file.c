/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/import/import-file.h"

#include <glib/gi18n.h>

#include "profile/capture/reader.h"
#include "profile/import/importer.h"

/* Takes the input. */
static gboolean import_file_import(ProfileInput *taken, int fd, const ProfileImportOptions *options,
                                   ProfileImportResult *ret_result, GError **error)
{
  g_autoptr(ProfileInput) input = taken;
  const ProfileImporter *importer = profile_importers_recognise(input->bytes, input->size);

  if (importer)
    return importer->import(g_steal_pointer(&input), fd, options, ret_result, error);
  g_autofree char *known = profile_importers_join(", ");
  g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_NOT_A_CAPTURE,
              _("“%s” has none of the formats that can be imported: %s."), input->name, known);
  return FALSE;
}

gboolean profile_import_file(const char *path, int fd, const ProfileImportOptions *options,
                             ProfileImportResult *ret_result, GError **error)
{
  ProfileInput *input = profile_input_open(path, error);
  g_autoptr(ProfileMappedFile) mapped =
      input && input->mapped ? profile_mapped_file_ref(input->mapped) : NULL;
  g_autoptr(GError) failure = NULL;

  if (!input)
    return FALSE;
  gboolean done = import_file_import(input, fd, options, ret_result, &failure);
  if (mapped && profile_mapped_file_is_cut_off(mapped)) {
    if (done)
      g_clear_pointer(&ret_result->warning, g_free);
    g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_DAMAGED,
                _("“%s” became shorter while it was read; read it again when it is complete."), path);
    return FALSE;
  }
  if (!done)
    g_propagate_error(error, g_steal_pointer(&failure));
  return done;
}
