/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "capturectl/capturectl-command.h"
#include "capturectl/capturectl-filter.h"
#include "capturectl/capturectl-report-private.h"
#include "capturectl/capturectl-transform.h"
#include "capturectl/capturectl-verbs.h"

static const char *const by_names[] = {"function", "binary", "thread", "process",
                                       "event",    "wait",   "waker",  "mark"};

enum { FLUSH_SIZE = 1 << 16 };

void capturectl_output_init(CapturectlOutput *output)
{
  output->text = g_string_sized_new(2 * FLUSH_SIZE);
}

void capturectl_output_flush(CapturectlOutput *output)
{
  if (output->text->len < FLUSH_SIZE)
    return;
  fwrite(output->text->str, 1, output->text->len, stdout);
  g_string_truncate(output->text, 0);
}

void capturectl_output_finish(CapturectlOutput *output, gboolean print)
{
  if (print)
    fwrite(output->text->str, 1, output->text->len, stdout);
  g_string_free(output->text, TRUE);
}

GArray *capturectl_report_get_events(const CapturectlReport *report)
{
  GArray *shown = g_array_new(FALSE, FALSE, sizeof(guint));
  guint n, chosen = profile_filter_get_event(report->filter);
  const ProfileEvent *events = profile_capture_get_events(report->capture, &n);

  for (guint i = 0; i < n; i++)
    if ((report->one_event ? i == chosen : events[i].n_samples > 0) &&
        (!capturectl_report_is_of_waits(report) || events[i].detail == CAPTURE_DETAIL_OFF_CPU))
      g_array_append_val(shown, i);
  if (shown->len == 0 && n > 0 && !capturectl_report_is_of_waits(report))
    g_array_append_val(shown, chosen);
  return shown;
}

ProfileWeights *capturectl_report_get_weights(const CapturectlReport *report, guint event)
{
  g_autoptr(ProfileFilter) filter = profile_filter_copy(report->filter);

  profile_filter_set_event(filter, event);
  return profile_weights_new(filter);
}

ProfileTree *capturectl_report_get_tree(const CapturectlReport *report, ProfileWeights *weights)
{
  const char *wanted = report->callers ? report->callers : report->callees;

  if (!wanted)
    return profile_tree_new(weights);
  guint32 function = capturectl_find_function(weights, wanted);
  if (function == G_MAXUINT32) {
    capturectl_fail(_("No sample leads through a function “%s”."), wanted);
    return NULL;
  }
  return report->callers ? profile_tree_new_callers(weights, function)
                         : profile_tree_new_callees(weights, function);
}

guint64 capturectl_report_get_limit(const CapturectlReport *report, ProfileWeights *weights, double otherwise)
{
  guint64 whole = profile_weights_measure(weights, profile_weights_get_sum(weights));
  double percent = report->limit < 0 ? otherwise : report->limit;

  return MAX(1, (guint64)ceil((double)whole * percent / 100));
}

const char *capturectl_report_get_by_name(CapturectlReportBy by)
{
  return by_names[by];
}

gboolean capturectl_report_is_of_waits(const CapturectlReport *report)
{
  return report->by == CAPTURECTL_REPORT_WAIT || report->by == CAPTURECTL_REPORT_WAKER;
}

gboolean capturectl_report_is_of_samples(const CapturectlReport *report)
{
  return report->by != CAPTURECTL_REPORT_EVENT && report->by != CAPTURECTL_REPORT_MARK;
}

gboolean capturectl_report_is_of_threads(const CapturectlReport *report)
{
  return report->by == CAPTURECTL_REPORT_THREAD || report->by == CAPTURECTL_REPORT_WAKER;
}

ProfileRowsBy capturectl_report_get_rows_by(CapturectlReportBy by)
{
  switch (by) {
  case CAPTURECTL_REPORT_BINARY:
    return PROFILE_ROWS_BINARY;
  case CAPTURECTL_REPORT_THREAD:
    return PROFILE_ROWS_THREAD;
  case CAPTURECTL_REPORT_PROCESS:
    return PROFILE_ROWS_PROCESS;
  case CAPTURECTL_REPORT_WAIT:
    return PROFILE_ROWS_WAIT;
  case CAPTURECTL_REPORT_WAKER:
    return PROFILE_ROWS_WAKER;
  default:
    return PROFILE_ROWS_FUNCTION;
  }
}

static const char *get_binary_path(ProfileCapture *capture, guint32 item)
{
  guint n;

  if (item == PROFILE_ROWS_KERNEL)
    return "[kernel]";
  return item == PROFILE_ROWS_NO_BINARY ? "[unknown]" : profile_capture_get_binaries(capture, &n)[item].path;
}

const char *capturectl_report_get_row_name(const CapturectlReport *report, guint32 item)
{
  guint n;

  switch (report->by) {
  case CAPTURECTL_REPORT_BINARY:
    return get_binary_path(report->capture, item);
  case CAPTURECTL_REPORT_THREAD:
  case CAPTURECTL_REPORT_WAKER:
    return profile_capture_get_threads(report->capture, &n)[item].name;
  case CAPTURECTL_REPORT_PROCESS:
    return profile_capture_get_processes(report->capture, &n)[item].name;
  case CAPTURECTL_REPORT_WAIT:
    return profile_wait_get_name(PROFILE_ROWS_WAIT_WAIT(item));
  default:
    return profile_stacks_get_function_name(report->stacks, item);
  }
}

