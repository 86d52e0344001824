/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The way in which user stacks are found: opens a source, its BPF programs and its unwinder in the best way
 * that is permitted. */
#ifndef RECORDER_WAY_H
#define RECORDER_WAY_H

#include "helpers/recorder/samples/decoder.h"

struct recorder_way {
  uint32_t asked;           /* enum recorder_unwind */
  struct recorder_bpf *bpf; /* NULL: none */
};

/* Opens the source, whose fields up to n_targets say what is wanted; what is said of unwinding (unwind, bpf,
 * user_stack, stack_bytes) is filled in. 0 or a negative errno with the error said; notes gets a sentence for
 * each better way that was not permitted. recorder_source_close and recorder_way_close are due in either
 * case, in this order. */
int recorder_way_open(struct recorder_way *way, struct recorder_source *source,
                      const struct recorder_configure *configure, char *notes, struct recorder_error *error);
/* Gives the decoder of that source its unwinder, if it needs one; opener as in recorder_tables_options. 0 or
 * a negative errno with the error said. */
int recorder_way_prepare(struct recorder_way *way, struct recorder_decoder *decoder,
                         struct recorder_opener *opener, struct recorder_error *error);
void recorder_way_close(struct recorder_way *way);

#endif
