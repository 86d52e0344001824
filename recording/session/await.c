/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/session/await-private.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <poll.h>

#include "recording/common/error.h"

static gboolean is_asked_to_stop(RecordingControl *control)
{
  return g_atomic_int_get(&control->stop) || g_atomic_int_get(&control->leave);
}

gboolean recording_await_readable(RecordingControl *control, int fd, GError **error)
{
  struct pollfd fds[] = {{.fd = fd, .events = POLLIN}, {.fd = control->wake_fd, .events = POLLIN}};

  while (!is_asked_to_stop(control)) {
    if (poll(fds, G_N_ELEMENTS(fds), -1) > 0 && fds[0].revents)
      return TRUE;
  }
  g_set_error_literal(error, RECORDING_ERROR, RECORDING_ERROR_CANCELLED,
                      _("The recording was stopped before it had begun."));
  return FALSE;
}

static RecordingError code_of(RecordingVia via, int number)
{
  /* Filters of containers say, too, that there is no such call. */
  if (number == EACCES || number == EPERM || (number == ENOSYS && via == RECORDING_VIA_DIRECT))
    return RECORDING_ERROR_PERMISSION;
  if (number == ESRCH)
    return RECORDING_ERROR_TARGET;
  if (via == RECORDING_VIA_SERVICE && (number == ENOENT || number == ENOSYS))
    return RECORDING_ERROR_NO_SERVICE;
  return RECORDING_ERROR_RECORDER;
}

static gboolean fail_end(RecordingRecorder *recorder, const struct recorder_ended *ended, GError **error)
{
  if (ended->reason != RECORDER_END_FAILED)
    g_set_error_literal(error, RECORDING_ERROR, RECORDING_ERROR_TARGET,
                        _("The process to record had ended before the recording began."));
  else
    g_set_error_literal(error, RECORDING_ERROR, code_of(recording_recorder_get_via(recorder), ended->error),
                        ended->text);
  return FALSE;
}

static gboolean fail_death(RecordingRecorder *recorder, GError **error)
{
  recording_recorder_close(recorder);
  g_set_error(error, RECORDING_ERROR, RECORDING_ERROR_RECORDER, _("%s before the recording had begun."),
              recording_recorder_get_death(recorder));
  return FALSE;
}

gboolean recording_await_message(RecordingControl *control, RecordingRecorder *recorder,
                                 enum recorder_message_type type, RecordingMessage *message, GError **error)
{
  while (recording_await_readable(control, recording_recorder_get_fd(recorder), error)) {
    switch (recording_recorder_receive(recorder, message)) {
    case RECORDING_RECEIVED_NOTHING:
      continue;
    case RECORDING_RECEIVED_END:
      return fail_death(recorder, error);
    case RECORDING_RECEIVED_BROKEN:
      g_set_error_literal(error, RECORDING_ERROR, RECORDING_ERROR_RECORDER,
                          _("The recorder sent something that is not understood; is it of another version?"));
      return FALSE;
    case RECORDING_RECEIVED:
      if (message->type == type)
        return TRUE;
      if (message->type == RECORDER_ENDED)
        return fail_end(recorder, &message->ended, error);
    }
  }
  return FALSE;
}
