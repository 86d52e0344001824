/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the system service captured offers this user, without recording anything and without asking anybody.
 */
#pragma once

#include <glib.h>

#include "helpers/confinement.h"
#include "recording/common/unwind.h"

G_BEGIN_DECLS

typedef enum {
  RECORDING_RIGHT_NO,
  RECORDING_RIGHT_PASSWORD, /* somebody is asked for one */
  RECORDING_RIGHT_YES
} RecordingRight;

typedef struct {
  char *version;
  RecordingUnwind unwind;       /* the best that it offers */
  RecordingRight own;           /* the caller's own processes, in user space */
  enum confinement confinement; /* of this process; with any there is no right to its own */
  RecordingRight system;        /* others' processes, the kernel, every process */
  char *own_problem; /* where there is no right: a sentence when that is a fault of the installation; else
                        NULL */
  char *system_problem;
} RecordingServiceFacts;

/* Asks the service and polkit. FALSE when the service does not answer: RECORDING_ERROR_FAILED when there is
 * no bus, NO_SERVICE when it is not installed, RECORDER or PERMISSION when it cannot be reached. Blocks for
 * as long as the service takes to start. */
gboolean recording_service_probe(RecordingServiceFacts *ret, GError **error);
void recording_service_facts_clear(RecordingServiceFacts *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RecordingServiceFacts, recording_service_facts_clear)

G_END_DECLS
