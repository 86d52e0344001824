/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads take part from before the program's start routine until after it, however they end. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <threads.h>

#include "helpers/preload/preload-private.h"
#include "helpers/preload/preload-totals.h"
#include "helpers/preload/preload-update.h"

typedef int (*create_fn)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int (*create_c11_fn)(thrd_t *, thrd_start_t, void *);

struct start {
  union {
    void *(*routine)(void *);
    thrd_start_t function; /* C11's */
  };
  void *argument;
};

__thread struct preload_thread preload_self __attribute__((tls_model("initial-exec")));

static _Atomic(create_fn) next_create;
static _Atomic(create_c11_fn) next_create_c11;
static pthread_key_t key;
static _Atomic bool has_key;

void preload_stack_find(struct preload_thread *self)
{
  pthread_attr_t attributes;
  void *low;
  size_t size;
  int error = errno;
  if (self->stack_high != 0)
    return;
  self->inside++;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
      self->stack_low = (uintptr_t)low;
      self->stack_high = (uintptr_t)low + size;
    }
    pthread_attr_destroy(&attributes);
  }
  self->inside--;
  errno = error;
}

/* Not of the heap's: it would show, and most of it is never touched. */
static void begin_to_remember(struct preload_thread *self)
{
  void *memory = mmap(NULL, sizeof *self->remembered, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  self->remembered = memory != MAP_FAILED ? memory : NULL;
}

static void preload_threads_forget(struct preload_thread *self)
{
  struct preload_remembered *remembered = self->remembered;
  self->remembered = NULL;
  /* A handler that comes from now on does not find it. */
  atomic_signal_fence(memory_order_seq_cst);
  if (remembered)
    munmap(remembered, sizeof *remembered);
}

static void end_thread(void *unused)
{
  struct preload_thread *self = &preload_self;
  self->inside++;
  preload_threads_forget(self);
  preload_totals_leave(self);
  capture_thread_end(atomic_load(&preload_capture));
  self->inside--;
}

void preload_threads_init(void)
{
  atomic_store(&has_key, pthread_key_create(&key, end_thread) == 0);
}

void preload_thread_begin(void)
{
  struct preload_thread *self = &preload_self;
  capture *c = atomic_load(&preload_capture);
  if (!c || !atomic_load(&has_key))
    return;
  self->inside++;
  begin_to_remember(self);
  /* Ends of threads are told by the key, since no function of this library's shall stand in their stacks. */
  if (pthread_setspecific(key, self) == 0)
    capture_thread_begin(c, NULL);
  if ((atomic_load(&preload_attention) & PRELOAD_TRACE) != 0)
    preload_totals_take(self);
  preload_stack_find(self);
  self->inside--;
}

/* The memory goes before the program's routine begins, so that nothing of it is left when that does not
 * return. */
static struct start take_start(void *data)
{
  struct start start = *(struct start *)data;
  free(data);
  preload_thread_begin();
  return start;
}

/* The call is the last thing it does, so the routine's caller is libc, as without this library. */
static void *run_thread(void *data)
{
  struct start start = take_start(data);
  return start.routine(start.argument);
}

static int run_c11_thread(void *data)
{
  struct start start = take_start(data);
  return start.function(start.argument);
}

static struct start *new_start(struct start start)
{
  struct start *copy = malloc(sizeof *copy);
  if (copy)
    *copy = start;
  return copy;
}

PRELOAD_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                  void *(*routine)(void *), void *argument)
{
  create_fn create = atomic_load(&next_create);
  capture *c = atomic_load(&preload_capture);
  if (!create)
    atomic_store(&next_create, create = (create_fn)preload_next("pthread_create"));
  if (!c || preload_self.inside != 0)
    return create(thread, attributes, routine, argument);
  preload_update_if_wanted(c);
  struct start *start = new_start((struct start){.routine = routine, .argument = argument});
  if (!start)
    return EAGAIN;
  int error = create(thread, attributes, run_thread, start);
  if (error != 0)
    free(start);
  return error;
}

/* The C library's own does not call pthread_create by its name. */
PRELOAD_EXPORT int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
  create_c11_fn create = atomic_load(&next_create_c11);
  capture *c = atomic_load(&preload_capture);
  if (!create)
    atomic_store(&next_create_c11, create = (create_c11_fn)preload_next("thrd_create"));
  if (!c || preload_self.inside != 0)
    return create(thread, function, argument);
  preload_update_if_wanted(c);
  struct start *start = new_start((struct start){.function = function, .argument = argument});
  if (!start)
    return thrd_nomem;
  int error = create(thread, run_c11_thread, start);
  if (error != thrd_success)
    free(start);
  return error;
}
