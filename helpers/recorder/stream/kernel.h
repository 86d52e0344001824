/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel as far as a stream tells of it: where its text and its modules stand, and symbols that come and
 * go. */
#ifndef RECORDER_KERNEL_H
#define RECORDER_KERNEL_H

#include "helpers/recorder/stream/output.h"
#include "helpers/recorder/tasks/frames.h"
#include "helpers/recorder/tasks/mappings.h"

struct recorder_kernel_symbol {
  struct capture_record_kernel_symbol record; /* without the string */
  char *name;
};

struct recorder_kernel {
  struct recorder_frames frames;
  struct recorder_mappings *mappings;
  bool known;                             /* mappings were looked up */
  uint32_t epoch;                         /* in which all of this was defined */
  struct recorder_kernel_symbol *symbols; /* repeated in each epoch, those that were taken back, too */
  uint32_t n_symbols;
  uint32_t n_defined; /* symbols that stand in `epoch` */
  uint32_t capacity;
};

/* Looks up what takes rights that the recorder gives up. Once, before that. */
void recorder_kernel_look_ahead(void);
void recorder_kernel_clear(struct recorder_kernel *kernel, struct recorder_binaries *binaries);
/* Remembers a symbol that came or went. */
void recorder_kernel_add_symbol(struct recorder_kernel *kernel,
                                const struct capture_record_kernel_symbol *record, const char *name);
/* Defines what the epoch lacks; as the functions of output.h. */
int recorder_kernel_define(struct recorder_kernel *kernel, struct recorder_binaries *binaries,
                           struct recorder_output *output);

#endif
