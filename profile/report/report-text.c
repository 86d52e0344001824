/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>
#include <inttypes.h>
#include <string.h>

#include "profile/base/amount.h"
#include "profile/base/printable.h"
#include "profile/export/export-private.h"
#include "profile/report/report-private.h"
#include "profile/views/function-name.h"

enum {
  AMOUNT_WIDTH = 10, /* of columns, as the next two */
  REASON_WIDTH = 11,
  MAX_BINARY_WIDTH = 24, /* longer names push the next column aside */
  MAX_DEPTH = 1000       /* what is deeper is no call tree that anyone reads */
};

/* The lines of a tree, in the character set of the locale. */
typedef struct {
  const char *branch, *last_branch, *line, *blank;
} TreeLines;

typedef struct {
  const ProfileReport *report;
  ProfileCapture *capture; /* the report's, as the next */
  const ProfileStacks *stacks;
  GString *out; /* what was not written yet */
  GOutputStream *stream;
  GCancellable *cancellable;
  GError *error;           /* once set, nothing more is made */
  ProfileWeights *weights; /* of the event in hand */
  guint64 whole;           /* 100 %, by profile_weights_measure */
  TreeLines lines;
  GString *prefix;  /* of the nodes below the one that is printed */
  GArray *prefixes; /* gsize: its length at each depth */
} Text;

/* Between lines. False when there shall be no more. */
static gboolean report_text_flush(Text *text, gboolean all)
{
  if (!text->error && !g_cancellable_set_error_if_cancelled(text->cancellable, &text->error))
    profile_export_flush(text->out, all, text->stream, text->cancellable, &text->error);
  return text->error == NULL;
}

static void append_percent(Text *text, ProfileWeight weight)
{
  profile_report_append_share(text->out, profile_weights_measure(text->weights, weight), text->whole);
}

static void append_count(Text *text, guint64 count)
{
  char cell[24];
  guint i = sizeof cell;

  do
    cell[--i] = '0' + count % 10;
  while (count /= 10);
  while (sizeof cell - i < AMOUNT_WIDTH)
    cell[--i] = ' ';
  g_string_append_len(text->out, cell + i, sizeof cell - i);
}

