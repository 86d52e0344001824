/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One recording from its beginning to its end, on the calling thread. */
#pragma once

#include "recording/collect/binaries.h"
#include "recording/common/options.h"
#include "recording/common/output.h"
#include "recording/common/result.h"

G_BEGIN_DECLS

typedef struct {
  int wake_fd; /* an eventfd: readable when one of the next two has changed */
  gint stop;   /* atomic: 1 + the signal (0 for none) that asks for an orderly end */
  gint leave;  /* atomic: do not wait for the recorder any more */
  /* Called on the recording's thread. */
  void (*started)(RecordingVia via, const char *const *events, RecordingUnwind unwind, const char *notes,
                  const char *reason, gpointer data);
  void (*progress)(const RecordingProgress *progress, gpointer data);
  gpointer data;
} RecordingControl;

/* Records; fills *ret_result in, whose error is the caller's to free. */
void recording_run(const RecordingOptions *options, RecordingOutput *output, RecordingBinaries *binaries,
                   RecordingControl *control, RecordingResult *ret_result);

G_END_DECLS
