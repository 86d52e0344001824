/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>
#include <math.h>

#include "capturectl/capturectl-info-private.h"
#include "capturectl/capturectl-json.h"
#include "profile/views/counter.h"
#include "profile/views/mark-rows.h"

/* Of streams, counters and log lines; JSON has them all. */
enum { LINES_MAX = 20 };

static const char *const foreign_words[] = {NULL, "syscap", "perf-map", "jitdump"};
static const char *const stream_words[] = {"unknown", "recorder", "sampler", "foreign", "counters", "import"};

static gboolean is_inside(const ProfileStream *stream)
{
  return stream->kind == CAPTURE_STREAM_SAMPLER || stream->kind == CAPTURE_STREAM_FOREIGN;
}

/* "12 of cpu-time, 3 of gc" */
static char *describe_samples(ProfileCapture *capture, const ProfileStream *stream)
{
  g_autoptr(GString) text = g_string_new(NULL);
  guint n;
  const ProfileStreamEvent *counts = profile_capture_get_stream_events(capture, &n);

  for (guint i = 0; i < n; i++)
    if (counts[i].stream == stream->number)
      g_string_append_printf(text, _("%s%" G_GUINT64_FORMAT " of %s"), text->len > 0 ? ", " : "",
                             counts[i].n_samples, profile_capture_get_event(capture, counts[i].event)->name);
  return text->len > 0 ? g_string_free(g_steal_pointer(&text), FALSE) : g_strdup(_("no samples"));
}

/* Of what kind a file is that was kept; NULL: none was, or it is not known. */
static const char *get_foreign_word(const ProfileStream *stream)
{
  return stream->foreign < G_N_ELEMENTS(foreign_words) ? foreign_words[stream->foreign] : NULL;
}

static void print_kept_file(ProfileCapture *capture, const ProfileStream *stream)
{
  const char *word = get_foreign_word(stream);
  g_autofree char *size = g_format_size(stream->bytes), *samples = describe_samples(capture, stream);

  if (stream->foreign == CAPTURE_FOREIGN_SYSCAP)
    capturectl_info_print_formatted(_("Kept file"), _("%s (%d): %s, %s; %s"), stream->name, stream->pid, word,
                                    size, samples);
  else
    capturectl_info_print_formatted(_("Kept file"), _("%s (%d): %s, %s"), stream->name, stream->pid,
                                    word ? word : _("of a kind that is not known"), size);
}

static void print_more(guint n)
{
  if (n > LINES_MAX)
    capturectl_info_print_formatted("", _("and %u more; --json lists them all"), n - LINES_MAX);
}

static void print_samplers(ProfileCapture *capture)
{
  guint n, shown = 0;
  const ProfileStream *streams = profile_capture_get_streams(capture, &n);

  for (guint i = 0; i < n; i++) {
    if (!is_inside(&streams[i]) || shown++ >= LINES_MAX)
      continue;
    if (streams[i].foreign) {
      print_kept_file(capture, &streams[i]);
      continue;
    }
    g_autofree char *samples = describe_samples(capture, &streams[i]);
    capturectl_info_print_formatted(_("Sampler"), _("%s (%d): %s"), streams[i].name, streams[i].pid, samples);
  }
  print_more(shown);
}

static gsize count_code(ProfileCapture *capture)
{
  gsize n, pieces = 0;
  const ProfileCode *code = profile_capture_get_code(capture, &n);

  for (gsize i = 0; i < n; i++)
    pieces += code[i].name != NULL;
  return pieces;
}

static gsize count_mark_names(ProfileCapture *capture)
{
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  g_autoptr(ProfileMarkRows) rows = profile_mark_rows_new(filter);
  gsize n;

  profile_mark_rows_get(rows, &n);
  return n;
}

static void print_counter(const ProfileCounter *counter)
{
  g_autofree char *name = *counter->category ? g_strdup_printf("%s: %s", counter->category, counter->name)
                                             : g_strdup(counter->name);
  double min, max;

  if (counter->n == 0) {
    capturectl_info_print_formatted(_("Counter"), _("%s, without values"), name);
    return;
  }
  profile_counter_get_range(counter, &min, &max);
  g_autofree char *last = profile_counter_describe(counter, counter->value[counter->n - 1]);
  g_autofree char *least = profile_counter_describe(counter, min),
                  *most = profile_counter_describe(counter, max);
  capturectl_info_print_formatted(_("Counter"), _("%s: %s at last, from %s to %s, %zu values"), name, last,
                                  least, most, counter->n);
}

/* Of what the machine has but nobody used, JSON tells. */
static gboolean is_idle(const ProfileCounter *counter)
{
  double min, max;

  if (counter->process != 0 || counter->n == 0)
    return FALSE;
  profile_counter_get_range(counter, &min, &max);
  return min == 0 && max == 0;
}

static void print_counters(ProfileCapture *capture)
{
  guint n, shown = 0;
  const ProfileCounter *counters = profile_capture_get_counters(capture, &n);

  for (guint i = 0; i < n; i++)
    if (!is_idle(&counters[i]) && shown++ < LINES_MAX)
      print_counter(&counters[i]);
  print_more(shown);
}

