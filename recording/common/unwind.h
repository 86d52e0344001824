/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How user stacks are found. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Numbers are those of enum recorder_unwind. */
typedef enum {
  RECORDING_UNWIND_AUTO = 0, /* the best of those below that is permitted */
  RECORDING_UNWIND_FRAME_POINTERS = 1,
  RECORDING_UNWIND_TABLES = 2, /* by unwind tables, over a copy of each sample's stack */
  RECORDING_UNWIND_BPF = 3,    /* by unwind tables, in the kernel */
  RECORDING_UNWIND_NONE = 4    /* the innermost address only */
} RecordingUnwind;

/* As captures name it in their metadata "unwind": auto, fp, dwarf, bpf, none. */
const char *recording_unwind_to_string(RecordingUnwind unwind);

G_END_DECLS
