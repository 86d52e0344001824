/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capturectl/capturectl-record-naming.h"

#include <glib/gi18n.h>

#include "capturectl/capturectl-command.h"
#include "capturectl/capturectl-fetch.h"
#include "capturectl/capturectl-progress.h"
#include "profile/naming/naming.h"

typedef struct {
  RecordingSession *session;
  ProfileNamingResult result;
  GError *error;
  const CapturectlRecordOptions *options;
} Naming;

static int open_binary(const ProfileBinary *binary, gpointer data)
{
  return recording_binaries_open(data, binary->build_id, binary->build_id_size, binary->path, binary->device,
                                 binary->inode);
}

static void on_progress(guint done, guint total, const char *name, gpointer data)
{
  capturectl_progress_post(g_strdup_printf(_("Naming functions: %u of %u binaries"), done, total));
}

static void record_naming_work(gpointer data, GCancellable *cancellable)
{
  Naming *naming = data;
  g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", recording_session_get_fd(naming->session));
  ProfileNamingOptions options = {.open = open_binary,
                                  .open_data = recording_session_get_binaries(naming->session),
                                  .progress = naming->options->quiet ? NULL : on_progress,
                                  .code_size = naming->options->code,
                                  .no_code = naming->options->code == 0,
                                  .source = (const char *const *)naming->options->source,
                                  .places_time = PROFILE_NAMING_PLACES_TIME};

  profile_naming_run(path, &options, &naming->result, cancellable, &naming->error);
}

static void record_naming_warn(const Naming *naming)
{
  g_autoptr(GPtrArray) gaps = profile_naming_describe_gaps(&naming->result, naming->error);
  g_autofree char *dropped =
      recording_binaries_describe_dropped(recording_session_get_binaries(naming->session));

  for (guint i = 0; i < gaps->len; i++)
    capturectl_warn("%s", (const char *)gaps->pdata[i]);
  if (dropped)
    capturectl_warn("%s", dropped);
}

static void fetch_names(RecordingSession *session, const char *servers, GCancellable *cancellable,
                        gboolean quiet)
{
  g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", recording_session_get_fd(session));
  g_autoptr(ProfileCapture) capture = profile_capture_load(path, PROFILE_LOAD_DEFAULT, cancellable, NULL);
  g_autoptr(ProfileMissingNames) missing = capture ? profile_missing_names_new(capture) : NULL;
  const ProfileFetchOptions options = {.servers = servers};
  const ProfileMissingEntry *entries;
  ProfileFetchResult *results;
  guint n;

  if (!missing)
    return;
  entries = profile_missing_names_get_entries(missing, &n);
  results = g_new0(ProfileFetchResult, n);
  capturectl_fetch(path, capture, entries, n, &options, results, quiet, cancellable);
  for (guint i = 0; i < n; i++)
    profile_fetch_result_clear(&results[i]);
  g_free(results);
}

void capturectl_record_name(RecordingSession *session, GCancellable *cancellable,
                            const CapturectlRecordOptions *options)
{
  Naming naming = {.session = session, .options = options};

  capturectl_progress_run(record_naming_work, &naming, cancellable);
  record_naming_warn(&naming);
  if (options->servers && !naming.error)
    fetch_names(session, options->servers, cancellable, options->quiet);
  g_clear_error(&naming.error);
}
