/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/samples/decoder.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/common/memory.h"

#define RECORD(kind, type_)                                                                                  \
  {                                                                                                          \
    .size = sizeof(kind), .type = (type_)                                                                    \
  }

void recorder_decoder_init(struct recorder_decoder *decoder, struct recorder_output *output,
                           const struct recorder_source *source)
{
  *decoder = (struct recorder_decoder){
      .output = output, .source = source, .eager = (source->flags & RECORDER_SYSTEM_WIDE) == 0};
  recorder_tasks_init(&decoder->tasks);
  recorder_table_init(&decoder->targets);
  decoder->frames = recorder_allocate(RECORDER_STACK_MAX, sizeof *decoder->frames);
  decoder->nodes = recorder_allocate(RECORDER_STACK_MAX, sizeof *decoder->nodes);
  decoder->addresses = recorder_allocate(WALK_FRAMES_MAX, sizeof *decoder->addresses);
  decoder->expanded = recorder_allocate(RECORDER_EXPANDED_MAX, sizeof *decoder->expanded);
  recorder_held_init(&decoder->held);
  recorder_misses_init(&decoder->misses);
  recorder_functions_init(&decoder->functions);
  decoder->off_cpu = UINT32_MAX;
  for (uint32_t i = 0; i < source->n_events; i++)
    if (source->events[i].off_cpu)
      decoder->off_cpu = i;
  if ((source->flags & (RECORDER_SYSTEM_WIDE | RECORDER_CHILDREN)) != 0)
    return;
  for (uint32_t i = 0; i < source->n_targets; i++)
    recorder_table_set(&decoder->targets, (uint32_t)source->targets[i], decoder);
}

static void decoder_forget(struct recorder_process *process, void *data)
{
  recorder_unwinder_forget(data, process);
}

void recorder_decoder_set_unwinder(struct recorder_decoder *decoder, struct recorder_unwinder *unwinder)
{
  decoder->unwinder = unwinder;
  decoder->tasks.forget = decoder_forget;
  decoder->tasks.forget_data = unwinder;
}

void recorder_decoder_clear(struct recorder_decoder *decoder)
{
  recorder_decoder_drop_held(decoder);
  recorder_misses_clear(&decoder->misses);
  recorder_functions_clear(&decoder->functions);
  recorder_kernel_clear(&decoder->kernel, &decoder->tasks.binaries);
  recorder_tasks_clear(&decoder->tasks);
  if (decoder->unwinder != NULL)
    recorder_unwinder_free(decoder->unwinder);
  recorder_table_clear(&decoder->targets);
  free(decoder->frames);
  free(decoder->nodes);
  free(decoder->addresses);
  free(decoder->expanded);
}

/* The event's identifier in the stream, 0 when it is not known. */
static uint32_t event_of(struct recorder_decoder *decoder, uint64_t id)
{
  const struct recorder_descriptor *descriptor = recorder_source_find(decoder->source, id);
  return descriptor != NULL && recorder_output_events(decoder->output) == 0
             ? decoder->output->event_ids[descriptor->event]
             : 0;
}

static void decoder_lost(struct recorder_decoder *decoder, struct recorder_ring *ring,
                         const struct perf_event_header *record)
{
  const uint64_t *words = (const uint64_t *)(record + 1); /* id, lost */
  if (record->size < sizeof *record + 16 + sizeof(struct recorder_trailer)) {
    recorder_output_damaged(decoder->output);
    return;
  }
  uint64_t raws = recorder_source_lost_raws(decoder->source, ring, words[1]);
  recorder_raws_drop(&ring->raws);
  if (words[1] == raws)
    return;
  ring->lost += words[1] - raws;
  recorder_tasks_doubt(&decoder->tasks, ring->time);
  recorder_output_lost(decoder->output, ring->time, 0, words[1] - raws, ring->cpu, 0);
}

static void lost_samples(struct recorder_decoder *decoder, struct recorder_ring *ring,
                         const struct perf_event_header *record)
{
  const uint64_t *words = (const uint64_t *)(record + 1); /* lost */
  if (record->size < sizeof *record + 8 + sizeof(struct recorder_trailer)) {
    recorder_output_damaged(decoder->output);
    return;
  }
  uint32_t event = event_of(decoder, recorder_trailer(record)->id);
  recorder_output_lost(decoder->output, ring->time, words[0], 0, ring->cpu, event);
}

static void decoder_throttle(struct recorder_decoder *decoder, struct recorder_ring *ring,
                             const struct perf_event_header *record)
{
  const uint64_t *words = (const uint64_t *)(record + 1); /* time, id, stream id */
  if (record->size < sizeof *record + 24 + sizeof(struct recorder_trailer)) {
    recorder_output_damaged(decoder->output);
    return;
  }
  struct capture_record_throttle throttled = {
      .record = RECORD(struct capture_record_throttle, CAPTURE_RECORD_THROTTLE),
      .time = ring->time,
      .event = event_of(decoder, words[1]),
      .cpu = ring->cpu,
      .on = record->type == PERF_RECORD_THROTTLE,
  };
  decoder->output->throttled += throttled.on;
  recorder_output_record(decoder->output, &throttled.record, ring->time);
}

void recorder_decoder_record(struct recorder_decoder *decoder, struct recorder_ring *ring,
                             const struct perf_event_header *record)
{
  if (decoder->unwinder != NULL)
    recorder_unwinder_reach(decoder->unwinder, ring->time);
  switch (record->type) {
  case PERF_RECORD_SAMPLE:
    recorder_decoder_sample(decoder, ring, record);
    break;
  case PERF_RECORD_MMAP2:
  case PERF_RECORD_COMM:
  case PERF_RECORD_FORK:
  case PERF_RECORD_EXIT:
  case PERF_RECORD_KSYMBOL:
    recorder_decoder_task(decoder, ring, record);
    break;
  case PERF_RECORD_LOST:
    decoder_lost(decoder, ring, record);
    break;
  case PERF_RECORD_LOST_SAMPLES:
    lost_samples(decoder, ring, record);
    break;
  case PERF_RECORD_THROTTLE:
  case PERF_RECORD_UNTHROTTLE:
    decoder_throttle(decoder, ring, record);
    break;
  default:
    break;
  }
}
