/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/export/exporter.h"

#include <glib/gi18n.h>

static const ProfileExporter exporters[] = {
    {"svg", N_("Flame Graph"), N_("A picture that can be zoomed and searched in a browser (SVG)"), ".svg",
     FALSE, profile_export_svg},
    {"folded", N_("Folded Stacks"), N_("A line for each stack, for scripts and other flame graphs"),
     ".folded", FALSE, profile_export_folded},
    {"pprof", N_("pprof"), N_("For Google’s pprof and whoever reads its profiles"), ".pb.gz", TRUE,
     profile_export_pprof},
    {"syscap", N_("Sysprof"), N_("For Sysprof, with marks and counters"), ".syscap", TRUE,
     profile_export_syscap},
};

const ProfileExporter *profile_exporters_get(guint *ret_n)
{
  *ret_n = G_N_ELEMENTS(exporters);
  return exporters;
}

const ProfileExporter *profile_exporters_find(const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS(exporters); i++)
    if (g_strcmp0(exporters[i].name, name) == 0)
      return &exporters[i];
  return NULL;
}

char *profile_exporters_join(const char *separator)
{
  g_autoptr(GString) text = g_string_new(NULL);

  for (guint i = 0; i < G_N_ELEMENTS(exporters); i++)
    g_string_append_printf(text, "%s%s", i > 0 ? separator : "", exporters[i].name);
  return g_string_free(g_steal_pointer(&text), FALSE);
}
