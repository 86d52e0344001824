/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capturectl/capturectl-fetch.h"

#include <glib/gi18n.h>

#include "capturectl/capturectl-command.h"
#include "capturectl/capturectl-progress.h"
#include "profile/base/amount.h"
#include "profile/naming/naming.h"

typedef struct {
  const char *path;
  ProfileCapture *capture;
  const ProfileMissingEntry *entries;
  guint n;
  ProfileFetchOptions options;
  ProfileFetchResult *results;
  GError *error; /* of naming */
} Fetch;

char *capturectl_fetch_get_servers(void)
{
  char *servers = profile_debug_servers_get();

  if (!servers)
    capturectl_fail(_("No debuginfod server is known to ask: put its address into DEBUGINFOD_URLS."));
  return servers;
}

static void on_progress(const char *path, guint64 bytes, guint64 total, gpointer data)
{
  g_autofree char *name = g_path_get_basename(path);
  g_autofree char *so_far = profile_amount_to_string(CAPTURE_UNIT_BYTES, bytes);
  g_autofree char *all = profile_amount_to_string(CAPTURE_UNIT_BYTES, total);

  capturectl_progress_post(total ? g_strdup_printf(_("Fetching for %s: %s of %s"), name, so_far, all)
                                 : g_strdup_printf(_("Fetching for %s: %s"), name, so_far));
}

static void fetch_work(gpointer data, GCancellable *cancellable)
{
  Fetch *self = data;
  g_autoptr(GHashTable) only = profile_fetch_list_build_ids(self->capture, self->entries, self->n);
  ProfileNamingOptions naming = {.only = only};

  if (profile_fetch_look(self->capture, self->entries, self->n, self->results) > 0)
    profile_naming_run(self->path, &naming, NULL, cancellable, &self->error);
  if (!self->error && profile_fetch_run(self->capture, self->entries, self->n, &self->options, self->results,
                                        cancellable) > 0)
    profile_naming_run(self->path, &naming, NULL, cancellable, &self->error);
}

/* One sentence a failure. */
static gboolean fetch_warn(const Fetch *self)
{
  gboolean done = TRUE;

  for (guint i = 0; i < self->n; i++) {
    const GError *error = self->results[i].error;

    if (error)
      capturectl_warn("%s", error->message);
    done = done && !error;
  }
  if (self->error)
    capturectl_warn("%s", self->error->message);
  return done && !self->error;
}

gboolean capturectl_fetch(const char *path, ProfileCapture *capture, const ProfileMissingEntry *entries,
                          guint n, const ProfileFetchOptions *options, ProfileFetchResult *results,
                          gboolean quiet, GCancellable *cancellable)
{
  Fetch fetch = {
      .path = path, .capture = capture, .entries = entries, .n = n, .options = *options, .results = results};
  gboolean done;

  fetch.options.progress = quiet ? NULL : on_progress;
  capturectl_progress_run(fetch_work, &fetch, cancellable);
  done = fetch_warn(&fetch);
  g_clear_error(&fetch.error);
  return done;
}