const char *capturectl_report_get_row_binary(const CapturectlReport *report, guint32 item)
{
  if (report->by == CAPTURECTL_REPORT_FUNCTION)
    return profile_stacks_get_function_binary(report->stacks, item);
  return report->by == CAPTURECTL_REPORT_BINARY ? get_binary_path(report->capture, item) : NULL;
}

static gboolean parse_by(const char *text, CapturectlReportBy *ret)
{
  for (guint i = 0; i < G_N_ELEMENTS(by_names); i++)
    if (strcmp(text, by_names[i]) == 0) {
      *ret = i;
      return TRUE;
    }
  return FALSE;
}

static gboolean has_waits(const CapturectlReport *report)
{
  g_autoptr(GArray) events = capturectl_report_get_events(report);

  return events->len > 0;
}

static gboolean has_marks(const CapturectlReport *report)
{
  gsize n;

  profile_capture_get_marks(report->capture, &n);
  return n > 0;
}

/* Why there is nothing to show; 0 when there is. */
static int refuse(const CapturectlReport *report, gboolean json)
{
  guint n_events;

  profile_capture_get_events(report->capture, &n_events);
  if (capturectl_report_is_of_waits(report) && !has_waits(report))
    return capturectl_fail(_("“%s” holds no time off the CPU; “capturectl record --off-cpu” records it."),
                           report->path);
  if (report->by == CAPTURECTL_REPORT_MARK && !has_marks(report) && !json)
    return capturectl_fail(_("“%s” holds no marks: no recorded program made any."), report->path);
  if (report->by != CAPTURECTL_REPORT_MARK && n_events == 0 && !json)
    return capturectl_fail(_("“%s” holds no samples."), report->path);
  return CAPTURECTL_DONE;
}

static int show(CapturectlReport *report, const CapturectlFilterOptions *options, gboolean json)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(ProfileCapture) capture = capturectl_load(report->path);
  int status;

  if (!capture)
    return CAPTURECTL_FAILED;
  capturectl_name_functions(capture);
  report->capture = capture;
  report->filter = capturectl_filter_new(capture, options, &error);
  if (!report->filter)
    return capturectl_filter_fail(error);
  report->stacks = profile_filter_get_stacks(report->filter);
  report->one_event = options->event != NULL;
  status = refuse(report, json);
  if (status == CAPTURECTL_DONE)
    status = json ? capturectl_report_json(report) : capturectl_report_text(report);
  profile_filter_free(report->filter);
  return status;
}

int capturectl_report(int argc, char **argv)
{
  g_auto(CapturectlFilterOptions) filter = {0};
  g_autofree char *by = NULL, *callers = NULL, *callees = NULL;
  gboolean json = FALSE;
  CapturectlReport report = {.limit = -1};
  const GOptionEntry entries[] = {
      {"by", 0, 0, G_OPTION_ARG_STRING, &by,
       N_("List functions (default), binaries, threads, processes, events, what threads off the CPU "
          "waited for, who woke them, or the marks that programs made"),
       "function|binary|thread|process|event|wait|waker|mark"},
      {"tree", 't', 0, G_OPTION_ARG_NONE, &report.tree, N_("Show the call tree"), NULL},
      {"callers", 0, 0, G_OPTION_ARG_STRING, &callers, N_("Show by whom a function was called"),
       N_("FUNCTION")},
      {"callees", 0, 0, G_OPTION_ARG_STRING, &callees, N_("Show what a function called"), N_("FUNCTION")},
      {"limit", 0, 0, G_OPTION_ARG_DOUBLE, &report.limit,
       N_("Leave out what has less than this share of the samples (default: 0.5 in trees, 0.05 in lists; "
          "JSON lists have every row)"),
       N_("PERCENT")},
      CAPTURECTL_FILTER_ENTRIES(filter),
      {"json", 0, 0, G_OPTION_ARG_NONE, &json, N_("Print JSON"), NULL},
      G_OPTION_ENTRY_NULL};
  int status = capturectl_parse_options(&argc, &argv, entries, _("FILE"),
                                        _("Shows where the time of a capture went."));

  if (status >= 0)
    return status;
  if (by && !parse_by(by, &report.by))
    return capturectl_fail_usage(
        _("“%s” is nothing to list by; use function, binary, thread, process, event, wait, waker or mark."),
        by);
  if (by && (report.tree || callers || callees))
    return capturectl_fail_usage(
        _("A tree is of functions: use --by without --tree, --callers and --callees."));
  if (report.by == CAPTURECTL_REPORT_MARK && (filter.event || filter.binaries || filter.transforms))
    return capturectl_fail_usage(_("--event and --binary choose samples, --transform changes their stacks; "
                                   "marks are chosen by --time, --thread and --process."));
  if (callers && callees)
    return capturectl_fail_usage(_("Use either --callers or --callees."));
  report.callers = callers;
  report.callees = callees;
  report.tree = report.tree || callers || callees;
  report.path = capturectl_get_file(argc, argv);
  return report.path ? show(&report, &filter, json) : CAPTURECTL_USAGE;
}
