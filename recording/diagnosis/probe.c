/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/diagnosis/probe.h"

#include <glib/gi18n.h>
#include <poll.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "recording/common/error.h"
#include "recording/common/paths-private.h"
#include "recording/recorder/recorder.h"

/* How long a recorder may take to answer, programs being loaded meanwhile. */
#define PATIENCE 10000

static gboolean probe_fail(GError **error, const char *sentence)
{
  g_set_error_literal(error, RECORDING_ERROR, RECORDING_ERROR_RECORDER, sentence);
  return FALSE;
}

static gboolean wait_for_answer(RecordingRecorder *recorder, enum recorder_message_type type,
                                RecordingMessage *message, GError **error)
{
  struct pollfd readable = {.fd = recording_recorder_get_fd(recorder), .events = POLLIN};

  while (poll(&readable, 1, PATIENCE) == 1) {
    switch (recording_recorder_receive(recorder, message)) {
    case RECORDING_RECEIVED:
      if (message->type == type)
        return TRUE;
      if (message->type == RECORDER_ENDED)
        return probe_fail(error, message->ended.text);
      continue;
    case RECORDING_RECEIVED_NOTHING:
      continue;
    default:
      return probe_fail(error, _("The recorder did not answer; is it of another version?"));
    }
  }
  return probe_fail(error, _("The recorder did not answer in time."));
}

/* The caller itself stands for its processes. */
static gboolean probe_configure(RecordingRecorder *recorder, GError **error)
{
  g_autoptr(RecordingOptions) options = recording_options_new();
  int self = pidfd_open(getpid(), 0);
  gboolean sent;

  options->kernel = RECORDING_KERNEL_NO;
  sent = self >= 0 && recording_recorder_configure(recorder, options, &self, 1, FALSE, error);
  if (self < 0)
    return probe_fail(error, _("No process can be named to the recorder: the kernel has no pidfds."));
  close(self);
  return sent;
}

gboolean recording_probe_events(const struct recorder_probe_event *events, int *ret_errors, GError **error)
{
  g_autoptr(RecordingRecorder) recorder = recording_recorder_new(error);
  RecordingMessage message = {.windows_fd = -1, .control_fd = -1};

  if (!recorder)
    return FALSE;
  recording_recorder_probe(recorder, events);
  if (!wait_for_answer(recorder, RECORDER_PROBED, &message, error))
    return FALSE;
  memcpy(ret_errors, message.probed.errors, sizeof message.probed.errors);
  return TRUE;
}

gboolean recording_probe_unwind(RecordingUnwind *ret_unwind, char **ret_notes, GError **error)
{
  g_autoptr(RecordingRecorder) recorder = recording_recorder_new(error);
  RecordingMessage message = {.windows_fd = -1, .control_fd = -1};

  if (!recorder || !probe_configure(recorder, error) ||
      !wait_for_answer(recorder, RECORDER_READY, &message, error))
    return FALSE;
  close(message.windows_fd);
  close(message.control_fd);
  *ret_unwind = (RecordingUnwind)message.ready.unwind;
  *ret_notes = g_strdup(message.ready.notes);
  return TRUE;
}

/* The dynamic linker starts a program also without the library, and complains. */
gboolean recording_probe_preload(GError **error)
{
  g_autofree char *library = recording_paths_find_preload(error);
  g_autofree char *complaint = NULL;
  char program[] = "true";
  char *argv[] = {program, NULL};

  if (!library)
    return FALSE;
  g_auto(GStrv) environment = g_environ_setenv(g_get_environ(), "LD_PRELOAD", library, TRUE);
  if (!g_spawn_sync(NULL, argv, environment, G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL,
                    NULL, &complaint, NULL, error))
    return FALSE;
  if (!*g_strstrip(complaint))
    return TRUE;
  g_set_error(error, RECORDING_ERROR, RECORDING_ERROR_FAILED, _("Programs cannot be started with “%s”: %s"),
              library, complaint);
  return FALSE;
}
