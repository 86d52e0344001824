/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "libcapture/inside/capture-preload-private.h"
#include "libcapture/inside/capture-sampler-private.h"
#include "libcapture/inside/capture-stack-private.h"
#include "libcapture/inside/capture-tasks-private.h"

/* How long a removal waits for threads that have been interrupted in the handler. */
#define DRAIN_STEPS   2000
#define DRAIN_STEP_NS 500000L

/* The one that has the signal. Only one can, in a process. */
static struct capture_sampler *_Atomic current;

static void take_sample(struct capture_sampler *sampler, struct capture_thread *thread, uint64_t ticks,
                        const void *ucontext)
{
  struct capture_stack stack = {{0}};
  struct capture_inside_stack *in = (struct capture_inside_stack *)(void *)&stack;
  capture *c = sampler->c;
  bool is_lost = false;
  struct capture_windows *w = capture_inside_enter(c, thread, &is_lost);

  if (!w) {
    if (is_lost)
      capture_inside_lost(c, atomic_load_explicit(&c->sampler_event, memory_order_relaxed), 1);
    return;
  }
  *in = (struct capture_inside_stack){
      .c = c, .w = w, .thread = thread, .ucontext = ucontext, .max = sampler->options.max_stack};
  in->sample.weight = ticks * sampler->period;
  if (sampler->options.stack) {
    in->sample.outcome = CAPTURE_OUTCOME_COMPLETE; /* as far as the runtime says */
    sampler->options.stack(&stack, ucontext, sampler->options.stack_data);
  } else {
    capture_stack_add_shadow(in);
    capture_stack_add_native(in);
  }
  in->sample.count = in->count;
  if (in->count == 0)
    in->sample.outcome = CAPTURE_OUTCOME_NO_STACK;
  (void)capture_inside_sample(c, w, thread, &in->sample);
  capture_inside_leave(c, w);
}

static const struct sigaction by_default = {.sa_handler = SIG_DFL};

/* As the kernel calls a handler: with the signals blocked that it asks for, until ours returns. */
static void signal_call(const struct sigaction *action, int number, siginfo_t *info, void *ucontext)
{
  if ((action->sa_flags & SA_RESETHAND) != 0)
    (void)capture_sampler_swap_action(&by_default, NULL);
  (void)pthread_sigmask(SIG_BLOCK, &action->sa_mask, NULL);
  if ((action->sa_flags & SA_SIGINFO) != 0)
    action->sa_sigaction(number, info, ucontext);
  else
    action->sa_handler(number);
}

/* Somebody else's SIGPROF does what it would have done. */
static void pass_on(struct capture_sampler *sampler, int number, siginfo_t *info, void *ucontext)
{
  struct sigaction action;

  if (!sampler)
    return;
  (void)atomic_fetch_add_explicit(&sampler->passed_on, 1, memory_order_relaxed);
  action = sampler->actions[atomic_load_explicit(&sampler->action, memory_order_acquire)];
  if ((action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_DFL) {
    /* Which ends the program, as soon as this handler returns. */
    (void)sigaction(SIGPROF, &by_default, NULL);
    (void)syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), SIGPROF);
  } else if ((action.sa_flags & SA_SIGINFO) != 0 || action.sa_handler != SIG_IGN) {
    signal_call(&action, number, info, ucontext);
  }
}

static void signal_handle(int number, siginfo_t *info, void *ucontext)
{
  struct capture_sampler *sampler = atomic_load_explicit(&current, memory_order_acquire);
  int saved = errno;
  uint32_t index, turn;

  if (info->si_code != SI_TIMER ||
      !capture_sampler_parse_value((uintptr_t)info->si_value.sival_ptr, &index, &turn)) {
    pass_on(sampler, number, info, ucontext);
  } else if (sampler && index < sampler->c->n_threads) {
    struct capture_thread *thread = &sampler->c->threads[index];

    /* A timer that has ended may have left a signal behind. */
    if (__atomic_load_n(&thread->sampler_data[CAPTURE_SAMPLER_TURN], __ATOMIC_ACQUIRE) == turn)
      take_sample(sampler, thread, 1 + (uint64_t)(info->si_overrun > 0 ? info->si_overrun : 0), ucontext);
  }
  errno = saved;
}

