/* SPDX-License-Identifier: BSD-2-Clause */
#include "libcapture/file/capture-sink.h"

static int sink_claim(capture_sink *sink, const struct capture_window_header *fill, struct capture_slot *slot)
{
  return capture_pool_claim(sink->data, fill, slot);
}

static void sink_commit(capture_sink *sink, struct capture_slot *slot, uint32_t length)
{
  capture_pool_commit(sink->data, slot, length);
}

static int sink_close(capture_sink *sink, struct capture_slot *slot)
{
  capture_pool_close(sink->data, slot);
  return 0;
}

void capture_sink_init_pool(capture_sink *sink, capture_pool *pool)
{
  *sink = (capture_sink){.claim = sink_claim, .commit = sink_commit, .close = sink_close, .data = pool};
}