/* A weight that is a number of something is left out. */
static void append_weight(Text *text, enum capture_unit unit, guint64 weight)
{
  gboolean is_measure = unit == CAPTURE_UNIT_NANOSECONDS || unit == CAPTURE_UNIT_BYTES;
  g_autofree char *amount = is_measure ? profile_amount_to_string(unit, weight) : g_strdup("");

  profile_report_append_cell(text->out, amount, AMOUNT_WIDTH);
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

static void append_padding(Text *text, glong width, glong wanted)
{
  for (; width < wanted; width++)
    g_string_append_c(text->out, ' ');
}

static const char *get_base_name(const char *path)
{
  const char *slash = strrchr(path, '/');

  return slash && slash[1] ? slash + 1 : path;
}

static gboolean is_kernel_row(const ProfileReport *report, guint32 item)
{
  return profile_report_is_of_functions(report) &&
         profile_stacks_function_is_kernel(profile_report_get_stacks(report), item);
}

/* NULL: it is written as it is. */
static char *fold_name(const ProfileReport *report, const char *name)
{
  return report->fold_templates ? profile_function_name_fold(name) : NULL;
}

/* What stands in the column of names. Free it. */
static char *get_label(const ProfileReport *report, guint32 item)
{
  const char *name = profile_report_get_row_name(report, item);
  g_autofree char *folded = NULL;
  guint n;

  if (report->by == PROFILE_REPORT_WAKER && item == 0)
    return g_strdup(_("[no thread]"));
  if (profile_report_is_of_threads(report))
    return g_strdup_printf("%s (%d)", name,
                           profile_capture_get_threads(profile_report_get_capture(report), &n)[item].tid);
  if (report->by == PROFILE_REPORT_PROCESS)
    return g_strdup_printf("%s (%d)", name,
                           profile_capture_get_processes(profile_report_get_capture(report), &n)[item].pid);
  folded = report->by == PROFILE_REPORT_FUNCTION ? fold_name(report, name) : NULL;
  return g_strconcat(is_kernel_row(report, item) ? "[k] " : "", folded ? folded : name, NULL);
}

/* What stands in the column of binaries. Free it. */
static char *get_binary_label(const ProfileReport *report, guint32 item)
{
  return profile_printable(get_base_name(profile_report_get_row_binary(report, item)));
}

static gboolean has_totals(const ProfileReport *report)
{
  return profile_report_is_of_functions(report) || report->by == PROFILE_REPORT_BINARY;
}

static void append_reason(Text *text, guint reason)
{
  const char *name = profile_reason_get_name(reason);

  g_string_append(text->out, name);
  append_padding(text, (glong)strlen(name), REASON_WIDTH);
}

static void append_row(Text *text, const ProfileRow *row, glong width)
{
  const ProfileReport *report = text->report;
  g_autofree char *label = get_label(report, row->item);

  append_percent(text, row->self);
  append_amount(text, row->self);
  if (has_totals(report)) {
    append_percent(text, row->total);
    append_amount(text, row->total);
  }
  if (profile_report_is_of_waits(report))
    append_count(text, row->self.count);
  g_string_append(text->out, "  ");
  if (report->by == PROFILE_REPORT_WAIT)
    append_reason(text, PROFILE_ROWS_WAIT_REASON(row->item));
  if (profile_report_is_of_functions(report)) {
    g_autofree char *binary = get_binary_label(report, row->item);
    g_string_append(text->out, binary);
    append_padding(text, g_utf8_strlen(binary, -1), width);
    g_string_append(text->out, "  ");
  }
  profile_printable_append(text->out, label);
  g_string_append_c(text->out, '\n');
}

/* Of the column before the functions, which are often too long for a column of their own. */
static glong get_binary_width(const Text *text, const ProfileRow *rows, gsize n)
{
  glong width = g_utf8_strlen(_("Binary"), -1);

  for (gsize i = 0; i < n && profile_report_is_of_functions(text->report); i++) {
    g_autofree char *binary = get_binary_label(text->report, rows[i].item);
    width = MAX(width, MIN(g_utf8_strlen(binary, -1), MAX_BINARY_WIDTH));
  }
  return width;
}

/* Above a share and its amount. */
static void append_titles(Text *text, const char *share)
{
  profile_report_append_cell(text->out, share, PROFILE_REPORT_SHARE_WIDTH);
  profile_report_append_cell(text->out, profile_report_get_amount_title(text->weights), AMOUNT_WIDTH);
}

/* Of what functions are, or what takes their place. */
static const char *get_function_title(const ProfileReport *report)
{
  switch (report->by) {
  case PROFILE_REPORT_LINE:
    return _("Line");
  case PROFILE_REPORT_FILE:
    return _("File");
  default:
    return _("Function");
  }
}

static void append_rows_header(Text *text, glong width)
{
  GString *out = text->out;

  append_titles(text, _("Self"));
  if (has_totals(text->report))
    append_titles(text, _("Total"));
  if (profile_report_is_of_waits(text->report))
    profile_report_append_cell(out, _("Times"), AMOUNT_WIDTH);
  g_string_append(out, "  ");
  switch (text->report->by) {
  case PROFILE_REPORT_BINARY:
    g_string_append(out, _("Binary"));
    break;
  case PROFILE_REPORT_THREAD:
    g_string_append(out, _("Thread"));
    break;
  case PROFILE_REPORT_PROCESS:
    g_string_append(out, _("Process"));
    break;
  case PROFILE_REPORT_WAKER:
    g_string_append(out, _("Woken by"));
    break;
  case PROFILE_REPORT_WAIT:
    g_string_append(out, _("Reason"));
    append_padding(text, g_utf8_strlen(_("Reason"), -1), REASON_WIDTH);
    g_string_append(out, _("Wait"));
    break;
  default:
    g_string_append(out, _("Binary"));
    append_padding(text, g_utf8_strlen(_("Binary"), -1), width + 2);
    g_string_append(out, get_function_title(text->report));
  }
  g_string_append_c(out, '\n');
}

static void append_rows(Text *text, ProfileWeights *weights)
{
  g_autoptr(ProfileRows) rows = profile_report_get_rows(text->report, weights);
  guint64 limit = profile_report_get_limit(text->report, weights);
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
  for (guint i = 0; i < shown->len && report_text_flush(text, FALSE); i++)
    append_row(text, &kept[i], width);
  if (shown->len < n)
    g_string_append_printf(text->out,
                           ngettext("%zu row below the limit is left out; --limit=0 shows all.\n",
                                    "%zu rows below the limit are left out; --limit=0 shows all.\n",
                                    n - shown->len),
                           n - shown->len);
}

static void append_events(Text *text, const GArray *events)
{
  guint n;
  const ProfileEvent *all = profile_capture_get_events(text->capture, &n);

  profile_report_append_cell(text->out, _("Samples"), AMOUNT_WIDTH);
  profile_report_append_cell(text->out, _("Weight"), AMOUNT_WIDTH);
  g_string_append_printf(text->out, "  %s\n", _("Event"));
  for (guint i = 0; i < events->len; i++) {
    guint event = g_array_index(events, guint, i);
    g_autoptr(ProfileWeights) weights = profile_report_get_weights(text->report, event);
    ProfileWeight sum = profile_weights_get_sum(weights);
    append_count(text, sum.count);
    append_weight(text, all[event].unit, sum.weight);
    g_string_append(text->out, "  ");
    profile_printable_append(text->out, all[event].name);
    g_string_append_c(text->out, '\n');
  }
}

static const char *get_node_binary(const Text *text, const ProfileTreeNode *node)
{
  if (node->function == PROFILE_TREE_NO_FUNCTION)
    return NULL;
  return profile_stacks_get_function_binary(text->stacks, node->function);
}

/* The binary is said where it changes. */
static void append_tree_name(Text *text, ProfileTree *tree, const ProfileTreeNode *node)
{
  const char *binary = get_node_binary(text, node), *name;
  g_autofree char *folded = NULL;

  if (!binary) {
    g_string_append(text->out, _("all"));
    return;
  }
  gboolean same = node->depth > 0 &&
                  g_strcmp0(binary, get_node_binary(text, profile_tree_get_node(tree, node->parent))) == 0;
  if (profile_stacks_function_is_kernel(text->stacks, node->function))
    g_string_append(text->out, "[k] ");
  name = profile_stacks_get_function_name(text->stacks, node->function);
  folded = fold_name(text->report, name);
  profile_printable_append(text->out, folded ? folded : name);
  if (node->inlined)
    g_string_append(text->out, _(" (inlined)"));
  if (same)
    return;
  g_string_append(text->out, "  (");
  profile_printable_append(text->out, get_base_name(binary));
  g_string_append_c(text->out, ')');
}

static gboolean enter_node(ProfileTree *tree, guint32 number, gboolean first, gboolean last, gpointer data)
{
  Text *text = data;
  const ProfileTreeNode *node = profile_tree_get_node(tree, number);
  gsize length = text->prefix->len;

  append_percent(text, node->total);
  append_amount(text, node->total);
  append_percent(text, node->self);
  g_string_append(text->out, "  ");
  g_string_append_len(text->out, text->prefix->str, (gssize)length);
  if (node->depth > 0)
    g_string_append(text->out, last ? text->lines.last_branch : text->lines.branch);
  append_tree_name(text, tree, node);
  if (node->depth >= MAX_DEPTH)
    g_string_append(text->out, " …");
  g_string_append_c(text->out, '\n');
  g_array_append_val(text->prefixes, length);
  if (node->depth > 0)
    g_string_append(text->prefix, last ? text->lines.blank : text->lines.line);
  return report_text_flush(text, FALSE) && node->depth < MAX_DEPTH;
}

static void leave_node(ProfileTree *tree, guint32 number, gpointer data)
{
  Text *text = data;

  g_string_truncate(text->prefix, g_array_index(text->prefixes, gsize, text->prefixes->len - 1));
  g_array_set_size(text->prefixes, text->prefixes->len - 1);
}

static const char *get_tree_title(ProfileReportTree tree)
{
  switch (tree) {
  case PROFILE_REPORT_BOTTOM_UP:
    return _("Call tree, bottom-up");
  case PROFILE_REPORT_CALLERS:
    return _("Callers");
  default:
    return _("Call tree");
  }
}

static void append_tree(Text *text, ProfileTree *tree)
{
  static const ProfileReportVisitor visitor = {enter_node, leave_node};

  append_titles(text, _("Total"));
  profile_report_append_cell(text->out, _("Self"), PROFILE_REPORT_SHARE_WIDTH);
  g_string_append_printf(text->out, "  %s\n", get_tree_title(text->report->tree));
  profile_report_walk(tree, profile_report_get_limit(text->report, text->weights), &visitor, text);
}

static TreeLines get_tree_lines(void)
{
  if (g_get_charset(NULL))
    return (TreeLines){"├─ ", "└─ ", "│  ", "   "};
  return (TreeLines){"|- ", "`- ", "|  ", "   "};
}

static void append_event(Text *text, guint event, ProfileTree *tree)
{
  g_autoptr(ProfileWeights) weights = tree ? profile_weights_ref(profile_tree_get_weights(tree))
                                           : profile_report_get_weights(text->report, event);

  text->weights = weights;
  text->whole = profile_weights_measure(weights, profile_weights_get_sum(weights));
  profile_report_append_event_head(weights, text->out);
  g_string_append_c(text->out, '\n');
  if (tree)
    append_tree(text, tree);
  else
    append_rows(text, weights);
}

/* One an event, before anything is written: there may be no such function. */
static GPtrArray *make_trees(const ProfileReport *self, const GArray *events, GError **error)
{
  g_autoptr(GPtrArray) trees = g_ptr_array_new_with_free_func((GDestroyNotify)profile_tree_free);

  for (guint i = 0; i < events->len && self->tree != PROFILE_REPORT_LIST; i++) {
    g_autoptr(ProfileWeights) weights = profile_report_get_weights(self, g_array_index(events, guint, i));
    ProfileTree *tree = profile_report_get_tree(self, weights, error);
    if (!tree)
      return NULL;
    g_ptr_array_add(trees, tree);
  }
  return g_steal_pointer(&trees);
}

static void append_all(Text *text, const GArray *events, const GPtrArray *trees)
{
  profile_report_append_head(text->report, events, text->out);
  if (text->report->by == PROFILE_REPORT_EVENT)
    append_events(text, events);
  if (text->report->by == PROFILE_REPORT_MARK)
    profile_report_append_marks(text->report, text->out);
  for (guint i = 0;
       i < events->len && profile_report_is_of_samples(text->report) && report_text_flush(text, FALSE); i++) {
    if (i > 0)
      g_string_append_c(text->out, '\n');
    append_event(text, g_array_index(events, guint, i), i < trees->len ? trees->pdata[i] : NULL);
  }
}

gboolean profile_report_write(const ProfileReport *self, GOutputStream *stream, GCancellable *cancellable,
                              GError **error)
{
  g_autoptr(GArray) events = profile_report_get_events(self);
  g_autoptr(GPtrArray) trees = make_trees(self, events, error);
  g_autoptr(GString) out = g_string_new(NULL), prefix = g_string_new(NULL);
  g_autoptr(GArray) prefixes = g_array_new(FALSE, FALSE, sizeof(gsize));
  Text text = {.report = self,
               .capture = profile_report_get_capture(self),
               .stacks = profile_report_get_stacks(self),
               .out = out,
               .stream = stream,
               .cancellable = cancellable,
               .lines = get_tree_lines(),
               .prefix = prefix,
               .prefixes = prefixes};

  if (!trees)
    return FALSE;
  append_all(&text, events, trees);
  if (report_text_flush(&text, TRUE))
    return TRUE;
  g_propagate_error(error, text.error);
  return FALSE;
}
