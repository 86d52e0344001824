/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>
#include <string.h>

#include "capturectl/capturectl-command.h"
#include "capturectl/capturectl-filter.h"
#include "capturectl/capturectl-report-private.h"
#include "profile/profile-amount.h"
#include "profile/profile-ledger.h"

enum {
  MAX_BINARY_WIDTH = 24, /* of a column; longer names push the next column aside */
  REASON_WIDTH = 11,     /* of a column */
  MAX_DEPTH = 1000       /* what is deeper is no call tree that anyone reads */
};

/* Percent of the samples below which a list leaves rows out: thousands follow, most of them with one sample.
 */
static const double LIST_LIMIT = 0.05;

/* The lines of a tree, in the terminal's character set. */
typedef struct {
  const char *branch, *last_branch, *line, *blank;
} TreeLines;

typedef struct {
  const CapturectlReport *report;
  CapturectlOutput output;
  ProfileWeights *weights; /* of the event in hand */
  guint64 whole;           /* 100 %, by profile_weights_measure */
  TreeLines lines;
  GString *prefix;  /* of the nodes below the one that is printed */
  GArray *prefixes; /* gsize: its length at each depth */
} Text;

static double get_percent(const Text *text, guint64 measure)
{
  return text->whole ? 100.0 * (double)measure / (double)text->whole : 0;
}

/* "123.45%" in nine columns: printed by hand, since long lists have hundreds of thousands of cells. */
static void append_percent(Text *text, ProfileWeight weight)
{
  guint hundredths = (guint)(get_percent(text, profile_weights_measure(text->weights, weight)) * 100 + 0.5);
  char cell[16];
  guint i = sizeof cell;

  cell[--i] = '%';
  cell[--i] = '0' + hundredths % 10;
  cell[--i] = '0' + hundredths / 10 % 10;
  cell[--i] = '.';
  hundredths /= 100;
  do
    cell[--i] = '0' + hundredths % 10;
  while (hundredths /= 10);
  while (sizeof cell - i < 8)
    cell[--i] = ' ';
  g_string_append_len(text->output.text, cell + i, sizeof cell - i);
}

static void append_count(Text *text, guint64 count)
{
  char cell[24];
  guint i = sizeof cell;

  do
    cell[--i] = '0' + count % 10;
  while (count /= 10);
  while (sizeof cell - i < 10)
    cell[--i] = ' ';
  g_string_append_len(text->output.text, cell + i, sizeof cell - i);
}

/* Ten columns; a weight that is a number of something is left out. */
static void append_weight(Text *text, enum capture_unit unit, guint64 weight)
{
  gboolean is_measure = unit == CAPTURE_UNIT_NANOSECONDS || unit == CAPTURE_UNIT_BYTES;
  g_autofree char *amount = is_measure ? profile_amount_to_string(unit, weight) : g_strdup("");

  for (glong width = g_utf8_strlen(amount, -1); width < 10; width++)
    g_string_append_c(text->output.text, ' ');
  g_string_append(text->output.text, amount);
}

/* Samples, or what they stand for. */
static void append_amount(Text *text, ProfileWeight weight)
{
  enum capture_unit unit = profile_weights_get_unit(text->weights);

  if (unit != CAPTURE_UNIT_COUNT)
    append_weight(text, unit, weight.weight);
  else
    append_count(text, weight.count);
}

static const char *get_amount_title(const Text *text)
{
  switch (profile_weights_get_unit(text->weights)) {
  case CAPTURE_UNIT_NANOSECONDS:
    return _("Time");
  case CAPTURE_UNIT_BYTES:
    return _("Bytes");
  default:
    return _("Samples");
  }
}

/* Names come from files: what would move the cursor or hide text is not passed on. */
static void append_name(Text *text, const char *name)
{
  for (const char *c = name; *c; c++)
    g_string_append_c(text->output.text, (guchar)*c < 0x20 || *c == 0x7f ? '?' : *c);
}

static void append_padding(Text *text, glong width, glong wanted)
{
  for (; width < wanted; width++)
    g_string_append_c(text->output.text, ' ');
}

static const char *get_base_name(const char *path)
{
  const char *slash = strrchr(path, '/');

  return slash && slash[1] ? slash + 1 : path;
}

static gboolean is_kernel_row(const CapturectlReport *report, guint32 item)
{
  return report->by == CAPTURECTL_REPORT_FUNCTION && profile_stacks_function_is_kernel(report->stacks, item);
}

