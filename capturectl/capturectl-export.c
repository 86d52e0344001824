/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <gio/gunixoutputstream.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capturectl/capturectl-command.h"
#include "capturectl/capturectl-filter.h"
#include "capturectl/capturectl-transform.h"
#include "capturectl/capturectl-verbs.h"
#include "profile/export/export-file.h"
#include "profile/export/exporter.h"
#include "recording/common/output.h"

typedef struct {
  CapturectlFilterOptions filter;
  char *format;
  char *output;
  char *title;
  double min_percent;
} ExportOptions;

static void export_options_clear(ExportOptions *options)
{
  capturectl_filter_options_clear(&options->filter);
  g_free(options->format);
  g_free(options->output);
  g_free(options->title);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ExportOptions, export_options_clear)

/* Where an export goes. */
typedef struct {
  GOutputStream *stream;
  GFile *file; /* NULL: a device, a pipe or standard output, which is written as it is */
  gboolean is_new;
} Output;

static void output_clear(Output *output)
{
  g_clear_object(&output->stream);
  g_clear_object(&output->file);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Output, output_clear)

static GOutputStream *open_device(const char *path, GError **error)
{
  int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);

  if (fd >= 0)
    return g_unix_output_stream_new(fd, TRUE);
  g_set_error_literal(error, G_IO_ERROR, g_io_error_from_errno(errno), g_strerror(errno));
  return NULL;
}

static gboolean open_output(Output *output, const char *path, GError **error)
{
  g_autofree char *real = NULL;
  struct stat status;

  if (!path || strcmp(path, "-") == 0) {
    output->stream = g_unix_output_stream_new(STDOUT_FILENO, FALSE);
  } else if (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    output->stream = open_device(path, error);
  } else {
    real = recording_output_follow_links(path);
    output->file = g_file_new_for_path(real);
    output->stream = G_OUTPUT_STREAM(profile_export_file_open(output->file, &output->is_new, NULL, error));
  }
  return output->stream != NULL;
}

static void export_discard(Output *output)
{
  if (output->stream && output->file)
    profile_export_file_discard(output->file, G_FILE_OUTPUT_STREAM(output->stream), output->is_new);
}

/* GIO's own words name the file a second time and give no advice. */
static const char *export_explain(const GError *error)
{
  switch (error->domain == G_IO_ERROR ? error->code : G_IO_ERROR_FAILED) {
  case G_IO_ERROR_NOT_FOUND:
    return _("its directory does not exist; create it, or choose another file with -o");
  case G_IO_ERROR_IS_DIRECTORY:
    return _("it is a directory; name a file in it with -o");
  case G_IO_ERROR_NOT_DIRECTORY:
    return _("it lies in something that is no directory; choose another file with -o");
  case G_IO_ERROR_TOO_MANY_LINKS:
    return _("it is a symbolic link that leads in a circle; choose another file with -o");
  case G_IO_ERROR_PERMISSION_DENIED:
    return _("permission denied; choose another file with -o");
  case G_IO_ERROR_READ_ONLY:
    return _("the file system is read-only; choose another file with -o");
  case G_IO_ERROR_NO_SPACE:
    return _("no space is left; make room, or choose another file with -o");
  default:
    return error->message;
  }
}

static int fail_output(const ExportOptions *options, const GError *error)
{
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE))
    return CAPTURECTL_FAILED;
  if (!options->output || strcmp(options->output, "-") == 0)
    return capturectl_fail(_("Standard output could not be written: %s."), export_explain(error));
  return capturectl_fail(_("“%s” could not be written: %s."), options->output, export_explain(error));
}

static int write_export(ProfileWeights *weights, const ProfileExporter *exporter,
                        const ExportOptions *options)
{
  g_autoptr(GError) error = NULL;
  g_auto(Output) output = {0};
  const ProfileExportOptions content = {.title = options->title, .min_share = options->min_percent / 100};

  if (open_output(&output, options->output, &error) &&
      exporter->write(weights, &content, output.stream, NULL, &error) &&
      g_output_stream_close(output.stream, NULL, &error))
    return CAPTURECTL_DONE;
  export_discard(&output);
  return fail_output(options, error);
}

static int export_capture(const char *path, const ProfileExporter *exporter, const ExportOptions *options)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(ProfileCapture) capture = capturectl_load(path);
  g_autoptr(ProfileFilter) filter = NULL;
  g_autoptr(ProfileWeights) weights = NULL;
  guint n_events;

  if (!capture)
    return CAPTURECTL_FAILED;
  profile_capture_get_events(capture, &n_events);
  if (n_events == 0)
    return capturectl_fail(_("“%s” holds no samples."), path);
  capturectl_name_functions(capture);
  filter = capturectl_filter_new(capture, &options->filter, &error);
  if (!filter)
    return capturectl_filter_fail(error);
  weights = profile_weights_new(filter);
  return write_export(weights, exporter, options);
}

/* choices: the names of all formats. */
static int check_options(const ExportOptions *options, const char *choices)
{
  const ProfileExporter *exporter = profile_exporters_find(options->format);
  int status = capturectl_check_output("-o", options->output);

  if (status >= 0)
    return status;
  if (!options->format)
    return capturectl_fail_usage(_("Say which format is wanted: --format=%s."), choices);
  if (!exporter)
    return capturectl_fail_usage(_("The format “%s” is not known; choose from %s."), options->format,
                                 choices);
  if (!(options->min_percent >= 0 && options->min_percent <= 100))
    return capturectl_fail_usage(_("--limit must lie between 0 and 100."));
  if (exporter->is_binary && (!options->output || strcmp(options->output, "-") == 0) && isatty(STDOUT_FILENO))
    return capturectl_fail_usage(_("%s is not for a terminal; name a file with -o."), exporter->name);
  return -1;
}

int capturectl_export(int argc, char **argv)
{
  g_auto(ExportOptions) options = {.min_percent = PROFILE_EXPORT_MIN_SHARE * 100};
  g_autofree char *choices = profile_exporters_join("|");
  const GOptionEntry entries[] = {
      {"format", 'f', 0, G_OPTION_ARG_STRING, &options.format, N_("What to write"), choices},
      {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output, N_("Where to write (standard output)"),
       N_("OUT")},
      CAPTURECTL_FILTER_ENTRIES(options.filter),
      {"title", 0, 0, G_OPTION_ARG_STRING, &options.title, N_("Heading of the svg (the recorded command)"),
       N_("TEXT")},
      {"limit", 0, 0, G_OPTION_ARG_DOUBLE, &options.min_percent,
       N_("svg: leave out functions with less than this share of the samples (0.05)"), N_("PERCENT")},
      {NULL},
  };
  int status = capturectl_parse_options(&argc, &argv, entries, "FILE",
                                        _("Writes a capture for other programs: folded stacks, a flame graph "
                                          "in one SVG file, pprof's format or Sysprof's."));
  const char *path;

  if (status < 0)
    status = capturectl_transform_help(options.filter.transforms);
  if (status < 0)
    status = check_options(&options, choices);
  if (status >= 0)
    return status;
  path = capturectl_get_file(argc, argv);
  return path ? export_capture(path, profile_exporters_find(options.format), &options) : CAPTURECTL_USAGE;
}
