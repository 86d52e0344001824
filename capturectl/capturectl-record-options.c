/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capturectl/capturectl-record-options.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "capturectl/capturectl-command.h"
#include "capturectl/capturectl-fetch.h"
#include "capturectl/capturectl-verbs.h"
#include "profile/naming/naming.h"
#include "recording/diagnosis/findings.h"
#include "recording/recorder/events.h"

/* What the kernel begins with: where it has lowered its maximum, the recorder lowers the frequency and says
 * so. */
#define USUAL_MAXIMUM   100000
#define MAX_SAMPLE_RATE "/proc/sys/kernel/perf_event_max_sample_rate"
#define MAX_WINDOWS     1008
#define MAX_FRAMES      512
/* Of a sample's stack: perf_event_open takes less than 64 KiB, in words. */
#define MAX_STACK_BYTES 65528
#define MAX_CODE        (G_GUINT64_CONSTANT(1) << 30)
#define NOT_GIVEN       G_MININT

/* As the command line gives them. */
typedef struct {
  char *frequency;
  gint64 period;
  char **events;
  char *off_cpu;
  gboolean wall;
  char *allocations;
  char **pids;
  gboolean system_wide;
  gboolean children;
  gboolean kernel, no_kernel;
  double duration;
  char *path;
  gboolean compress;
  gboolean interpreter;
  gboolean command_lines;
  gboolean counters;
  gboolean sysprof;
  gboolean names, download_symbols;
  char *code;
  char **source;
  gboolean json;
  char *via;
  char *unwind;
  int max_stack;
  int windows;
  gboolean quiet;
} Arguments;

static void arguments_clear(Arguments *self)
{
  g_free(self->frequency);
  g_strfreev(self->events);
  g_free(self->off_cpu);
  g_free(self->allocations);
  g_strfreev(self->pids);
  g_free(self->path);
  g_free(self->code);
  g_strfreev(self->source);
  g_free(self->via);
  g_free(self->unwind);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Arguments, arguments_clear)

/* Options whose value may be left out, and what is meant then. */
static char off_cpu_option[] = "--off-cpu", off_cpu_spelt_out[] = "--off-cpu=0";
static char allocations_option[] = "--allocations", allocations_spelt_out[] = "--allocations=default";
static const struct {
  char *option;
  char *spelt_out;
} optional_values[] = {{off_cpu_option, off_cpu_spelt_out}, {allocations_option, allocations_spelt_out}};

/* GLib would take the next word for the value. */
static void spell_out_values(int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    for (gsize j = 0; j < G_N_ELEMENTS(optional_values); j++)
      if (strcmp(argv[i], optional_values[j].option) == 0)
        argv[i] = optional_values[j].spelt_out;
}

/* What was not taken is the command's. */
static void take_values_back(int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    for (gsize j = 0; j < G_N_ELEMENTS(optional_values); j++)
      if (argv[i] == optional_values[j].spelt_out)
        argv[i] = optional_values[j].option;
}

