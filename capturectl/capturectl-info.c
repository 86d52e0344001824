/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capturectl/capturectl-command.h"
#include "capturectl/capturectl-filter.h"
#include "capturectl/capturectl-info-private.h"
#include "capturectl/capturectl-json.h"
#include "capturectl/capturectl-reader.h"
#include "capturectl/capturectl-verbs.h"
#include "profile/base/printable.h"
#include "profile/capture/ended.h"
#include "profile/capture/ledger.h"
#include "profile/naming/place-gaps.h"

/* The keys of metadata, as they stand in the file, in the JSON and before a person. */
static const struct {
  const char *key, *json, *label;
} metadata[] = {
    {"command", "command", N_("Command")},
    {"hostname", "hostname", N_("Host")},
    {"os", "os", N_("System")},
    {"kernel", "kernel", N_("Kernel")},
    {"architecture", "architecture", NULL},
    {"cpu", "cpu", N_("Processor")},
    {"cpus", "cpus", N_("Processors")},
    {"recorder", "recorder", N_("Recorded by")},
    {"via", "via", N_("Way")},
    {"unwind", "unwind", N_("Stacks by")},
    {"source", "source", N_("Imported from")},
    {"source-format", "source_format", N_("Its format")},
};

/* Of ways in which stacks are not complete; JSON has them all. */
#define INCOMPLETE_MAX 20

static const char *const unit_words[] = {"count", "nanoseconds", "bytes", "cycles"};

/* What is counted once for text and JSON. */
typedef struct {
  ProfileCapture *capture;
  struct capture_file_header header;
  guint64 size, raw_size; /* of the file; of its windows before compression */
  gboolean has_index;
  guint64 samples, lost, throttled, duration;
  guint threads, processes, binaries;
  ProfileLedger *ledger;
  guint named_binaries, functions, served_functions;
  gboolean kernel_named;
  char **gaps; /* in lines and inlined functions */
} Info;

static void count_samples(Info *info)
{
  guint n;
  const ProfileEvent *events = profile_capture_get_events(info->capture, &n);

  for (guint i = 0; i < n; i++)
    info->samples += events[i].n_samples;
}

static gboolean count_names(Info *info, guint32 binary)
{
  ProfileFunctionTable *table = profile_capture_get_table(info->capture, binary);
  const ProfileFunctionRange *ranges;
  gsize n = 0;

  if (!table)
    return FALSE;
  ranges = profile_function_table_get_ranges(table, &n);
  info->functions += n;
  for (gsize i = 0; i < n; i++)
    info->served_functions += ranges[i].served;
  return n > 0;
}

static void count_everything(Info *info)
{
  guint n;

  info->threads = profile_capture_count_threads(info->capture);
  info->processes = profile_capture_count_processes(info->capture);
  info->binaries = profile_capture_count_files(info->capture);
  profile_capture_get_binaries(info->capture, &n);
  for (guint i = 0; i < n; i++)
    info->named_binaries += count_names(info, i);
  info->kernel_named = count_names(info, G_MAXUINT32);
  info->lost = profile_capture_get_n_lost(info->capture);
  info->throttled = profile_capture_get_n_throttled(info->capture);
  info->duration = profile_capture_get_duration(info->capture);
  profile_capture_get_header(info->capture, &info->header);
  count_samples(info);
  info->ledger = profile_ledger_new(info->capture);
  info->gaps = profile_place_gaps_list(info->capture);
}

static void measure_windows(Info *info, const capture_reader *reader)
{
  info->has_index = capture_reader_has_index(reader);
  info->size = capture_reader_size(reader);
  info->raw_size = info->size;
  for (gsize i = 0; i < capture_reader_n_parts(reader); i++) {
    const struct capture_window_header *header = &capture_reader_part(reader, i)->header;

    info->raw_size += (gint64)header->length - header->stored;
  }
}

static char *format_date(gint64 nanoseconds)
{
  g_autoptr(GDateTime) utc = nanoseconds > 0 ? g_date_time_new_from_unix_utc(nanoseconds / 1000000000) : NULL;
  g_autoptr(GDateTime) local = utc ? g_date_time_to_local(utc) : NULL;

  return local ? g_date_time_format(local, "%Y-%m-%d %H:%M:%S %z") : NULL;
}

void capturectl_info_print(const char *label, const char *value)
{
  g_autofree char *shown = profile_printable(value);
  int padding = MAX(14 - (int)g_utf8_strlen(label, -1), 1);

  g_print("%s%*s%s\n", label, padding, "", shown);
}