/* What stands in the column of names. Free it. */
static char *get_label(const CapturectlReport *report, guint32 item)
{
  const char *name = capturectl_report_get_row_name(report, item);
  guint n;

  if (report->by == CAPTURECTL_REPORT_WAKER && item == 0)
    return g_strdup(_("[no thread]"));
  if (capturectl_report_is_of_threads(report))
    return g_strdup_printf("%s (%d)", name, profile_capture_get_threads(report->capture, &n)[item].tid);
  if (report->by == CAPTURECTL_REPORT_PROCESS)
    return g_strdup_printf("%s (%d)", name, profile_capture_get_processes(report->capture, &n)[item].pid);
  return g_strconcat(is_kernel_row(report, item) ? "[k] " : "", name, NULL);
}

static gboolean has_totals(const CapturectlReport *report)
{
  return report->by == CAPTURECTL_REPORT_FUNCTION || report->by == CAPTURECTL_REPORT_BINARY;
}

static void append_reason(Text *text, guint reason)
{
  const char *name = profile_reason_get_name(reason);

  g_string_append(text->output.text, name);
  append_padding(text, (glong)strlen(name), REASON_WIDTH);
}

static void append_row(Text *text, const ProfileRow *row, glong width)
{
  const CapturectlReport *report = text->report;
  g_autofree char *label = get_label(report, row->item);

  append_percent(text, row->self);
  append_amount(text, row->self);
  if (has_totals(report)) {
    append_percent(text, row->total);
    append_amount(text, row->total);
  }
  if (capturectl_report_is_of_waits(report))
    append_count(text, row->self.count);
  g_string_append(text->output.text, "  ");
  if (report->by == CAPTURECTL_REPORT_WAIT)
    append_reason(text, PROFILE_ROWS_WAIT_REASON(row->item));
  if (report->by == CAPTURECTL_REPORT_FUNCTION) {
    const char *binary = get_base_name(capturectl_report_get_row_binary(report, row->item));
    append_name(text, binary);
    append_padding(text, g_utf8_strlen(binary, -1), width);
    g_string_append(text->output.text, "  ");
  }
  append_name(text, label);
  g_string_append_c(text->output.text, '\n');
  capturectl_output_flush(&text->output);
}

/* Of the column before the functions, which are often too long for a column of their own. */
static glong get_binary_width(const Text *text, const ProfileRow *rows, gsize n)
{
  glong width = g_utf8_strlen(_("Binary"), -1);

  for (gsize i = 0; i < n && text->report->by == CAPTURECTL_REPORT_FUNCTION; i++) {
    const char *binary = get_base_name(capturectl_report_get_row_binary(text->report, rows[i].item));
    width = MAX(width, MIN(g_utf8_strlen(binary, -1), MAX_BINARY_WIDTH));
  }
  return width;
}

static void append_rows_header(Text *text, glong width)
{
  GString *out = text->output.text;

  g_string_append_printf(out, "%8s%10s", _("Self"), get_amount_title(text));
  if (has_totals(text->report))
    g_string_append_printf(out, "%8s%10s", _("Total"), get_amount_title(text));
  if (capturectl_report_is_of_waits(text->report))
    g_string_append_printf(out, "%10s", _("Times"));
  g_string_append(out, "  ");
  switch (text->report->by) {
  case CAPTURECTL_REPORT_BINARY:
    g_string_append(out, _("Binary"));
    break;
  case CAPTURECTL_REPORT_THREAD:
    g_string_append(out, _("Thread"));
    break;
  case CAPTURECTL_REPORT_PROCESS:
    g_string_append(out, _("Process"));
    break;
  case CAPTURECTL_REPORT_WAKER:
    g_string_append(out, _("Woken by"));
    break;
  case CAPTURECTL_REPORT_WAIT:
    g_string_append(out, _("Reason"));
    append_padding(text, g_utf8_strlen(_("Reason"), -1), REASON_WIDTH);
    g_string_append(out, _("Wait"));
    break;
  default:
    g_string_append(out, _("Binary"));
    append_padding(text, g_utf8_strlen(_("Binary"), -1), width + 2);
    g_string_append(out, _("Function"));
  }
  g_string_append_c(out, '\n');
}

static void append_rows(Text *text, ProfileWeights *weights)
{
  g_autoptr(ProfileRows) rows = profile_rows_new(weights, capturectl_report_get_rows_by(text->report->by));
  guint64 limit = capturectl_report_get_limit(text->report, weights, LIST_LIMIT);
  g_autoptr(GArray) shown = g_array_new(FALSE, FALSE, sizeof(ProfileRow));
  gsize n = profile_rows_get_n(rows);

  for (gsize i = 0; i < n; i++) {
    ProfileRow row = profile_rows_get(rows, i);
    if (profile_weights_measure(weights, row.total) >= limit)
      g_array_append_val(shown, row);
  }
  const ProfileRow *kept = (const ProfileRow *)shown->data;
  glong width = get_binary_width(text, kept, shown->len);
  append_rows_header(text, width);
  for (guint i = 0; i < shown->len; i++)
    append_row(text, &kept[i], width);
  if (shown->len < n)
    g_string_append_printf(text->output.text,
                           _("%" G_GSIZE_FORMAT " rows below the limit are left out; --limit=0 shows all.\n"),
                           n - shown->len);
}

