/* SPDX-License-Identifier: GPL-3.0-or-later */
/* docs/report-json.md describes what is printed. Written by hand: a list may have hundreds of thousands of
 * rows. */
#include <stdio.h>

#include "capturectl/capturectl-command.h"
#include "capturectl/capturectl-filter.h"
#include "capturectl/capturectl-json.h"
#include "capturectl/capturectl-report-private.h"
#include "profile/capture/ledger.h"
#include "profile/views/mark-rows.h"

enum { FLUSH_SIZE = 1 << 16 };

typedef struct {
  const ProfileReport *report;
  GString *out;
} Json;

static const char *const units[] = {"count", "nanoseconds", "bytes", "cycles"};

/* Writes what is there when it is much. */
static void report_json_flush(Json *json)
{
  if (json->out->len < FLUSH_SIZE)
    return;
  fwrite(json->out->str, 1, json->out->len, stdout);
  g_string_truncate(json->out, 0);
}

static void report_json_append(Json *json, const char *text)
{
  g_string_append(json->out, text);
}

static void append_quoted(Json *json, const char *value)
{
  g_autofree char *valid = g_utf8_validate(value, -1, NULL) ? NULL : g_utf8_make_valid(value, -1);
  GString *out = json->out;

  g_string_append_c(out, '"');
  for (const char *c = valid ? valid : value; *c; c = g_utf8_next_char(c)) {
    guchar byte = (guchar)*c;
    if (byte == '"' || byte == '\\')
      g_string_append_c(out, '\\');
    if (byte < ' ')
      g_string_append_printf(out, "\\u%04x", byte);
    else if (byte < 0x7f)
      g_string_append_c(out, *c);
    else
      capturectl_json_append_character(out, g_utf8_get_char(c));
  }
  g_string_append_c(out, '"');
}

static void append_string(Json *json, const char *name, const char *value)
{
  report_json_append(json, "\"");
  report_json_append(json, name);
  report_json_append(json, "\": ");
  if (value)
    append_quoted(json, value);
  else
    report_json_append(json, "null");
}

static void append_number(Json *json, const char *name, gint64 value)
{
  char digits[24];
  guint i = sizeof digits;
  guint64 rest = value < 0 ? -(guint64)value : (guint64)value;

  do
    digits[--i] = '0' + rest % 10;
  while (rest /= 10);
  report_json_append(json, "\"");
  report_json_append(json, name);
  report_json_append(json, value < 0 ? "\": -" : "\": ");
  g_string_append_len(json->out, digits + i, sizeof digits - i);
}

static void append_weights(Json *json, const ProfileWeight *self, const ProfileWeight *total)
{
  report_json_append(json, ", ");
  append_number(json, "self", (gint64)self->count);
  report_json_append(json, ", ");
  append_number(json, "total", (gint64)total->count);
  report_json_append(json, ", ");
  append_number(json, "self_weight", (gint64)self->weight);
  report_json_append(json, ", ");
  append_number(json, "total_weight", (gint64)total->weight);
}

static void append_source(Json *json, guint32 function)
{
  const ProfileFunction *item =
      profile_stacks_get_function(profile_report_get_stacks(json->report), function);
  const ProfileFunctionRange *range = item->range;

  if (item->kind == CAPTURE_SPACE_KERNEL)
    report_json_append(json, ", \"kernel\": true");
  if (item->kind == CAPTURE_SPACE_IDENTIFIERS)
    report_json_append(json, ", \"told\": true");
  if (!range || !range->file)
    return;
  report_json_append(json, ", ");
  append_string(json, "file", range->file);
  report_json_append(json, ", ");
  append_number(json, "line", range->line);
}

/* What a row has beside the members that all have. */
static void append_identity(Json *json, guint32 item)
{
  ProfileCapture *capture = profile_report_get_capture(json->report);
  guint n;

  if (profile_report_is_of_functions(json->report))
    append_source(json, item);
  if (json->report->by == PROFILE_REPORT_WAIT) {
    report_json_append(json, ", ");
    append_string(json, "reason", profile_reason_get_name(PROFILE_ROWS_WAIT_REASON(item)));
  }
  if (!profile_report_is_of_threads(json->report) && json->report->by != PROFILE_REPORT_PROCESS)
    return;
  guint32 process = item;
  if (profile_report_is_of_threads(json->report)) {
    const ProfileThread *thread = &profile_capture_get_threads(capture, &n)[item];
    report_json_append(json, ", ");
    append_number(json, "tid", thread->tid);
    process = thread->process;
  }
  report_json_append(json, ", ");
  append_number(json, "pid", profile_capture_get_processes(capture, &n)[process].pid);
}

