/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib-unix.h>
#include <signal.h>

#include "capturectl/capturectl-command.h"
#include "capturectl/capturectl-fetch.h"
#include "capturectl/capturectl-filter.h"
#include "capturectl/capturectl-json.h"
#include "capturectl/capturectl-verbs.h"
#include "profile/base/printable.h"
#include "profile/base/share.h"
#include "profile/naming/naming.h"

typedef struct {
  gboolean lines, download, json;
  guint64 size; /* of a file */
  int seconds;
} SymbolsOptions;

typedef struct {
  const char *path;
  gboolean lines; /* what has no lines is listed, not what has no names */
  ProfileCapture *capture;
  ProfileMissingNames *missing;
  const ProfileMissingEntry *entries; /* of missing */
  guint n;
  guint64 samples;
  char *servers; /* NULL: none are known */
  ProfileFetchResult *results;
} Symbols;

static void symbols_clear(Symbols *self)
{
  for (guint i = 0; self->results && i < self->n; i++)
    profile_fetch_result_clear(&self->results[i]);
  g_free(self->results);
  g_free(self->servers);
  g_clear_pointer(&self->missing, profile_missing_names_free);
  g_clear_object(&self->capture);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Symbols, symbols_clear)

static void symbols_look(Symbols *self)
{
  g_clear_pointer(&self->missing, profile_missing_names_free);
  self->missing =
      self->lines ? profile_missing_lines_new(self->capture) : profile_missing_names_new(self->capture);
  self->entries = profile_missing_names_get_entries(self->missing, &self->n);
}

/* Debug files may have come to this machine since the capture was named. */
static void symbols_name_by_local_files(Symbols *self)
{
  g_autoptr(GHashTable) only = profile_fetch_list_build_ids(self->capture, self->entries, self->n);
  ProfileNamingOptions options = {.only = only};

  profile_naming_resolve(self->capture, &options, NULL, NULL, NULL);
  symbols_look(self);
}

static gboolean symbols_load(Symbols *self)
{
  guint n;
  const ProfileEvent *events;

  self->capture = capturectl_load(self->path);
  if (!self->capture)
    return FALSE;
  capturectl_name_functions(self->capture);
  events = profile_capture_get_events(self->capture, &n);
  for (guint i = 0; i < n; i++)
    self->samples += events[i].n_samples;
  symbols_look(self);
  return TRUE;
}

static guint symbols_count_fetchable(const Symbols *self)
{
  guint n = 0;

  for (guint i = 0; i < self->n; i++)
    n += profile_fetch_may_help(self->capture, &self->entries[i]);
  return n;
}

static void print_table(const Symbols *self)
{
  if (self->n == 0) {
    g_print(self->lines ? _("Every sampled file has lines.\n") : _("Every sampled function has a name.\n"));
    return;
  }
  g_print("%10s %8s  %-24s %s\n", _("Samples"), _("Share"), _("Why"), _("File"));
  for (guint i = 0; i < self->n; i++) {
    const ProfileMissingEntry *entry = &self->entries[i];
    g_autofree char *share = profile_share_to_string(entry->samples, self->samples);
    g_autofree char *path = profile_printable(profile_missing_names_get_binary(self->capture, entry));

    g_print("%10" G_GUINT64_FORMAT " %8s  %-24s %s\n", entry->samples, share,
            profile_missing_reason_get_label(entry->reason), path);
  }
}

static void print_advice(const Symbols *self)
{
  guint n = symbols_count_fetchable(self);

  if (n == 0)
    return;
  if (self->servers)
    g_print(ngettext("\nA debuginfod server may help with %u file: “capturectl symbols --download %s” asks "
                     "%s.\n",
                     "\nA debuginfod server may help with %u files: “capturectl symbols --download %s” asks "
                     "%s.\n",
                     n),
            n, self->path, self->servers);
  else
    g_print(ngettext("\nA debuginfod server may help with %u file, but none is known: put its address into "
                     "DEBUGINFOD_URLS.\n",
                     "\nA debuginfod server may help with %u files, but none is known: put its address into "
                     "DEBUGINFOD_URLS.\n",
                     n),
            n);
}

static void add_download(JsonBuilder *builder, const ProfileFetchResult *result)
{
  capturectl_json_object(builder, "download");
  capturectl_json_bool(builder, "helps", result->here || result->fetched);
  capturectl_json_int(builder, "bytes", (gint64)result->bytes);
  capturectl_json_string(builder, "error", result->error ? result->error->message : NULL);
  json_builder_end_object(builder);
}

