/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of `record`. */
#pragma once

#include "recording/common/options.h"

G_BEGIN_DECLS

typedef struct {
  RecordingOptions *recording;
  gboolean names; /* name what was sampled when the recording has ended */
  char *servers;  /* that are asked for names which are missing then; NULL: none */
  char **source;  /* directories with source files whose text is stored; NULL: none */
  guint64 code;   /* bytes of machine code to store with the names at most; 0: none */
  gboolean json;
  gboolean quiet;
} CapturectlRecordOptions;

/* Fills *ret in. Returns -1 to go on, else the exit status to return at once (something was said then). */
int capturectl_record_options_parse(int argc, char **argv, CapturectlRecordOptions *ret);
void capturectl_record_options_clear(CapturectlRecordOptions *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CapturectlRecordOptions, capturectl_record_options_clear)

G_END_DECLS