static void append_rows(Json *json, ProfileWeights *weights)
{
  g_autoptr(ProfileRows) rows = profile_report_get_rows(json->report, weights);

  report_json_append(json, "\"rows\": [");
  for (gsize i = 0; i < profile_rows_get_n(rows); i++) {
    ProfileRow row = profile_rows_get(rows, i);
    report_json_append(json, i ? ",\n  {" : "\n  {");
    append_string(json, "name", profile_report_get_row_name(json->report, row.item));
    report_json_append(json, ", ");
    append_string(json, "binary", profile_report_get_row_binary(json->report, row.item));
    append_weights(json, &row.self, &row.total);
    append_identity(json, row.item);
    report_json_append(json, "}");
    report_json_flush(json);
  }
  report_json_append(json, "]");
}

static gboolean enter_node(ProfileTree *tree, guint32 number, gboolean first, gboolean last, gpointer data)
{
  Json *json = data;
  const ProfileTreeNode *node = profile_tree_get_node(tree, number);
  gboolean all = node->function == PROFILE_TREE_NO_FUNCTION;
  const ProfileStacks *stacks = profile_report_get_stacks(json->report);

  report_json_append(json, first ? "\n{" : ",\n{");
  append_string(json, "name", all ? NULL : profile_stacks_get_function_name(stacks, node->function));
  report_json_append(json, ", ");
  append_string(json, "binary", all ? NULL : profile_stacks_get_function_binary(stacks, node->function));
  append_weights(json, &node->self, &node->total);
  if (node->inlined)
    report_json_append(json, ", \"inlined\": true");
  if (!all)
    append_source(json, node->function);
  report_json_append(json, ", \"children\": [");
  report_json_flush(json);
  return TRUE;
}

static void leave_node(ProfileTree *tree, guint32 number, gpointer data)
{
  report_json_append(data, "]}");
}

static int append_tree(Json *json, ProfileWeights *weights)
{
  static const ProfileReportVisitor visitor = {enter_node, leave_node};
  g_autoptr(GError) error = NULL;
  g_autoptr(ProfileTree) tree = profile_report_get_tree(json->report, weights, &error);

  if (!tree)
    return capturectl_fail("%s", error->message);
  report_json_append(json, "\"tree\": ");
  profile_report_walk(tree, profile_report_get_limit(json->report, weights), &visitor, json);
  return CAPTURECTL_DONE;
}

/* What is printed for an event: rows, and a tree when it was asked for. */
static int append_views(Json *json, ProfileWeights *weights)
{
  report_json_append(json, ",\n");
  append_rows(json, weights);
  if (json->report->tree == PROFILE_REPORT_LIST)
    return CAPTURECTL_DONE;
  report_json_append(json, ",\n");
  return append_tree(json, weights);
}

static int append_event(Json *json, guint event, gboolean views)
{
  g_autoptr(ProfileWeights) weights = profile_report_get_weights(json->report, event);
  guint n;
  const ProfileEvent *item = &profile_capture_get_events(profile_report_get_capture(json->report), &n)[event];
  int status = CAPTURECTL_DONE;

  report_json_append(json, "{");
  append_string(json, "name", item->name);
  report_json_append(json, ", ");
  append_string(json, "unit", units[item->unit]);
  report_json_append(json, ", ");
  append_number(json, "samples", (gint64)profile_weights_get_sum(weights).count);
  report_json_append(json, ", ");
  append_number(json, "weight", (gint64)profile_weights_get_sum(weights).weight);
  report_json_append(json, ", ");
  append_number(json, "period", (gint64)item->period);
  report_json_append(json, ", ");
  append_number(json, "frequency", (gint64)item->frequency);
  if (views)
    status = append_views(json, weights);
  report_json_append(json, "}");
  return status;
}

static int append_events(Json *json, const GArray *events)
{
  gboolean views = events->len > 1 && profile_report_is_of_samples(json->report);
  int status = CAPTURECTL_DONE;

  report_json_append(json, "\"events\": [");
  for (guint i = 0; i < events->len && status == CAPTURECTL_DONE; i++) {
    report_json_append(json, i ? ",\n " : "\n ");
    status = append_event(json, g_array_index(events, guint, i), views);
  }
  report_json_append(json, "]");
  return status;
}

static void append_event_rows(Json *json, const GArray *events)
{
  guint n;
  const ProfileEvent *all = profile_capture_get_events(profile_report_get_capture(json->report), &n);

  report_json_append(json, ",\n\"rows\": [");
  for (guint i = 0; i < events->len; i++) {
    guint event = g_array_index(events, guint, i);
    g_autoptr(ProfileWeights) weights = profile_report_get_weights(json->report, event);
    ProfileWeight sum = profile_weights_get_sum(weights);
    report_json_append(json, i ? ",\n  {" : "\n  {");
    append_string(json, "name", all[event].name);
    report_json_append(json, ", \"binary\": null");
    append_weights(json, &sum, &sum);
    report_json_append(json, "}");
  }
  report_json_append(json, "]");
}

static void append_duration(Json *json, const char *name, const ProfileMarkRow *row, gint64 nanoseconds)
{
  report_json_append(json, ", ");
  if (row->spans > 0)
    append_number(json, name, nanoseconds);
  else
    g_string_append_printf(json->out, "\"%s\": null", name);
}

