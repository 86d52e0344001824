/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A collector for tests: what an output commits is kept in a capture in memory. */
#ifndef RECORDER_KEPT_H
#define RECORDER_KEPT_H

#include "libcapture/file/capture-file.h"
#include "libcapture/pool/capture-pool.h"

struct kept {
  capture_tap *tap;
  capture_file *file;
  int fd; /* of the capture, for loaded_read */
};

void kept_open(struct kept *kept, capture_pool *pool);
/* Takes what is committed. */
void kept_collect(struct kept *kept);
void kept_clear(struct kept *kept);

#endif
