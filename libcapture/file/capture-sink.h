/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a capture_writer puts its windows: a pool in shared memory, or a file (importers). */
#ifndef CAPTURE_SINK_H
#define CAPTURE_SINK_H

#include "libcapture/pool/capture-pool.h"

typedef struct capture_sink capture_sink;
struct capture_sink {
  /* As capture_pool_claim, commit, close. claim returns -EAGAIN when the caller may try later. */
  int (*claim)(capture_sink *sink, const struct capture_window_header *fill, struct capture_slot *slot);
  void (*commit)(capture_sink *sink, struct capture_slot *slot, uint32_t length);
  /* May return a negative errno (a file that cannot be written); the slot is forgotten either way. */
  int (*close)(capture_sink *sink, struct capture_slot *slot);
  void *data;
};

/* A sink over a pool; the pool must outlive it. */
void capture_sink_init_pool(capture_sink *sink, capture_pool *pool);

#endif
