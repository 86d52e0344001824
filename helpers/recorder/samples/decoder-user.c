/* SPDX-License-Identifier: GPL-3.0-or-later */
/* User stacks of samples: from where they come, how they ended, and the samples that wait for tables. */
#include <linux/perf_event.h>

#include "helpers/recorder/samples/decoder.h"

/* How long, and with how much memory, samples wait for tables. */
#define PATIENCE UINT64_C(2000000000)
#define HELD_MAX ((size_t)128 << 20)
/* Each delivery of late samples takes a window of its own, so they are gathered. */
#define DELIVERY_PERIOD UINT64_C(25000000)
/* One in so many samples tells which tables are in use. */
#define TOUCH_EVERY 16

_Static_assert((int)WALK_COMPLETE == (int)CAPTURE_OUTCOME_COMPLETE &&
                   (int)WALK_FRAME_POINTERS == (int)CAPTURE_OUTCOME_FRAME_POINTERS &&
                   (int)WALK_TRUNCATED == (int)CAPTURE_OUTCOME_TRUNCATED &&
                   (int)WALK_NO_TABLE == (int)CAPTURE_OUTCOME_NO_TABLE &&
                   (int)WALK_UNREADABLE == (int)CAPTURE_OUTCOME_UNREADABLE &&
                   (int)WALK_NOT_RESIDENT == (int)CAPTURE_OUTCOME_NOT_RESIDENT &&
                   (int)WALK_BAD_FRAME == (int)CAPTURE_OUTCOME_BAD_FRAME &&
                   (int)WALK_UNSUPPORTED == (int)CAPTURE_OUTCOME_UNSUPPORTED &&
                   (int)WALK_END_BY_FRAME_POINTERS == (int)CAPTURE_OUTCOME_BY_FRAME_POINTERS,
               "ends of walks are outcomes");

/* A walk that still misses something, though no table is to come, met an address that nothing is known of. */
uint8_t recorder_decoder_outcome(uint32_t end)
{
  if (end == WALK_MISSED)
    return CAPTURE_OUTCOME_NO_TABLE;
  return (end & ~(uint32_t)WALK_END_BY_FRAME_POINTERS) <= WALK_UNSUPPORTED ? (uint8_t)end
                                                                           : CAPTURE_OUTCOME_UNKNOWN;
}

static uint8_t outcome_of_chain(const struct recorder_decoder *decoder, const struct recorder_sample *sample)
{
  if (sample->n_user + sample->n_kernel >= decoder->source->max_stack)
    return CAPTURE_OUTCOME_TRUNCATED;
  return sample->n_user != 0 ? CAPTURE_OUTCOME_FRAME_POINTERS : CAPTURE_OUTCOME_NO_USER_STACK;
}

static uint8_t outcome_of_none(const struct recorder_decoder *decoder)
{
  return (decoder->source->flags & RECORDER_KERNEL_STACKS) != 0 ? CAPTURE_OUTCOME_NO_USER_STACK
                                                                : CAPTURE_OUTCOME_NO_STACK;
}

/* Looks for what no record told of; true when that changed what is known. */
static bool look_again(struct recorder_decoder *decoder, struct recorder_process *process)
{
  struct recorder_tasks *tasks = &decoder->tasks;
  if (process->unwound.looked || recorder_table_find(&tasks->processes, (uint32_t)process->pid) != process)
    return false;
  recorder_tasks_look_again(tasks, process);
  recorder_unwinder_looked(decoder->unwinder, process);
  return true;
}

/* Walks; *layout is replaced when the process had to be looked at again. False: a table is pending. */
static bool decoder_user_walk(struct recorder_decoder *decoder, struct recorder_sample *sample,
                              struct recorder_process *process, struct recorder_layout **layout)
{
  enum recorder_unwinder_answer answer;
  enum walk_end end;
  uint32_t count;
  for (;;) {
    answer = recorder_unwinder_walk(decoder->unwinder, process, *layout, &sample->start, decoder->addresses,
                                    decoder->source->user_stack, &count, &end);
    if (answer != RECORDER_UNWIND_OUTSIDE || !look_again(decoder, process))
      break;
    recorder_layout_release(*layout);
    *layout = recorder_unwinder_layout(decoder->unwinder, process);
  }
  sample->user = decoder->addresses;
  sample->n_user = count;
  bool late = answer == RECORDER_UNWIND_LATER;
  sample->outcome = late ? CAPTURE_OUTCOME_LATE : recorder_decoder_outcome(end);
  return !late;
}

static void decoder_user_deliver(struct recorder_decoder *decoder, struct recorder_held *held)
{
  recorder_decoder_write(decoder, &held->sample, &held->thread, NULL, held->layout);
  recorder_layout_release(held->layout);
  recorder_tasks_release(&decoder->tasks, held->thread.process);
  recorder_held_free(&decoder->held, held);
}

/* The table did not come in time: what there is of the stack. */
static void give_up_first(struct recorder_decoder *decoder)
{
  struct recorder_held *held = recorder_held_take(&decoder->held, &decoder->held.first);
  decoder_user_walk(decoder, &held->sample, held->thread.process, &held->layout);
  decoder_user_deliver(decoder, held);
}

/* Takes over the reference to the layout. */
static void decoder_user_hold(struct recorder_decoder *decoder, const struct recorder_sample *sample,
                              struct recorder_thread *thread, struct recorder_layout *layout)
{
  /* Now there is still a process to ask for its command line. */
  recorder_output_thread(decoder->output, thread);
  thread->process->references++;
  recorder_held_push(&decoder->held, sample, thread, layout, recorder_unwinder_awaited(decoder->unwinder));
  while (decoder->held.memory.size > HELD_MAX)
    give_up_first(decoder);
}

