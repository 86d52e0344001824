/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tries out what a recording would be like, without recording anything. */
#pragma once

#include <glib.h>

#include "helpers/recorder-protocol.h"
#include "recording/common/unwind.h"

G_BEGIN_DECLS

/* Which of RECORDER_PROBES events a recorder of one's own could open: an errno per event, 0 where it can.
 * FALSE when there is no recorder to try it. Blocking. */
gboolean recording_probe_events(const struct recorder_probe_event *events, int *ret_errors, GError **error);

/* How user stacks of the caller's own processes would be found, as options->unwind AUTO becomes it, and in
 * *ret_notes (free it) the recorder's sentences, one a line, about why no better way is. FALSE when nothing
 * can be recorded. Blocking, for as long as a recorder takes to begin. */
gboolean recording_probe_unwind(RecordingUnwind *ret_unwind, char **ret_notes, GError **error);

/* Whether programs can be recorded from inside: starts one with the preload library. Blocking. */
gboolean recording_probe_preload(GError **error);

G_END_DECLS
