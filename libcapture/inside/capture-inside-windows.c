/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of windows: who borrows one, and what is written there. */
#include "libcapture/inside/capture-inside-private.h"

#if defined __has_include
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#define HAS_RSEQ 1
#endif
#endif

/* When no window is free, idle ones are looked for with the first try, and then with every so many. */
#define FAILURES_A_LOOK 64u

void capture_inside_commit_window(capture *c, struct capture_inside_window *window)
{
  struct capture_slot *slot = &window->slot;

  if (!slot->header || slot->committed == window->used)
    return;
  /* Before the length, with which the consumer takes them. */
  __atomic_store_n(&slot->header->time_first, window->time_first, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->header->time_last, window->time_last, __ATOMIC_RELAXED);
  capture_pool_commit(c->pool, slot, window->used);
}

static void close_window(capture *c, struct capture_inside_window *window)
{
  if (!window->slot.header)
    return;
  capture_inside_commit_window(c, window);
  capture_pool_close(c->pool, &window->slot);
}

void capture_inside_close_windows(capture *c, struct capture_windows *w)
{
  close_window(c, &w->dictionary);
  close_window(c, &w->records);
  for (uint32_t i = 0; i <= CAPTURE_EVENTS_MAX; i++)
    close_window(c, &w->samples[i]);
}

void capture_inside_close_idle(capture *c)
{
  for (uint32_t i = 0; i < c->n_windows; i++) {
    struct capture_windows *w = &c->windows[i];
    uint32_t free = 0;

    if (!atomic_compare_exchange_strong(&w->inside, &free, atomic_load(&c->epoch)))
      continue;
    capture_inside_close_windows(c, w);
    atomic_store_explicit(&w->inside, 0, memory_order_release);
  }
}

bool capture_inside_open(capture *c, struct capture_inside_window *window,
                         const struct capture_window_header *fill)
{
  close_window(c, window);
  if (capture_pool_claim(c->pool, fill, &window->slot) < 0) {
    window->slot.header = NULL;
    /* The consumer has more to take, and so more to release, when nobody keeps a window half full. But to
     * look for those costs more than all else that a loss does. */
    if (atomic_fetch_add_explicit(&c->n_failed, 1, memory_order_relaxed) % FAILURES_A_LOOK == 0)
      capture_inside_close_idle(c);
    return false;
  }
  atomic_store_explicit(&c->n_failed, 0, memory_order_relaxed);
  if (c->tap && capture_pool_free_windows(c->pool) <= c->window_count / 2)
    atomic_store_explicit(&c->drain_wanted, true, memory_order_relaxed);
  window->used = 0;
  window->entry_size = fill->entry_size;
  window->time_first = window->time_last = fill->time_first;
  window->weight = fill->weight;
  return true;
}

static bool inside_windows_reserve(capture *c, struct capture_inside_window *window, uint32_t size,
                                   const struct capture_window_header *fill)
{
  if (window->slot.header && size <= window->slot.capacity - window->used)
    return true;
  return capture_inside_open(c, window, fill) && size <= window->slot.capacity;
}

static void *inside_windows_take(struct capture_inside_window *window, uint32_t size)
{
  void *at = window->slot.content + window->used;

  window->used += size;
  return memset(at, 0, size);
}

void *capture_inside_dictionary(capture *c, struct capture_windows *w, uint32_t size)
{
  const struct capture_window_header fill = {.kind = CAPTURE_WINDOW_DICTIONARY, .epoch = w->epoch};

  return inside_windows_reserve(c, &w->dictionary, size, &fill) ? inside_windows_take(&w->dictionary, size)
                                                                : NULL;
}

void capture_inside_commit_dictionary(capture *c, struct capture_windows *w)
{
  capture_inside_commit_window(c, &w->dictionary);
}

void capture_inside_drop_dictionary(struct capture_windows *w)
{
  w->dictionary.used = w->dictionary.slot.committed;
}

void *capture_inside_records(capture *c, struct capture_windows *w, uint32_t size, uint64_t time)
{
  const struct capture_window_header fill = {
      .kind = CAPTURE_WINDOW_RECORDS, .epoch = w->epoch, .time_first = time};

  if (!inside_windows_reserve(c, &w->records, size, &fill))
    return NULL;
  if (w->records.time_last < time)
    w->records.time_last = time;
  return inside_windows_take(&w->records, size);
}

void capture_inside_commit_records(capture *c, struct capture_windows *w)
{
  capture_inside_commit_window(c, &w->records);
}

/* An epoch counts as entered only if it was still the latest after everyone could see the entry: whoever
 * begins the next but one looks at the entries after the next one has begun. */
void capture_inside_pin(capture *c, struct capture_windows *w)
{
  uint32_t epoch = atomic_load(&w->inside);
  uint32_t latest;

  while ((latest = atomic_load(&c->epoch)) != epoch) {
    atomic_store(&w->inside, latest);
    epoch = latest;
  }
  if (w->epoch != epoch) {
    capture_inside_close_windows(c, w);
    w->epoch = epoch;
    w->tables = c->tables[epoch & 1];
  }
}

bool capture_inside_is_anyone_in(capture *c, uint32_t epoch)
{
  for (uint32_t i = 0; i < c->n_windows; i++) {
    if (atomic_load(&c->windows[i].inside) == epoch)
      return true;
  }
  return false;
}

/* Each processor has a favourite, so that as many are open as there are processors at work; where the kernel
 * does not keep a thread's processor in its memory, each thread has one. */
static uint32_t favourite_of(const capture *c, const struct capture_thread *thread)
{
#ifdef HAS_RSEQ
  if (__rseq_size > 0) {
    const struct rseq *own = (const struct rseq *)((const char *)__builtin_thread_pointer() + __rseq_offset);
    uint32_t cpu = __atomic_load_n(&own->cpu_id, __ATOMIC_RELAXED);

    if ((int32_t)cpu >= 0)
      return cpu;
  }
#endif
  return thread ? (uint32_t)(thread - c->threads) : 0;
}

static struct capture_windows *inside_windows_borrow(capture *c, uint32_t favourite)
{
  for (uint32_t i = 0; i < c->n_windows; i++) {
    struct capture_windows *w = &c->windows[(favourite + i) & (c->n_windows - 1)];
    uint32_t free = 0;

    if (atomic_compare_exchange_strong(&w->inside, &free, atomic_load(&c->epoch)))
      return w;
  }
  return NULL;
}

struct capture_windows *capture_inside_enter(capture *c, const struct capture_thread *thread, bool *ret_lost)
{
  struct capture_windows *w = NULL;
  bool open = capture_inside_is_open(c);

  if (open)
    w = inside_windows_borrow(c, favourite_of(c, thread));
  *ret_lost = open && !w;
  if (w) {
    capture_inside_pin(c, w);
    w->now = capture_time();
  }
  return w;
}

void capture_inside_leave(capture *c, struct capture_windows *w)
{
  if (__builtin_expect(atomic_load_explicit(&c->pending, memory_order_relaxed) & ~CAPTURE_PENDING_STALE, 0))
    capture_inside_see_to_pending(c, w);
  atomic_store_explicit(&w->inside, 0, memory_order_release);
}
