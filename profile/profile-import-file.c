/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/profile-import-file.h"

#include "profile/profile-perf-data-import.h"
#include "profile/profile-syscap-import.h"
#include "profile/profile-syscap.h"

gboolean profile_import_file(const char *path, int fd, const ProfileImportOptions *options,
                             ProfileImportResult *ret_result, GError **error)
{
  g_autoptr(ProfileInput) input = profile_input_open(path, error);
  g_autoptr(ProfilePerfData) data = NULL;

  if (!input)
    return FALSE;
  if (profile_syscap_is(input->bytes, input->size))
    return profile_syscap_import(input, fd, options, ret_result, error);
  data = profile_perf_data_new(g_steal_pointer(&input), error);
  return data && profile_perf_import(data, fd, options, ret_result, error);
}
