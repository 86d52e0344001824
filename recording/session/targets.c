/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/session/targets-private.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <sys/pidfd.h>
#include <sys/types.h>
#include <unistd.h>

#include "helpers/recorder-protocol.h"
#include "recording/common/error.h"

static void close_descriptor(gpointer data)
{
  close(*(int *)data);
}

static gboolean is_thread(pid_t pid)
{
  g_autofree char *path = g_strdup_printf("/proc/%d/status", pid);
  return access(path, F_OK) == 0;
}

static void set_error(GError **error, pid_t pid, int number)
{
  if (number != ESRCH && is_thread(pid))
    g_set_error(error, RECORDING_ERROR, RECORDING_ERROR_TARGET,
                _("%d is a thread of a process; name its process (Tgid in /proc/%d/status)."), pid, pid);
  else if (number == ESRCH)
    g_set_error(error, RECORDING_ERROR, RECORDING_ERROR_TARGET,
                _("There is no process %d; “ps -e” lists those that run."), pid);
  else
    g_set_error(error, RECORDING_ERROR, RECORDING_ERROR_TARGET, _("Process %d cannot be recorded: %s."), pid,
                g_strerror(number));
}

GArray *recording_targets_open(const GArray *pids, GError **error)
{
  g_autoptr(GArray) targets = g_array_new(FALSE, FALSE, sizeof(int));

  g_array_set_clear_func(targets, close_descriptor);
  if (pids->len > RECORDER_TARGETS_MAX) {
    g_set_error(error, RECORDING_ERROR, RECORDING_ERROR_TARGET,
                _("%u processes are too many; name at most %d, or record all with -a."), pids->len,
                RECORDER_TARGETS_MAX);
    return NULL;
  }
  for (guint i = 0; i < pids->len; i++) {
    pid_t pid = g_array_index(pids, pid_t, i);
    int fd = pidfd_open(pid, 0);
    if (fd < 0) {
      set_error(error, pid, errno);
      return NULL;
    }
    g_array_append_val(targets, fd);
  }
  return g_steal_pointer(&targets);
}
