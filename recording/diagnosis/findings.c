/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/diagnosis/findings.h"

#include <glib/gi18n.h>

#include "recording/recorder/recorder.h"

void recording_finding_free(RecordingFinding *finding)
{
  g_free(finding->text);
  g_free(finding->fix);
  g_free(finding);
}

void recording_findings_add(GPtrArray *findings, const char *id, RecordingFindingState state, char *text,
                            char *fix)
{
  RecordingFinding *finding = g_new(RecordingFinding, 1);

  *finding = (RecordingFinding){id, state, text, fix};
  g_ptr_array_add(findings, finding);
}

gint64 recording_read_setting(const char *path, gint64 otherwise)
{
  g_autofree char *content = NULL;
  gint64 value;

  if (!g_file_get_contents(path, &content, NULL, NULL))
    return otherwise;
  g_strchomp(content);
  return g_ascii_string_to_signed(content, 10, G_MININT64, G_MAXINT64, &value, NULL) ? value : otherwise;
}

/* Started, not only looked for: it may be there and not run. */
void recording_find_recorder(GPtrArray *findings)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(RecordingRecorder) recorder = recording_recorder_new(&error);

  if (recorder)
    recording_findings_add(findings, "recorder", RECORDING_FINDING_OK,
                           g_strdup(_("The recorder is installed.")), NULL);
  else
    recording_findings_add(findings, "recorder", RECORDING_FINDING_MISSING, g_strdup(error->message), NULL);
}