static void print_log(ProfileCapture *capture)
{
  gsize n;
  const ProfileLogLine *lines = profile_capture_get_log(capture, &n);

  for (gsize i = 0; i < MIN(n, LINES_MAX); i++)
    capturectl_info_print_formatted(_("Log"), "%s%s%s", lines[i].domain ? lines[i].domain : "",
                                    lines[i].domain ? ": " : "", lines[i].text);
  print_more((guint)MIN(n, G_MAXUINT));
}

void capturectl_info_print_told(ProfileCapture *capture)
{
  gsize n_code = count_code(capture), n_marks;

  profile_capture_get_marks(capture, &n_marks);
  print_samplers(capture);
  if (n_code > 0)
    capturectl_info_print_formatted(_("Code"), _("%zu functions compiled at run time"), n_code);
  if (n_marks > 0)
    capturectl_info_print_formatted(_("Marks"),
                                    _("%zu, of %zu names; “capturectl report --by mark” lists them"), n_marks,
                                    count_mark_names(capture));
  print_counters(capture);
  print_log(capture);
}

static void add_stream_events(JsonBuilder *builder, ProfileCapture *capture, const ProfileStream *stream)
{
  guint n;
  const ProfileStreamEvent *counts = profile_capture_get_stream_events(capture, &n);

  capturectl_json_array(builder, "events");
  for (guint i = 0; i < n; i++) {
    if (counts[i].stream != stream->number)
      continue;
    json_builder_begin_object(builder);
    capturectl_json_string(builder, "name", profile_capture_get_event(capture, counts[i].event)->name);
    capturectl_json_int(builder, "samples", (gint64)counts[i].n_samples);
    json_builder_end_object(builder);
  }
  json_builder_end_array(builder);
}

static void add_streams(JsonBuilder *builder, ProfileCapture *capture)
{
  guint n;
  const ProfileStream *streams = profile_capture_get_streams(capture, &n);

  capturectl_json_array(builder, "streams");
  for (guint i = 0; i < n; i++) {
    json_builder_begin_object(builder);
    capturectl_json_string(builder, "name", streams[i].name);
    capturectl_json_string(builder, "kind",
                           stream_words[streams[i].kind < G_N_ELEMENTS(stream_words) ? streams[i].kind : 0]);
    capturectl_json_int(builder, "pid", streams[i].pid);
    if (streams[i].foreign) {
      capturectl_json_string(builder, "format", get_foreign_word(&streams[i]));
      capturectl_json_int(builder, "bytes", (gint64)streams[i].bytes);
    }
    add_stream_events(builder, capture, &streams[i]);
    json_builder_end_object(builder);
  }
  json_builder_end_array(builder);
}

/* JSON knows no infinity. */
static void add_double(JsonBuilder *builder, const char *name, double value)
{
  json_builder_set_member_name(builder, name);
  if (isfinite(value))
    json_builder_add_double_value(builder, value);
  else
    json_builder_add_null_value(builder);
}

static void add_counter(JsonBuilder *builder, ProfileCapture *capture, const ProfileCounter *counter)
{
  double min = NAN, max = NAN;
  guint n;

  if (counter->n > 0)
    profile_counter_get_range(counter, &min, &max);
  json_builder_begin_object(builder);
  capturectl_json_string(builder, "category", *counter->category ? counter->category : NULL);
  capturectl_json_string(builder, "name", counter->name);
  capturectl_json_string(builder, "description", counter->description);
  capturectl_json_string(builder, "unit", counter->unit);
  capturectl_json_int(builder, "pid", profile_capture_get_processes(capture, &n)[counter->process].pid);
  capturectl_json_bool(builder, "totals", counter->totals);
  capturectl_json_int(builder, "values", (gint64)counter->n);
  add_double(builder, "last", counter->n > 0 ? counter->value[counter->n - 1] : NAN);
  add_double(builder, "min", min);
  add_double(builder, "max", max);
  json_builder_end_object(builder);
}

static void add_counters(JsonBuilder *builder, ProfileCapture *capture)
{
  guint n;
  const ProfileCounter *counters = profile_capture_get_counters(capture, &n);

  capturectl_json_array(builder, "counters");
  for (guint i = 0; i < n; i++)
    add_counter(builder, capture, &counters[i]);
  json_builder_end_array(builder);
}

static void add_log(JsonBuilder *builder, ProfileCapture *capture)
{
  gsize n;
  guint n_threads;
  const ProfileLogLine *lines = profile_capture_get_log(capture, &n);
  const ProfileThread *threads = profile_capture_get_threads(capture, &n_threads);

  capturectl_json_array(builder, "log");
  for (gsize i = 0; i < n; i++) {
    json_builder_begin_object(builder);
    capturectl_json_int(builder, "time_ns", (gint64)lines[i].time);
    capturectl_json_int(builder, "severity", lines[i].severity);
    capturectl_json_int(builder, "tid", threads[lines[i].thread].tid);
    capturectl_json_string(builder, "domain", lines[i].domain);
    capturectl_json_string(builder, "text", lines[i].text);
    json_builder_end_object(builder);
  }
  json_builder_end_array(builder);
}

void capturectl_info_add_told(JsonBuilder *builder, ProfileCapture *capture)
{
  gsize n_marks;

  profile_capture_get_marks(capture, &n_marks);
  add_streams(builder, capture);
  capturectl_json_int(builder, "code", (gint64)count_code(capture));
  capturectl_json_int(builder, "marks", (gint64)n_marks);
  add_counters(builder, capture);
  add_log(builder, capture);
}
