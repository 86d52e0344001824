/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time off the CPU: each record that a BPF program left of it becomes a sample. */
#include <string.h>

#include "helpers/recorder/samples/decoder.h"

_Static_assert((int)RECORDER_RAW_PREEMPTED == (int)CAPTURE_OFF_CPU_PREEMPTED &&
                   (int)RECORDER_RAW_SLEEPING == (int)CAPTURE_OFF_CPU_SLEEPING &&
                   (int)RECORDER_RAW_BLOCKED == (int)CAPTURE_OFF_CPU_BLOCKED &&
                   (int)RECORDER_RAW_IO == (int)CAPTURE_OFF_CPU_IO &&
                   (int)RECORDER_RAW_STOPPED == (int)CAPTURE_OFF_CPU_STOPPED,
               "reasons are the capture's");

#define LATE UINT64_C(100000) /* ns */

static bool is_whole(const struct recorder_raw *raw, uint32_t size)
{
  const struct recorder_raw_off_cpu *off = (const void *)(raw + 1);
  if (size < sizeof *raw + sizeof *off || raw->count > (size - sizeof *raw - sizeof *off) / sizeof(uint64_t))
    return false;
  return (uint32_t)off->n_kernel + off->n_user + off->n_waker_kernel + off->n_waker_user <= raw->count &&
         off->pid > 0 && off->tid > 0;
}

static bool is_whole_miss(const struct recorder_raw *raw, uint32_t size)
{
  size_t least = sizeof *raw + sizeof(struct recorder_raw_registers);
  return size >= least && raw->count <= size - least;
}

/* Points to the record's addresses. */
static void set_stacks(struct recorder_sample *sample, const struct recorder_raw_off_cpu *off)
{
  const uint64_t *addresses = (const uint64_t *)(off + 1);
  sample->kernel = addresses;
  sample->n_kernel = off->n_kernel;
  sample->user = sample->kernel + off->n_kernel;
  sample->n_user = off->n_user;
  if (off->waking != RECORDER_RAW_BY_THREAD)
    return;
  sample->waker = (struct recorder_waker){
      .pid = off->waker_pid,
      .tid = off->waker_tid > 0 ? off->waker_tid : 0,
      .kernel = sample->user + off->n_user,
      .user = sample->user + off->n_user + off->n_waker_kernel,
      .n_kernel = off->n_waker_kernel,
      .n_user = off->n_waker_user,
  };
}

static struct recorder_miss *find_miss(struct recorder_decoder *decoder, const struct recorder_raw *raw,
                                       enum recorder_raw_kind kind, int32_t tid)
{
  return recorder_misses_take(&decoder->misses, kind, tid, (uint64_t)raw->ip[1] << 32 | raw->ip[0]);
}

/* A waker's tables are not waited for: without them its stack is that of the kernel. */
static void complete_waker(struct recorder_decoder *decoder, struct recorder_sample *sample,
                           const struct recorder_raw *raw)
{
  struct recorder_sample of_waker = {0};
  struct recorder_miss *miss = find_miss(decoder, raw, RECORDER_RAW_WAKER_MISS, sample->waker.tid);
  if (miss == NULL)
    return;
  struct recorder_thread *thread =
      recorder_tasks_thread(&decoder->tasks, sample->waker.pid, sample->waker.tid);
  recorder_unwinder_update(decoder->unwinder, thread->process, decoder->eager);
  recorder_sample_set_miss(&of_waker, recorder_miss_raw(miss));
  of_waker.start.in_kernel = true;
  if (recorder_decoder_walk(decoder, &of_waker, thread->process)) {
    uint32_t count =
        of_waker.n_user < RECORDER_RAW_OFF_WAKER_USER ? of_waker.n_user : RECORDER_RAW_OFF_WAKER_USER;
    memcpy(decoder->waker_addresses, of_waker.user, count * sizeof *of_waker.user);
    sample->waker.user = decoder->waker_addresses;
    sample->waker.n_user = count;
  }
  recorder_miss_free(miss);
}

