/* SPDX-License-Identifier: BSD-2-Clause */
#include "libcapture/inside/capture-sampler-private.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libcapture/inside/capture-tasks-private.h"

#define NS_PER_S UINT64_C(1000000000)

/* Rounds in search of threads: each finds those that earlier ones' began meanwhile. */
#define SEARCHES_MAX 8

/* Of ordinary calls, and of one in a program's handler that finds the place of a thread which has ended. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const char taken_early[] = "The program handles SIGPROF itself, so it is not sampled from inside.";
static const char taken_late[] =
    "The program has taken SIGPROF for itself while it was sampled; there are no samples from then on.";

static const char too_few_timers[] =
    "Some threads are not sampled: the system gave no timers for them. Raise the limit of pending signals "
    "(ulimit -i).";

/* Signals wait: a handler of the program's must not come to wait for whom it interrupted. */
static void take_lock(sigset_t *ret_mask)
{
  sigset_t all;

  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, ret_mask);
  pthread_mutex_lock(&lock);
}

static void give_lock(const sigset_t *mask)
{
  pthread_mutex_unlock(&lock);
  (void)pthread_sigmask(SIG_SETMASK, mask, NULL);
}

static struct capture_sampler *get_or_create(capture *c)
{
  struct capture_sampler *sampler = capture_sampler_get(c);

