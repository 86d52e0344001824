/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <unistd.h>

#include "capturectl/capturectl-command.h"
#include "capturectl/capturectl-findings.h"
#include "capturectl/capturectl-json.h"
#include "capturectl/capturectl-verbs.h"
#include "capturectl/capturectl-ways.h"
#include "recording/recording-recorder.h"

static const char *const state_words[] = {"ok", "limited", "missing"};

typedef struct {
  GPtrArray *findings;
  CapturectlWays ways;
} Diagnosis;

static gboolean can_record(const Diagnosis *diagnosis)
{
  return capturectl_ways_choose(&diagnosis->ways) != RECORDING_VIA_AUTO;
}

static void print_text(const Diagnosis *diagnosis)
{
  GPtrArray *findings = diagnosis->findings;
  const char *words[] = {_("ok"), _("limited"), _("missing")};

  for (guint i = 0; i < findings->len; i++) {
    const CapturectlFinding *finding = findings->pdata[i];

    g_print("%-8s %s\n", words[finding->state], finding->text);
    if (finding->fix)
      g_print("%-8s → %s\n", "", finding->fix);
  }
  g_print("\n");
  capturectl_ways_print(&diagnosis->ways);
  g_print("\n%s\n", !can_record(diagnosis) ? _("Nothing can be recorded yet; see what is missing.")
                    : geteuid() == 0 ? _("You are root: “capturectl record” may do all that is listed as ok.")
                                     : _("What is limited for you is mostly not for root: “sudo capturectl "
                                         "record …”."));
}

static void print_json(const Diagnosis *diagnosis)
{
  GPtrArray *findings = diagnosis->findings;
  g_autoptr(JsonBuilder) builder = json_builder_new();

  json_builder_begin_object(builder);
  capturectl_json_bool(builder, "can_record", can_record(diagnosis));
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
  capturectl_ways_add_json(builder, &diagnosis->ways);
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

/* What the service can is not missing. */
static void soften(GPtrArray *findings)
{
  for (guint i = 0; i < findings->len; i++) {
    CapturectlFinding *finding = findings->pdata[i];

    if (finding->state == CAPTURECTL_FINDING_MISSING)
      finding->state = CAPTURECTL_FINDING_LIMITED;
  }
}

static void diagnose(Diagnosis *ret)
{
  g_auto(RecordingServiceFacts) facts = {0};

  find_recorder(ret->findings);
  capturectl_find_perf_events(ret->findings);
  RecordingUnwind unwind = capturectl_find_unwinding(ret->findings);
  gboolean service = capturectl_find_service(ret->findings, &facts);
  capturectl_find_preload(ret->findings);
  capturectl_find_names(ret->findings);
  ret->ways.direct = capturectl_ways_direct(ret->findings, unwind);
  ret->ways.service = capturectl_ways_service(service ? &facts : NULL);
  ret->ways.preload = capturectl_ways_preload(ret->findings);
  if (can_record(ret))
    soften(ret->findings);
}

int capturectl_doctor(int argc, char **argv)
{
  gboolean json = FALSE;
  const GOptionEntry entries[] = {
      {"json", 0, 0, G_OPTION_ARG_NONE, &json, N_("Print JSON (docs/doctor-json.md)"), NULL},
      {NULL},
  };
  g_autoptr(GPtrArray) findings = g_ptr_array_new_with_free_func((GDestroyNotify)capturectl_finding_free);
  Diagnosis diagnosis = {.findings = findings};
  int status =
      capturectl_parse_options(&argc, &argv, entries, NULL,
                               _("Says what this machine permits you to record, and the command that "
                                 "fixes the rest.\nThe exit status is 0 when your own processes can be "
                                 "recorded."));

  if (status >= 0)
    return status;
  if (argc > 1)
    return capturectl_fail_usage(_("No argument is expected, but “%s” was given."), argv[1]);
  diagnose(&diagnosis);
  if (json)
    print_json(&diagnosis);
  else
    print_text(&diagnosis);
  return can_record(&diagnosis) ? CAPTURECTL_DONE : CAPTURECTL_FAILED;
}
