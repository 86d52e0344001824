/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What can go wrong with a recording. Messages are whole sentences for people: what is wrong, where, what to
 * do. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define RECORDING_ERROR (recording_error_quark())
GQuark recording_error_quark(void);

typedef enum {
  RECORDING_ERROR_FAILED,         /* this machine refused something that a recording needs */
  RECORDING_ERROR_OUTPUT,         /* the output cannot be written */
  RECORDING_ERROR_TARGET,         /* a process to record does not exist or may not be recorded */
  RECORDING_ERROR_NOT_FOUND,      /* the command does not exist: 127 in a shell */
  RECORDING_ERROR_NOT_EXECUTABLE, /* the command cannot be run: 126 in a shell */
  RECORDING_ERROR_RECORDER,       /* the recorder refused, or went away */
  RECORDING_ERROR_PERMISSION,     /* this user may not record that, by this way */
  RECORDING_ERROR_NO_SERVICE,     /* there is no system service, or none that could record more */
  RECORDING_ERROR_CANCELLED       /* stopped before the recording had begun */
} RecordingError;

G_END_DECLS
