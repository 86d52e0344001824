/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads: who they are, and that they have ended. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libcapture/inside/capture-inside-private.h"
#include "libcapture/inside/capture-tasks-private.h"
#include "libcapture/inside/capture-walk-private.h"

#define NAME_SIZE 16 /* of the kernel's, with its NUL */

/* Keys below this have their place in the thread itself in every C library: setting one allocates nothing. */
#define FIRST_KEYS 32u

/* The calling thread's entry in the capture of that serial. Not to be allocated when a handler meets it. */
static _Thread_local struct {
  uint64_t serial;
  struct capture_thread *thread;
} own __attribute__((tls_model("initial-exec")));

static pid_t own_tid(void)
{
  return (pid_t)syscall(SYS_gettid);
}

static void set_own(capture *c, struct capture_thread *thread)
{
  own.serial = 0;
  atomic_signal_fence(memory_order_seq_cst);
  own.thread = thread;
  atomic_signal_fence(memory_order_seq_cst);
  own.serial = c->serial;
  if (thread && c->thread_key < FIRST_KEYS)
    pthread_setspecific(c->thread_key, thread);
}

static void read_name(pid_t tid, char name[static NAME_SIZE])
{
  char path[64];
  ssize_t n = 0;
  int fd;

  memset(name, 0, NAME_SIZE);
  if (tid == own_tid()) {
    prctl(PR_GET_NAME, name);
    return;
  }
  snprintf(path, sizeof path, "/proc/self/task/%d/comm", (int)capture_task_in_proc(tid));
  fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return;
  n = read(fd, name, NAME_SIZE - 1);
  close(fd);
  if (n > 0 && name[n - 1] == '\n')
    name[n - 1] = '\0';
}

static void name_thread(capture *c, struct capture_thread *thread, const char *name)
{
  uint32_t handle = capture_names_text(&c->names, name, strnlen(name, CAPTURE_NAME_LENGTH_MAX), true);

  if (handle == atomic_load(&thread->name) && atomic_load(&thread->time) != 0)
    return;
  atomic_store(&thread->name, handle);
  atomic_store(&thread->time, capture_time());
  capture_definition_forget(&thread->definition);
}

static struct capture_thread *take_free(capture *c)
{
  for (uint32_t i = 0; i < c->n_threads; i++) {
    struct capture_thread *thread = &c->threads[i];
    uint32_t state = CAPTURE_THREAD_FREE;

    if (atomic_load_explicit(&thread->state, memory_order_relaxed) == CAPTURE_THREAD_FREE &&
        atomic_compare_exchange_strong(&thread->state, &state, CAPTURE_THREAD_TAKEN))
      return thread;
  }
  return NULL;
}

/* Entries of threads that ended without a word. */
static void inside_thread_collect(capture *c)
{
  for (uint32_t i = 0; i < c->n_threads; i++) {
    struct capture_thread *thread = &c->threads[i];

    if (atomic_load(&thread->state) >= CAPTURE_THREAD_SEEN &&
        syscall(SYS_tgkill, c->pid, atomic_load(&thread->tid), 0) < 0 && errno == ESRCH)
      capture_inside_thread_release(c, thread);
  }
}

/* The recording is in another namespace of processes where it has another number for this one. Its numbers
 * for threads are known where /proc is its own. */
static pid_t number_of(capture *c, pid_t tid)
{
  pid_t told;

  if (c->told_pid == c->pid)
    return tid;
  if (tid == c->pid)
    return c->told_pid;
  told = capture_tasks_process_in_proc() == c->told_pid ? capture_task_in_proc(tid) : 0;
  if (told > 0)
    return told;
  if (!atomic_exchange(&c->numbers_said, true))
    capture_inside_message(c, 6,
                           "This program runs in a PID namespace of its own: its threads but the first have "
                           "the numbers that they have there.");
  return tid;
}

void capture_inside_thread_number(capture *c)
{
  struct capture_thread *thread = own.serial == c->serial ? own.thread : NULL;

  if (thread)
    atomic_store(&thread->told_tid, number_of(c, atomic_load(&thread->tid)));
}

