/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sample with all that is known of it into the stream: its detail, its frames and its stacks. */
#include <errno.h>
#include <string.h>

#include "helpers/common/memory.h"
#include "helpers/recorder/samples/decoder.h"
#include "helpers/recorder/stream/names.h"
#include "unwind/walk/walk-types.h"

_Static_assert(CAPTURE_OUTCOME_LATE < RECORDER_OUTCOMES, "each outcome is counted");

/* By what the addresses of a stack are understood, and what is remembered of it. */
struct place {
  struct recorder_process *process; /* NULL: the kernel */
  struct recorder_mappings *mappings;
  struct recorder_frames *frames; /* NULL: nothing is remembered, nor is memo */
  struct recorder_memo *memo;
  uint32_t serial;
};

static int64_t user_frame(struct recorder_decoder *decoder, const struct place *place, uint64_t address)
{
  struct recorder_output *output = decoder->output;
  const struct recorder_process *process = place->process;
  if (WALK_IS_WORD(address))
    return recorder_functions_frame(&decoder->functions, output, process, address);
  const struct recorder_mapping *mapping = recorder_mappings_find(place->mappings, address);
  if (mapping != NULL && mapping->ambiguous && output->names != NULL)
    recorder_names_add(output->names, mapping->binary, address - mapping->start + mapping->offset);
  if (mapping == NULL || mapping->ambiguous || (mapping->binary->key.flags & CAPTURE_BINARY_SPECIAL) != 0)
    return capture_writer_frame(output->writer, CAPTURE_SPACE_PROCESS, process->id, address);
  /* A sample that waited may be of a mapping that was gone when this epoch began. */
  int result =
      mapping->binary->epoch == output->epoch ? 0 : recorder_output_mapping(output, process, mapping);
  return result < 0 ? result
                    : capture_writer_frame(output->writer, CAPTURE_SPACE_BINARY, mapping->binary->id,
                                           address - mapping->start + mapping->offset);
}

static int64_t find_frame(struct recorder_decoder *decoder, const struct place *place, uint64_t address)
{
  return place->process != NULL
             ? user_frame(decoder, place, address)
             : capture_writer_frame(decoder->output->writer, CAPTURE_SPACE_KERNEL, 0, address);
}

/* A function of a language may be in a sample on one processor before another one has told its name. */
static bool is_known(const struct recorder_decoder *decoder, const struct place *place, uint64_t address)
{
  return place->process == NULL || !WALK_IS_WORD(address) ||
         recorder_functions_know(&decoder->functions, address);
}

/* Sets decoder->frames to those of the addresses. *ret_is_final: they will be the same another time. */
static int find_frames(struct recorder_decoder *decoder, const struct place *place, const uint64_t *addresses,
                       uint32_t count, bool *ret_is_final)
{
  uint32_t epoch = decoder->output->epoch;
  *ret_is_final = true;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t frame = place->frames != NULL ? recorder_frames_find(place->frames, addresses[i], epoch) : 0;
    if (frame == 0) {
      int64_t result = find_frame(decoder, place, addresses[i]);
      if (result < 0)
        return (int)result;
      frame = (uint32_t)result;
      bool is_final = is_known(decoder, place, addresses[i]);
      *ret_is_final &= is_final;
      if (place->frames != NULL && is_final)
        recorder_frames_store(place->frames, addresses[i], frame, epoch);
    }
    decoder->frames[i] = frame;
  }
  return 0;
}

/* The node of a stack: what it has in common with the one before, from the root on, is taken from the memo.
 */
static int64_t find_stack(struct recorder_decoder *decoder, const struct place *place,
                          const uint64_t *addresses, uint32_t count)
{
  struct recorder_memo *memo = place->memo;
  uint32_t common =
      memo != NULL ? recorder_memo_common(memo, decoder->output->epoch, place->serial, addresses, count) : 0;
  uint32_t node = common != 0 ? memo->nodes[common - 1] : 0;
  if (common == count)
    return node;
  bool is_final;
  int result = find_frames(decoder, place, addresses, count - common, &is_final);
  if (result < 0)
    return result;
  int64_t leaf =
      capture_writer_path(decoder->output->writer, node, decoder->frames, count - common, decoder->nodes);
  if (leaf > 0 && memo != NULL && is_final)
    recorder_memo_learn(memo, common, addresses, decoder->nodes, count);
  return leaf;
}

/* How many addresses stand before the first frame of a language. */
static uint32_t before_words(const uint64_t *addresses, uint32_t count)
{
  uint32_t n = 0;
  while (n < count && !WALK_IS_WORD(addresses[n]))
    n++;
  return n;
}