static void print_json(const Symbols *self)
{
  g_autoptr(JsonBuilder) builder = json_builder_new();

  json_builder_begin_object(builder);
  capturectl_json_string(builder, "servers", self->servers);
  capturectl_json_bool(builder, "allowed", self->servers && profile_debug_servers_are_allowed(self->servers));
  capturectl_json_int(builder, "samples", (gint64)self->samples);
  capturectl_json_array(builder, "files");
  for (guint i = 0; i < self->n; i++) {
    const ProfileMissingEntry *entry = &self->entries[i];

    json_builder_begin_object(builder);
    capturectl_json_string(builder, "path", profile_missing_names_get_binary(self->capture, entry));
    capturectl_json_string(builder, "reason", profile_missing_reason_get_word(entry->reason));
    capturectl_json_int(builder, "samples", (gint64)entry->samples);
    capturectl_json_bool(builder, "server_may_help", profile_fetch_may_help(self->capture, entry));
    if (self->results)
      add_download(builder, &self->results[i]);
    json_builder_end_object(builder);
  }
  json_builder_end_array(builder);
  json_builder_end_object(builder);
  capturectl_json_print(builder);
}

static gboolean on_interrupt(gpointer cancellable)
{
  g_cancellable_cancel(cancellable);
  return G_SOURCE_CONTINUE;
}

/* All that have no names in the file take part: what is here is found here, and stored like the rest. */
static gboolean symbols_download(Symbols *self, const SymbolsOptions *options)
{
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  ProfileFetchOptions fetch = {
      .servers = self->servers, .size_max = options->size, .seconds_max = (guint)options->seconds};
  guint source = g_unix_signal_add(SIGINT, on_interrupt, cancellable);
  gboolean done;

  self->results = g_new0(ProfileFetchResult, MAX(self->n, 1));
  done = capturectl_fetch(self->path, self->capture, self->entries, self->n, &fetch, self->results,
                          options->json, cancellable);
  g_source_remove(source);
  return done;
}

/* What is missing still, or, for programs, what was, and what became of it. */
static int symbols_download_and_print(Symbols *self, const SymbolsOptions *options)
{
  gboolean done = symbols_download(self, options);
  g_auto(Symbols) after = {.path = self->path, .lines = self->lines};

  if (options->json)
    print_json(self);
  else if (symbols_load(&after))
    print_table(&after);
  return done ? CAPTURECTL_DONE : CAPTURECTL_FAILED;
}

/* Two writers would damage the file. */
static gboolean symbols_may_be_written(const Symbols *self)
{
  struct capture_file_header header;

  profile_capture_get_header(self->capture, &header);
  if (header.ended.reason != CAPTURE_END_NONE)
    return TRUE;
  capturectl_fail(_("“%s” is still being recorded, or was cut off; then recover it with “capturectl check "
                    "--recover” first."),
                  self->path);
  return FALSE;
}

static int symbols_run(const char *path, const SymbolsOptions *options)
{
  g_auto(Symbols) self = {.path = path, .lines = options->lines};

  if (!symbols_load(&self))
    return CAPTURECTL_FAILED;
  if (options->download) {
    self.servers = symbols_may_be_written(&self) ? capturectl_fetch_get_servers() : NULL;
    return self.servers ? symbols_download_and_print(&self, options) : CAPTURECTL_FAILED;
  }
  self.servers = profile_debug_servers_get();
  symbols_name_by_local_files(&self);
  if (options->json) {
    print_json(&self);
  } else {
    print_table(&self);
    print_advice(&self);
  }
  return CAPTURECTL_DONE;
}

int capturectl_symbols(int argc, char **argv)
{
  SymbolsOptions options = {.size = PROFILE_FETCH_SIZE_MAX, .seconds = PROFILE_FETCH_SECONDS_MAX};
  g_autofree char *size = NULL;
  const GOptionEntry entries[] = {
      {"lines", 0, 0, G_OPTION_ARG_NONE, &options.lines,
       N_("List the files that lack lines and inlined functions, though they may have names"), NULL},
      {"download", 0, 0, G_OPTION_ARG_NONE, &options.download,
       N_("Ask debuginfod servers for what is missing, and store the names in FILE"), NULL},
      {"max-size", 0, 0, G_OPTION_ARG_STRING, &size, N_("Fetch no file that is larger than this (4G)"),
       N_("SIZE")},
      {"max-time", 0, 0, G_OPTION_ARG_INT, &options.seconds, N_("Give up after this time (3600)"),
       N_("SECONDS")},
      {"json", 0, 0, G_OPTION_ARG_NONE, &options.json, N_("Print JSON"), NULL},
      G_OPTION_ENTRY_NULL};
  const char *path;
  int status = capturectl_parse_options(&argc, &argv, entries, _("FILE"),
                                        _("Lists the files whose functions have no names, and what that "
                                          "costs; gets the names from servers."));

  if (status >= 0)
    return status;
  if (size && (!capturectl_parse_size(size, PROFILE_FETCH_SIZE_MAX, &options.size) || options.size == 0))
    return capturectl_fail_usage(
        _("“%s” is not a size; --max-size takes bytes, from 1 to 4G, as in --max-size=200M."), size);
  if (options.seconds < 1)
    return capturectl_fail_usage(_("--max-time takes seconds, one at least."));
  path = capturectl_get_file(argc, argv);
  return path ? symbols_run(path, &options) : CAPTURECTL_USAGE;
}