static int parse_arguments(int *argc, char ***argv, Arguments *a)
{
  const GOptionEntry entries[] = {
      {"frequency", 'F', 0, G_OPTION_ARG_STRING, &a->frequency,
       N_("Samples per second on each CPU (3999), or of each thread from inside (1000, at most 10000)"),
       N_("HZ|max")},
      {"count", 'c', 0, G_OPTION_ARG_INT64, &a->period, N_("Sample once per PERIOD events instead"),
       N_("PERIOD")},
      {"event", 'e', 0, G_OPTION_ARG_STRING_ARRAY, &a->events,
       N_("Events to sample on, separated by commas (cycles, or cpu-clock where there are none); “help” "
          "lists them"),
       N_("EVENT")},
      {"off-cpu", 0, 0, G_OPTION_ARG_STRING, &a->off_cpu,
       N_("Also record how long threads were off the CPU, by stack and reason, if it was that long or longer "
          "(0)"),
       N_("TIME")},
      {"wall", 0, 0, G_OPTION_ARG_NONE, &a->wall,
       N_("Let samplers inside programs go by the wall's clock, not by CPU time: waiting counts"), NULL},
      {"allocations", 0, 0, G_OPTION_ARG_STRING, &a->allocations,
       N_("Also trace the command's allocations by the preloaded library: one sample per BYTES allocated "
          "(524288); 1 takes every one"),
       N_("BYTES")},
      {"pid", 'p', 0, G_OPTION_ARG_STRING_ARRAY, &a->pids, N_("Attach to these processes"), N_("PID")},
      {"all-cpus", 'a', 0, G_OPTION_ARG_NONE, &a->system_wide, N_("Record every process"), NULL},
      {"no-children", 0, G_OPTION_FLAG_REVERSE, G_OPTION_ARG_NONE, &a->children,
       N_("Leave out processes that the recorded ones start"), NULL},
      {"kernel", 0, 0, G_OPTION_ARG_NONE, &a->kernel,
       N_("Record the kernel as well, through the system service where this user may not (where permitted)"),
       NULL},
      {"no-kernel", 0, 0, G_OPTION_ARG_NONE, &a->no_kernel, N_("Sample in user space only"), NULL},
      {"unwind", 0, 0, G_OPTION_ARG_STRING, &a->unwind,
       N_("How callers are found; auto takes the best of the ways that are permitted (auto)"),
       N_("auto|fp|dwarf[,BYTES]|none")},
      {"max-stack", 0, 0, G_OPTION_ARG_INT, &a->max_stack,
       N_("Frames of a stack at most (512, or 127 by frame pointers)"), N_("N")},
      {"duration", 0, 0, G_OPTION_ARG_DOUBLE, &a->duration,
       N_("End after this time; the command is ended, too"), N_("SECONDS")},
      {"output", 'o', 0, G_OPTION_ARG_FILENAME, &a->path, N_("The capture to write (COMMAND.capture)"),
       N_("FILE")},
      {"no-compress", 0, G_OPTION_FLAG_REVERSE, G_OPTION_ARG_NONE, &a->compress, N_("Do not compress"), NULL},
      {"interpreter", 0, 0, G_OPTION_ARG_NONE, &a->interpreter,
       N_("Keep the functions of interpreters beneath those that they run"), NULL},
      {"no-command-lines", 0, G_OPTION_FLAG_REVERSE, G_OPTION_ARG_NONE, &a->command_lines,
       N_("Do not store command lines"), NULL},
      {"no-counters", 0, G_OPTION_FLAG_REVERSE, G_OPTION_ARG_NONE, &a->counters,
       N_("Do not record counters of the machine (processors, memory, network, disks, pressure)"), NULL},
      {"no-sysprof", 0, G_OPTION_FLAG_REVERSE, G_OPTION_ARG_NONE, &a->sysprof,
       N_("Do not record what programs report in Sysprof's format"), NULL},
      {"no-names", 0, G_OPTION_FLAG_REVERSE, G_OPTION_ARG_NONE, &a->names,
       N_("Do not name the sampled functions at the end"), NULL},
      {"download-symbols", 0, 0, G_OPTION_ARG_NONE, &a->download_symbols,
       N_("Ask debuginfod servers for names that are missing at the end"), NULL},
      {"source", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &a->source,
       N_("Store the source of sampled functions, of files below DIR; may be given several times"),
       N_("DIR")},
      {"code", 0, 0, G_OPTION_ARG_STRING, &a->code,
       N_("Store the machine code of sampled functions with their names, up to so many bytes of it; 0: none "
          "(4M)"),
       N_("SIZE")},
      {"windows", 0, 0, G_OPTION_ARG_INT, &a->windows, N_("Windows of shared memory, 64 KiB each (128)"),
       N_("N")},
      {"via", 0, 0, G_OPTION_ARG_STRING, &a->via,
       N_("How to record; auto takes the best of the ways that are permitted (auto)"),
       N_("auto|direct|daemon|preload")},
      {"json", 0, 0, G_OPTION_ARG_NONE, &a->json, N_("Print the result as JSON"), NULL},
      {"quiet", 'q', 0, G_OPTION_ARG_NONE, &a->quiet, N_("Say nothing but warnings and errors"), NULL},
      {NULL},
  };

  a->children = a->compress = a->command_lines = a->counters = a->sysprof = a->names = TRUE;
  spell_out_values(*argc, *argv);
  int status = capturectl_parse_command_options(
      argc, argv, entries, N_("[--] COMMAND…"),
      N_("Records COMMAND, running processes (-p) or everything (-a) until the command exits, the\n"
         "duration is over, or Ctrl+C. The exit status is the command's own."));
  take_values_back(*argc, *argv);
  return status;
}

static gboolean parse_number(const char *text, guint64 min, guint64 max, guint64 *ret)
{
  return g_ascii_string_to_unsigned(text, 10, min, max, ret, NULL);
}

