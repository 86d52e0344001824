/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <unistd.h>

#include "capturectl/capturectl-command.h"
#include "capturectl/capturectl-findings.h"
#include "capturectl/capturectl-json.h"
#include "capturectl/capturectl-verbs.h"
#include "recording/recording-recorder.h"

static const char *const state_words[] = {"ok", "limited", "missing"};

static gboolean can_record(GPtrArray *findings)
{
  for (guint i = 0; i < findings->len; i++)
    if (((CapturectlFinding *)findings->pdata[i])->state == CAPTURECTL_FINDING_MISSING)
      return FALSE;
  return TRUE;
}

static void print_text(GPtrArray *findings)
{
  const char *words[] = {_("ok"), _("limited"), _("missing")};

  for (guint i = 0; i < findings->len; i++) {
    const CapturectlFinding *finding = findings->pdata[i];

    g_print("%-8s %s\n", words[finding->state], finding->text);
    if (finding->fix)
      g_print("%-8s → %s\n", "", finding->fix);
  }
  g_print("\n%s\n", !can_record(findings) ? _("Nothing can be recorded yet; see what is missing.")
                    : geteuid() == 0 ? _("You are root: “capturectl record” may do all that is listed as ok.")
                                     : _("What is limited for you is mostly not for root: “sudo capturectl "
                                         "record …”."));
}

static void print_json(GPtrArray *findings)
{
  g_autoptr(JsonBuilder) builder = json_builder_new();

  json_builder_begin_object(builder);
  capturectl_json_bool(builder, "can_record", can_record(findings));
  capturectl_json_array(builder, "findings");
  for (guint i = 0; i < findings->len; i++) {
    const CapturectlFinding *finding = findings->pdata[i];

    json_builder_begin_object(builder);
    capturectl_json_string(builder, "id", finding->id);
    capturectl_json_string(builder, "state", state_words[finding->state]);
    capturectl_json_string(builder, "text", finding->text);
    capturectl_json_string(builder, "fix", finding->fix);
    json_builder_end_object(builder);
  }
  json_builder_end_array(builder);
  json_builder_end_object(builder);
  capturectl_json_print(builder);
}

/* Started, not only looked for: it may be there and not run. */
static void find_recorder(GPtrArray *findings)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(RecordingRecorder) recorder = recording_recorder_new(&error);

  if (recorder)
    capturectl_findings_add(findings, "recorder", CAPTURECTL_FINDING_OK,
                            g_strdup(_("The recorder is installed.")), NULL);
  else
    capturectl_findings_add(findings, "recorder", CAPTURECTL_FINDING_MISSING, g_strdup(error->message), NULL);
}

int capturectl_doctor(int argc, char **argv)
{
  gboolean json = FALSE;
  const GOptionEntry entries[] = {
      {"json", 0, 0, G_OPTION_ARG_NONE, &json, N_("Print JSON (docs/doctor-json.md)"), NULL},
      {NULL},
  };
  g_autoptr(GPtrArray) findings = g_ptr_array_new_with_free_func((GDestroyNotify)capturectl_finding_free);
  int status =
      capturectl_parse_options(&argc, &argv, entries, NULL,
                               _("Says what this machine permits you to record, and the command that "
                                 "fixes the rest.\nThe exit status is 0 when your own processes can be "
                                 "recorded."));

  if (status >= 0)
    return status;
  if (argc > 1)
    return capturectl_fail_usage(_("No argument is expected, but “%s” was given."), argv[1]);
  find_recorder(findings);
  capturectl_find_perf_events(findings);
  capturectl_find_unwinding(findings);
  capturectl_find_names(findings);
  if (json)
    print_json(findings);
  else
    print_text(findings);
  return can_record(findings) ? CAPTURECTL_DONE : CAPTURECTL_FAILED;
}
