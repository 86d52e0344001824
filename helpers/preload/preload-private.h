/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the parts of the preload library share: the process's state, each thread's, and the functions of libc
 * behind the interposed ones.
 *
 * An interposed function may be called before the constructor, by other libraries' constructors and by the
 * dynamic linker, in a child of vfork, and in a signal handler of the program's. So none of them relies on
 * anything but static memory, and what takes part in no recording goes straight on to libc.
 */
#ifndef PRELOAD_PRIVATE_H
#define PRELOAD_PRIVATE_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "helpers/preload/preload-area.h"
#include "helpers/preload/preload-chance.h"
#include "helpers/preload/preload-walk.h"
#include "libcapture/capture.h"

/* Whoever is to be interposed. */
#define PRELOAD_EXPORT              __attribute__((visibility("default")))
#define PRELOAD_LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define PRELOAD_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* ── The process ──────────────────────────────────────────────────────────────────────────────────────── */

/* NULL until the constructor has found a recording; it stays when that has ended. */
extern _Atomic(capture *) preload_capture;
extern struct preload_area preload_area;

/* What an allocation has to see to; 0 for nothing, which is the branch that each of them costs. */
enum preload_attention {
  PRELOAD_TRACE = 1 << 0, /* allocations are traced */
  PRELOAD_UPDATE = 1 << 1 /* a sample showed memory that is not known */
};
extern _Atomic uint32_t preload_attention;

/* ── Threads ──────────────────────────────────────────────────────────────────────────────────────────── */

/* What a thread's walks remember. Beside the thread's own data, which take their place from its stack. */
struct preload_remembered {
  struct preload_memos interrupted; /* of the signal handler's walks */
  struct preload_memos called;      /* of its allocations' */
  struct preload_trail trail;       /* likewise */
};

struct preload_thread {
  uint32_t inside; /* not 0: the library's own calls; they are not traced */
  uint32_t totals; /* which of preload-totals.h; 0: none yet */
  struct preload_chance chance;
  uintptr_t stack_low;                   /* of its stack */
  uintptr_t stack_high;                  /* 0: not looked up yet */
  struct preload_remembered *remembered; /* NULL: nothing is */
};

/* A thread's own, found without a call: the library is there from the program's start. */
extern __thread struct preload_thread preload_self __attribute__((tls_model("initial-exec")));

/* Looks up where the calling thread's stack is, once. Not async-signal-safe. */
void preload_stack_find(struct preload_thread *self);
/* Creates the key by which the ends of threads are told. */
void preload_threads_init(void);
/* The calling thread takes part in the recording, until it ends. */
void preload_thread_begin(void);

/* ── libc's functions ─────────────────────────────────────────────────────────────────────────────────── */

/* The next definition of that name behind this library. The process is aborted when there is none that it can
 * go on with. */
void *preload_next(const char *name);
/* Looks up those for signals, which may be called first in a signal handler, where looking up is not safe. */
void preload_signals_init(void);

#endif
