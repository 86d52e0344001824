/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/profile-foreign.h"

#include <glib/gi18n.h>

#include "profile/profile-reader.h"

/* One a kind of foreign bytes. */
static const struct {
  enum capture_foreign kind;
  ProfileForeignDecodeFunc decode;
} decoders[] = {{0, NULL}};

gboolean profile_foreign_decode(const ProfileForeign *foreign, capture_writer *writer, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS(decoders); i++)
    if (decoders[i].decode && decoders[i].kind == foreign->kind)
      return decoders[i].decode(foreign, writer, error);
  g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_UNSUPPORTED,
              _("“%s” is kept in a format that this version does not read (%u)."), foreign->name,
              foreign->kind);
  return FALSE;
}
