/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples: whose, what for, and where. */
#include "helpers/recorder/samples/decoder.h"

/* A task that is being taken down has lost its numbers: it is the one that exited last on this CPU. */
static struct recorder_thread *thread_of(struct recorder_decoder *decoder, const struct recorder_ring *ring,
                                         const struct recorder_sample_fixed *sample)
{
  if (sample->tid == -1 && ring->exited_tid != 0)
    return recorder_tasks_thread(&decoder->tasks, ring->exited_pid, ring->exited_tid);
  return recorder_tasks_thread(&decoder->tasks, sample->pid, sample->tid);
}

/* What a BPF program left: a record of its own, or the stack of the sample that comes next. */
static void take_raw(struct recorder_decoder *decoder, struct recorder_ring *ring,
                     const struct recorder_sample_fixed *record)
{
  const uint32_t *part = (const uint32_t *)(record + 1);
  size_t room = record->header.size - sizeof *record;
  const struct recorder_raw *raw = (const struct recorder_raw *)(part + 1);
  bool whole = room >= sizeof *part && *part <= room - sizeof *part && *part >= sizeof *raw;
  if (whole && raw->kind == RECORDER_RAW_FUNCTION)
    whole = recorder_functions_add(&decoder->functions, raw, *part);
  else
    whole = whole && (recorder_decoder_off_cpu(decoder, ring, record, raw, *part) ||
                      recorder_raws_push(&ring->raws, record->tid, record->ip, part, *part));
  if (!whole)
    recorder_output_damaged(decoder->output);
}

/* The caller may know no other addresses than his own. */
static void keep_user_part(struct recorder_sample *sample)
{
  sample->n_kernel = 0;
  if (sample->mode != CAPTURE_MODE_USER)
    sample->ip = 0;
}

void recorder_decoder_sample(struct recorder_decoder *decoder, struct recorder_ring *ring,
                             const struct perf_event_header *header)
{
  const struct recorder_sample_fixed *record = (const struct recorder_sample_fixed *)header;
  const struct recorder_descriptor *descriptor = recorder_source_find(decoder->source, record->id);
  struct recorder_sample sample;
  if (descriptor != NULL && descriptor->event == RECORDER_EVENT_RAW) {
    take_raw(decoder, ring, record);
    return;
  }
  if (descriptor == NULL || !recorder_sample_read(&sample, decoder->source, descriptor->event, record)) {
    recorder_output_damaged(decoder->output);
    return;
  }
  const struct recorder_raw *raw = recorder_raws_take(&ring->raws, record->tid, record->ip);
  if ((decoder->source->flags & RECORDER_OWN) != 0)
    keep_user_part(&sample);
  if (decoder->targets.count != 0 && recorder_table_find(&decoder->targets, (uint32_t)record->pid) == NULL)
    return;
  struct recorder_thread *thread = thread_of(decoder, ring, record);
  if (recorder_decoder_believes(decoder, thread, descriptor->tid) &&
      recorder_decoder_unwind(decoder, &sample, thread, raw))
    recorder_decoder_write(decoder, &sample, thread, &ring->memo, NULL);
}