/* False: the sample is held back, and is written later. */
static bool decoder_off_cpu_complete(struct recorder_decoder *decoder, struct recorder_sample *sample,
                                     struct recorder_thread *thread, const struct recorder_raw *raw)
{
  struct recorder_miss *miss = find_miss(decoder, raw, RECORDER_RAW_OFF_CPU_MISS, thread->tid);
  if (miss == NULL) {
    sample->outcome = CAPTURE_OUTCOME_LOST;
    return true;
  }
  recorder_sample_set_miss(sample, recorder_miss_raw(miss));
  sample->start.in_kernel = true;
  bool found = recorder_decoder_walk_or_hold(decoder, sample, thread);
  recorder_miss_free(miss);
  return found;
}

static uint8_t outcome_of(const struct recorder_decoder *decoder, const struct recorder_raw *raw)
{
  const uint32_t both = RECORDER_KERNEL_STACKS | RECORDER_USER_STACKS;
  if (raw->end != 0)
    return recorder_decoder_outcome(raw->end);
  return (decoder->source->flags & both) == 0 ? CAPTURE_OUTCOME_NO_STACK : CAPTURE_OUTCOME_NO_USER_STACK;
}

/* Records are in the order of the time at which they were left, which is when the thread came back. Where
 * that went unnoticed at first it is earlier. */
static uint64_t time_of(const struct recorder_raw *raw, uint64_t left)
{
  const struct recorder_raw_off_cpu *off = (const void *)(raw + 1);
  uint64_t back = ((uint64_t)raw->ip[1] << 32 | raw->ip[0]) + off->duration;
  return left > back && left - back > LATE ? back : left;
}

static void decoder_off_cpu_take(struct recorder_decoder *decoder, struct recorder_memo *kernel_memo,
                                 uint64_t time, uint16_t cpu, const struct recorder_raw *raw)
{
  const struct recorder_raw_off_cpu *off = (const void *)(raw + 1);
  struct recorder_thread *thread = recorder_tasks_thread(&decoder->tasks, off->pid, off->tid);
  struct recorder_sample sample = {
      .time = time_of(raw, time),
      .weight = off->duration,
      .event = decoder->off_cpu,
      .cpu = cpu,
      .mode = CAPTURE_MODE_KERNEL,
      .outcome = outcome_of(decoder, raw),
      .detail = CAPTURE_OFF_CPU(off->reason & 0x7f, 0, 0),
  };
  set_stacks(&sample, off);
  if (off->waking == RECORDER_RAW_BY_INTERRUPT)
    sample.detail |= CAPTURE_OFF_CPU_BY_INTERRUPT;
  if (decoder->unwinder != NULL) {
    recorder_unwinder_update(decoder->unwinder, thread->process, decoder->eager);
    recorder_unwinder_touch(decoder->unwinder, thread->process, sample.user, sample.n_user);
    if (off->waker_end == WALK_MISSED)
      complete_waker(decoder, &sample, raw);
    if (raw->end == WALK_MISSED && !decoder_off_cpu_complete(decoder, &sample, thread, raw))
      return;
  }
  recorder_decoder_write(decoder, &sample, thread, kernel_memo, NULL);
}

bool recorder_decoder_off_cpu(struct recorder_decoder *decoder, struct recorder_ring *ring,
                              const struct recorder_sample_fixed *record, const struct recorder_raw *raw,
                              uint32_t size)
{
  if (decoder->off_cpu == UINT32_MAX || size < sizeof *raw)
    return false;
  if (raw->kind == RECORDER_RAW_OFF_CPU && is_whole(raw, size))
    decoder_off_cpu_take(decoder, &ring->memo, record->time, (uint16_t)ring->cpu, raw);
  else if ((raw->kind == RECORDER_RAW_OFF_CPU_MISS || raw->kind == RECORDER_RAW_WAKER_MISS) &&
           is_whole_miss(raw, size))
    recorder_misses_add(&decoder->misses, record->tid, raw, size);
  else
    return false;
  return true;
}

void recorder_decoder_off_cpu_rest(struct recorder_decoder *decoder, uint64_t time,
                                   const struct recorder_raw *raw, uint32_t size)
{
  if (size >= sizeof *raw && raw->kind == RECORDER_RAW_OFF_CPU && is_whole(raw, size))
    decoder_off_cpu_take(decoder, NULL, time, CAPTURE_CPU_UNKNOWN, raw);
  else
    recorder_output_damaged(decoder->output);
}
