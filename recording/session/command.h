/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The command to record: forked, stopped at a gate until everything counts, then executed. If its
 * starter goes away before the gate opens, it exits without having run. It inherits exactly the
 * descriptors, limits and signal dispositions that its starter was given, and the descriptors that it is
 * meant to have.
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

G_BEGIN_DECLS

typedef struct _RecordingCommand RecordingCommand;

/* What a command is started with. */
typedef struct {
  char *const *argv;        /* looked up in PATH as a shell does it */
  const char *directory;    /* where it works; NULL: where this process does */
  char *const *environment; /* NULL: this process's own */
  char *const *preloaded;   /* the other environment, which it has if the gate's opener says so; likewise */
  const int *inherited;     /* descriptors that it has as well, under their numbers */
  gsize n_inherited;
} RecordingCommandStart;

/* Forks. */
RecordingCommand *recording_command_new(const RecordingCommandStart *start, GError **error);
/* Stays the command's; readable when the command has exited. */
int recording_command_get_pidfd(RecordingCommand *self);
pid_t recording_command_get_pid(RecordingCommand *self);
/* Lets it run, with the environment `preloaded` if that is said. Then get_exec_fd becomes readable, and
 * finish_exec says whether the program could be executed.
 */
void recording_command_open_gate(RecordingCommand *self, gboolean preloaded);
int recording_command_get_exec_fd(RecordingCommand *self);
gboolean recording_command_finish_exec(RecordingCommand *self, GError **error);
/* Waits up to `milliseconds` (-1 for ever) for the exit; TRUE when it has exited, with its wait status. */
gboolean recording_command_wait(RecordingCommand *self, int milliseconds, int *ret_status);
/* Ignored when it has exited already. */
void recording_command_kill(RecordingCommand *self, int signal);
/* A command still at its gate ends; one that runs is left running. */
void recording_command_free(RecordingCommand *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordingCommand, recording_command_free)

G_END_DECLS
