/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples: the sampler's, and those that a runtime takes itself. */
#include <errno.h>

#include "libcapture/inside/capture-inside-private.h"

static uint32_t entry_size_needed(const struct capture_windows *w, uint32_t event, uint64_t weight,
                                  bool has_detail)
{
  const struct capture_inside_window *window = &w->samples[event];
  uint32_t size = w->entry_min[event] ? w->entry_min[event] : 16;

  if (has_detail)
    return 32;
  if (size == 16 && window->slot.header && weight != window->weight)
    return 24;
  return size;
}

static bool has_room(const struct capture_inside_window *window, uint32_t entry_size, uint64_t now)
{
  return window->slot.header && window->entry_size == entry_size &&
         entry_size <= window->slot.capacity - window->used && now - window->time_first <= UINT32_MAX;
}

static bool open_samples(capture *c, struct capture_windows *w, uint32_t event, uint64_t weight)
{
  struct capture_inside_window *window = &w->samples[event];
  const uint32_t entry_size = w->entry_min[event];
  const struct capture_window_header fill = {.kind = CAPTURE_WINDOW_SAMPLES,
                                             .epoch = w->epoch,
                                             .event = (uint16_t)capture_inside_event_id(c, w, event),
                                             .entry_size = (uint16_t)entry_size,
                                             .time_first = w->now,
                                             .weight = entry_size == 16 ? weight : 0};

  return fill.event != 0 && capture_inside_open(c, window, &fill);
}

static bool write_entry(capture *c, struct capture_windows *w, uint32_t event,
                        const struct capture_sample *sample, bool has_detail)
{
  struct capture_inside_window *window = &w->samples[event];
  struct capture_sample entry = *sample;

  w->entry_min[event] = entry_size_needed(w, event, sample->weight, has_detail);
  if (!has_room(window, w->entry_min[event], w->now) && !open_samples(c, w, event, sample->weight))
    return false;
  entry.time = (uint32_t)(w->now - window->time_first);
  memcpy(window->slot.content + window->used, &entry, window->entry_size);
  window->used += window->entry_size;
  window->time_last = w->now;
  capture_inside_commit_window(c, window);
  return true;
}

static uint32_t leaf_of(capture *c, struct capture_windows *w, struct capture_thread *thread, uint32_t count)
{
  bool full;
  uint32_t leaf = capture_inside_path(c, w, thread, w->frames, count, &full);

  if (leaf == 0 && full && capture_inside_next_epoch(c, w))
    leaf = capture_inside_path(c, w, thread, w->frames, count, &full);
  return leaf;
}

static bool write_sample(capture *c, struct capture_windows *w, struct capture_thread *thread, uint32_t event,
                         const struct capture_inside_sample *sample)
{
  struct capture_sample entry = {.cpu = CAPTURE_CPU_UNKNOWN,
                                 .outcome = sample->outcome,
                                 .mode = CAPTURE_MODE_USER,
                                 .weight = sample->weight ? sample->weight : c->events[event].period,
                                 .detail = sample->detail};

  if (sample->count > 0) {
    entry.leaf = leaf_of(c, w, thread, sample->count);
    if (entry.leaf == 0)
      return false;
  }
  if (thread) {
    entry.thread = capture_inside_thread_id(c, w, thread);
    if (entry.thread == 0)
      return false;
  }
  return write_entry(c, w, event, &entry, sample->has_detail);
}

/* 0: there is no such event. */
static uint32_t find_event(const capture *c, uint32_t asked)
{
  uint32_t event = asked ? asked : atomic_load_explicit(&c->sampler_event, memory_order_relaxed);

  return event <= atomic_load_explicit(&c->n_events, memory_order_acquire) ? event : 0;
}

bool capture_inside_sample(capture *c, struct capture_windows *w, struct capture_thread *thread,
                           const struct capture_inside_sample *sample)
{
  uint32_t event = find_event(c, sample->event);

  if (event == 0)
    return false;
  if (write_sample(c, w, thread, event, sample))
    return true;
  capture_inside_lost(c, event, 1);
  return false;
}

static struct capture_inside_stack *inside_sample_inside(struct capture_stack *stack)
{
  return (struct capture_inside_stack *)stack->opaque;
}

int capture_sample_begin(capture *c, struct capture_stack *stack,
                         const struct capture_sample_options *options)
{
  struct capture_inside_stack *in = inside_sample_inside(stack);
  struct capture_windows *w;
  int saved_errno = errno;
  uint32_t event;
  bool lost;

  in->c = NULL;
  if (!c)
    return -ENOTCONN;
  event = find_event(c, options->event);
  if (event == 0)
    return -EINVAL;
  memset(in, 0, sizeof *in);
  in->thread = capture_inside_thread(c);
  errno = saved_errno;
  w = capture_inside_enter(c, in->thread, &lost);
  if (!w) {
    if (lost)
      capture_inside_lost(c, event, 1);
    return lost ? -EAGAIN : -ENOTCONN;
  }
  in->c = c;
  in->w = w;
  in->max = CAPTURE_FRAMES_MAX;
  in->ucontext = options->ucontext;
  in->sample = (struct capture_inside_sample){.event = event,
                                              .outcome = CAPTURE_OUTCOME_COMPLETE,
                                              .has_detail = options->detail != 0,
                                              .weight = options->weight,
                                              .detail = options->detail};
  return 0;
}

void capture_sample_end(struct capture_stack *stack)
{
  struct capture_inside_stack *in = inside_sample_inside(stack);
  capture *c = in->c;
  int saved_errno = errno;

  if (!c)
    return;
  in->c = NULL;
  in->sample.count = in->count;
  capture_inside_sample(c, in->w, in->thread, &in->sample);
  capture_inside_leave(c, in->w);
  capture_inside_catch_up(c);
  errno = saved_errno;
}
