/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gio/gunixoutputstream.h>
#include <glib/gi18n.h>
#include <string.h>
#include <unistd.h>

#include "capturectl/capturectl-command.h"
#include "capturectl/capturectl-filter.h"
#include "capturectl/capturectl-report-private.h"
#include "capturectl/capturectl-transform.h"
#include "capturectl/capturectl-verbs.h"

static const char *const by_names[] = {"function", "binary", "thread", "process", "event",
                                       "wait",     "waker",  "mark",   "line",    "file"};

const char *capturectl_report_get_by_name(ProfileReportBy by)
{
  return by_names[by];
}

/* Which trees are asked for. */
typedef struct {
  gboolean top_down, bottom_up;
  char *callers, *callees; /* names of functions, or NULL */
} Trees;

static void trees_clear(Trees *trees)
{
  g_free(trees->callers);
  g_free(trees->callees);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Trees, trees_clear)

static gboolean parse_by(const char *text, ProfileReportBy *ret)
{
  for (guint i = 0; i < G_N_ELEMENTS(by_names); i++)
    if (strcmp(text, by_names[i]) == 0) {
      *ret = i;
      return TRUE;
    }
  return FALSE;
}

static gboolean has_waits(const ProfileReport *report)
{
  g_autoptr(GArray) events = profile_report_get_events(report);

  return events->len > 0;
}

static gboolean has_marks(const ProfileReport *report)
{
  gsize n;

  profile_capture_get_marks(profile_report_get_capture(report), &n);
  return n > 0;
}

/* Why there is nothing to show; 0 when there is. */
static int report_refuse(const ProfileReport *report, gboolean json)
{
  guint n_events;

  profile_capture_get_events(profile_report_get_capture(report), &n_events);
  if (profile_report_is_of_waits(report) && !has_waits(report))
    return capturectl_fail(_("“%s” holds no time off the CPU; “capturectl record --off-cpu” records it."),
                           report->path);
  if (report->by == PROFILE_REPORT_MARK && !has_marks(report) && !json)
    return capturectl_fail(_("“%s” holds no marks: no recorded program made any."), report->path);
  if (report->by != PROFILE_REPORT_MARK && n_events == 0 && !json)
    return capturectl_fail(_("“%s” holds no samples."), report->path);
  return CAPTURECTL_DONE;
}

static int print_text(const ProfileReport *report)
{
  g_autoptr(GOutputStream) stream = g_unix_output_stream_new(STDOUT_FILENO, FALSE);
  g_autoptr(GError) error = NULL;

  if (profile_report_write(report, stream, NULL, &error))
    return CAPTURECTL_DONE;
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND))
    return capturectl_fail("%s", error->message);
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE))
    return CAPTURECTL_FAILED;
  return capturectl_fail(_("Standard output could not be written: %s."), error->message);
}

static int report_show(ProfileReport *report, const CapturectlFilterOptions *options, gboolean summary,
                       gboolean json)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(ProfileCapture) capture = capturectl_load(report->path);
  g_autoptr(ProfileFilter) filter = NULL;

  if (!capture)
    return CAPTURECTL_FAILED;
  capturectl_name_functions(capture);
  filter = capturectl_filter_new(capture, options, &error);
  if (!filter)
    return capturectl_filter_fail(error);
  if (report->by == PROFILE_REPORT_LINE || report->by == PROFILE_REPORT_FILE) {
    g_autoptr(ProfileStacks) sources =
        profile_stacks_new_by_source(profile_filter_get_stacks(filter), report->by == PROFILE_REPORT_FILE);
    profile_filter_set_stacks(filter, sources);
  }
  report->filter = filter;
  report->one_event = options->event != NULL;
  int status = report_refuse(report, json);
  if (status != CAPTURECTL_DONE)
    return status;
  if (summary) {
    capturectl_report_summary(report, json);
    return CAPTURECTL_DONE;
  }
  return json ? capturectl_report_json(report) : print_text(report);
}