static int set_frequency(RecordingOptions *options, const char *text)
{
  guint64 max = (guint64)recording_read_setting(MAX_SAMPLE_RATE, 100000);

  if (strcmp(text, "max") == 0) {
    options->frequency = max;
  } else if (!parse_number(text, 1, G_MAXUINT32, &options->frequency)) {
    return capturectl_fail_usage(_("“%s” is not a frequency; -F takes samples per second, or “max”."), text);
  } else if (options->frequency > MAX(max, USUAL_MAXIMUM)) {
    return capturectl_fail(
        _("The frequency %s is above the kernel's maximum of %" G_GUINT64_FORMAT
          "; choose less, or raise it with “sysctl kernel.perf_event_max_sample_rate=%s”."),
        text, max, text);
  }
  return -1;
}

static int set_rate(RecordingOptions *options, const Arguments *a)
{
  if (a->period == NOT_GIVEN)
    return a->frequency ? set_frequency(options, a->frequency) : -1;
  if (a->frequency)
    return capturectl_fail_usage(_("-F and -c exclude each other."));
  if (a->period <= 0)
    return capturectl_fail_usage(_("-c takes a number above zero."));
  options->period = (guint64)a->period;
  return -1;
}

static int list_events(void)
{
  g_auto(GStrv) names = recording_events_list();

  for (char **name = names; *name; name++)
    g_print("%s\n", *name);
  return CAPTURECTL_DONE;
}

/* perf's lists: commas separate events, but not within the slashes of cpu/event=0x3c,umask=1/. */
static int add_events(RecordingOptions *options, const char *list)
{
  gboolean in_slashes = FALSE;
  const char *start = list;

  if (strcmp(list, "help") == 0)
    return list_events();
  for (const char *c = list;; c++) {
    in_slashes ^= *c == '/';
    if (*c && (*c != ',' || in_slashes))
      continue;
    if (c == start)
      return capturectl_fail_usage(_("“-e %s” names an empty event."), list);
    g_ptr_array_add(options->events, g_strndup(start, (gsize)(c - start)));
    if (!*c)
      return -1;
    start = c + 1;
  }
}

