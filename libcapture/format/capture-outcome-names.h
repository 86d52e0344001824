/* SPDX-License-Identifier: BSD-2-Clause */
/* The words for enum capture_outcome that programs read: in JSON, over D-Bus, on the command line. */
#ifndef CAPTURE_OUTCOME_NAMES_H
#define CAPTURE_OUTCOME_NAMES_H

#include "libcapture/format/capture-format-file.h"

static const char *const capture_outcome_names[] = {
    [CAPTURE_OUTCOME_UNKNOWN] = "unknown",
    [CAPTURE_OUTCOME_COMPLETE] = "complete",
    [CAPTURE_OUTCOME_FRAME_POINTERS] = "frame-pointers",
    [CAPTURE_OUTCOME_TRUNCATED] = "truncated",
    [CAPTURE_OUTCOME_NO_USER_STACK] = "no-user-stack",
    [CAPTURE_OUTCOME_NO_TABLE] = "no-table",
    [CAPTURE_OUTCOME_UNREADABLE] = "unreadable",
    [CAPTURE_OUTCOME_NOT_RESIDENT] = "not-resident",
    [CAPTURE_OUTCOME_BAD_FRAME] = "bad-frame",
    [CAPTURE_OUTCOME_UNSUPPORTED] = "unsupported",
    [CAPTURE_OUTCOME_NO_STACK] = "no-stack",
    [CAPTURE_OUTCOME_LOST] = "lost",
    [CAPTURE_OUTCOME_LATE] = "late",
};

#endif
