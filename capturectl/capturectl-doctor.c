/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <unistd.h>

#include "capturectl/capturectl-command.h"
#include "capturectl/capturectl-json.h"
#include "capturectl/capturectl-verbs.h"
#include "capturectl/capturectl-ways.h"
#include "recording/diagnosis/diagnosis.h"

static const char *const state_words[] = {"ok", "limited", "missing"};

static void print_text(const RecordingDiagnosis *diagnosis)
{
  GPtrArray *findings = diagnosis->findings;
  const char *words[] = {_("ok"), _("limited"), _("missing")};

  for (guint i = 0; i < findings->len; i++) {
    const RecordingFinding *finding = findings->pdata[i];

    g_print("%-8s %s\n", words[finding->state], finding->text);
    if (finding->fix)
      g_print("%-8s → %s\n", "", finding->fix);
  }
  g_print("\n");
  capturectl_ways_print(&diagnosis->ways);
  g_print("\n%s\n", !recording_diagnosis_can_record(diagnosis)
                        ? _("Nothing can be recorded yet; see what is missing.")
                    : geteuid() == 0 ? _("You are root: “capturectl record” may do all that is listed as ok.")
                                     : _("Root has few of these limits: “sudo capturectl record …”."));
}

static void print_json(const RecordingDiagnosis *diagnosis)
{
  GPtrArray *findings = diagnosis->findings;
  g_autoptr(JsonBuilder) builder = json_builder_new();

  json_builder_begin_object(builder);
  capturectl_json_bool(builder, "can_record", recording_diagnosis_can_record(diagnosis));
  capturectl_json_array(builder, "findings");
  for (guint i = 0; i < findings->len; i++) {
    const RecordingFinding *finding = findings->pdata[i];

    json_builder_begin_object(builder);
    capturectl_json_string(builder, "id", finding->id);
    capturectl_json_string(builder, "state", state_words[finding->state]);
    capturectl_json_string(builder, "text", finding->text);
    capturectl_json_string(builder, "fix", finding->fix);
    json_builder_end_object(builder);
  }
  json_builder_end_array(builder);
  capturectl_ways_add_json(builder, &diagnosis->ways);
  json_builder_end_object(builder);
  capturectl_json_print(builder);
}

int capturectl_doctor(int argc, char **argv)
{
  gboolean json = FALSE;
  const GOptionEntry entries[] = {
      {"json", 0, 0, G_OPTION_ARG_NONE, &json, N_("Print JSON (docs/doctor-json.md)"), NULL},
      {NULL},
  };
  int status =
      capturectl_parse_options(&argc, &argv, entries, NULL,
                               _("Says what this machine permits you to record, and the command that "
                                 "fixes the rest.\nThe exit status is 0 when your own processes can be "
                                 "recorded."));

  if (status >= 0)
    return status;
  if (argc > 1)
    return capturectl_fail_usage(_("No argument is expected, but “%s” was given."), argv[1]);
  g_autoptr(RecordingDiagnosis) diagnosis = recording_diagnosis_new();
  if (json)
    print_json(diagnosis);
  else
    print_text(diagnosis);
  return recording_diagnosis_can_record(diagnosis) ? CAPTURECTL_DONE : CAPTURECTL_FAILED;
}
