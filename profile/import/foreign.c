/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/import/foreign.h"

#include <glib/gi18n.h>

#include "profile/capture/reader.h"
#include "profile/import/foreign-private.h"

/* One a kind of foreign bytes. */
static const struct {
  enum capture_foreign kind;
  ProfileForeignDecodeFunc decode;
} decoders[] = {
    {CAPTURE_FOREIGN_SYSCAP, profile_foreign_decode_syscap},
    {CAPTURE_FOREIGN_PERF_MAP, profile_foreign_decode_perf_map},
    {CAPTURE_FOREIGN_JITDUMP, profile_foreign_decode_jitdump},
};

gboolean profile_foreign_decode(const ProfileForeign *foreign, capture_writer *writer, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS(decoders); i++)
    if (decoders[i].kind == foreign->kind)
      return decoders[i].decode(foreign, writer, error);
  g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_UNSUPPORTED,
              _("“%s” is kept in a format that this version does not read (%u)."), foreign->name,
              foreign->kind);
  return FALSE;
}