bool capture_signal_is_ours(void)
{
  struct sigaction now;

  return sigaction(SIGPROF, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
         now.sa_sigaction == signal_handle;
}

/* Whose action it was. -EBUSY when somebody handles it. */
static int find_before(struct sigaction *ret)
{
  if (sigaction(SIGPROF, NULL, ret) < 0)
    return -errno;
  return (ret->sa_flags & SA_SIGINFO) != 0 || (ret->sa_handler != SIG_DFL && ret->sa_handler != SIG_IGN)
             ? -EBUSY
             : 0;
}

int capture_signal_install(struct capture_sampler *sampler)
{
  struct sigaction action = {.sa_sigaction = signal_handle, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
  const struct capture_sampler *other = atomic_load_explicit(&current, memory_order_acquire);
  int r = 0;

  if (other && other->pid == getpid())
    return -EALREADY;
  (void)sigemptyset(&action.sa_mask);
  if (other) /* the parent's, whose handler a child of fork has inherited */
    sampler->actions[0] = other->actions[atomic_load_explicit(&other->action, memory_order_acquire)];
  else
    r = find_before(&sampler->actions[0]);
  if (r < 0)
    return r;
  atomic_store_explicit(&sampler->action, 0, memory_order_relaxed);
  atomic_store_explicit(&current, sampler, memory_order_release);
  return sigaction(SIGPROF, &action, NULL) < 0 ? -errno : 0;
}

static void signal_swap(struct capture_sampler *sampler, const struct sigaction *action,
                        struct sigaction *ret_old)
{
  uint32_t now = atomic_load_explicit(&sampler->action, memory_order_relaxed);
  uint32_t next = (now + 1) % CAPTURE_SAMPLER_ACTIONS;

  if (ret_old)
    *ret_old = sampler->actions[now];
  if (!action)
    return;
  sampler->actions[next] = *action;
  atomic_store_explicit(&sampler->action, next, memory_order_release);
}

int capture_sampler_swap_action(const struct sigaction *action, struct sigaction *ret_old)
{
  static capture_flag swapping;
  struct capture_sampler *sampler;
  sigset_t all, mask;

  /* As sigaction, it may be called in any signal handler, but none may interrupt who is in here. */
  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &mask);
  while (atomic_exchange_explicit(&swapping, true, memory_order_acquire))
    (void)sched_yield();
  sampler = atomic_load_explicit(&current, memory_order_acquire);
  if (sampler)
    signal_swap(sampler, action, ret_old);
  atomic_store_explicit(&swapping, false, memory_order_release);
  (void)pthread_sigmask(SIG_SETMASK, &mask, NULL);
  return sampler ? 0 : -ENOENT;
}

int capture_sampler_get_passed_on(uint32_t *ret)
{
  struct capture_sampler *sampler = atomic_load_explicit(&current, memory_order_acquire);

  if (!sampler || !capture_signal_is_ours())
    return -ENOENT;
  *ret = atomic_load_explicit(&sampler->passed_on, memory_order_relaxed);
  return 0;
}

static bool is_not_in_handler(pid_t tid, void *data)
{
  bool *found = data;

  *found = tid != (pid_t)syscall(SYS_gettid) && capture_task_runs_with_blocked(tid, SIGPROF);
  return !*found;
}

static bool is_anyone_in_handler(void)
{
  bool found = false;

  (void)capture_tasks_each(is_not_in_handler, &found);
  return found;
}

bool capture_signal_remove(const struct capture_sampler *sampler)
{
  const struct sigaction ignored = {.sa_handler = SIG_IGN};
  const struct sigaction *theirs = &sampler->actions[atomic_load(&sampler->action)];
  const struct timespec step = {.tv_nsec = DRAIN_STEP_NS};
  bool ours = capture_signal_is_ours();

  if (ours) {
    /* Ignoring a signal throws away what is pending of it, which by default would end the program. */
    (void)sigaction(SIGPROF, &ignored, NULL);
    (void)sigaction(SIGPROF, theirs, NULL);
  }
  /* The code of the handler may be unloaded next. */
  for (int i = 0; i < DRAIN_STEPS && is_anyone_in_handler(); i++)
    (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &step, NULL);
  atomic_store_explicit(&current, NULL, memory_order_release);
  return ours;
}