struct capture_thread *capture_inside_thread_claim(capture *c, pid_t tid)
{
  struct capture_thread *thread = take_free(c);
  char name[NAME_SIZE];

  if (!thread) {
    inside_thread_collect(c);
    thread = take_free(c);
  }
  if (!thread)
    return NULL;
  thread->c = c;
  thread->found = tid != own_tid();
  thread->stack_low = thread->stack_high = 0;
  thread->chain_end = 0;
  thread->path->epoch = 0;
  atomic_store(&thread->path->busy, false);
  atomic_store(&thread->shadow_stack, NULL);
  memset(thread->sampler_data, 0, sizeof thread->sampler_data);
  atomic_store(&thread->tid, tid);
  atomic_store(&thread->told_tid, number_of(c, tid));
  atomic_store(&thread->time, 0);
  read_name(tid, name);
  name_thread(c, thread, name);
  atomic_store(&thread->state, CAPTURE_THREAD_SEEN);
  return thread;
}

void capture_inside_thread_release(capture *c, struct capture_thread *thread)
{
  const struct capture_inside_hooks *hooks = atomic_load(&c->hooks);
  uint32_t state = atomic_load(&thread->state);

  /* One alone gives it back, the thread itself or who finds it gone. */
  if (state < CAPTURE_THREAD_SEEN ||
      !atomic_compare_exchange_strong(&thread->state, &state, CAPTURE_THREAD_TAKEN))
    return;
  if (state == CAPTURE_THREAD_BEGUN) {
    if (hooks)
      hooks->thread_end(c, thread);
    atomic_fetch_sub(&c->n_begun, 1);
  }
  atomic_store(&thread->tid, 0);
  atomic_store(&thread->state, CAPTURE_THREAD_FREE);
}

/* What the thread's stack is was looked up by who found it; the tid may be another thread's since. */
static void inside_thread_adopt(struct capture_thread *thread)
{
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);

  thread->found = false;
  if (here < thread->stack_low || here >= thread->stack_high)
    thread->stack_low = thread->stack_high = 0;
}

/* The calling thread's entry that another thread claimed; those of ended threads with its tid go. */
static struct capture_thread *find_own(capture *c, pid_t tid)
{
  struct capture_thread *found = NULL;

  for (uint32_t i = 0; i < c->n_threads; i++) {
    struct capture_thread *thread = &c->threads[i];

    if (atomic_load_explicit(&thread->tid, memory_order_relaxed) != tid ||
        atomic_load(&thread->state) < CAPTURE_THREAD_SEEN)
      continue;
    if (thread->found && !found)
      found = thread;
    else
      capture_inside_thread_release(c, thread);
  }
  if (found)
    inside_thread_adopt(found);
  return found;
}

static struct capture_thread *inside_thread_join(capture *c)
{
  pid_t tid = own_tid();
  struct capture_thread *thread = pthread_getspecific(c->thread_key); /* of several captures */

  if (!thread)
    thread = find_own(c, tid);
  if (!thread)
    thread = capture_inside_thread_claim(c, tid);
  set_own(c, thread);
  return thread;
}

struct capture_thread *capture_inside_thread(capture *c)
{
  if (__builtin_expect(own.serial == c->serial, 1))
    return own.thread;
  return capture_inside_is_open(c) ? inside_thread_join(c) : NULL;
}

void capture_inside_thread_forked(capture *c)
{
  struct capture_thread *thread = own.serial == c->serial ? own.thread : NULL;

  for (uint32_t i = 0; i < c->n_threads; i++) {
    if (&c->threads[i] != thread)
      atomic_store(&c->threads[i].state, CAPTURE_THREAD_FREE);
  }
  atomic_store(&c->n_begun, 0);
  if (!thread)
    return;
  atomic_store(&thread->tid, own_tid());
  atomic_store(&thread->path->busy, false);
  thread->path->epoch = 0;
  if (atomic_load(&thread->state) == CAPTURE_THREAD_BEGUN)
    atomic_store(&c->n_begun, 1);
}