  if (sampler)
    return sampler;
  sampler = mmap(NULL, sizeof *sampler, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (sampler == MAP_FAILED)
    return NULL;
  sampler->c = c;
  __atomic_store_n((struct capture_sampler **)&c->sampler, sampler, __ATOMIC_RELEASE);
  return sampler;
}

/* What was asked for here, else by the recording, else what is usual. 0 or -EINVAL. */
static int fill_in_options(struct capture_sampler *sampler, const struct capture_sampler_options *asked)
{
  const struct capture_settings *settings = &sampler->c->settings;
  struct capture_sampler_options *options = &sampler->options;
  size_t size = asked && asked->size < sizeof *options ? asked->size : sizeof *options;

  memset(options, 0, sizeof *options);
  if (asked)
    memcpy(options, asked, size);
  if (options->clock == CAPTURE_SAMPLE_AS_ASKED)
    options->clock =
        settings->flags & CAPTURE_SETTINGS_WALL ? CAPTURE_SAMPLE_WALL_TIME : CAPTURE_SAMPLE_CPU_TIME;
  if (options->frequency == 0)
    options->frequency = settings->frequency ? settings->frequency : CAPTURE_SAMPLER_FREQUENCY;
  if (options->max_stack == 0)
    options->max_stack = settings->max_stack ? settings->max_stack : CAPTURE_SAMPLER_MAX_STACK;
  if (options->max_stack > CAPTURE_FRAMES_MAX)
    options->max_stack = CAPTURE_FRAMES_MAX;
  if (options->frequency > CAPTURE_SAMPLER_FREQUENCY_MAX)
    return -EINVAL;
  sampler->period = NS_PER_S / options->frequency;
  return 0;
}

static int name_event(struct capture_sampler *sampler)
{
  const char *name = sampler->options.clock == CAPTURE_SAMPLE_WALL_TIME ? "wall-time" : "cpu-time";
  uint32_t event = capture_event(sampler->c, name, CAPTURE_EVENT_NANOSECONDS, sampler->period);

  if (event == 0)
    return -ENOSPC;
  atomic_store_explicit(&sampler->c->sampler_event, event, memory_order_relaxed);
  return 0;
}

static bool takes_part(const struct capture_thread *thread)
{
  return atomic_load_explicit(&thread->state, memory_order_acquire) == CAPTURE_THREAD_BEGUN;
}

static void begin_timer(struct capture_sampler *sampler, struct capture_thread *thread)
{
  int r = sampler->runs && !sampler->is_quiet ? capture_timer_begin(sampler, thread) : 0;

  /* With EINVAL the thread has ended meanwhile. */
  if (r == 0 || r == -EINVAL || sampler->is_short_of_timers)
    return;
  sampler->is_short_of_timers = true;
  capture_inside_message(sampler->c, 4, too_few_timers);
}

static void begin_timers(struct capture_sampler *sampler)
{
  for (uint32_t i = 0; i < sampler->c->n_threads; i++) {
    if (takes_part(&sampler->c->threads[i]))
      begin_timer(sampler, &sampler->c->threads[i]);
  }
}

static void end_timers(struct capture_sampler *sampler)
{
  for (uint32_t i = 0; i < sampler->c->n_threads; i++)
    capture_timer_end(sampler, &sampler->c->threads[i]);
}

/* ── Threads that never called in ─────────────────────────────────────────────────────────────────────── */

struct search {
  struct capture_sampler *sampler;
  bool is_news;
};

static bool is_known(const capture *c, pid_t tid)
{
  for (uint32_t i = 0; i < c->n_threads; i++) {
    if (takes_part(&c->threads[i]) && atomic_load_explicit(&c->threads[i].tid, memory_order_relaxed) == tid)
      return true;
  }
  return false;
}

static bool take_thread(pid_t tid, void *data)
{
  struct search *search = data;
  capture *c = search->sampler->c;

  if (is_known(c, tid))
    return true;
  if (!capture_inside_thread_take(c, tid))
    return false;
  search->is_news = true;
  return true;
}

static void find_threads(struct capture_sampler *sampler)
{
  for (int i = 0; i < SEARCHES_MAX; i++) {
    struct search search = {.sampler = sampler};

    if (capture_tasks_each(take_thread, &search) < 0 || !search.is_news)
      return;
  }
}

/* Not with the lock: an entry that is wanted may be that of a thread that has ended, which tells us so. */
static void start_all_threads(struct capture_sampler *sampler)
{
  sigset_t mask;

  find_threads(sampler);
  take_lock(&mask);
  begin_timers(sampler);
  give_lock(&mask);
}

/* ── What ordinary calls tell ─────────────────────────────────────────────────────────────────────────── */

/* Timers are of no use without a recording, and their signals would disturb a program that has taken SIGPROF.
 * A handler could not see to that: ending a timer takes a system call. */
static void look_after(struct capture_sampler *sampler)
{
  bool ours = capture_signal_is_ours();

  if (!sampler->runs || sampler->is_quiet || (ours && capture_is_recording(sampler->c)))
    return;
  sampler->is_quiet = true;
  end_timers(sampler);
  if (!ours)
    capture_inside_message(sampler->c, 4, taken_late);
}

static void on_attend(capture *c)
{
  sigset_t mask;

  take_lock(&mask);
  look_after(capture_sampler_get(c));
  give_lock(&mask);
}

static void on_thread_begin(capture *c, struct capture_thread *thread)
{
  sigset_t mask;

  take_lock(&mask);
  begin_timer(capture_sampler_get(c), thread);
  give_lock(&mask);
}

static void on_thread_end(capture *c, struct capture_thread *thread)
{
  sigset_t mask;

  take_lock(&mask);
  capture_timer_end(capture_sampler_get(c), thread);
  look_after(capture_sampler_get(c));
  give_lock(&mask);
}

/* Whoever held it is gone. */
static void free_lock_in_child(void)
{
  lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

/* Timers are not inherited. Of the parent's threads there is but this one. */
static void on_forked(capture *c)
{
  struct capture_sampler *sampler = capture_sampler_get(c);

  for (uint32_t i = 0; i < c->n_threads; i++) {
    atomic_store_explicit(&c->threads[i].timer_runs, false, memory_order_relaxed);
    c->threads[i].sampler_data[CAPTURE_SAMPLER_TURN] = 0;
  }
  sampler->is_quiet = false;
  sampler->pid = getpid();
  look_after(sampler);
  begin_timers(sampler);
}

static void sampler_stop(struct capture_sampler *sampler)
{
  if (!sampler || !sampler->runs)
    return;
  sampler->runs = false;
  end_timers(sampler);
  if (!capture_signal_remove(sampler) && !sampler->is_quiet)
    capture_inside_message(sampler->c, 4, taken_late);
}

static void on_close(capture *c)
{
  struct capture_sampler *sampler = capture_sampler_get(c);
  sigset_t mask;

  take_lock(&mask);
  sampler_stop(sampler);
  atomic_store_explicit(&c->hooks, NULL, memory_order_release);
  __atomic_store_n(&c->sampler, NULL, __ATOMIC_RELEASE);
  give_lock(&mask);
  munmap(sampler, sizeof *sampler);
}

static const struct capture_inside_hooks hooks = {.attend = on_attend,

                                                  .thread_begin = on_thread_begin,
                                                  .thread_end = on_thread_end,
                                                  .forked = on_forked,
                                                  .close = on_close};

/* ── The public calls ─────────────────────────────────────────────────────────────────────────────────── */

/* With a lock that a child of fork can use; the lock is held. */
static struct capture_sampler *get_or_create_once(capture *c)
{
  static bool watches_forks;

  if (!watches_forks)
    watches_forks = pthread_atfork(NULL, NULL, free_lock_in_child) == 0;
  return watches_forks ? get_or_create(c) : NULL;
}

static int sampler_start(struct capture_sampler *sampler, const struct capture_sampler_options *options)
{
  capture *c = sampler->c;
  int r;

  if (sampler->runs)
    return -EALREADY;
  r = fill_in_options(sampler, options);
  if (r == 0)
    r = name_event(sampler);
  if (r == 0)
    r = capture_maps_read(&sampler->maps);
  if (r == 0)
    r = capture_signal_install(sampler);
  if (r == -EBUSY)
    capture_inside_message(c, 4, taken_early);
  if (r < 0)
    return r;
  sampler->runs = true;
  sampler->is_quiet = sampler->is_short_of_timers = false;
  sampler->pid = getpid();
  atomic_store_explicit(&c->hooks, &hooks, memory_order_release);
  begin_timers(sampler);
  return 0;
}

int capture_sampler_start(capture *c, const struct capture_sampler_options *options)
{
  struct capture_sampler *sampler;
  bool all_threads;
  sigset_t mask;
  int r = -ENOMEM;

  if (!c)
    return 0;
  if (c->socket >= 0 && (c->settings.flags & CAPTURE_SETTINGS_SAMPLE) == 0)
    return -ECANCELED;
  (void)capture_inside_thread(c); /* now: to find a place for this thread may take the lock */
  take_lock(&mask);
  sampler = get_or_create_once(c);
  if (sampler)
    r = sampler_start(sampler, options);
  all_threads = r == 0 && sampler->options.all_threads;
  give_lock(&mask);
  if (all_threads)
    start_all_threads(sampler);
  return r;
}

void capture_sampler_stop(capture *c)
{
  sigset_t mask;

  if (!c)
    return;
  take_lock(&mask);
  sampler_stop(capture_sampler_get(c));
  give_lock(&mask);
}