static void append_events(Text *text, const GArray *events)
{
  guint n;
  const ProfileEvent *all = profile_capture_get_events(text->report->capture, &n);

  g_string_append_printf(text->output.text, "%10s%10s  %s\n", _("Samples"), _("Weight"), _("Event"));
  for (guint i = 0; i < events->len; i++) {
    guint event = g_array_index(events, guint, i);
    g_autoptr(ProfileWeights) weights = capturectl_report_get_weights(text->report, event);
    ProfileWeight sum = profile_weights_get_sum(weights);
    append_count(text, sum.count);
    append_weight(text, all[event].unit, sum.weight);
    g_string_append(text->output.text, "  ");
    append_name(text, all[event].name);
    g_string_append_c(text->output.text, '\n');
  }
}

static const char *get_node_binary(const Text *text, const ProfileTreeNode *node)
{
  if (node->function == PROFILE_TREE_NO_FUNCTION)
    return NULL;
  return profile_stacks_get_function_binary(text->report->stacks, node->function);
}

/* The binary is said where it changes. */
static void append_tree_name(Text *text, ProfileTree *tree, const ProfileTreeNode *node)
{
  const ProfileStacks *stacks = text->report->stacks;
  const char *binary = get_node_binary(text, node);

  if (!binary) {
    g_string_append(text->output.text, _("all"));
    return;
  }
  gboolean same = node->depth > 0 &&
                  g_strcmp0(binary, get_node_binary(text, profile_tree_get_node(tree, node->parent))) == 0;
  if (profile_stacks_function_is_kernel(stacks, node->function))
    g_string_append(text->output.text, "[k] ");
  append_name(text, profile_stacks_get_function_name(stacks, node->function));
  if (same)
    return;
  g_string_append(text->output.text, "  (");
  append_name(text, get_base_name(binary));
  g_string_append_c(text->output.text, ')');
}

static gboolean enter_node(ProfileTree *tree, guint32 number, gboolean first, gboolean last, gpointer data)
{
  Text *text = data;
  const ProfileTreeNode *node = profile_tree_get_node(tree, number);
  gsize length = text->prefix->len;

  append_percent(text, node->total);
  append_amount(text, node->total);
  append_percent(text, node->self);
  g_string_append(text->output.text, "  ");
  g_string_append_len(text->output.text, text->prefix->str, (gssize)length);
  if (node->depth > 0)
    g_string_append(text->output.text, last ? text->lines.last_branch : text->lines.branch);
  append_tree_name(text, tree, node);
  if (node->depth >= MAX_DEPTH)
    g_string_append(text->output.text, " …");
  g_string_append_c(text->output.text, '\n');
  capturectl_output_flush(&text->output);
  g_array_append_val(text->prefixes, length);
  if (node->depth > 0)
    g_string_append(text->prefix, last ? text->lines.blank : text->lines.line);
  return node->depth < MAX_DEPTH;
}

static void leave_node(ProfileTree *tree, guint32 number, gpointer data)
{
  Text *text = data;

  g_string_truncate(text->prefix, g_array_index(text->prefixes, gsize, text->prefixes->len - 1));
  g_array_set_size(text->prefixes, text->prefixes->len - 1);
}

static int append_tree(Text *text, ProfileWeights *weights)
{
  static const CapturectlTreeVisitor visitor = {enter_node, leave_node};
  g_autoptr(ProfileTree) tree = capturectl_report_get_tree(text->report, weights);
  const char *title = text->report->callers ? _("Callers") : _("Call tree");

  if (!tree)
    return CAPTURECTL_FAILED;
  g_string_append_printf(text->output.text, "%8s%10s%8s  %s\n", _("Total"), get_amount_title(text), _("Self"),
                         title);
  capturectl_report_walk(tree, capturectl_report_get_limit(text->report, weights, 0.5), &visitor, text);
  return CAPTURECTL_DONE;
}

static void append_fact(Text *text, const char *what, const char *value)
{
  g_string_append(text->output.text, what);
  append_padding(text, g_utf8_strlen(what, -1), 10);
  append_name(text, value);
  g_string_append_c(text->output.text, '\n');
}

