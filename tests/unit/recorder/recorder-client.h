/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The caller's side of the recorder's protocol, as small as a test needs it: one recording into a capture in
 * memory. */
#pragma once

#include <glib.h>

#include "helpers/recorder-protocol.h"
#include "libcapture/file/capture-file.h"

struct recorder_client {
  int socket;
  GPid recorder;
  capture_tap *tap;
  capture_file *file;
  int file_fd;
  uint32_t stream;
  struct recorder_ready ready;
  struct recorder_ended ended;
  struct recorder_status status; /* the last one */
  gboolean has_ended;
  guint n_status;
  guint n_wake;
};

/* Starts the recorder of this build, not yet configured. */
void recorder_client_start(struct recorder_client *client);
/* The same as another user with a few capabilities ("perfmon,bpf"; "" none), and with that environment (NULL:
 * our own). */
void recorder_client_start_as(struct recorder_client *client, guint user, const char *capabilities,
                              char **environment);
/* argv for a program of `user`'s with those capabilities; freed with g_strfreev. */
GStrv recorder_client_command_as(guint user, const char *capabilities, const char *program,
                                 const char *argument);
/* A configuration of one event ("" is the default) at a frequency; freed with g_free. Room for more events.
 */
struct recorder_configure *recorder_client_configuration(uint32_t flags, const char *event,
                                                         uint64_t frequency);
/* Adds an event that counts by its period. */
void recorder_client_add_event(struct recorder_configure *configure, const char *event, uint64_t period);
/* Sends any message with descriptors. */
void recorder_client_send(struct recorder_client *client, const void *message, size_t size, const int *fds,
                          guint n_fds);
/* Sends the configuration with pidfds of those pids and waits for the answer: TRUE when READY. */
gboolean recorder_client_configure(struct recorder_client *client, struct recorder_configure *configure,
                                   const pid_t *targets, guint n_targets);
/* The same with an opener's socket, for RECORDER_OWN. */
gboolean recorder_client_configure_own(struct recorder_client *client, struct recorder_configure *configure,
                                       const pid_t *targets, guint n_targets, int opener);
/* Sends START and waits for STARTED. */
void recorder_client_begin(struct recorder_client *client);
/* Collects for that long, or until the recorder has ended. */
void recorder_client_collect(struct recorder_client *client, guint milliseconds);
/* Waits for a message, at most that long; FALSE at the end of the conversation or of the time. */
gboolean recorder_client_hear(struct recorder_client *client, guint milliseconds);
/* Sends STOP, collects all that is left, waits for ENDED and the exit. Returns the wait status. */
int recorder_client_stop(struct recorder_client *client);
/* Waits for the exit. */
int recorder_client_wait(struct recorder_client *client);
void recorder_client_clear(struct recorder_client *client);
