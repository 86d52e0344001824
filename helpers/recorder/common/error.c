/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/common/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int recorder_error_set(struct recorder_error *error, int code, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  error->code = code;
  return -code;
}

void recorder_notes_add(char *notes, const char *format, ...)
{
  char sentence[RECORDER_TEXT_MAX];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(sentence, sizeof sentence, format, arguments);
  va_end(arguments);
  size_t used = strlen(notes);
  size_t length = strlen(sentence);
  if (strstr(notes, sentence) != NULL || used + length + 2 > RECORDER_TEXT_MAX)
    return;
  memcpy(notes + used, sentence, length);
  memcpy(notes + used + length, "\n", 2);
}
