/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of StartRecording (docs/dbus.md) that CONFIGURE carries as one bit or one number, for both who
 * send them and who check them: a new switch is a row here, beside its bit in recorder-protocol.h. */
#ifndef RECORDER_OPTIONS_H
#define RECORDER_OPTIONS_H

#include <stdbool.h>

#include "helpers/recorder-protocol.h"

struct recorder_switch {
  const char *name;
  uint32_t flag; /* enum recorder_flags */
  bool is_off;   /* the flag says that the option is false */
};

static const struct recorder_switch recorder_switches[] = {
    {"system-wide", RECORDER_SYSTEM_WIDE, false},       {"children", RECORDER_CHILDREN, false},
    {"enable-on-exec", RECORDER_ENABLE_ON_EXEC, false}, {"command-lines", RECORDER_NO_COMMAND_LINES, true},
    {"interpreter", RECORDER_INTERPRETER, false},
};

/* The flags of a recording that names none of them. */
#define RECORDER_SWITCHES_DEFAULT RECORDER_CHILDREN

/* "unwind", by enum recorder_unwind. */
static const char *const recorder_unwind_words[] = {
    [RECORDER_UNWIND_AUTO] = "auto",     [RECORDER_UNWIND_FRAME_POINTERS] = "fp",
    [RECORDER_UNWIND_TABLES] = "tables", [RECORDER_UNWIND_BPF] = "bpf",
    [RECORDER_UNWIND_NONE] = "none",
};

#endif