void capturectl_info_print_formatted(const char *label, const char *format, ...)
{
  va_list arguments;
  g_autofree char *value = NULL;

  va_start(arguments, format);
  value = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  capturectl_info_print(label, value);
}

static void print_events(const Info *info)
{
  guint n;
  const ProfileEvent *events = profile_capture_get_events(info->capture, &n);

  for (guint i = 0; i < n; i++) {
    g_autofree char *rate =
        events[i].frequency ? g_strdup_printf(_("%" G_GUINT64_FORMAT " Hz"), events[i].frequency)
        : events[i].period  ? g_strdup_printf(_("every %" G_GUINT64_FORMAT), events[i].period)
                            : g_strdup(_("rate not known"));

    capturectl_info_print_formatted(_("Event"), _("%s (%s): %zu samples"), events[i].name, rate,
                                    events[i].n_samples);
  }
}

static gboolean outcomes_are_known(const Info *info)
{
  return profile_ledger_get_samples(info->ledger, CAPTURE_OUTCOME_UNKNOWN) < info->samples;
}

static void print_outcomes(const Info *info)
{
  if (!outcomes_are_known(info))
    return;
  for (guint i = 0; i < PROFILE_OUTCOMES; i++) {
    guint64 samples = profile_ledger_get_samples(info->ledger, i);

    if (samples > 0)
      capturectl_info_print_formatted(_("Outcome"), "%s: %" G_GUINT64_FORMAT " (%.2f %%)",
                                      profile_outcome_get_name(i), samples,
                                      profile_ledger_get_percent(samples, info->samples));
  }
}

/* Complete, but how far that goes. */
static void print_by_frame_pointers(const Info *info)
{
  guint64 samples = profile_ledger_get_by_frame_pointers(info->ledger);

  if (samples > 0)
    capturectl_info_print_formatted(
        _("Partly"),
        _("%" G_GUINT64_FORMAT " of the complete ones (%.2f %%) lead through code without unwind "
          "tables, by its instructions or by frame pointers: a function there may be missing"),
        samples,
        profile_ledger_get_percent(samples,
                                   profile_ledger_get_samples(info->ledger, CAPTURE_OUTCOME_COMPLETE)));
}

static void print_entry(const Info *info, const ProfileLedgerEntry *entry, const char *advice_before)
{
  const char *binary = profile_ledger_get_binary(info->capture, entry);
  const char *advice = profile_ledger_get_advice(info->capture, entry);
  guint64 stacks = profile_ledger_get_stacks(info->ledger);

  capturectl_info_print_formatted(_("Incomplete"), _("%" G_GUINT64_FORMAT " (%.2f %%), %s, ending in %s"),
                                  entry->samples, profile_ledger_get_percent(entry->samples, stacks),
                                  profile_outcome_get_name(entry->outcome), binary ? binary : _("no frame"));
  if (g_strcmp0(advice, advice_before) != 0)
    capturectl_info_print_formatted("", "→ %s", advice);
}

/* What would help is said where it is something else than in the line before. */
static void print_stacks(const Info *info)
{
  guint64 stacks = profile_ledger_get_stacks(info->ledger);
  g_autofree char *summary = profile_ledger_summarize(info->ledger);
  gsize n;
  const ProfileLedgerEntry *entries = profile_ledger_get_entries(info->ledger, &n);

  if (stacks == 0)
    return;
  capturectl_info_print_formatted(_("User stacks"), _("%" G_GUINT64_FORMAT ": %s"), stacks, summary);
  for (gsize i = 0; i < MIN(n, INCOMPLETE_MAX); i++)
    print_entry(info, &entries[i], i > 0 ? profile_ledger_get_advice(info->capture, &entries[i - 1]) : NULL);
  if (n > INCOMPLETE_MAX)
    capturectl_info_print_formatted("", _("and %" G_GSIZE_FORMAT " rarer kinds; --json lists them all"),
                                    n - INCOMPLETE_MAX);
}

static void print_size(const Info *info)
{
  g_autofree char *size = g_format_size(info->size);
  g_autofree char *raw = g_format_size(info->raw_size);
  double each = info->samples ? (double)info->size / info->samples : 0;

  if (info->raw_size > info->size)
    capturectl_info_print_formatted(_("Size"), _("%s, %s uncompressed, %.1f bytes per sample"), size, raw,
                                    each);
  else
    capturectl_info_print_formatted(_("Size"), _("%s, %.1f bytes per sample"), size, each);
  capturectl_info_print(_("Index"),
                        info->has_index ? _("present") : _("missing; “capturectl check --recover” adds one"));
}

