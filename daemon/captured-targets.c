/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-targets.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/captured-error.h"
#include "helpers/pidfd.h"

#define DESCRIBED 8

/* The kernel knows what a pidfd is by its file operations; nothing but one gets as far as ECHILD, or as 0 for
 * a child of our own. */
static gboolean is_pidfd(int fd)
{
  siginfo_t info;

  return waitid(P_PIDFD, (id_t)fd, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno == ECHILD;
}

/* The pidfd of a single thread is opened with O_EXCL (PIDFD_THREAD). */
static gboolean is_of_thread(int fd)
{
  int flags = fcntl(fd, F_GETFL);

  return flags < 0 || (flags & O_EXCL) != 0;
}

static gboolean targets_refuse(GError **error, guint i, const char *why)
{
  g_set_error(error, CAPTURED_ERROR, CAPTURED_ERROR_INVALID_TARGET, "Target %u %s.", i + 1, why);
  return FALSE;
}

static gboolean tell_gone(GError **error, guint i)
{
  g_set_error(error, CAPTURED_ERROR, CAPTURED_ERROR_TARGET_GONE, "Target %u has ended.", i + 1);
  return FALSE;
}

static gboolean is_alive(int pidfd)
{
  struct pollfd poll_fd = {.fd = pidfd, .events = POLLIN};

  return poll(&poll_fd, 1, 0) == 0;
}

static gboolean is_known(const CapturedTargets *self, pid_t pid)
{
  for (guint i = 0; i < self->n; i++)
    if (self->pids[i] == pid)
      return TRUE;
  return FALSE;
}

static gboolean targets_add(CapturedTargets *self, int fd, GError **error)
{
  guint i = self->n;

  self->pidfds[self->n] = fd;
  if (!is_pidfd(fd))
    return targets_refuse(error, i, "is no pidfd; use pidfd_open()");
  if (is_of_thread(fd))
    return targets_refuse(error, i, "is a thread; a process is needed");
  pid_t pid = pidfd_get_pid(fd, true);
  if (pid == -ESRCH || !is_alive(fd))
    return tell_gone(error, i);
  if (pid <= 0)
    return targets_refuse(error, i, "is a process that cannot be seen from here");
  if (is_known(self, pid))
    return targets_refuse(error, i, "is there twice");
  self->pids[self->n] = pid;
  return TRUE;
}

static int take_descriptor(GUnixFDList *fds, gint32 handle)
{
  if (!fds || handle < 0 || handle >= g_unix_fd_list_get_length(fds))
    return -1;
  return g_unix_fd_list_get(fds, handle, NULL);
}

CapturedTargets *captured_targets_new(const gint32 *handles, guint n, GUnixFDList *fds, GError **error)
{
  g_autoptr(CapturedTargets) self = g_new0(CapturedTargets, 1);

  self->pidfds = g_new(int, MAX(n, 1));
  self->pids = g_new0(pid_t, MAX(n, 1));
  for (guint i = 0; i < n; i++) {
    int fd = take_descriptor(fds, handles[i]);

    if (fd < 0) {
      targets_refuse(error, i, "is no descriptor that came with the message");
      return NULL;
    }
    gboolean added = targets_add(self, fd, error);
    self->n++;
    if (!added)
      return NULL;
  }
  return g_steal_pointer(&self);
}

void captured_targets_free(CapturedTargets *self)
{
  for (guint i = 0; i < self->n; i++)
    close(self->pidfds[i]);
  g_free(self->pidfds);
  g_free(self->pids);
  g_free(self);
}

gboolean captured_targets_check_alive(const CapturedTargets *self, GError **error)
{
  for (guint i = 0; i < self->n; i++)
    if (!is_alive(self->pidfds[i]))
      return tell_gone(error, i);
  return TRUE;
}

char *captured_targets_describe(const CapturedTargets *self)
{
  GString *text = g_string_new(NULL);

  for (guint i = 0; i < MIN(self->n, DESCRIBED); i++)
    g_string_append_printf(text, i == 0 ? "%d" : " %d", (int)self->pids[i]);
  if (self->n > DESCRIBED)
    g_string_append(text, " …");
  return g_string_free(text, FALSE);
}
