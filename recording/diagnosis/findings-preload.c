/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>

#include "recording/diagnosis/findings.h"
#include "recording/diagnosis/probe.h"

void recording_find_preload(GPtrArray *findings)
{
  g_autoptr(GError) error = NULL;

  if (recording_probe_preload(&error))
    recording_findings_add(
        findings, "preload", RECORDING_FINDING_OK,
        g_strdup(_("Commands can be recorded from inside, by the preloaded sampler, which needs "
                   "no permission.")),
        NULL);
  else
    recording_findings_add(findings, "preload", RECORDING_FINDING_LIMITED, g_strdup(error->message), NULL);
}