/* So that nobody takes the first event's section for all there is. */
static void append_names_of_events(Text *text, const GArray *events)
{
  g_autoptr(GString) names = g_string_new(NULL);
  guint n;
  const ProfileEvent *all = profile_capture_get_events(text->report->capture, &n);

  for (guint i = 0; i < events->len; i++)
    g_string_append_printf(names, "%s%s", i > 0 ? ", " : "", all[g_array_index(events, guint, i)].name);
  append_fact(text, _("Events"), names->str);
}

/* What is whole is no news. */
static void append_stacks(Text *text)
{
  g_autoptr(ProfileLedger) ledger = profile_ledger_new(text->report->capture);
  gsize n;

  profile_ledger_get_entries(ledger, &n);
  if (n == 0 && profile_ledger_get_by_frame_pointers(ledger) == 0)
    return;
  g_autofree char *summary = profile_ledger_summarize(ledger);
  g_autofree char *line = g_strdup_printf(_("%s; “capturectl info” says why"), summary);
  append_fact(text, _("Stacks"), line);
}

static void append_head(Text *text, const GArray *events)
{
  ProfileCapture *capture = text->report->capture;
  g_autofree char *duration =
      g_strdup_printf(_("%.3f seconds"), (double)profile_capture_get_duration(capture) / 1e9);
  guint64 lost = profile_capture_get_n_lost(capture);

  append_fact(text, _("Capture"), text->report->path);
  if (profile_capture_get_metadata(capture, "command"))
    append_fact(text, _("Command"), profile_capture_get_metadata(capture, "command"));
  append_fact(text, _("Duration"), duration);
  if (events->len > 1)
    append_names_of_events(text, events);
  if (lost > 0) {
    g_autofree char *losses =
        g_strdup_printf(ngettext("%" G_GUINT64_FORMAT " sample: what follows is incomplete",
                                 "%" G_GUINT64_FORMAT " samples: what follows is incomplete", lost),
                        lost);
    append_fact(text, _("Lost"), losses);
  }
  append_stacks(text);
}

static void append_event_head(Text *text, const ProfileEvent *event)
{
  ProfileWeight sum = profile_weights_get_sum(text->weights);
  g_autofree char *line = g_strdup_printf(_("%" G_GUINT64_FORMAT " of %s"), sum.count, event->name);

  append_fact(text, _("Samples"), line);
  if (profile_weights_get_unit(text->weights) != CAPTURE_UNIT_COUNT) {
    g_autofree char *amount = profile_amount_to_string(profile_weights_get_unit(text->weights), sum.weight);
    g_autofree char *all = g_strdup_printf(_("%s, of all threads together"), amount);
    append_fact(text, get_amount_title(text), all);
  }
  g_string_append_c(text->output.text, '\n');
}

static TreeLines get_tree_lines(void)
{
  if (g_get_charset(NULL))
    return (TreeLines){"├─ ", "└─ ", "│  ", "   "};
  return (TreeLines){"|- ", "`- ", "|  ", "   "};
}

static int append_event(Text *text, guint event)
{
  g_autoptr(ProfileWeights) weights = capturectl_report_get_weights(text->report, event);
  guint n;

  text->weights = weights;
  text->whole = profile_weights_measure(weights, profile_weights_get_sum(weights));
  append_event_head(text, &profile_capture_get_events(text->report->capture, &n)[event]);
  if (text->report->tree)
    return append_tree(text, weights);
  append_rows(text, weights);
  return CAPTURECTL_DONE;
}

int capturectl_report_text(const CapturectlReport *report)
{
  g_autoptr(GArray) events = capturectl_report_get_events(report);
  g_autoptr(GArray) prefixes = g_array_new(FALSE, FALSE, sizeof(gsize));
  Text text = {
      .report = report, .lines = get_tree_lines(), .prefix = g_string_new(NULL), .prefixes = prefixes};
  int status = CAPTURECTL_DONE;

  capturectl_output_init(&text.output);
  append_head(&text, events);
  if (report->by == CAPTURECTL_REPORT_EVENT)
    append_events(&text, events);
  if (report->by == CAPTURECTL_REPORT_MARK)
    capturectl_report_marks_text(report, &text.output);
  for (guint i = 0; i < events->len && capturectl_report_is_of_samples(report) && status == CAPTURECTL_DONE;
       i++) {
    if (i > 0)
      g_string_append_c(text.output.text, '\n');
    status = append_event(&text, g_array_index(events, guint, i));
  }
  capturectl_output_finish(&text.output, status == CAPTURECTL_DONE);
  g_string_free(text.prefix, TRUE);
  return status;
}
