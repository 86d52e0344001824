/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples: whose, what for, and where. */
#include <errno.h>
#include <string.h>

#include "helpers/recorder/recorder-decoder.h"
#include "helpers/recorder/recorder-memory.h"

/* Entries of a callchain from here on are marks, not addresses. */
#define CONTEXT_FIRST ((uint64_t)-4095)

/* What a sample says beside its fixed part: addresses, from the leaf to the root, and its weight. */
struct chain {
  const uint64_t *kernel;
  const uint64_t *user;
  uint32_t n_kernel;
  uint32_t n_user;
  uint64_t weight;
};

static void split_chain(struct chain *chain, const uint64_t *entries, uint64_t count)
{
  const uint64_t **addresses = &chain->kernel;
  uint32_t *n = NULL;
  for (uint64_t i = 0; i < count; i++) {
    if (entries[i] < CONTEXT_FIRST) {
      if (n != NULL)
        (*n)++;
      continue;
    }
    /* The kernel puts no mark behind the user's addresses, but what a program has on its stack may look like
     * one.
     */
    if (n == &chain->n_user)
      return;
    bool user = entries[i] == (uint64_t)PERF_CONTEXT_USER;
    addresses = user ? &chain->user : &chain->kernel;
    n = user ? &chain->n_user : entries[i] == (uint64_t)PERF_CONTEXT_KERNEL ? &chain->n_kernel : NULL;
    if (n != NULL) {
      *addresses = entries + i + 1;
      *n = 0;
    }
  }
}

static int64_t user_frame(struct recorder_decoder *decoder, const struct recorder_process *process,
                          uint64_t address)
{
  const struct recorder_mapping *mapping = recorder_mappings_find(process->mappings, address);
  if (mapping == NULL || mapping->ambiguous || (mapping->binary->key.flags & CAPTURE_BINARY_SPECIAL) != 0)
    return capture_writer_frame(decoder->output->writer, CAPTURE_SPACE_PROCESS, process->id, address);
  return capture_writer_frame(decoder->output->writer, CAPTURE_SPACE_BINARY, mapping->binary->id,
                              address - mapping->start + mapping->offset);
}

/* Sets decoder->frames to those of the addresses. process is NULL for the kernel. */
static int find_frames(struct recorder_decoder *decoder, struct recorder_process *process,
                       const uint64_t *addresses, uint32_t count)
{
  uint32_t epoch = decoder->output->epoch;
  struct recorder_frames *known = process != NULL ? &process->frames : &decoder->kernel.frames;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t frame = recorder_frames_find(known, addresses[i], epoch);
    if (frame == 0) {
      int64_t result = process != NULL ? user_frame(decoder, process, addresses[i])
                                       : capture_writer_frame(decoder->output->writer, CAPTURE_SPACE_KERNEL,
                                                              0, addresses[i]);
      if (result < 0)
        return (int)result;
      frame = (uint32_t)result;
      recorder_frames_store(known, addresses[i], frame, epoch);
    }
    decoder->frames[i] = frame;
  }
  return 0;
}

/* The node of a stack: what it has in common with the one before, from the root on, is taken from the memo.
 */
static int64_t find_stack(struct recorder_decoder *decoder, struct recorder_process *process,
                          struct recorder_memo *memo, const uint64_t *addresses, uint32_t count)
{
  uint32_t serial = process != NULL ? process->serial : 0;
  uint32_t common = recorder_memo_common(memo, decoder->output->epoch, serial, addresses, count);
  uint32_t node = common != 0 ? memo->nodes[common - 1] : 0;
  if (common == count)
    return node;
  int result = find_frames(decoder, process, addresses, count - common);
  if (result < 0)
    return result;
  int64_t leaf =
      capture_writer_path(decoder->output->writer, node, decoder->frames, count - common, decoder->nodes);
  if (leaf > 0)
    recorder_memo_learn(memo, common, addresses, decoder->nodes, count);
  return leaf;
}

/* The node of the sample's stack, 0 for none. */
static int64_t stack_of(struct recorder_decoder *decoder, struct recorder_ring *ring,
                        struct recorder_thread *thread, const struct chain *chain)
{
  int64_t user = 0, kernel = 0;
  if (chain->n_user != 0) {
    if (thread->memo == NULL)
      thread->memo = recorder_allocate(1, sizeof *thread->memo);
    user = find_stack(decoder, thread->process, thread->memo, chain->user, chain->n_user);
    if (user < 0)
      return user;
  }
  if (chain->n_kernel != 0) {
    int result = recorder_kernel_define(&decoder->kernel, &decoder->tasks.binaries, decoder->output);
    kernel = result < 0 ? result : find_stack(decoder, NULL, &ring->memo, chain->kernel, chain->n_kernel);
    if (kernel < 0)
      return kernel;
  }
  return capture_writer_join(decoder->output->writer, (uint32_t)user, (uint32_t)kernel);
}

