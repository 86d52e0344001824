/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/session/command.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recording/common/error.h"
#include "recording/common/limits-private.h"

struct _RecordingCommand {
  char *name;
  char *directory; /* NULL: this process's own */
  pid_t pid;       /* 0: reaped */
  int pidfd;
  int gate; /* written to open it; -1 once open */
  int exec; /* read: a Failure, or end of file after a successful exec */
  int status;
};

/* What the child says when it could not execute the program. */
typedef struct {
  int number; /* errno */
  gboolean of_directory;
} Failure;

/* Runs in the forked child of a program with threads: async-signal-safe calls only. */
static G_NORETURN void wait_and_execute(const RecordingCommandStart *start, int gate, int result)
{
  char byte;
  ssize_t n;

  do
    n = read(gate, &byte, 1);
  while (n < 0 && errno == EINTR);
  if (n != 1)
    _exit(0);

  recording_limits_restore();
  signal(SIGXFSZ, SIG_DFL);
  for (gsize i = 0; i < start->n_inherited; i++)
    fcntl(start->inherited[i], F_SETFD, 0);
  if (start->directory && chdir(start->directory) < 0) {
    Failure failure = {.number = errno, .of_directory = TRUE};
    (void)!write(result, &failure, sizeof failure);
    _exit(126);
  }
  char *const *environment = byte ? start->preloaded : start->environment;
  execvpe(start->argv[0], start->argv, environment ? environment : environ);
  Failure failure = {.number = errno};
  (void)!write(result, &failure, sizeof failure);
  _exit(failure.number == ENOENT ? 127 : 126);
}

/* The gate is a socket: writing to it when the child was killed must not raise SIGPIPE. */
static gboolean make_channels(int gate[2], int result[2])
{
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, gate) < 0)
    return FALSE;
  if (pipe2(result, O_CLOEXEC) == 0)
    return TRUE;
  close(gate[0]);
  close(gate[1]);
  return FALSE;
}

static pid_t fork_at_gate(const RecordingCommandStart *start, int *ret_gate, int *ret_exec)
{
  int gate[2], result[2];

  if (!make_channels(gate, result))
    return -1;

  pid_t pid = fork();
  if (pid == 0) {
    close(gate[1]);
    wait_and_execute(start, gate[0], result[1]);
  }
  close(gate[0]);
  close(result[1]);
  *ret_gate = gate[1];
  *ret_exec = result[0];
  return pid;
}

RecordingCommand *recording_command_new(const RecordingCommandStart *start, GError **error)
{
  g_autoptr(RecordingCommand) self = g_new0(RecordingCommand, 1);

  self->name = g_strdup(start->argv[0]);
  self->directory = g_strdup(start->directory);
  self->pidfd = self->gate = self->exec = -1;
  self->pid = fork_at_gate(start, &self->gate, &self->exec);
  if (self->pid > 0)
    self->pidfd = pidfd_open(self->pid, 0);
  if (self->pidfd < 0) {
    int number = errno;
    self->pid = MAX(self->pid, 0);
    g_set_error(error, RECORDING_ERROR, RECORDING_ERROR_FAILED, _("Cannot start “%s”: %s."), self->name,
                g_strerror(number));
    return NULL;
  }
  return g_steal_pointer(&self);
}

int recording_command_get_pidfd(RecordingCommand *self)
{
  return self->pidfd;
}

pid_t recording_command_get_pid(RecordingCommand *self)
{
  return self->pid;
}

void recording_command_open_gate(RecordingCommand *self, gboolean preloaded)
{
  const char byte = preloaded ? 1 : 0;

  send(self->gate, &byte, 1, MSG_NOSIGNAL);
  close(self->gate);
  self->gate = -1;
}

int recording_command_get_exec_fd(RecordingCommand *self)
{
  return self->exec;
}

static char *command_explain(const RecordingCommand *self, int number)
{
  gboolean by_path = strchr(self->name, '/') != NULL;
  g_autofree char *name =
      by_path ? g_canonicalize_filename(self->name, self->directory) : g_strdup(self->name);

  if (number == ENOENT && !by_path)
    return g_strdup(_("no directory of $PATH holds it; install it, or give its whole path"));
  if (number == ENOENT && g_file_test(name, G_FILE_TEST_EXISTS))
    return g_strdup(_("the interpreter that it asks for does not exist; see its first line"));
  if (number == ENOENT)
    return g_strdup(_("there is no such file; check its path"));
  if (number == EACCES && g_file_test(name, G_FILE_TEST_IS_DIR))
    return g_strdup(_("it is a directory; name a program in it"));
  if (number == EACCES)
    return g_strdup_printf(_("you may not execute it; “chmod +x %s” lets its owner do so"), name);
  return g_strdup(g_strerror(number));
}

gboolean recording_command_finish_exec(RecordingCommand *self, GError **error)
{
  Failure failure = {0};
  ssize_t n = read(self->exec, &failure, sizeof failure);

  close(self->exec);
  self->exec = -1;
  if (n != sizeof failure)
    return TRUE;
  recording_command_wait(self, -1, &self->status);
  if (failure.of_directory) {
    g_set_error(error, RECORDING_ERROR, RECORDING_ERROR_FAILED,
                _("Cannot run “%s” in “%s”: %s. Choose another working directory."), self->name,
                self->directory, g_strerror(failure.number));
    return FALSE;
  }
  g_autofree char *why = command_explain(self, failure.number);
  g_set_error(error, RECORDING_ERROR,
              failure.number == ENOENT ? RECORDING_ERROR_NOT_FOUND : RECORDING_ERROR_NOT_EXECUTABLE,
              _("Cannot run “%s”: %s."), self->name, why);
  return FALSE;
}

gboolean recording_command_wait(RecordingCommand *self, int milliseconds, int *ret_status)
{
  if (self->pid > 0) {
    struct pollfd exited = {.fd = self->pidfd, .events = POLLIN};
    if (poll(&exited, 1, milliseconds) <= 0 || waitpid(self->pid, &self->status, 0) != self->pid)
      return FALSE;
    self->pid = 0;
  }
  *ret_status = self->status;
  return TRUE;
}

void recording_command_kill(RecordingCommand *self, int signal)
{
  if (self->pid > 0)
    pidfd_send_signal(self->pidfd, signal, NULL, 0);
}

void recording_command_free(RecordingCommand *self)
{
  gboolean at_gate = self->gate >= 0;

  if (self->gate >= 0)
    close(self->gate);
  if (self->pid > 0 && at_gate)
    waitpid(self->pid, NULL, 0);
  if (self->exec >= 0)
    close(self->exec);
  if (self->pidfd >= 0)
    close(self->pidfd);
  g_free(self->name);
  g_free(self->directory);
  g_free(self);
}