static void thread_is_gone(void *data)
{
  struct capture_thread *thread = data;

  own.serial = 0;
  capture_inside_thread_release(thread->c, thread);
}

int capture_inside_threads_begin(capture *c)
{
  return -pthread_key_create(&c->thread_key, thread_is_gone);
}

void capture_inside_threads_end(capture *c)
{
  for (uint32_t i = 0; i < c->n_threads; i++)
    capture_inside_thread_release(c, &c->threads[i]);
  pthread_key_delete(c->thread_key);
}

static void find_stack(struct capture_thread *thread)
{
  pthread_attr_t attributes;
  void *low;
  size_t size;

  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
    thread->stack_low = (uintptr_t)low;
    thread->stack_high = (uintptr_t)low + size;
  }
  pthread_attr_destroy(&attributes);
}

static void tell_full(capture *c)
{
  if (!atomic_exchange(&c->threads_full_said, true))
    capture_inside_message(
        c, 4,
        "Some threads are not sampled: there were more at once than the max_threads that were asked for.");
}

bool capture_inside_thread_take_part(capture *c, struct capture_thread *thread)
{
  if (atomic_load(&thread->state) == CAPTURE_THREAD_BEGUN)
    return true;
  if (atomic_fetch_add(&c->n_begun, 1) >= c->max_begun) {
    atomic_fetch_sub(&c->n_begun, 1);
    tell_full(c);
    return false;
  }
  atomic_store(&thread->state, CAPTURE_THREAD_BEGUN);
  return true;
}

static struct capture_thread *inside_thread_find(capture *c, pid_t tid)
{
  for (uint32_t i = 0; i < c->n_threads; i++) {
    if (atomic_load(&c->threads[i].tid) == tid && atomic_load(&c->threads[i].state) >= CAPTURE_THREAD_SEEN)
      return &c->threads[i];
  }
  return NULL;
}

struct capture_thread *capture_inside_thread_take(capture *c, pid_t tid)
{
  struct capture_thread *thread = inside_thread_find(c, tid);

  if (!thread)
    thread = capture_inside_thread_claim(c, tid);
  return thread && capture_inside_thread_take_part(c, thread) ? thread : NULL;
}

int capture_thread_begin(capture *c, const char *name)
{
  struct capture_thread *thread = c ? capture_inside_thread(c) : NULL;
  const struct capture_inside_hooks *hooks;

  if (!c)
    return 0;
  hooks = atomic_load(&c->hooks);
  if (hooks)
    hooks->attend(c);
  if (!capture_inside_is_open(c))
    return -ENOTCONN;
  if (!thread)
    thread = inside_thread_join(c); /* others may have ended since it was tried */
  if (!thread)
    return -ENOSPC;
  if (name)
    name_thread(c, thread, name);
  if (atomic_load(&thread->state) == CAPTURE_THREAD_BEGUN)
    return 0;
  if (!thread->stack_high)
    find_stack(thread);
  thread->chain_end =
      capture_walk_end((uintptr_t)__builtin_frame_address(0), thread->stack_low, thread->stack_high);
  if (!capture_inside_thread_take_part(c, thread))
    return -ENOSPC;
  pthread_setspecific(c->thread_key, thread);
  hooks = atomic_load(&c->hooks);
  if (hooks)
    hooks->thread_begin(c, thread);
  capture_inside_mappings_refresh(c);
  return 0;
}

void capture_thread_end(capture *c)
{
  struct capture_thread *thread = c && own.serial == c->serial ? own.thread : NULL;

  if (!thread)
    return;
  own.serial = 0;
  pthread_setspecific(c->thread_key, NULL);
  capture_inside_thread_release(c, thread);
}

int capture_thread_set_shadow_stack(capture *c, const struct capture_shadow_stack *stack)
{
  struct capture_thread *thread = c ? capture_inside_thread(c) : NULL;

  if (!c)
    return 0;
  if (!capture_inside_is_open(c))
    return -ENOTCONN;
  if (!thread)
    return -ENOSPC;
  atomic_store(&thread->shadow_stack, stack);
  return 0;
}
