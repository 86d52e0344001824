/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib.h>
#include <string.h>

#include "recording/common/options.h"
#include "recording/diagnosis/diagnosis.h"

static GPtrArray *make_findings(gboolean recorder, gboolean own, gboolean preload)
{
  GPtrArray *findings = g_ptr_array_new_with_free_func((GDestroyNotify)recording_finding_free);

  recording_findings_add(findings, "recorder", recorder ? RECORDING_FINDING_OK : RECORDING_FINDING_MISSING,
                         g_strdup("The recorder."), NULL);
  recording_findings_add(findings, "own-processes", own ? RECORDING_FINDING_OK : RECORDING_FINDING_MISSING,
                         g_strdup("Own."), g_strdup("a command"));
  recording_findings_add(findings, "preload", preload ? RECORDING_FINDING_OK : RECORDING_FINDING_LIMITED,
                         g_strdup("From inside."), NULL);
  return findings;
}

static RecordingWays make_ways(GPtrArray *findings, RecordingUnwind unwind,
                               const RecordingServiceFacts *facts)
{
  return (RecordingWays){.direct = recording_ways_direct(findings, unwind),
                         .service = recording_ways_service(facts),
                         .preload = recording_ways_preload(findings)};
}

static void test_direct(void)
{
  g_autoptr(GPtrArray) findings = make_findings(TRUE, TRUE, TRUE);
  const RecordingServiceFacts facts = {.unwind = RECORDING_UNWIND_BPF, .own = RECORDING_RIGHT_YES};
  RecordingWays ways = make_ways(findings, RECORDING_UNWIND_BPF, &facts);

  g_assert_cmpint(recording_ways_choose(&ways), ==, RECORDING_VIA_DIRECT);
  g_assert_cmpint(recording_ways_get_own(&ways), ==, RECORDING_RIGHT_YES);
  /* Nothing was found of every process. */
  g_assert_cmpint(recording_ways_get_system(&ways), ==, RECORDING_RIGHT_NO);
  ways = make_ways(findings, RECORDING_UNWIND_TABLES, &facts);
  g_assert_cmpint(recording_ways_choose(&ways), ==, RECORDING_VIA_SERVICE);
}

static void test_service(void)
{
  g_autoptr(GPtrArray) findings = make_findings(TRUE, FALSE, TRUE);
  const RecordingServiceFacts facts = {
      .unwind = RECORDING_UNWIND_BPF, .own = RECORDING_RIGHT_PASSWORD, .system = RECORDING_RIGHT_PASSWORD};
  RecordingWays ways = make_ways(findings, RECORDING_UNWIND_AUTO, &facts);

  g_assert_cmpint(recording_ways_choose(&ways), ==, RECORDING_VIA_SERVICE);
  g_assert_cmpint(recording_ways_get_own(&ways), ==, RECORDING_RIGHT_PASSWORD);
  g_assert_cmpint(recording_ways_get_system(&ways), ==, RECORDING_RIGHT_PASSWORD);
  g_assert_cmpint(recording_ways_get_command(&ways), ==, RECORDING_RIGHT_YES);
}

/* From inside only commands are recorded, nothing that runs already. */
static void test_preload(void)
{
  g_autoptr(GPtrArray) findings = make_findings(TRUE, FALSE, TRUE);
  RecordingWays ways = make_ways(findings, RECORDING_UNWIND_AUTO, NULL);

  g_assert_cmpint(recording_ways_choose(&ways), ==, RECORDING_VIA_PRELOAD);
  g_assert_cmpint(recording_ways_get_command(&ways), ==, RECORDING_RIGHT_YES);
  g_assert_cmpint(recording_ways_get_own(&ways), ==, RECORDING_RIGHT_NO);
}

static void test_nothing(void)
{
  g_autoptr(GPtrArray) findings = make_findings(FALSE, TRUE, TRUE);
  RecordingWays ways = make_ways(findings, RECORDING_UNWIND_AUTO, NULL);

  g_assert_cmpint(recording_ways_choose(&ways), ==, RECORDING_VIA_AUTO);
  g_assert_cmpint(recording_ways_get_command(&ways), ==, RECORDING_RIGHT_NO);
}

static const RecordingFinding *find(const RecordingDiagnosis *diagnosis, const char *id)
{
  for (guint i = 0; i < diagnosis->findings->len; i++) {
    const RecordingFinding *finding = diagnosis->findings->pdata[i];

    if (g_str_equal(finding->id, id))
      return finding;
  }
  return NULL;
}

/* On this machine, whatever it permits: what is missing keeps everything from being recorded, or is not
 * missing. */
static void test_diagnosis(void)
{
  g_autoptr(RecordingDiagnosis) diagnosis = recording_diagnosis_new();

  g_assert_nonnull(find(diagnosis, "recorder"));
  g_assert_nonnull(find(diagnosis, "service"));
  g_assert_nonnull(find(diagnosis, "debug-files"));
  for (guint i = 0; i < diagnosis->findings->len; i++) {
    const RecordingFinding *finding = diagnosis->findings->pdata[i];

    g_assert_cmpstr(finding->text, !=, "");
    if (recording_diagnosis_can_record(diagnosis))
      g_assert_cmpint(finding->state, !=, RECORDING_FINDING_MISSING);
  }
  g_assert_cmpint(recording_diagnosis_can_record(diagnosis), ==,
                  recording_ways_get_command(&diagnosis->ways) != RECORDING_RIGHT_NO);
}

static void test_name(void)
{
  g_autoptr(RecordingOptions) options = recording_options_new();
  const char *command[] = {"/usr/bin/some program", "/x", NULL};
  pid_t pid = 1;

  g_autofree char *system = recording_options_get_name(options);
  g_assert_cmpstr(system, ==, "system");
  g_array_append_val(options->pids, pid);
  g_autofree char *process = recording_options_get_name(options);
  g_assert_null(strchr(process, '/'));
  g_assert_cmpstr(process, !=, "");
  options->command = g_strdupv((char **)command);
  g_autofree char *name = recording_options_get_name(options);
  g_assert_cmpstr(name, ==, "some program");
}

static void test_off_cpu(void)
{
  g_autoptr(RecordingOptions) options = recording_options_new();

  recording_options_add_off_cpu(options, 5);
  recording_options_add_off_cpu(options, 7);
  g_assert_cmpuint(options->off_cpu, ==, 7);
  g_assert_cmpuint(options->events->len, ==, 2);
  g_assert_cmpstr(options->events->pdata[0], ==, "");
  g_assert_cmpstr(options->events->pdata[1], ==, "off-cpu");
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/recording/ways/direct", test_direct);
  g_test_add_func("/recording/ways/service", test_service);
  g_test_add_func("/recording/ways/preload", test_preload);
  g_test_add_func("/recording/ways/nothing", test_nothing);
  g_test_add_func("/recording/ways/diagnosis", test_diagnosis);
  g_test_add_func("/recording/options/name", test_name);
  g_test_add_func("/recording/options/off-cpu", test_off_cpu);
  return g_test_run();
}
