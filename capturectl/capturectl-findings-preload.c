/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>

#include "capturectl/capturectl-findings.h"
#include "recording/recording-probe.h"

void capturectl_find_preload(GPtrArray *findings)
{
  g_autoptr(GError) error = NULL;

  if (recording_probe_preload(&error))
    capturectl_findings_add(
        findings, "preload", CAPTURECTL_FINDING_OK,
        g_strdup(_("Commands can be recorded from inside, by the preloaded sampler, which needs "
                   "no permission (record --via preload).")),
        NULL);
  else
    capturectl_findings_add(findings, "preload", CAPTURECTL_FINDING_LIMITED, g_strdup(error->message), NULL);
}
