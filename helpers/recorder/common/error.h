/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What went wrong, as it is told to a person: one sentence, and what to do. */
#ifndef RECORDER_ERROR_H
#define RECORDER_ERROR_H

#include "helpers/recorder-protocol.h"

struct recorder_error {
  int code; /* positive errno */
  char text[RECORDER_TEXT_MAX];
};

/* Fills error in and returns -code. */
int recorder_error_set(struct recorder_error *error, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a sentence and a line end to notes (RECORDER_TEXT_MAX bytes); what does not fit is left out, and a
 * sentence that stands there already is not repeated. */
void recorder_notes_add(char *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