/* FALSE: more than one is asked for. */
static gboolean choose_tree(ProfileReport *report, const Trees *trees)
{
  report->function = trees->callers ? trees->callers : trees->callees;
  report->tree = trees->callers     ? PROFILE_REPORT_CALLERS
                 : trees->callees   ? PROFILE_REPORT_CALLEES
                 : trees->bottom_up ? PROFILE_REPORT_BOTTOM_UP
                 : trees->top_down  ? PROFILE_REPORT_TOP_DOWN
                                    : PROFILE_REPORT_LIST;
  return (trees->callers != NULL) + (trees->callees != NULL) + trees->bottom_up <= 1;
}

int capturectl_report(int argc, char **argv)
{
  g_auto(CapturectlFilterOptions) filter = {0};
  g_auto(Trees) trees = {0};
  g_autofree char *by = NULL;
  gboolean summary = FALSE, json = FALSE;
  ProfileReport report = {.limit = -1};
  const GOptionEntry entries[] = {
      {"by", 0, 0, G_OPTION_ARG_STRING, &by,
       N_("List functions (default), lines of source, files, binaries, threads, processes, events, what "
          "threads off the CPU waited for, who woke them, or the marks that programs made"),
       "function|line|file|binary|thread|process|event|wait|waker|mark"},
      {"summary", 's', 0, G_OPTION_ARG_NONE, &summary,
       N_("Say in sentences what is slow, and what to look at next"), NULL},
      {"tree", 't', 0, G_OPTION_ARG_NONE, &trees.top_down, N_("Show the call tree"), NULL},
      {"bottom-up", 0, 0, G_OPTION_ARG_NONE, &trees.bottom_up,
       N_("Show the call tree upside down: functions in which samples were taken, and their callers"), NULL},
      {"callers", 0, 0, G_OPTION_ARG_STRING, &trees.callers, N_("Show who calls a function"), N_("FUNCTION")},
      {"callees", 0, 0, G_OPTION_ARG_STRING, &trees.callees, N_("Show what a function calls"),
       N_("FUNCTION")},
      {"limit", 0, 0, G_OPTION_ARG_DOUBLE, &report.limit,
       N_("Leave out what has less than this share of the samples (default: 0.5 in trees, 0.05 in lists; "
          "JSON lists have every row)"),
       N_("PERCENT")},
      {"fold-templates", 0, 0, G_OPTION_ARG_NONE, &report.fold_templates,
       N_("Write <…> for template arguments; not in JSON"), NULL},
      CAPTURECTL_FILTER_ENTRIES(filter),
      {"json", 0, 0, G_OPTION_ARG_NONE, &json, N_("Print JSON"), NULL},
      G_OPTION_ENTRY_NULL};
  int status = capturectl_parse_options(&argc, &argv, entries, _("FILE"),
                                        _("Shows where the time of a capture went."));

  if (status < 0)
    status = capturectl_transform_help(filter.transforms);
  if (status >= 0)
    return status;
  if (by && !parse_by(by, &report.by))
    return capturectl_fail_usage(_("“%s” cannot be listed by; use function, line, file, binary, thread, "
                                   "process, event, wait, waker or mark."),
                                 by);
  if (!choose_tree(&report, &trees))
    return capturectl_fail_usage(_("Use one of --bottom-up, --callers and --callees."));
  if (summary && (by || report.tree != PROFILE_REPORT_LIST))
    return capturectl_fail_usage(_("--summary is no list and no tree: leave out --by and the trees."));
  if (!profile_report_is_of_functions(&report) && report.tree != PROFILE_REPORT_LIST)
    return capturectl_fail_usage(_("A tree is of functions, lines or files: use other --by without --tree, "
                                   "--bottom-up, --callers and --callees."));
  if (report.by == PROFILE_REPORT_MARK && (filter.event || filter.binaries || filter.transforms))
    return capturectl_fail_usage(_("--event and --binary choose samples, --transform changes their stacks; "
                                   "marks are chosen by --time, --thread and --process."));
  report.path = capturectl_get_file(argc, argv);
  return report.path ? report_show(&report, &filter, summary, json) : CAPTURECTL_USAGE;
}
