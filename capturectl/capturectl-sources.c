/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capturectl/capturectl-sources.h"

#include <glib/gi18n.h>

#include "capturectl/capturectl-progress.h"
#include "profile/fetch/fetch.h"

/* For all files together: where the person said yes once, and where they wait for what they asked for. */
enum { SECONDS = 10, DOWNLOAD_SECONDS = 60 };

struct _CapturectlSources {
  const ProfileAnnotation *annotation;
  const GArray *maps;
  GHashTable *found; /* path → CapturectlSource */
  char *servers;     /* NULL: none is known, or none answers in time */
  gboolean is_allowed;
  gint64 deadline; /* by g_get_monotonic_time(); 0: nothing was fetched yet */
  guint seconds;
};

typedef struct {
  const CapturectlSources *sources;
  const char *path;
  GBytes *text;
  GError *error;
} Fetch;

static void source_free(gpointer data)
{
  CapturectlSource *source = data;

  profile_source_file_free(source->file);
  g_free(source->failure);
  g_free(source);
}

CapturectlSources *capturectl_sources_new(const ProfileAnnotation *annotation, const GArray *maps,
                                          gboolean download)
{
  CapturectlSources *self = g_new0(CapturectlSources, 1);

  self->annotation = annotation;
  self->maps = maps;
  self->found = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, source_free);
  self->servers = profile_debug_servers_get();
  self->is_allowed = self->servers && (download || profile_debug_servers_are_allowed(self->servers));
  self->seconds = download ? DOWNLOAD_SECONDS : SECONDS;
  return self;
}

void capturectl_sources_free(CapturectlSources *self)
{
  g_hash_table_unref(self->found);
  g_free(self->servers);
  g_free(self);
}

static void fetch_work(gpointer data, GCancellable *cancellable)
{
  Fetch *self = data;
  const ProfileAnnotation *annotation = self->sources->annotation;
  gint64 left = self->sources->deadline - g_get_monotonic_time();
  const ProfileFetchOptions options = {.servers = self->sources->servers,
                                       .seconds_max = (guint)MAX(left / G_USEC_PER_SEC, 1)};
  g_autofree char *base = g_path_get_basename(self->path);

  capturectl_progress_post(g_strdup_printf(_("Fetching %s"), base));
  self->text = profile_fetch_source(profile_annotation_get_capture(annotation),
                                    profile_annotation_get_binary(annotation), self->path, &options,
                                    cancellable, &self->error);
}

/* Servers that one file waited for in vain are not asked for the next. */
static void sources_note_failure(CapturectlSources *self, const GError *error)
{
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT) ||
      g_error_matches(error, G_IO_ERROR, G_IO_ERROR_HOST_UNREACHABLE))
    g_clear_pointer(&self->servers, g_free);
}

static void sources_fetch(CapturectlSources *self, CapturectlSource *source, const char *path)
{
  Fetch fetch = {.sources = self, .path = path};

  if (self->deadline == 0)
    self->deadline = g_get_monotonic_time() + self->seconds * G_USEC_PER_SEC;
  capturectl_progress_run(fetch_work, &fetch, NULL);
  if (fetch.text) {
    gsize size;
    const void *text = g_bytes_get_data(fetch.text, &size);
    profile_source_file_free(source->file);
    source->file = profile_source_file_new_from_text(path, PROFILE_SOURCE_FILE_FETCHED, text, size);
    g_bytes_unref(fetch.text);
  } else {
    source->failure = g_strdup(fetch.error->message);
    sources_note_failure(self, fetch.error);
    g_error_free(fetch.error);
  }
}

static gboolean sources_may_fetch(const CapturectlSources *self, const CapturectlSource *source,
                                  const char *path)
{
  return self->servers && (self->deadline == 0 || g_get_monotonic_time() < self->deadline) &&
         profile_source_file_get_status(source->file) == PROFILE_SOURCE_FILE_MISSING &&
         profile_fetch_may_have_source(profile_annotation_get_capture(self->annotation),
                                       profile_annotation_get_binary(self->annotation), path);
}

const CapturectlSource *capturectl_sources_get(CapturectlSources *self, const char *path)
{
  CapturectlSource *source = g_hash_table_lookup(self->found, path);

  if (source)
    return source;
  source = g_new0(CapturectlSource, 1);
  source->file =
      profile_capture_open_source(profile_annotation_get_capture(self->annotation), path, self->maps);
  g_hash_table_insert(self->found, g_strdup(path), source);
  if (sources_may_fetch(self, source, path)) {
    source->is_offered = !self->is_allowed;
    if (self->is_allowed)
      sources_fetch(self, source, path);
  }
  return source;
}
