/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capturectl/capturectl-record-naming.h"

#include <glib/gi18n.h>

#include "capturectl/capturectl-command.h"
#include "capturectl/capturectl-progress.h"
#include "profile/profile-naming.h"

typedef struct {
  RecordingSession *session;
  ProfileNamingResult result;
  GMainLoop *loop;
  GError *error;
  gboolean quiet;
} Naming;

static int open_binary(const ProfileBinary *binary, gpointer data)
{
  return recording_binaries_open(data, binary->build_id, binary->build_id_size, binary->path, binary->device,
                                 binary->inode);
}

static gboolean show(gpointer line)
{
  capturectl_progress_show(line);
  return G_SOURCE_REMOVE;
}

static void on_progress(guint done, guint total, const char *name, gpointer data)
{
  g_idle_add_full(G_PRIORITY_DEFAULT, show,
                  g_strdup_printf(_("Naming functions: %u of %u binaries"), done, total), g_free);
}

static void name_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Naming *naming = data;
  g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", recording_session_get_fd(naming->session));
  ProfileNamingOptions options = {.open = open_binary,
                                  .open_data = recording_session_get_binaries(naming->session),
                                  .progress = naming->quiet ? NULL : on_progress};

  profile_naming_run(path, &options, &naming->result, cancellable, &naming->error);
  g_task_return_boolean(task, TRUE);
}

static void on_named(GObject *source, GAsyncResult *result, gpointer data)
{
  g_main_loop_quit(((Naming *)data)->loop);
}

static void warn(const Naming *naming)
{
  guint n_dropped = recording_binaries_get_n_dropped(recording_session_get_binaries(naming->session));

  if (g_error_matches(naming->error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    capturectl_warn(_("Naming was interrupted: not every function has a name in the capture."));
  else if (naming->error)
    capturectl_warn(_("Not every function was named: %s"), naming->error->message);
  if (naming->result.kernel_hidden)
    capturectl_warn(_("The kernel hides its addresses from this user, so its functions have no names; "
                      "“sudo sysctl kernel.kptr_restrict=0” shows them."));
  if (n_dropped > 0)
    capturectl_warn(ngettext("%u binary was not kept open, because no more descriptors are permitted; it has "
                             "no names if it was "
                             "deleted meanwhile. Raise the limit with “ulimit -n”.",
                             "%u binaries were not kept open, because no more descriptors are permitted; "
                             "those that were deleted "
                             "meanwhile have no names. Raise the limit with “ulimit -n”.",
                             n_dropped),
                    n_dropped);
}

void capturectl_record_name(RecordingSession *session, GCancellable *cancellable, gboolean quiet)
{
  Naming naming = {.session = session, .loop = g_main_loop_new(NULL, FALSE), .quiet = quiet};
  GTask *task = g_task_new(NULL, cancellable, on_named, &naming);

  g_task_set_check_cancellable(task, FALSE);
  g_task_set_task_data(task, &naming, NULL);
  g_task_run_in_thread(task, name_in_thread);
  g_main_loop_run(naming.loop);
  g_object_unref(task);
  capturectl_progress_clear();
  warn(&naming);
  g_main_loop_unref(naming.loop);
  g_clear_error(&naming.error);
}
