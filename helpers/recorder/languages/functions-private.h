/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was told of a function. */
#ifndef RECORDER_FUNCTIONS_PRIVATE_H
#define RECORDER_FUNCTIONS_PRIVATE_H

#include "helpers/recorder/languages/functions.h"

struct recorder_function {
  uint32_t line;
  uint16_t version;
  uint8_t kind; /* enum unwind_runtime_kind */
  uint8_t form; /* enum recorder_raw_form */
  uint16_t lines_size;
  uint16_t name_size;
  uint16_t file_size;
  uint16_t reserved;
  char bytes[]; /* lines (at a multiple of 8), name, file */
};

#endif
