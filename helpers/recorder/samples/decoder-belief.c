/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/samples/decoder.h"

bool recorder_decoder_believes(const struct recorder_decoder *decoder, struct recorder_thread *thread,
                               int32_t tid)
{
  if ((decoder->source->flags & RECORDER_SYSTEM_WIDE) != 0)
    return true;
  if (thread->source == 0)
    thread->source = (uint32_t)tid;
  return thread->source == (uint32_t)tid;
}