static void append_mark_row(Json *json, const ProfileMarkRow *row)
{
  append_string(json, "category", *row->category ? row->category : NULL);
  report_json_append(json, ", ");
  append_string(json, "name", row->name);
  report_json_append(json, ", ");
  append_number(json, "count", (gint64)row->count);
  report_json_append(json, ", ");
  append_number(json, "spans", (gint64)row->spans);
  report_json_append(json, ", ");
  append_number(json, "unfinished", (gint64)row->unfinished);
  append_duration(json, "total_ns", row, (gint64)row->total);
  append_duration(json, "median_ns", row, (gint64)row->median);
  append_duration(json, "p95_ns", row, (gint64)row->p95);
  append_duration(json, "max_ns", row, (gint64)row->max);
}

static void append_mark_rows(Json *json)
{
  g_autoptr(ProfileMarkRows) rows = profile_mark_rows_new(json->report->filter);
  gsize n;
  const ProfileMarkRow *all = profile_mark_rows_get(rows, &n);

  report_json_append(json, ",\n\"rows\": [");
  for (gsize i = 0; i < n; i++) {
    report_json_append(json, i ? ",\n  {" : "\n  {");
    append_mark_row(json, &all[i]);
    report_json_append(json, "}");
    report_json_flush(json);
  }
  report_json_append(json, "]");
}

/* The first event's count and views stand at the top, for those who care about one event only. */
static int append_first(Json *json, const GArray *events)
{
  if (events->len == 0) {
    report_json_append(json, "\"samples\": 0");
    if (json->report->by == PROFILE_REPORT_MARK)
      append_mark_rows(json);
    else
      report_json_append(json, ",\n\"rows\": []");
    return CAPTURECTL_DONE;
  }
  g_autoptr(ProfileWeights) weights =
      profile_report_get_weights(json->report, g_array_index(events, guint, 0));
  append_number(json, "samples", (gint64)profile_weights_get_sum(weights).count);
  if (profile_report_is_of_samples(json->report))
    return append_views(json, weights);
  if (json->report->by == PROFILE_REPORT_MARK)
    append_mark_rows(json);
  else
    append_event_rows(json, events);
  return CAPTURECTL_DONE;
}

/* As `info --json` has it; of the whole capture, whatever the filters say. */
static void append_stacks(Json *json)
{
  ProfileCapture *capture = profile_report_get_capture(json->report);
  g_autoptr(ProfileLedger) ledger = profile_ledger_new(capture);
  gsize n;
  const ProfileLedgerEntry *entries = profile_ledger_get_entries(ledger, &n);

  report_json_append(json, "\"user_stacks\": {");
  append_number(json, "samples", (gint64)profile_ledger_get_stacks(ledger));
  report_json_append(json, ", ");
  append_number(json, "complete", (gint64)profile_ledger_get_samples(ledger, CAPTURE_OUTCOME_COMPLETE));
  report_json_append(json, ", ");
  append_number(json, "by_frame_pointers", (gint64)profile_ledger_get_by_frame_pointers(ledger));
  report_json_append(json, ", \"incomplete\": [");
  for (gsize i = 0; i < n; i++) {
    report_json_append(json, i ? ",\n  {" : "\n  {");
    append_string(json, "outcome", profile_outcome_get_name(entries[i].outcome));
    report_json_append(json, ", ");
    append_string(json, "binary", profile_ledger_get_binary(capture, &entries[i]));
    report_json_append(json, ", ");
    append_number(json, "samples", (gint64)entries[i].samples);
    report_json_append(json, ", ");
    append_string(json, "advice", profile_ledger_get_advice(capture, &entries[i]));
    report_json_append(json, "}");
  }
  report_json_append(json, "]}");
}

int capturectl_report_json(const ProfileReport *report)
{
  g_autoptr(GArray) events = profile_report_get_events(report);
  ProfileCapture *capture = profile_report_get_capture(report);
  g_autoptr(GString) out = g_string_sized_new(2 * FLUSH_SIZE);
  Json json = {.report = report, .out = out};

  report_json_append(&json, "{");
  append_string(&json, "file", report->path);
  report_json_append(&json, ",\n");
  append_string(&json, "command", profile_capture_get_metadata(capture, "command"));
  report_json_append(&json, ",\n");
  append_number(&json, "lost", (gint64)profile_capture_get_n_lost(capture));
  report_json_append(&json, ",\n");
  append_number(&json, "duration_ns", (gint64)profile_capture_get_duration(capture));
  report_json_append(&json, ",\n");
  append_stacks(&json);
  report_json_append(&json, ",\n");
  append_string(&json, "by", capturectl_report_get_by_name(report->by));
  report_json_append(&json, ",\n");
  int status = append_first(&json, events);
  report_json_append(&json, ",\n");
  if (status == CAPTURECTL_DONE)
    status = append_events(&json, events);
  report_json_append(&json, "}\n");
  if (status == CAPTURECTL_DONE)
    fwrite(out->str, 1, out->len, stdout);
  return status;
}
