/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a recording is getting on, and how it went. */
#pragma once

#include <glib.h>

#include "libcapture/format/capture-format.h"

G_BEGIN_DECLS

typedef struct {
  guint64 elapsed; /* nanoseconds with events enabled */
  guint64 samples;
  guint64 lost;      /* samples, and lost records that may have been samples */
  guint64 throttled; /* how often the kernel paused sampling */
  guint64 size;      /* bytes in the capture */
} RecordingProgress;

typedef struct {
  gboolean begun; /* there is a capture; else error says why not, and nothing was left behind */
  enum capture_end reason;
  gint32 status;           /* see enum capture_end */
  gboolean command_exited; /* also when something killed it before the recording had begun */
  int command_status;      /* its wait status */
  gboolean command_left;   /* it was asked to end with the recording, and still runs */
  RecordingProgress progress;
  guint n_programs; /* that joined the recording from inside */
  char *warning;    /* what a person should know of them, a sentence; NULL: nothing */
  GError *error;    /* NULL: it ended as it was asked to */
} RecordingResult;

G_END_DECLS
