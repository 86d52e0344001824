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
  GMainLoop *loop;
  GError *error;
  const CapturectlRecordOptions *options;
} Naming;

static int open_binary(const ProfileBinary *binary, gpointer data)
{
  return recording_binaries_open(data, binary->build_id, binary->build_id_size, binary->path, binary->device,
                                 binary->inode);
}

static gboolean record_naming_show(gpointer line)
{
  capturectl_progress_show(line);
  return G_SOURCE_REMOVE;
}

static void on_progress(guint done, guint total, const char *name, gpointer data)
{
  g_idle_add_full(G_PRIORITY_DEFAULT, record_naming_show,
                  g_strdup_printf(_("Naming functions: %u of %u binaries"), done, total), g_free);
}

static void name_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
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
  g_task_return_boolean(task, TRUE);
}

static void on_named(GObject *source, GAsyncResult *result, gpointer data)
{
  g_main_loop_quit(((Naming *)data)->loop);
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
  Naming naming = {.session = session, .loop = g_main_loop_new(NULL, FALSE), .options = options};
  GTask *task = g_task_new(NULL, cancellable, on_named, &naming);

  g_task_set_check_cancellable(task, FALSE);
  g_task_set_task_data(task, &naming, NULL);
  g_task_run_in_thread(task, name_in_thread);
  g_main_loop_run(naming.loop);
  g_object_unref(task);
  capturectl_progress_clear();
  record_naming_warn(&naming);
  g_main_loop_unref(naming.loop);
  if (options->servers && !naming.error)
    fetch_names(session, options->servers, cancellable, options->quiet);
  g_clear_error(&naming.error);
}