static void print_names(const Info *info)
{
  capturectl_info_print_formatted(_("Names"), _("%u functions, in %u of %u binaries; kernel functions %s"),
                                  info->functions, info->named_binaries, info->binaries,
                                  info->kernel_named ? _("too") : _("not"));
  if (info->served_functions > 0)
    capturectl_info_print_formatted(
        "",
        ngettext("%u of them was named by the service, from what not everybody may read",
                 "%u of them were named by the service, from what not everybody may read",
                 info->served_functions),
        info->served_functions);
  if (g_strcmp0(profile_capture_get_metadata(info->capture, "kernel-addresses"), "hidden") == 0)
    capturectl_info_print("", _("the kernel hid its addresses from the recording user"));
}

static void print_texts(const char *label, const char *const *texts)
{
  for (; *texts; texts++)
    capturectl_info_print(label, *texts);
}

static void print_text(const Info *info)
{
  g_autofree char *date = format_date(info->header.time_realtime);
  g_autofree char *end = profile_ended_describe(&info->header.ended);

  for (gsize i = 0; i < G_N_ELEMENTS(metadata); i++) {
    const char *value = profile_capture_get_metadata(info->capture, metadata[i].key);

    if (metadata[i].label && value && *value)
      capturectl_info_print(_(metadata[i].label), value);
  }
  if (date)
    capturectl_info_print(_("Begun"), date);
  capturectl_info_print_formatted(_("Duration"), _("%.3f seconds"), info->duration / 1e9);
  capturectl_info_print(_("Ended"), end);
  print_events(info);
  capturectl_info_print_formatted(_("Samples"), "%" G_GUINT64_FORMAT, info->samples);
  capturectl_info_print_formatted(_("Lost"), "%" G_GUINT64_FORMAT, info->lost);
  if (info->throttled > 0)
    capturectl_info_print_formatted(_("Throttled"), _("%" G_GUINT64_FORMAT " times"), info->throttled);
  capturectl_info_print_formatted(_("Processes"), "%u", info->processes);
  capturectl_info_print_formatted(_("Threads"), "%u", info->threads);
  print_outcomes(info);
  print_by_frame_pointers(info);
  print_stacks(info);
  print_names(info);
  print_texts(_("Lines"), (const char *const *)info->gaps);
  capturectl_info_print_told(info->capture);
  print_size(info);
  print_texts(_("Message"), profile_capture_get_messages(info->capture));
  print_texts(_("Damage"), profile_capture_get_problems(info->capture));
}

static void add_texts(JsonBuilder *builder, const char *name, const char *const *texts)
{
  capturectl_json_array(builder, name);
  for (; *texts; texts++)
    capturectl_json_item(builder, *texts);
  json_builder_end_array(builder);
}

static void add_events(JsonBuilder *builder, const Info *info)
{
  guint n;
  const ProfileEvent *events = profile_capture_get_events(info->capture, &n);

  capturectl_json_array(builder, "events");
  for (guint i = 0; i < n; i++) {
    json_builder_begin_object(builder);
    capturectl_json_string(builder, "name", events[i].name);
    capturectl_json_string(builder, "unit",
                           events[i].unit < G_N_ELEMENTS(unit_words) ? unit_words[events[i].unit] : NULL);
    capturectl_json_int(builder, "samples", events[i].n_samples);
    capturectl_json_int(builder, "frequency", events[i].frequency);
    capturectl_json_int(builder, "period", events[i].period);
    json_builder_end_object(builder);
  }
  json_builder_end_array(builder);
}

static void add_outcomes(JsonBuilder *builder, const Info *info)
{
  if (!outcomes_are_known(info))
    return;
  capturectl_json_object(builder, "outcomes");
  for (guint i = 0; i < PROFILE_OUTCOMES; i++)
    if (profile_ledger_get_samples(info->ledger, i) > 0)
      capturectl_json_int(builder, profile_outcome_get_name(i), profile_ledger_get_samples(info->ledger, i));
  json_builder_end_object(builder);
}

static void add_entries(JsonBuilder *builder, const Info *info)
{
  gsize n;
  const ProfileLedgerEntry *entries = profile_ledger_get_entries(info->ledger, &n);

  capturectl_json_array(builder, "incomplete");
  for (gsize i = 0; i < n; i++) {
    json_builder_begin_object(builder);
    capturectl_json_string(builder, "outcome", profile_outcome_get_name(entries[i].outcome));
    capturectl_json_string(builder, "binary", profile_ledger_get_binary(info->capture, &entries[i]));
    capturectl_json_int(builder, "samples", entries[i].samples);
    capturectl_json_string(builder, "advice", profile_ledger_get_advice(info->capture, &entries[i]));
    json_builder_end_object(builder);
  }
  json_builder_end_array(builder);
}

