/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>
#include <unistd.h>

#include "recording/diagnosis/findings.h"
#include "recording/diagnosis/probe.h"

/* The recorder's own sentences, in one line. */
static char *findings_unwind_explain(const char *sentence, char *notes)
{
  g_strdelimit(g_strchomp(notes), "\n", ' ');
  return *notes ? g_strconcat(sentence, " ", notes, NULL) : g_strdup(sentence);
}

RecordingUnwind recording_find_unwinding(GPtrArray *findings)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *notes = NULL;
  RecordingUnwind unwind = RECORDING_UNWIND_AUTO;

  if (!recording_probe_unwind(&unwind, &notes, &error))
    recording_findings_add(findings, "unwinding", RECORDING_FINDING_LIMITED,
                           g_strdup_printf(_("Cannot test how stacks would be found: %s"), error->message),
                           NULL);
  else if (unwind == RECORDING_UNWIND_BPF)
    recording_findings_add(
        findings, "unwinding", RECORDING_FINDING_OK,
        g_strdup(_("Stacks are found by unwind tables in BPF programs, without frame pointers.")), NULL);
  else
    recording_findings_add(
        findings, "unwinding", RECORDING_FINDING_LIMITED,
        findings_unwind_explain(
            unwind == RECORDING_UNWIND_TABLES
                ? _("Stacks are found by unwind tables over copies of them, which costs more than BPF "
                    "programs do.")
                : _("Stacks are found by frame pointers, which most programs do not have."),
            notes),
        geteuid() == 0 ? NULL : g_strdup("sudo capturectl record …"));
  return unwind;
}
