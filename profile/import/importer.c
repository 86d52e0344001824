/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/import/importer.h"

#include "profile/import/perf-data-import.h"
#include "profile/import/syscap-import.h"
#include "profile/import/syscap.h"

static gboolean import_perf_data(ProfileInput *input, int fd, const ProfileImportOptions *options,
                                 ProfileImportResult *ret_result, GError **error)
{
  g_autoptr(ProfilePerfData) data = profile_perf_data_new(input, error);

  return data && profile_perf_import(data, fd, options, ret_result, error);
}

static gboolean import_syscap(ProfileInput *taken, int fd, const ProfileImportOptions *options,
                              ProfileImportResult *ret_result, GError **error)
{
  g_autoptr(ProfileInput) input = taken;

  return profile_syscap_import(input, fd, options, ret_result, error);
}

static const ProfileImporter importers[] = {
    {"perf.data",
     {"perf.data", "*.perf.data", "perf.data.*"},
     {".data", ".perf"},
     profile_perf_data_recognise,
     import_perf_data},
    {".syscap", {"*.syscap"}, {".syscap"}, profile_syscap_is, import_syscap},
};

const ProfileImporter *profile_importers_get(guint *ret_n)
{
  *ret_n = G_N_ELEMENTS(importers);
  return importers;
}

char *profile_importers_join(const char *separator)
{
  g_autoptr(GString) text = g_string_new(NULL);

  for (guint i = 0; i < G_N_ELEMENTS(importers); i++)
    g_string_append_printf(text, "%s%s", i > 0 ? separator : "", importers[i].name);
  return g_string_free(g_steal_pointer(&text), FALSE);
}

const ProfileImporter *profile_importers_recognise(const guint8 *bytes, gsize size)
{
  for (guint i = 0; i < G_N_ELEMENTS(importers); i++)
    if (importers[i].recognise(bytes, size))
      return &importers[i];
  return NULL;
}