static void add_stacks(JsonBuilder *builder, const Info *info)
{
  capturectl_json_object(builder, "user_stacks");
  capturectl_json_int(builder, "samples", profile_ledger_get_stacks(info->ledger));
  capturectl_json_int(builder, "complete",
                      profile_ledger_get_samples(info->ledger, CAPTURE_OUTCOME_COMPLETE));
  capturectl_json_int(builder, "by_frame_pointers", profile_ledger_get_by_frame_pointers(info->ledger));
  add_entries(builder, info);
  json_builder_end_object(builder);
}

static void add_metadata(JsonBuilder *builder, const Info *info)
{
  for (gsize i = 0; i < G_N_ELEMENTS(metadata); i++) {
    const char *value = profile_capture_get_metadata(info->capture, metadata[i].key);

    if (value)
      capturectl_json_string(builder, metadata[i].json, value);
  }
}

static void add_end(JsonBuilder *builder, const Info *info)
{
  capturectl_json_string(builder, "ended", profile_ended_get_name(info->header.ended.reason));
  capturectl_json_int(builder, "ended_status", info->header.ended.status);
}

static void print_json(const Info *info)
{
  g_autoptr(JsonBuilder) builder = json_builder_new();
  g_autofree char *format = g_strdup_printf("%u.%u", info->header.major, info->header.minor);

  json_builder_begin_object(builder);
  capturectl_json_string(builder, "format", format);
  capturectl_json_int(builder, "samples", info->samples);
  capturectl_json_int(builder, "lost", info->lost);
  capturectl_json_int(builder, "throttled", info->throttled);
  capturectl_json_int(builder, "time_realtime_ns", info->header.time_realtime);
  capturectl_json_int(builder, "duration_ns", info->duration);
  capturectl_json_int(builder, "threads", info->threads);
  capturectl_json_int(builder, "processes", info->processes);
  add_end(builder, info);
  add_outcomes(builder, info);
  add_stacks(builder, info);
  add_events(builder, info);
  capturectl_info_add_told(builder, info->capture);
  capturectl_json_int(builder, "binaries", info->binaries);
  capturectl_json_int(builder, "named_binaries", info->named_binaries);
  capturectl_json_int(builder, "named_functions", info->functions);
  capturectl_json_int(builder, "served_functions", info->served_functions);
  capturectl_json_bool(builder, "kernel_named", info->kernel_named);
  capturectl_json_int(builder, "size", info->size);
  capturectl_json_int(builder, "uncompressed_size", info->raw_size);
  capturectl_json_bool(builder, "index", info->has_index);
  add_metadata(builder, info);
  add_texts(builder, "missing_lines", (const char *const *)info->gaps);
  add_texts(builder, "messages", profile_capture_get_messages(info->capture));
  add_texts(builder, "problems", profile_capture_get_problems(info->capture));
  json_builder_end_object(builder);
  capturectl_json_print(builder);
}

static int info_show(const char *path, gboolean json)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(capture_reader) reader = capturectl_reader_open(path, NULL, &error);
  g_autoptr(ProfileCapture) capture = NULL;
  Info info = {NULL};

  if (!reader)
    return capturectl_fail("%s", error->message);
  capture = capturectl_load(path);
  if (!capture)
    return CAPTURECTL_FAILED;
  info.capture = capture;
  measure_windows(&info, reader);
  count_everything(&info);
  if (json)
    print_json(&info);
  else
    print_text(&info);
  profile_ledger_free(info.ledger);
  g_strfreev(info.gaps);
  return CAPTURECTL_DONE;
}

int capturectl_info(int argc, char **argv)
{
  gboolean json = FALSE;
  const GOptionEntry entries[] = {
      {"json", 0, 0, G_OPTION_ARG_NONE, &json, N_("Print JSON (docs/info-json.md)"), NULL},
      {NULL},
  };
  int status =
      capturectl_parse_options(&argc, &argv, entries, "FILE",
                               _("Says what a capture holds: when, where and of what it was recorded, how "
                                 "many samples, what was lost, and how it ended."));
  const char *path;

  if (status >= 0)
    return status;
  path = capturectl_get_file(argc, argv);
  return path ? info_show(path, json) : CAPTURECTL_USAGE;
}
