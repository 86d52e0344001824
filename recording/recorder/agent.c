/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/recorder/agent-private.h"

#include <fcntl.h>
#include <glib-unix.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

struct _RecordingAgent {
  GPid pid;
  int ready;
};

/* A program in the background that reads from its terminal is stopped. */
static gboolean has_terminal(void)
{
  return isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();
}

RecordingAgent *recording_agent_new(void)
{
  g_autofree char *program = has_terminal() ? g_find_program_in_path("pkttyagent") : NULL;
  char number[] = "3";
  char notify_option[] = "--notify-fd", fallback_option[] = "--fallback";
  char *argv[] = {program, notify_option, number, fallback_option, NULL};
  int ready[2], notify = 3;
  GPid pid;

  if (!program || !g_unix_open_pipe(ready, FD_CLOEXEC, NULL))
    return NULL;
  gboolean started = g_spawn_async_with_pipes_and_fds(
      NULL, (const char *const *)argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_CHILD_INHERITS_STDIN, NULL,
      NULL, -1, -1, -1, &ready[1], &notify, 1, &pid, NULL, NULL, NULL, NULL);
  close(ready[1]);
  if (!started) {
    close(ready[0]);
    return NULL;
  }
  RecordingAgent *self = g_new(RecordingAgent, 1);
  *self = (RecordingAgent){.pid = pid, .ready = ready[0]};
  return self;
}

int recording_agent_get_fd(RecordingAgent *self)
{
  return self->ready;
}

void recording_agent_free(RecordingAgent *self)
{
  if (!self)
    return;
  kill(self->pid, SIGTERM);
  kill(self->pid, SIGCONT);
  waitpid(self->pid, NULL, 0);
  close(self->ready);
  g_free(self);
}
