/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>
#include <string.h>

#include "capturectl/capturectl-annotate-private.h"
#include "capturectl/capturectl-command.h"
#include "capturectl/capturectl-fetch.h"
#include "capturectl/capturectl-filter.h"
#include "capturectl/capturectl-transform.h"
#include "capturectl/capturectl-verbs.h"
#include "profile/naming/disassembler.h"
#include "profile/views/function-name.h"

typedef struct {
  CapturectlFilterOptions filter;
  char *binary; /* NULL: whichever has most samples */
  char **maps;  /* "FROM=TO" */
  gboolean source, code, all, download, json;
} AnnotateOptions;

static void annotate_options_clear(AnnotateOptions *options)
{
  capturectl_filter_options_clear(&options->filter);
  g_free(options->binary);
  g_strfreev(options->maps);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(AnnotateOptions, annotate_options_clear)

CapturectlAnnotateRange capturectl_annotate_get_range(const CapturectlAnnotate *self,
                                                      const ProfileAnnotationFile *file)
{
  CapturectlAnnotateRange range;

  profile_annotation_get_range(self->annotation, file, &range.first, &range.last);
  return range;
}

/* NULL after having said which one is not understood. */
static GArray *parse_maps(char **texts)
{
  g_autoptr(GArray) maps = profile_path_maps_new();

  for (; texts && *texts; texts++)
    if (!profile_path_maps_append_text(maps, *texts)) {
      capturectl_fail_usage(_("“%s” is no map of paths; write for example “/build=/home/me/src”."), *texts);
      return NULL;
    }
  return g_steal_pointer(&maps);
}

/* The functions of that name that samples lead through, in the binary that is asked for; NULL after having
 * said that there are none. */
static GArray *find_functions(ProfileWeights *weights, const char *wanted, const char *binary)
{
  g_autoptr(GArray) found = profile_function_name_list(weights, wanted);
  const ProfileStacks *stacks = profile_weights_get_stacks(weights);
  guint n = found->len;

  for (guint i = found->len; binary && i-- > 0;) {
    guint32 function = g_array_index(found, ProfileRow, i).item;
    if (!capturectl_is_binary(binary, profile_stacks_get_function_binary(stacks, function)))
      g_array_remove_index(found, i);
  }
  if (found->len > 0)
    return g_steal_pointer(&found);
  if (n > 0)
    capturectl_fail(_("No sample leads through a function “%s” in “%s”; others have functions of that name."),
                    wanted, binary);
  else
    capturectl_fail(_("No sample leads through a function “%s”."), wanted);
  return NULL;
}

static ProfileDisassembly *annotate_disassemble(ProfileWeights *weights, guint32 function)
{
  g_autoptr(ProfileFunctionCode) code =
      profile_disassembler_decode(profile_weights_get_capture(weights), function, NULL, NULL);

  return profile_disassembly_new(profile_weights_get_filter(weights), function, code);
}

static int annotate_show(const AnnotateOptions *options, const ProfileReport *report, const char *wanted,
                         const GArray *maps)
{
  g_autoptr(GArray) events = profile_report_get_events(report);
  if (events->len == 0)
    return capturectl_fail(_("“%s” holds no samples."), report->path);
  g_autoptr(ProfileWeights) weights = profile_report_get_weights(report, g_array_index(events, guint, 0));
  g_autoptr(GArray) functions = find_functions(weights, wanted, options->binary);
  if (!functions)
    return CAPTURECTL_FAILED;
  guint32 function = g_array_index(functions, ProfileRow, 0).item;
  g_autoptr(ProfileAnnotation) annotation =
      profile_annotation_new(profile_weights_get_filter(weights), function);
  g_autoptr(CapturectlSources) sources = capturectl_sources_new(annotation, maps, options->download);
  g_autoptr(ProfileDisassembly) disassembly = options->code ? annotate_disassemble(weights, function) : NULL;
  g_array_remove_index(functions, 0);
  CapturectlAnnotate shown = {.report = report,
                              .weights = weights,
                              .wanted = wanted,
                              .function = function,
                              .others = functions,
                              .annotation = annotation,
                              .disassembly = disassembly,
                              .source = options->source || !options->code,
                              .sources = sources,
                              .all = options->all};
  if (options->json)
    capturectl_annotate_json(&shown);
  else
    capturectl_annotate_text(&shown);
  return CAPTURECTL_DONE;
}

static int annotate_load(const AnnotateOptions *options, const char *wanted, const char *path)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(ProfileFilter) filter = NULL;
  g_autoptr(GArray) maps = parse_maps(options->maps);
  g_autoptr(ProfileCapture) capture = maps ? capturectl_load(path) : NULL;

  if (!capture)
    return maps ? CAPTURECTL_FAILED : CAPTURECTL_USAGE;
  capturectl_name_functions(capture);
  filter = capturectl_filter_new(capture, &options->filter, &error);
  if (!filter)
    return capturectl_filter_fail(error);
  ProfileReport report = {.path = path, .filter = filter, .one_event = options->filter.event != NULL};
  return annotate_show(options, &report, wanted, maps);
}

int capturectl_annotate(int argc, char **argv)
{
  g_auto(AnnotateOptions) options = {0};
  const GOptionEntry entries[] = {
      {"source", 0, 0, G_OPTION_ARG_NONE, &options.source, N_("Show the source (default)"), NULL},
      {"code", 0, 0, G_OPTION_ARG_NONE, &options.code,
       N_("Show the machine code; with --source as well, and which lines it comes from"), NULL},
      {"binary", 0, 0, G_OPTION_ARG_STRING, &options.binary,
       N_("Show the function of this binary, where several have one of that name (default: the one with most "
          "samples)"),
       N_("PATH|NAME")},
      {"map", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.maps,
       N_("Look for source files below FROM in TO first (repeatable)"), N_("FROM=TO")},
      {"download", 0, 0, G_OPTION_ARG_NONE, &options.download,
       N_("Ask debuginfod servers for source files that are not here"), NULL},
      {"all", 0, 0, G_OPTION_ARG_NONE, &options.all,
       N_("Show every line from the function's first to its last one with samples, or every instruction, "
          "not only what is around samples"),
       NULL},
      CAPTURECTL_SAMPLE_ENTRIES(options.filter),
      CAPTURECTL_TRANSFORM_ENTRY(options.filter),
      {"json", 0, 0, G_OPTION_ARG_NONE, &options.json, N_("Print JSON"), NULL},
      G_OPTION_ENTRY_NULL};
  const char *wanted, *path;
  int status =
      capturectl_parse_options(&argc, &argv, entries, _("FUNCTION FILE"),
                               _("Shows the source or the machine code of a function, with what each line "
                                 "or instruction costs."));

  if (status < 0)
    status = capturectl_transform_help(options.filter.transforms);
  if (status >= 0)
    return status;
  path = capturectl_get_file_behind(argc, argv, _("FUNCTION"), &wanted);
  if (!path)
    return CAPTURECTL_USAGE;
  if (options.download) {
    g_autofree char *servers = capturectl_fetch_get_servers();
    if (!servers)
      return CAPTURECTL_FAILED;
  }
  return annotate_load(&options, wanted, path);
}
