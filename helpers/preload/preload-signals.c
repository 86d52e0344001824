/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program that uses SIGPROF itself keeps doing so: its action gets what is not of the sampler's timers, and
 * it is told what it set itself. The recording is told once.
 */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>

#include "helpers/preload/preload-private.h"
#include "libcapture/inside/capture-inside-private.h"
#include "libcapture/inside/capture-preload-private.h"

/* How often a raised signal is raised again, at most: that the sampler's comes at the same moment is a chance
 * of a few in a hundred each time. */
#define RAISES 16

typedef int (*sigaction_fn)(int, const struct sigaction *, struct sigaction *);
typedef void (*handler_fn)(int);
typedef handler_fn (*signal_fn)(int, handler_fn);
typedef int (*raise_fn)(int);

static _Atomic(sigaction_fn) next_sigaction;
static _Atomic(signal_fn) next_signal, next_sysv_signal;
static _Atomic(raise_fn) next_raise;
static _Atomic bool is_told;

static void preload_signals_tell(void)
{
  capture *c = atomic_load(&preload_capture);
  if (c && !atomic_exchange(&is_told, true))
    capture_inside_message(c, 6,
                           "This program has a handler for SIGPROF of its own: it gets its own signals, "
                           "sampling goes on beside it.");
}

/* False: the sampler does not run, and the signal is the program's alone. */
static bool preload_signals_swap(const struct sigaction *action, struct sigaction *old)
{
  if (!atomic_load(&preload_capture) || capture_sampler_swap_action(action, old) != 0)
    return false;
  if (action && action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN)
    preload_signals_tell();
  return true;
}

static sigaction_fn find_sigaction(void)
{
  sigaction_fn next = atomic_load(&next_sigaction);
  if (!next)
    atomic_store(&next_sigaction, next = (sigaction_fn)preload_next("sigaction"));
  return next;
}

/* What the library's own calls become (the linker's --wrap): the kernel's action is the sampler's. */
int __wrap_sigaction(int number, const struct sigaction *action, struct sigaction *old);
int __wrap_sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
  return find_sigaction()(number, action, old);
}

PRELOAD_EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
  sigaction_fn next = find_sigaction();
  if (number == SIGPROF && preload_signals_swap(action, old))
    return 0;
  return next(number, action, old);
}

static signal_fn find_signal(_Atomic(signal_fn) *known, const char *name)
{
  signal_fn next = atomic_load(known);
  if (!next)
    atomic_store(known, next = (signal_fn)preload_next(name));
  return next;
}

static handler_fn set_handler(signal_fn next, int flags, int number, handler_fn handler)
{
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, old;
  if (number == SIGPROF && handler != SIG_ERR && preload_signals_swap(&action, &old))
    return old.sa_handler;
  return next(number, handler);
}

PRELOAD_EXPORT handler_fn signal(int number, handler_fn handler)
{
  return set_handler(find_signal(&next_signal, "signal"), SA_RESTART, number, handler);
}

PRELOAD_EXPORT handler_fn sysv_signal(int number, handler_fn handler)
{
  return set_handler(find_signal(&next_sysv_signal, "sysv_signal"), (int)(SA_RESETHAND | SA_NODEFER), number,
                     handler);
}

/* What signal() is called in programs that ask for System V's. */
handler_fn __sysv_signal(int number, handler_fn handler);
PRELOAD_EXPORT handler_fn __sysv_signal(int number, handler_fn handler)
{
  return sysv_signal(number, handler);
}

static raise_fn find_raise(void)
{
  raise_fn next = atomic_load(&next_raise);
  if (!next)
    atomic_store(&next_raise, next = (raise_fn)preload_next("raise"));
  return next;
}

static bool is_blocked(void)
{
  sigset_t mask;
  return pthread_sigmask(SIG_BLOCK, NULL, &mask) == 0 && sigismember(&mask, SIGPROF) == 1;
}

/* A signal is pending in a thread or it is not: one that is raised while the sampler's is on its way would be
 * swallowed, though the program can be sure of the one that it raises itself. */
PRELOAD_EXPORT int raise(int number)
{
  uint32_t before, after;
  int r = 0;
  if (number != SIGPROF || !atomic_load(&preload_capture) || is_blocked())
    return find_raise()(number);
  for (int i = 0; i < RAISES && r == 0; i++) {
    bool is_known = capture_sampler_get_passed_on(&before) == 0;
    r = find_raise()(number);
    if (!is_known || capture_sampler_get_passed_on(&after) != 0 || after != before)
      break;
  }
  return r;
}

void preload_signals_init(void)
{
  find_sigaction();
  find_raise();
  find_signal(&next_signal, "signal");
  find_signal(&next_sysv_signal, "sysv_signal");
}