bool recorder_decoder_walk(struct recorder_decoder *decoder, struct recorder_sample *sample,
                           struct recorder_process *process)
{
  struct recorder_layout *layout = recorder_unwinder_layout(decoder->unwinder, process);
  bool found = decoder_user_walk(decoder, sample, process, &layout);
  recorder_layout_release(layout);
  return found;
}

bool recorder_decoder_walk_or_hold(struct recorder_decoder *decoder, struct recorder_sample *sample,
                                   struct recorder_thread *thread)
{
  struct recorder_layout *layout = recorder_unwinder_layout(decoder->unwinder, thread->process);
  bool found = decoder_user_walk(decoder, sample, thread->process, &layout);
  if (found)
    recorder_layout_release(layout);
  else
    decoder_user_hold(decoder, sample, thread, layout);
  return found;
}

/* Amid an exec, or near its end, a process has registers, but not the stack that they tell of. */
static bool is_stack_gone(const struct recorder_sample *sample)
{
  return sample->start.in_kernel && sample->start.size == 0;
}

static bool take_raw(struct recorder_decoder *decoder, struct recorder_sample *sample,
                     struct recorder_thread *thread, const struct recorder_raw *raw)
{
  struct recorder_unwinder *unwinder = decoder->unwinder;
  sample->outcome = raw == NULL ? CAPTURE_OUTCOME_LOST : CAPTURE_OUTCOME_NO_USER_STACK;
  if (raw == NULL || raw->kind == RECORDER_RAW_NONE)
    return true;
  recorder_unwinder_update(unwinder, thread->process, decoder->eager);
  if (raw->kind == RECORDER_RAW_MISS) {
    recorder_unwinder_missed(unwinder, thread->process);
    recorder_sample_set_miss(sample, raw);
    return is_stack_gone(sample) || recorder_decoder_walk_or_hold(decoder, sample, thread);
  }
  sample->user = recorder_raw_frames(raw);
  sample->n_user = raw->count;
  sample->outcome = recorder_decoder_outcome(raw->end);
  bool all = decoder->output->samples % TOUCH_EVERY == 0;
  recorder_unwinder_touch(unwinder, thread->process, sample->user, all ? sample->n_user : 0);
  return true;
}

static bool take_copy(struct recorder_decoder *decoder, struct recorder_sample *sample,
                      struct recorder_thread *thread)
{
  if (sample->abi == PERF_SAMPLE_REGS_ABI_NONE || is_stack_gone(sample)) {
    sample->outcome = CAPTURE_OUTCOME_NO_USER_STACK;
    return true;
  }
  if (sample->abi != PERF_SAMPLE_REGS_ABI_64) {
    sample->outcome = CAPTURE_OUTCOME_UNSUPPORTED;
    return true;
  }
  return recorder_decoder_walk_or_hold(decoder, sample, thread);
}

bool recorder_decoder_unwind(struct recorder_decoder *decoder, struct recorder_sample *sample,
                             struct recorder_thread *thread, const struct recorder_raw *raw)
{
  bool found = true;
  switch (decoder->source->unwind) {
  case RECORDER_UNWIND_BPF:
    found = take_raw(decoder, sample, thread, raw);
    break;
  case RECORDER_UNWIND_TABLES:
    found = take_copy(decoder, sample, thread);
    break;
  case RECORDER_UNWIND_FRAME_POINTERS:
    sample->outcome = outcome_of_chain(decoder, sample);
    break;
  default:
    sample->outcome = outcome_of_none(decoder);
    break;
  }
  uint8_t how = sample->outcome & CAPTURE_OUTCOME_BY_FRAME_POINTERS;
  if (sample->outcome == (CAPTURE_OUTCOME_COMPLETE | how) && sample->n_kernel >= decoder->source->max_stack)
    sample->outcome = CAPTURE_OUTCOME_TRUNCATED | how;
  return found;
}

void recorder_decoder_expect(struct recorder_decoder *decoder, int32_t pid)
{
  struct recorder_thread *thread = recorder_tasks_thread(&decoder->tasks, pid, pid);
  if (decoder->unwinder != NULL)
    recorder_unwinder_update(decoder->unwinder, thread->process, true);
}

/* Tries those that wait; those whose tables came, else those that waited too long. */
static void deliver_held(struct recorder_decoder *decoder, uint64_t now)
{
  bool tables_came = decoder->tables_came;
  struct recorder_held **place = &decoder->held.first;
  decoder->tables_came = false;
  decoder->delivery_due = now + DELIVERY_PERIOD;
  while (*place != NULL) {
    struct recorder_held *held = *place;
    bool late = now > held->sample.time && now - held->sample.time > PATIENCE;
    if (!late && !tables_came)
      return;
    bool pending = held->awaited != NULL && held->awaited->table != NULL &&
                   held->awaited->table->state == RECORDER_TABLE_PENDING;
    if ((late || !pending) &&
        (decoder_user_walk(decoder, &held->sample, held->thread.process, &held->layout) || late)) {
      decoder_user_deliver(decoder, recorder_held_take(&decoder->held, place));
      continue;
    }
    if (!pending)
      held->awaited = recorder_unwinder_awaited(decoder->unwinder);
    place = &held->next;
  }
}

void recorder_decoder_serve(struct recorder_decoder *decoder, uint64_t now)
{
  if (decoder->unwinder == NULL)
    return;
  decoder->tables_came |= recorder_unwinder_serve(decoder->unwinder);
  if (now >= decoder->delivery_due)
    deliver_held(decoder, now);
  recorder_unwinder_publish(decoder->unwinder);
}

void recorder_decoder_drop_held(struct recorder_decoder *decoder)
{
  while (decoder->held.count != 0)
    give_up_first(decoder);
  recorder_held_clear(&decoder->held);
}
