/* SPDX-License-Identifier: BSD-2-Clause */
/* Events and counters: few, registered by ordinary calls that may wait for each other. */
#include "libcapture/inside/capture-inside-private.h"

static uint32_t own_text(capture *c, const char *text)
{
  return text && *text
             ? capture_names_text(&c->names, text, capture_inside_length(text, CAPTURE_NAME_LENGTH_MAX), true)
             : 0;
}

/* In this epoch; whoever begins another one defines them there. */
static void inside_register_define(capture *c)
{
  bool lost;
  struct capture_windows *w = capture_inside_enter(c, capture_inside_thread(c), &lost);

  if (!w)
    return;
  capture_inside_define_all(c, w);
  capture_inside_leave(c, w);
}

static uint32_t find_or_add_event(capture *c, const struct capture_inside_event *wanted)
{
  uint32_t n = atomic_load(&c->n_events);

  for (uint32_t i = 1; i <= n; i++) {
    if (c->events[i].name == wanted->name)
      return i;
  }
  if (n == CAPTURE_EVENTS_MAX)
    return 0;
  c->events[n + 1].name = wanted->name;
  c->events[n + 1].unit = wanted->unit;
  c->events[n + 1].period = wanted->period;
  atomic_store(&c->n_events, n + 1);
  inside_register_define(c);
  return n + 1;
}

uint32_t capture_event(capture *c, const char *name, enum capture_event_unit unit, uint64_t period)
{
  struct capture_inside_event wanted = {.unit = unit, .period = period};
  uint32_t event;

  if (!c || unit > CAPTURE_EVENT_BYTES)
    return 0;
  wanted.name = own_text(c, name);
  if (wanted.name == 0)
    return 0;
  pthread_mutex_lock(&c->registering);
  event = find_or_add_event(c, &wanted);
  pthread_mutex_unlock(&c->registering);
  return event;
}

static uint32_t find_or_add_counter(capture *c, const struct capture_inside_counter *wanted)
{
  uint32_t n = atomic_load(&c->n_counters);
  struct capture_inside_counter *added = &c->counters[n + 1];

  for (uint32_t i = 1; i <= n; i++) {
    if (c->counters[i].category == wanted->category && c->counters[i].name == wanted->name)
      return i;
  }
  if (n == CAPTURE_COUNTERS_MAX)
    return 0;
  added->category = wanted->category;
  added->name = wanted->name;
  added->description = wanted->description;
  added->unit = wanted->unit;
  added->kind = wanted->kind;
  atomic_store(&c->n_counters, n + 1);
  inside_register_define(c);
  return n + 1;
}

uint32_t capture_counter(capture *c, const struct capture_counter_options *options)
{
  struct capture_inside_counter wanted;
  uint32_t counter;

  if (!c || !options || options->kind > CAPTURE_COUNTER_TOTAL)
    return 0;
  wanted = (struct capture_inside_counter){.category = own_text(c, options->category),
                                           .name = own_text(c, options->name),
                                           .description = own_text(c, options->description),
                                           .unit = own_text(c, options->unit),
                                           .kind = options->kind};
  if (wanted.name == 0)
    return 0;
  pthread_mutex_lock(&c->registering);
  counter = find_or_add_counter(c, &wanted);
  pthread_mutex_unlock(&c->registering);
  return counter;
}
