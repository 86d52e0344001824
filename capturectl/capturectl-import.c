/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>
#include <string.h>
#include <unistd.h>

#include "capturectl/capturectl-command.h"
#include "capturectl/capturectl-verbs.h"
#include "profile/import/importer.h"
#include "profile/naming/naming.h"
#include "recording/common/output.h"

static char *output_path;
static gboolean no_names;
static gboolean no_compress;

static const GOptionEntry entries[] = {
    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output_path,
     N_("Write the capture to OUT (default: FILE's name with .capture, in this directory)"), N_("OUT")},
    {"no-names", 0, 0, G_OPTION_ARG_NONE, &no_names, N_("Do not look for the names of functions"), NULL},
    {"no-compress", 0, 0, G_OPTION_ARG_NONE, &no_compress, N_("Store everything as it is"), NULL},
    {NULL},
};

/* "dir/build.perf.data" becomes "build.capture". */
static char *make_output_path(const char *path)
{
  g_autofree char *base = strcmp(path, "-") == 0 ? g_strdup("imported") : g_path_get_basename(path);
  guint n;
  const ProfileImporter *importers = profile_importers_get(&n);

  for (guint i = 0; i < n; i++)
    for (const char *const *suffix = importers[i].suffixes; *suffix; suffix++)
      if (g_str_has_suffix(base, *suffix) && strlen(base) > strlen(*suffix))
        base[strlen(base) - strlen(*suffix)] = '\0';
  return g_strconcat(base, ".capture", NULL);
}

static gboolean add_names(int fd, GError **error)
{
  g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", fd);

  return no_names || profile_naming_run(path, NULL, NULL, NULL, error);
}

static gboolean import_capture(const char *path, ProfileImportResult *result, GError **error)
{
  g_autoptr(RecordingOutput) output = recording_output_new(output_path, error);
  ProfileImportOptions options = {.no_compress = no_compress};

  return output && profile_import_file(path, recording_output_get_fd(output), &options, result, error) &&
         add_names(recording_output_get_fd(output), error) && recording_output_publish(output, error);
}

static void import_report(const ProfileImportResult *result)
{
  if (result->warning)
    capturectl_warn("%s", result->warning);
  if (result->damaged > 0)
    capturectl_warn(_("%" G_GUINT64_FORMAT " samples could not be understood and count as lost."),
                    result->damaged);
  g_print(_("%s: %" G_GUINT64_FORMAT " samples, %" G_GUINT64_FORMAT " lost\n"), output_path, result->samples,
          result->lost + result->damaged);
}

int capturectl_import(int argc, char **argv)
{
  g_autoptr(GError) error = NULL;
  ProfileImportResult result = {0};
  const char *path;
  int status = capturectl_parse_options(
      &argc, &argv, entries, _("FILE"),
      _("Converts a perf.data or .syscap file (“-”: standard input) into a capture."));

  if (status >= 0)
    return status;
  status = capturectl_check_output("-o", output_path);
  if (status >= 0)
    return status;
  path = capturectl_get_file(argc, argv);
  if (!path)
    return CAPTURECTL_USAGE;
  if (!output_path)
    output_path = make_output_path(path);
  if (!import_capture(path, &result, &error)) {
    g_free(result.warning);
    return capturectl_fail("%s", error->message);
  }
  import_report(&result);
  g_free(result.warning);
  return CAPTURECTL_DONE;
}
