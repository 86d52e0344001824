/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/summary/summary.h"

#include <glib/gi18n.h>
#include <stdio.h>
#include <string.h>

#include "capturectl/capturectl-json.h"
#include "capturectl/capturectl-report-private.h"

/* What to look at next, for programs, and what shows it in a shell: of a function (%s) and of the file. */
static const struct {
  const char *name;
  const char *command; /* NULL: nothing does */
} shows[PROFILE_SUMMARY_SHOWS] = {
    [PROFILE_SUMMARY_SHOW_NOTHING] = {"nothing", NULL},
    [PROFILE_SUMMARY_SHOW_SOURCE] = {"source", "annotate %s"},
    [PROFILE_SUMMARY_SHOW_CALLERS] = {"callers", "report --callers %s"},
    [PROFILE_SUMMARY_SHOW_PATH] = {"path", "report --tree"},
    [PROFILE_SUMMARY_SHOW_THREADS] = {"threads", "report --by thread"},
    [PROFILE_SUMMARY_SHOW_WAITING] = {"waiting", "report --by wait"},
    [PROFILE_SUMMARY_RECORD_WAITING] = {"record-waiting", "record --off-cpu=0 …"},
    [PROFILE_SUMMARY_COLLAPSE_RECURSION] = {"recursion", "report --transform collapse-recursion:%s --tree"},
    [PROFILE_SUMMARY_SHOW_HEALTH] = {"health", "symbols"},
};

static const char *get_function(const ProfileReport *report, const ProfileSummaryFinding *finding)
{
  return finding->function == G_MAXUINT32
             ? NULL
             : profile_stacks_get_function_name(profile_report_get_stacks(report), finding->function);
}

/* As a shell reads it: most names and paths need no quotes. */
static char *quote_argument(const char *word)
{
  static const char plain[] = G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_./:@+=-";

  return *word && word[strspn(word, plain)] == '\0' ? g_strdup(word) : g_shell_quote(word);
}

static void append_command(const ProfileReport *report, const ProfileSummaryFinding *finding, GString *out)
{
  const char *command = shows[finding->show].command, *name = get_function(report, finding);
  g_autofree char *function = quote_argument(name ? name : ""), *path = quote_argument(report->path);
  g_autoptr(GString) line = g_string_new("capturectl ");

  if (!command)
    return;
  g_string_append(line, command);
  g_string_replace(line, "%s", function, 1);
  if (finding->show != PROFILE_SUMMARY_RECORD_WAITING)
    g_string_append_printf(line, " %s", path);
  g_string_append(out, "    ");
  profile_report_append_line(out, line->str);
}

static void report_summary_text(const ProfileReport *report, const ProfileSummaryFinding *findings, guint n)
{
  g_autoptr(GArray) events = profile_report_get_events(report);
  g_autoptr(GString) out = g_string_new(NULL);

  profile_report_append_head(report, events, out);
  for (guint i = 0; i < n; i++) {
    g_string_append_c(out, '\n');
    profile_report_append_line(out, findings[i].sentence);
    append_command(report, &findings[i], out);
  }
  fwrite(out->str, 1, out->len, stdout);
}

static void report_summary_json(const ProfileReport *report, const ProfileSummaryFinding *findings, guint n)
{
  g_autoptr(JsonBuilder) builder = json_builder_new();

  json_builder_begin_object(builder);
  capturectl_json_array(builder, "summary");
  for (guint i = 0; i < n; i++) {
    json_builder_begin_object(builder);
    capturectl_json_string(builder, "rule", findings[i].rule);
    capturectl_json_string(builder, "sentence", findings[i].sentence);
    capturectl_json_string(builder, "show", shows[findings[i].show].name);
    capturectl_json_string(builder, "function", get_function(report, &findings[i]));
    json_builder_end_object(builder);
  }
  json_builder_end_array(builder);
  json_builder_end_object(builder);
  capturectl_json_print(builder);
}

void capturectl_report_summary(const ProfileReport *report, gboolean json)
{
  g_autoptr(ProfileWeights) weights = profile_weights_new(report->filter);
  g_autoptr(ProfileSummary) summary = profile_summary_new(weights);
  guint n;
  const ProfileSummaryFinding *findings = profile_summary_get_findings(summary, &n);

  if (json)
    report_summary_json(report, findings, n);
  else
    report_summary_text(report, findings, n);
}