/* "0", "250us", "1.5ms". */
static gboolean parse_time(const char *text, guint64 *ret)
{
  static const struct {
    const char *name;
    double nanoseconds;
  } units[] = {{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  char *end;
  double value = g_ascii_strtod(text, &end);

  if (end == text || !(value >= 0))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS(units); i++) {
    if (strcmp(end, units[i].name) != 0 || value * units[i].nanoseconds > 1e18)
      continue;
    *ret = (guint64)(value * units[i].nanoseconds);
    return TRUE;
  }
  *ret = 0;
  return value == 0 && *end == '\0';
}

static int set_code(CapturectlRecordOptions *options, const char *text)
{
  options->code = PROFILE_NAMING_CODE_SIZE;
  if (text && !capturectl_parse_size(text, MAX_CODE, &options->code))
    return capturectl_fail_usage(
        _("“%s” is not a size; --code takes bytes up to 1G, as in --code=16M, or 0 for none."), text);
  return -1;
}

static int set_source(CapturectlRecordOptions *options, Arguments *a)
{
  if (a->source && !a->names)
    return capturectl_fail_usage(_("--source and --no-names exclude each other."));
  for (guint i = 0; a->source && a->source[i]; i++)
    if (!g_file_test(a->source[i], G_FILE_TEST_IS_DIR))
      return capturectl_fail_usage(_("“%s” is not a directory; --source takes one that has source files."),
                                   a->source[i]);
  options->source = g_steal_pointer(&a->source);
  return -1;
}

/* After the events: it comes in addition to them, or to the default one. */
static int set_off_cpu(RecordingOptions *options, const char *text)
{
  guint64 shortest;

  if (!text)
    return -1;
  if (!parse_time(text, &shortest))
    return capturectl_fail_usage(
        _("“%s” is not a time; --off-cpu takes the shortest one to record, as in --off-cpu=1ms."), text);
  recording_options_add_off_cpu(options, shortest);
  return -1;
}

static int add_pids(RecordingOptions *options, const char *list)
{
  g_auto(GStrv) words = g_strsplit(list, ",", -1);

  for (char **word = words; *word; word++) {
    guint64 number;

    if (!parse_number(*word, 1, G_MAXINT32, &number))
      return capturectl_fail_usage(_("“%s” is not a process; -p takes numbers, separated by commas."), *word);
    pid_t pid = (pid_t)number;
    g_array_append_val(options->pids, pid);
  }
  return -1;
}

static int add_each(RecordingOptions *options, char **lists, int (*add)(RecordingOptions *, const char *))
{
  int status = -1;

  for (char **list = lists; list && *list && status < 0; list++)
    status = add(options, *list);
  return status;
}

static int set_duration(RecordingOptions *options, double seconds)
{
  if (seconds == NOT_GIVEN)
    return -1;
  if (isnan(seconds) || seconds <= 0 || seconds > 1e9)
    return capturectl_fail_usage(_("--duration takes seconds, more than zero."));
  options->duration = (guint64)(seconds * 1e9);
  return -1;
}

/* One window of definitions, one of happenings and one of each event's samples are open at the same time. */
static int set_windows(RecordingOptions *options, int windows)
{
  int least = (int)MAX(options->events->len, 1) + 2;

  if (windows == NOT_GIVEN)
    return -1;
  if (windows < least || windows > MAX_WINDOWS)
    return capturectl_fail_usage(_("--windows takes a number from %d (for these events) to %d."), least,
                                 MAX_WINDOWS);
  options->window_count = (guint)windows;
  return -1;
}

static int set_stack_bytes(RecordingOptions *options, const char *text)
{
  guint64 bytes;

  if (!parse_number(text, 8, MAX_STACK_BYTES, &bytes))
    return capturectl_fail_usage(_("“%s” is not a stack size; --unwind dwarf takes bytes, from 8 to %d."),
                                 text, MAX_STACK_BYTES);
  options->stack_bytes = ((guint)bytes + 7) & ~7u;
  return -1;
}

static int set_unwind(RecordingOptions *options, const char *text)
{
  static const RecordingUnwind ways[] = {RECORDING_UNWIND_AUTO, RECORDING_UNWIND_FRAME_POINTERS,
                                         RECORDING_UNWIND_TABLES, RECORDING_UNWIND_NONE};
  g_auto(GStrv) words = g_strsplit(text ? text : "auto", ",", 2);

  for (gsize i = 0; i < G_N_ELEMENTS(ways); i++) {
    if (g_strcmp0(words[0], recording_unwind_to_string(ways[i])) != 0)
      continue;
    options->unwind = ways[i];
    if (!words[1])
      return -1;
    if (ways[i] == RECORDING_UNWIND_TABLES)
      return set_stack_bytes(options, words[1]);
  }
  return capturectl_fail_usage(
      _("“%s” is not a way to find callers; --unwind takes auto, fp, dwarf, dwarf,BYTES or none."), text);
}

static int set_max_stack(RecordingOptions *options, int frames)
{
  if (frames == NOT_GIVEN)
    return -1;
  if (frames < 1 || frames > MAX_FRAMES)
    return capturectl_fail_usage(_("--max-stack takes a number from 1 to %d."), MAX_FRAMES);
  options->max_stack = (guint)frames;
  return -1;
}

static int set_way(RecordingOptions *options, const char *text)
{
  static const RecordingVia ways[] = {RECORDING_VIA_AUTO, RECORDING_VIA_DIRECT, RECORDING_VIA_SERVICE,
                                      RECORDING_VIA_PRELOAD};

  for (gsize i = 0; i < G_N_ELEMENTS(ways); i++) {
    if (text && strcmp(text, recording_via_to_string(ways[i])) != 0)
      continue;
    options->via = ways[i];
    return -1;
  }
  return capturectl_fail_usage(_("“%s” is not a way to record; --via takes auto, direct, daemon or preload."),
                               text);
}

static int set_allocations(RecordingOptions *options, const char *text)
{
  options->allocations = RECORDING_OPTIONS_ALLOCATIONS;
  if (!text)
    options->allocations = 0;
  else if (strcmp(text, "default") != 0 && !parse_number(text, 1, G_MAXINT64, &options->allocations))
    return capturectl_fail_usage(_("“%s” is not a number of bytes; --allocations takes how many lie between "
                                   "two samples, 1 for each allocation."),
                                 text);
  return -1;
}

/* After the targets. */
static int check_inside(const RecordingOptions *options)
{
  g_autoptr(GError) error = NULL;

  if (options->via == RECORDING_VIA_PRELOAD && !recording_options_allow_preload(options, &error))
    return capturectl_fail_usage("%s", error->message);
  if (options->allocations > 0 && (!options->command || options->pids->len > 0))
    return capturectl_fail_usage(_("--allocations traces a program from inside, from its start on; give a "
                                   "COMMAND, without -p."));
  return -1;
}

static int set_kernel(RecordingOptions *options, const Arguments *a)
{
  if (a->kernel && a->no_kernel)
    return capturectl_fail_usage(_("--kernel and --no-kernel exclude each other."));
  options->kernel = a->kernel      ? RECORDING_KERNEL_YES
                    : a->no_kernel ? RECORDING_KERNEL_NO
                                   : RECORDING_KERNEL_AUTO;
  return -1;
}

/* Somebody sits in front of the terminal, or of a desktop whose dialogs polkit shows. */
static gboolean is_interactive(void)
{
  if (isatty(STDIN_FILENO) && isatty(STDERR_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp())
    return TRUE;
  return g_getenv("WAYLAND_DISPLAY") || g_getenv("DISPLAY");
}

static int set_targets(RecordingOptions *options, const Arguments *a, char **command)
{
  if (command[0] && strcmp(command[0], "--") == 0)
    command++;
  options->system_wide = a->system_wide;
  if (command[0])
    options->command = g_strdupv(command);
  if (a->system_wide && options->pids->len > 0)
    return capturectl_fail_usage(_("-a and -p exclude each other."));
  if (!command[0] && !a->system_wide && options->pids->len == 0)
    return capturectl_fail_usage(_("There is nothing to record: give a COMMAND, -p PID or -a."));
  return -1;
}

/* Before anything is recorded. */
static int set_servers(CapturectlRecordOptions *options, const Arguments *a)
{
  if (!a->download_symbols)
    return -1;
  if (!a->names)
    return capturectl_fail_usage(_("--download-symbols and --no-names exclude each other."));
  options->servers = capturectl_fetch_get_servers();
  return options->servers ? -1 : CAPTURECTL_FAILED;
}

static char *make_default_path(const RecordingOptions *options)
{
  g_autofree char *name = recording_options_get_name(options);

  return g_strconcat(name, ".capture", NULL);
}

static int record_options_convert(const Arguments *a, char **command, RecordingOptions *options)
{
  int status = capturectl_check_output("-o", a->path);

  if (status < 0)
    status = set_way(options, a->via);
  if (status < 0)
    status = set_kernel(options, a);
  if (status < 0)
    status = set_rate(options, a);
  if (status < 0)
    status = add_each(options, a->events, add_events);
  if (status < 0)
    status = set_off_cpu(options, a->off_cpu);
  if (status < 0)
    status = add_each(options, a->pids, add_pids);
  if (status < 0)
    status = set_duration(options, a->duration);
  if (status < 0)
    status = set_unwind(options, a->unwind);
  if (status < 0)
    status = set_max_stack(options, a->max_stack);
  if (status < 0)
    status = set_targets(options, a, command);
  if (status < 0)
    status = set_windows(options, a->windows);
  if (status < 0)
    status = set_allocations(options, a->allocations);
  if (status < 0)
    status = check_inside(options);
  return status;
}

int capturectl_record_options_parse(int argc, char **argv, CapturectlRecordOptions *ret)
{
  g_auto(Arguments)
      a = {.period = NOT_GIVEN, .duration = NOT_GIVEN, .max_stack = NOT_GIVEN, .windows = NOT_GIVEN};
  int status = parse_arguments(&argc, &argv, &a);

  if (status >= 0)
    return status;
  ret->recording = recording_options_new();
  status = record_options_convert(&a, argv + 1, ret->recording);
  if (status < 0)
    status = set_servers(ret, &a);
  if (status < 0)
    status = set_code(ret, a.code);
  if (status < 0)
    status = set_source(ret, &a);
  if (status >= 0)
    return status;

  ret->names = a.names;
  ret->json = a.json;
  ret->quiet = a.quiet;
  ret->recording->children = a.children;
  ret->recording->wall = a.wall;
  ret->recording->interactive = is_interactive();
  ret->recording->counters = a.counters;
  ret->recording->sysprof = a.sysprof;
  ret->recording->compress = a.compress;
  ret->recording->interpreter = a.interpreter;
  ret->recording->command_lines = a.command_lines;
  ret->recording->version = g_strdup("capturectl " CAPTURE_VERSION);
  ret->recording->path = a.path ? g_strdup(a.path) : make_default_path(ret->recording);
  return -1;
}

void capturectl_record_options_clear(CapturectlRecordOptions *self)
{
  g_clear_pointer(&self->source, g_strfreev);
  g_clear_pointer(&self->recording, recording_options_free);
  g_clear_pointer(&self->servers, g_free);
}