static uint8_t outcome_of(const struct recorder_decoder *decoder, const struct chain *chain)
{
  const uint32_t both = RECORDER_KERNEL_STACKS | RECORDER_USER_STACKS;
  if ((decoder->source->flags & both) == 0)
    return CAPTURE_OUTCOME_NO_STACK;
  if (chain->n_user + chain->n_kernel >= decoder->source->max_stack)
    return CAPTURE_OUTCOME_TRUNCATED;
  if (chain->n_user == 0 || (decoder->source->flags & RECORDER_USER_STACKS) == 0)
    return CAPTURE_OUTCOME_NO_USER_STACK;
  return CAPTURE_OUTCOME_FRAME_POINTERS;
}

/* Without a callchain of its mode a sample still has its own address. */
static void add_own_address(struct chain *chain, const struct recorder_sample_fixed *sample)
{
  uint16_t mode = sample->header.misc & PERF_RECORD_MISC_CPUMODE_MASK;
  if (mode == PERF_RECORD_MISC_USER && chain->n_user == 0) {
    chain->user = &sample->ip;
    chain->n_user = 1;
  } else if (mode == PERF_RECORD_MISC_KERNEL && chain->n_kernel == 0) {
    chain->kernel = &sample->ip;
    chain->n_kernel = 1;
  }
}

static int write_sample(struct recorder_decoder *decoder, struct recorder_ring *ring,
                        const struct recorder_sample_fixed *sample, struct recorder_thread *thread,
                        uint32_t event, struct chain *chain)
{
  struct recorder_output *output = decoder->output;
  uint8_t outcome = outcome_of(decoder, chain);
  int result = recorder_output_events(output);
  if (result == 0)
    result = recorder_output_thread(output, thread);
  if (result < 0)
    return result;
  add_own_address(chain, sample);
  int64_t leaf = stack_of(decoder, ring, thread, chain);
  if (leaf < 0)
    return (int)leaf;
  struct capture_writer_sample written = {
      .time = sample->time,
      .event = output->event_ids[event],
      .thread = thread->id,
      .leaf = (uint32_t)leaf,
      .cpu = sample->cpu < CAPTURE_CPU_UNKNOWN ? (uint16_t)sample->cpu : CAPTURE_CPU_UNKNOWN,
      .outcome = outcome,
      .mode = sample->header.misc & PERF_RECORD_MISC_CPUMODE_MASK,
      .weight = chain->weight,
  };
  return capture_writer_sample(output->writer, &written);
}

/* What follows the fixed part; false when the record is too short for it. */
static bool read_chain(struct chain *chain, const struct recorder_event_type *event,
                       const struct recorder_sample_fixed *sample)
{
  const uint64_t *next = (const uint64_t *)(sample + 1);
  size_t words = (sample->header.size - sizeof *sample) / sizeof *next;
  *chain = (struct chain){.weight = event->period};
  if (event->frequency != 0) {
    if (words-- == 0)
      return false;
    chain->weight = *next++;
  }
  if (words == 0)
    return true;
  if (*next > words - 1)
    return false;
  split_chain(chain, next + 1, *next);
  return true;
}

/* A task that is being taken down has lost its numbers: it is the one that exited last on this CPU. */
static struct recorder_thread *thread_of(struct recorder_decoder *decoder, const struct recorder_ring *ring,
                                         const struct recorder_sample_fixed *sample)
{
  if (sample->tid == -1 && ring->exited_tid != 0)
    return recorder_tasks_thread(&decoder->tasks, ring->exited_pid, ring->exited_tid);
  return recorder_tasks_thread(&decoder->tasks, sample->pid, sample->tid);
}

void recorder_decoder_sample(struct recorder_decoder *decoder, struct recorder_ring *ring,
                             const struct perf_event_header *record)
{
  const struct recorder_sample_fixed *sample = (const struct recorder_sample_fixed *)record;
  const struct recorder_descriptor *descriptor = recorder_source_find(decoder->source, sample->id);
  struct chain chain;
  if (descriptor == NULL || !read_chain(&chain, &decoder->source->events[descriptor->event], sample)) {
    recorder_output_damaged(decoder->output);
    return;
  }
  if (decoder->targets.count != 0 && recorder_table_find(&decoder->targets, (uint32_t)sample->pid) == NULL)
    return;
  struct recorder_thread *thread = thread_of(decoder, ring, sample);
  if (!recorder_decoder_believes(decoder, thread, descriptor->tid))
    return;
  int result = write_sample(decoder, ring, sample, thread, descriptor->event, &chain);
  if (result == -ENOSPC) {
    recorder_output_next_epoch(decoder->output);
    result = write_sample(decoder, ring, sample, thread, descriptor->event, &chain);
  }
  if (result == 0) {
    decoder->output->samples++;
  } else {
    decoder->output->dropped++;
    decoder->output->lost++;
  }
}