static int64_t user_stack(struct recorder_decoder *decoder, const uint64_t *addresses, uint32_t count,
                          struct recorder_thread *thread, const struct recorder_layout *layout)
{
  struct recorder_process *process = thread->process;
  uint32_t n = before_words(addresses, count);
  /* Where the kernel follows frame pointers, it takes what a program has on its stack for an address. */
  if (decoder->unwinder == NULL)
    count = n;
  else if (n < count && count <= RECORDER_EXPANDED_MAX) {
    count = recorder_functions_expand(&decoder->functions, addresses, count, decoder->expanded,
                                      RECORDER_EXPANDED_MAX);
    addresses = decoder->expanded;
  }
  if (count == 0)
    return 0;
  if (layout != NULL) {
    struct place then = {.process = process, .mappings = recorder_layout_mappings(layout)};
    return find_stack(decoder, &then, addresses, count);
  }
  if (thread->memo == NULL)
    thread->memo = recorder_allocate(1, sizeof *thread->memo);
  struct place now = {process, process->mappings, &process->frames, thread->memo, process->serial};
  return find_stack(decoder, &now, addresses, count);
}

static int64_t kernel_stack(struct recorder_decoder *decoder, const uint64_t *addresses, uint32_t count,
                            struct recorder_memo *memo)
{
  if (count == 0)
    return 0;
  int result = recorder_kernel_define(&decoder->kernel, &decoder->tasks.binaries, decoder->output);
  if (result < 0)
    return result;
  struct place place = {.frames = &decoder->kernel.frames, .memo = memo};
  return find_stack(decoder, &place, addresses, count);
}

/* Without a callchain of its mode a sample still has its own address. */
static void add_own_address(struct recorder_sample *sample)
{
  if (sample->ip == 0)
    return;
  if (sample->mode == CAPTURE_MODE_USER && sample->n_user == 0) {
    sample->user = &sample->ip;
    sample->n_user = 1;
  } else if (sample->mode == CAPTURE_MODE_KERNEL && sample->n_kernel == 0) {
    sample->kernel = &sample->ip;
    sample->n_kernel = 1;
  }
}

/* The node of both stacks; 0: none. */
static int64_t join_stacks(struct recorder_decoder *decoder, int64_t user, int64_t kernel)
{
  if (user < 0 || kernel < 0)
    return user < 0 ? user : kernel;
  return capture_writer_join(decoder->output->writer, (uint32_t)user, (uint32_t)kernel);
}

/* Completes the detail by who woke the thread. */
static int find_detail(struct recorder_decoder *decoder, const struct recorder_sample *sample,
                       uint64_t *ret_detail)
{
  const struct recorder_waker *waker = &sample->waker;
  *ret_detail = sample->detail;
  if (waker->tid == 0)
    return 0;
  struct recorder_thread *thread = recorder_tasks_thread(&decoder->tasks, waker->pid, waker->tid);
  int result = recorder_output_thread(decoder->output, thread);
  if (result < 0)
    return result;
  int64_t leaf = join_stacks(decoder, user_stack(decoder, waker->user, waker->n_user, thread, NULL),
                             kernel_stack(decoder, waker->kernel, waker->n_kernel, NULL));
  if (leaf < 0)
    return (int)leaf;
  *ret_detail |= CAPTURE_OFF_CPU(0, thread->id, leaf);
  return 0;
}

static int write_sample(struct recorder_decoder *decoder, struct recorder_sample *sample,
                        struct recorder_thread *thread, struct recorder_memo *kernel_memo,
                        const struct recorder_layout *layout)
{
  struct recorder_output *output = decoder->output;
  int result = recorder_output_events(output);
  if (result == 0)
    result = recorder_output_thread(output, thread);
  if (result < 0)
    return result;
  int64_t leaf = join_stacks(decoder, user_stack(decoder, sample->user, sample->n_user, thread, layout),
                             kernel_stack(decoder, sample->kernel, sample->n_kernel, kernel_memo));
  uint64_t detail = 0;
  result = leaf < 0 ? (int)leaf : find_detail(decoder, sample, &detail);
  if (result < 0)
    return result;
  struct capture_writer_sample written = {
      .time = sample->time,
      .event = output->event_ids[sample->event],
      .thread = thread->id,
      .leaf = (uint32_t)leaf,
      .cpu = sample->cpu,
      .outcome = sample->outcome,
      .mode = sample->mode,
      .weight = sample->weight,
      .detail = detail,
      .has_detail = detail != 0,
  };
  return capture_writer_sample(output->writer, &written);
}

void recorder_decoder_write(struct recorder_decoder *decoder, struct recorder_sample *sample,
                            struct recorder_thread *thread, struct recorder_memo *kernel_memo,
                            const struct recorder_layout *layout)
{
  add_own_address(sample);
  int result = write_sample(decoder, sample, thread, kernel_memo, layout);
  if (result == -ENOSPC) {
    recorder_output_next_epoch(decoder->output);
    result = write_sample(decoder, sample, thread, kernel_memo, layout);
  }
  if (result == 0) {
    decoder->output->samples++;
    decoder->output->outcomes[sample->outcome & ~CAPTURE_OUTCOME_BY_FRAME_POINTERS]++;
  } else {
    decoder->output->dropped++;
    decoder->output->lost++;
  }
}
