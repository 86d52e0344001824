/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>

#include "profile/capture/reader.h"
#include "profile/import/foreign-private.h"
#include "profile/import/syscap-convert.h"

/* A file that ends within a frame is how any file ends whose writer was still running. */
gboolean profile_foreign_decode_syscap(const ProfileForeign *foreign, capture_writer *writer, GError **error)
{
  const ProfileSyscapOptions options = {.name = *foreign->name ? foreign->name : "Sysprof",
                                        .own_names = TRUE};
  ProfileSyscapResult result;
  ProfileSyscap syscap;
  int status;

  if (!profile_syscap_open(&syscap, foreign->bytes, foreign->length)) {
    g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_DAMAGED,
                _("What “%s” wrote for Sysprof is not a .syscap: its header is not valid."), foreign->name);
    return FALSE;
  }
  status = profile_syscap_convert(&syscap, writer, &options, &result);
  return status == 0 || profile_foreign_fail(foreign, status, error);
}
