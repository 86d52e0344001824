/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The step from a full epoch to the next one. There are tables for two: those of odd and of even epochs. The
 * next epoch takes those of the one before this, and so must wait until nobody is in that any more; who finds
 * that it must wait loses a sample instead.
 */
#include "libcapture/inside/capture-inside-private.h"

static void inside_epoch_move(capture *c, struct capture_windows *w, uint32_t epoch)
{
  capture_inside_close_windows(c, w);
  w->epoch = epoch;
  w->tables = c->tables[epoch & 1];
}

void capture_inside_clear_tables(struct capture_inside_tables *tables)
{
  capture_keys_clear(&tables->spaces);
  capture_keys_clear(&tables->frames);
  capture_keys_clear(&tables->nodes);
  atomic_store(&tables->strings, 0);
  atomic_store(&tables->binaries, 0);
  atomic_store(&tables->processes, 0);
  atomic_store(&tables->threads, 0);
  atomic_store(&tables->events, 0);
  atomic_store(&tables->counters, 0);
}

bool capture_inside_define_all(capture *c, struct capture_windows *w)
{
  uint32_t events = atomic_load_explicit(&c->n_events, memory_order_acquire);
  uint32_t counters = atomic_load_explicit(&c->n_counters, memory_order_acquire);

  if (!capture_inside_process_id(c, w))
    return false;
  for (uint32_t i = 1; i <= events; i++) {
    if (!capture_inside_event_id(c, w, i))
      return false;
  }
  for (uint32_t i = 1; i <= counters; i++) {
    if (!capture_inside_counter_id(c, w, i))
      return false;
  }
  return true;
}

/* Fills the next epoch's dictionary with what there is to be one of, before anyone can be in it. */
static bool inside_epoch_prepare(capture *c, struct capture_windows *w, uint32_t epoch)
{
  if (c->prepared != epoch)
    capture_inside_clear_tables(c->tables[epoch & 1]);
  c->prepared = epoch; /* a second try goes on from what the first has defined */
  inside_epoch_move(c, w, epoch);
  if (capture_inside_define_all(c, w))
    return true;
  inside_epoch_move(c, w, epoch - 1);
  return false;
}

/* The one whose tables the next epoch takes; the first two take nobody's. */
static bool is_left(capture *c, uint32_t epoch)
{
  return epoch == 0 || !capture_inside_is_anyone_in(c, epoch);
}

static bool inside_epoch_begin(capture *c, struct capture_windows *w, uint32_t epoch)
{
  bool done = false;

  if (atomic_exchange(&c->switching, true))
    return false;
  if (atomic_load(&c->epoch) != epoch - 1) {
    done = true;
  } else if (is_left(c, epoch - 2) && inside_epoch_prepare(c, w, epoch)) {
    atomic_store(&c->epoch, epoch);
    capture_inside_mark_pending(c, CAPTURE_PENDING_MAPPINGS);
    done = true;
  }
  atomic_store(&c->switching, false);
  return done;
}

bool capture_inside_next_epoch(capture *c, struct capture_windows *w)
{
  if (atomic_load(&c->epoch) == w->epoch && !inside_epoch_begin(c, w, w->epoch + 1))
    return false;
  capture_inside_pin(c, w);
  return true;
}
