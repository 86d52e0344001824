/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the sampler does in the program that it samples: its time, signals that are somebody else's, losses,
 * threads. Its stacks are in test-sampler-stack.c. */
#include <errno.h>
#include <glib.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libcapture/inside/capture-inside-private.h"
#include "libcapture/inside/capture-preload-private.h"
#include "sampler-fixture.h"

/* ── Time ─────────────────────────────────────────────────────────────────────────────────────────────── */

/* Weights are the processor time of the thread, whatever the signals' delay. What went before a signal is
 * counted by then. */
static void test_cpu_time(void)
{
  const struct capture_sampler_options options = {
      .size = sizeof options, .clock = CAPTURE_SAMPLE_CPU_TIME, .frequency = 1000, .stack = count_call};
  uint64_t begun, used, most;
  Sampled s;

  begin(&s, NULL);
  begun = thread_time();
  g_assert_cmpint(capture_sampler_start(s.c, &options), ==, 0);
  used = thread_time();
  while (thread_time() < begun + 200000000)
    ;
  used = thread_time() - used;
  n_calls = 0;
  while (n_calls == 0)
    ;
  capture_sampler_stop(s.c);
  most = thread_time() - begun;
  end(&s);
  g_test_message("%zu samples, %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT
                 " ns, %" G_GUINT64_FORMAT " samples lost",
                 s.sampled.count, sampled_weight(&s.sampled, 0), used, most, s.sampled.lost);
  g_assert_cmpuint(sampled_weight(&s.sampled, 0), >, used - 2000000);
  g_assert_cmpuint(sampled_weight(&s.sampled, 0), <, most + 2000000);
  sampled_clear(&s.sampled);
}

/* A thread that sleeps is sampled by the wall's time, and sleeps on. */
static void test_wall_time(void)
{
  struct timespec rest = {.tv_nsec = 100000000};
  Sampled s;

  begin(&s, NULL);
  start(&s, NULL, NULL);
  while (nanosleep(&rest, &rest) < 0)
    g_assert_cmpint(errno, ==, EINTR);
  end(&s);
  g_assert_cmpuint(sampled_weight(&s.sampled, 0), >, 50000000);
  sampled_clear(&s.sampled);
}

/* ── Signals ──────────────────────────────────────────────────────────────────────────────────────────── */

static volatile sig_atomic_t n_foreign;

static void on_foreign(int number)
{
  n_foreign++;
}

static void test_taken_early(void)
{
  Sampled s;

  signal(SIGPROF, on_foreign);
  begin(&s, NULL);
  g_assert_cmpint(capture_sampler_start(s.c, NULL), ==, -EBUSY);
  n_foreign = 0;
  raise(SIGPROF);
  g_assert_cmpint(n_foreign, ==, 1);
  end(&s);
  g_assert_nonnull(strstr(s.sampled.messages, "handles SIGPROF itself"));
  g_assert_true(signal(SIGPROF, SIG_DFL) == on_foreign);
  sampled_clear(&s.sampled);
}

static void test_taken_late(void)
{
  Sampled s;

  begin(&s, NULL);
  start(&s, count_call, NULL);
  wait_for_calls();
  g_assert_cmpint(capture_sampler_start(s.c, NULL), ==, -EALREADY);
  signal(SIGPROF, on_foreign);
  end(&s);
  g_assert_nonnull(strstr(s.sampled.messages, "has taken SIGPROF"));
  /* It stays his, and no signal of ours comes any more. */
  n_foreign = 0;
  g_usleep(20000);
  g_assert_cmpint(n_foreign, ==, 0);
  g_assert_true(signal(SIGPROF, SIG_DFL) == on_foreign);
  sampled_clear(&s.sampled);
}

/* A process has one sampler, of whichever capture. */
static void test_two(void)
{
  Sampled first, second;

  begin(&first, NULL);
  begin(&second, NULL);
  start(&first, count_call, NULL);
  g_assert_cmpint(capture_sampler_start(second.c, NULL), ==, -EALREADY);
  capture_sampler_stop(second.c);
  wait_for_calls();
  capture_sampler_stop(first.c);
  start(&second, count_call, NULL);
  wait_for_calls();
  end(&first);
  end(&second);
  g_assert_cmpuint(first.sampled.count, >, 0);
  g_assert_cmpuint(second.sampled.count, >, 0);
  g_assert_cmpstr(second.sampled.messages, ==, "");
  sampled_clear(&first.sampled);
  sampled_clear(&second.sampled);
}

/* The kernel drops a signal for a thread for which one of the sampler's already waits: then it is sent again.
 * Returns how often it was sent. */
static int send_foreign(int (*send)(void))
{
  sig_atomic_t before = n_foreign;
  int n = 0;

  do {
    g_assert_cmpint(send(), ==, 0);
    n++;
  } while (n_foreign == before);
  return n;
}

static int send_to_thread(void)
{
  return raise(SIGPROF);
}

static int send_to_process(void)
{
  return kill(getpid(), SIGPROF);
}

/* Who interposes sigaction keeps both: the program's handler gets what is not the sampler's. */
static void test_swap(void)
{
  struct sigaction theirs = {.sa_handler = on_foreign}, old;
  int n_sent;
  Sampled s;

  g_assert_cmpint(capture_sampler_swap_action(NULL, &old), ==, -ENOENT);
  begin(&s, NULL);
  start(&s, count_call, NULL);
  g_assert_cmpint(capture_sampler_swap_action(&theirs, &old), ==, 0);
  g_assert_true(old.sa_handler == SIG_DFL);
  n_foreign = 0;
  n_sent = send_foreign(send_to_thread) + send_foreign(send_to_process);
  wait_for_calls();
  g_assert_cmpint(n_foreign, >=, 2);
  g_assert_cmpint(n_foreign, <=, n_sent);
  g_assert_cmpint(capture_sampler_swap_action(NULL, &old), ==, 0);
  g_assert_true(old.sa_handler == on_foreign);
  end(&s);
  g_assert_true(signal(SIGPROF, SIG_DFL) == on_foreign);
  sampled_clear(&s.sampled);
}

static volatile sig_atomic_t n_with_mask;

static void note_mask(int number)
{
  sigset_t now;

  n_foreign++;
  pthread_sigmask(SIG_BLOCK, NULL, &now);
  n_with_mask += sigismember(&now, SIGUSR2) == 1;
}

/* As by the kernel: signals that the handler asks for are blocked meanwhile, and once may mean once. */
static void test_swap_as_asked(void)
{
  struct sigaction theirs = {.sa_handler = note_mask, .sa_flags = (int)SA_RESETHAND}, old;
  sigset_t now;
  Sampled s;

  sigaddset(&theirs.sa_mask, SIGUSR2);
  begin(&s, NULL);
  start(&s, count_call, NULL);
  g_assert_cmpint(capture_sampler_swap_action(&theirs, NULL), ==, 0);
  n_foreign = n_with_mask = 0;
  send_foreign(send_to_thread);
  g_assert_cmpint(n_foreign, ==, 1);
  g_assert_cmpint(n_with_mask, ==, 1);
  g_assert_cmpint(pthread_sigmask(SIG_BLOCK, NULL, &now), ==, 0);
  g_assert_cmpint(sigismember(&now, SIGUSR2), ==, 0);
  g_assert_cmpint(capture_sampler_swap_action(NULL, &old), ==, 0);
  g_assert_true(old.sa_handler == SIG_DFL);
  end(&s);
  sampled_clear(&s.sampled);
}

/* After stop and start again, signals are neither lost nor deadly; many times, since they race. */
static void test_again(void)
{
  Sampled s;

  begin(&s, NULL);
  for (unsigned i = 0; i < 100; i++) {
    start(&s, count_call, NULL);
    while (n_calls == 0)
      ;
    capture_sampler_stop(s.c);
  }
  g_assert_true(signal(SIGPROF, SIG_DFL) == SIG_DFL);
  end(&s);
  g_assert_cmpuint(s.sampled.count, >=, 100);
  sampled_clear(&s.sampled);
}

static volatile gint goes_on, n_spinning;

static gpointer spin(gpointer data)
{
  g_atomic_int_inc(&n_spinning);
  while (g_atomic_int_get(&goes_on))
    ;
  return NULL;
}

/* Threads that are found and end without a word: their entries are found again when there is need. */
static void test_found(void)
{
  const struct capture_options few = {.size = sizeof few, .max_threads = 8};
  const struct capture_sampler_options options = {.size = sizeof options,
                                                  .clock = CAPTURE_SAMPLE_WALL_TIME,
                                                  .frequency = 2000,
                                                  .all_threads = true,
                                                  .stack = count_call};
  Sampled s;

  begin(&s, &few);
  for (unsigned i = 0; i < 20; i++) {
    GThread *threads[4];

    g_atomic_int_set(&n_spinning, 0);
    g_atomic_int_set(&goes_on, 1);
    for (unsigned k = 0; k < G_N_ELEMENTS(threads); k++)
      threads[k] = g_thread_new("spin", spin, NULL);
    while (g_atomic_int_get(&n_spinning) < (gint)G_N_ELEMENTS(threads))
      g_usleep(100);
    n_calls = 0;
    g_assert_cmpint(capture_sampler_start(s.c, &options), ==, 0);
    while (n_calls < 8)
      ;
    g_atomic_int_set(&goes_on, 0);
    for (unsigned k = 0; k < G_N_ELEMENTS(threads); k++)
      g_thread_join(threads[k]);
    capture_sampler_stop(s.c);
  }
  end(&s);
  g_assert_cmpuint(s.sampled.count, >=, 100);
  sampled_clear(&s.sampled);
}

/* Keeps who stops the sampler waiting, as a handler of the sampler's would. */
static gpointer spin_with_signal_blocked(gpointer data)
{
  sigset_t blocked;

  sigemptyset(&blocked);
  sigaddset(&blocked, SIGPROF);
  pthread_sigmask(SIG_BLOCK, &blocked, NULL);
  return spin(data);
}

static gpointer get_tid(gpointer data)
{
  return GINT_TO_POINTER(gettid());
}

/* Every place is that of a thread which has ended, and one of them took part. */
static void fill_places(capture *c)
{
  pid_t gone = GPOINTER_TO_INT(g_thread_join(g_thread_new("gone", get_tid, NULL)));
  uint32_t n_free = 0;

  for (uint32_t i = 0; i < c->n_threads; i++)
    n_free += atomic_load(&c->threads[i].state) == CAPTURE_THREAD_FREE;
  g_assert_cmpuint(n_free, >, 0);
  g_assert_nonnull(capture_inside_thread_take(c, gone));
  while (--n_free > 0)
    g_assert_nonnull(capture_inside_thread_claim(c, gone));
}

static capture *of_handler;
static volatile sig_atomic_t n_marked;

static void mark(int number)
{
  capture_mark(of_handler, 0, 0, "by a thread that never called in before");
  n_marked++;
}

static void *stop(void *c)
{
  capture_sampler_stop(c);
  return NULL;
}

static void wait_until_stopping(void)
{
  struct sigaction now;

  do
    g_assert_cmpint(sigaction(SIGPROF, NULL, &now), ==, 0);
  while ((now.sa_flags & SA_SIGINFO) != 0);
}

/* A handler of the program's that looks for a place for its thread does not wait for whom it interrupted. */
static void test_handler_of_who_stops(void)
{
  const struct capture_options few = {.size = sizeof few, .max_threads = 8};
  GThread *blocked;
  pthread_t stopping;
  Sampled s;

  begin(&s, &few);
  start(&s, NULL, NULL);
  fill_places(s.c);
  of_handler = s.c;
  n_marked = 0;
  signal(SIGUSR1, mark);
  g_atomic_int_set(&n_spinning, 0);
  g_atomic_int_set(&goes_on, 1);
  blocked = g_thread_new("blocked", spin_with_signal_blocked, NULL);
  while (g_atomic_int_get(&n_spinning) == 0)
    g_usleep(100);
  g_assert_cmpint(pthread_create(&stopping, NULL, stop, s.c), ==, 0);
  wait_until_stopping();
  g_assert_cmpint(pthread_kill(stopping, SIGUSR1), ==, 0);
  g_usleep(2000);
  g_atomic_int_set(&goes_on, 0);
  g_thread_join(blocked);
  g_assert_cmpint(pthread_join(stopping, NULL), ==, 0);
  g_assert_cmpint(n_marked, ==, 1);
  signal(SIGUSR1, SIG_DFL);
  end(&s);
  sampled_clear(&s.sampled);
}

static volatile uintptr_t handler_stack;

static void note_stack(struct capture_stack *stack, const void *ucontext, void *data)
{
  int here;

  n_calls++;
  handler_stack = (uintptr_t)&here;
  capture_sample_native(stack, NULL);
}

extern const char __start_in_host[], __stop_in_host[];

SECTION(host) static void host(void)
{
  wait_for_calls();
  __asm__ volatile("" ::: "memory");
}

static void test_alternate_stack(void)
{
  stack_t alternate = {.ss_size = 64 << 10}, old;
  unsigned deep = 0;
  Sampled s;

  alternate.ss_sp = g_malloc(alternate.ss_size);
  g_assert_cmpint(sigaltstack(&alternate, &old), ==, 0);
  begin(&s, NULL);
  start(&s, note_stack, NULL);
  host();
  end(&s);
  g_assert_cmpint(sigaltstack(&old, NULL), ==, 0);
#if !defined(__SANITIZE_ADDRESS__)
  g_assert_true(handler_stack >= (uintptr_t)alternate.ss_sp &&
                handler_stack < (uintptr_t)alternate.ss_sp + alternate.ss_size);
#endif
  /* And the stack that is walked is the interrupted one. */
  for (size_t i = 0; i < s.sampled.count; i++) {
    for (uint32_t k = 0; k < s.sampled.samples[i].count; k++)
      deep += IS_IN(s.sampled.samples[i].frames[k], host) && s.sampled.samples[i].frames[k] != 0;
  }
  g_assert_cmpuint(deep, >, s.sampled.count / 2);
  g_free(alternate.ss_sp);
  sampled_clear(&s.sampled);
}

static void break_errno(struct capture_stack *stack, const void *ucontext, void *data)
{
  n_calls++;
  errno = EPIPE;
  capture_sample_native(stack, NULL);
}

static void test_errno(void)
{
  Sampled s;

  begin(&s, NULL);
  start(&s, break_errno, NULL);
  errno = ENOTTY;
  wait_for_calls();
  g_assert_cmpint(errno, ==, ENOTTY);
  end(&s);
  sampled_clear(&s.sampled);
}

/* ── Losses, and what is going on beside ──────────────────────────────────────────────────────────────── */

/* Nothing is drained as long as no ordinary call is made, as starting is: what finds no room is counted. A
 * sample takes 16 bytes, or more when signals were held up. */
static void test_full(void)
{
  enum { SIZE = 8192, COUNT = 8, MORE_THAN_FIT = SIZE * COUNT / 16 };
  const struct capture_options options = {
      .size = sizeof options, .window_size = SIZE, .window_count = COUNT, .max_nodes = 4096};
  const struct capture_sampler_options sampler = {
      .size = sizeof sampler, .clock = CAPTURE_SAMPLE_WALL_TIME, .frequency = 20000, .stack = count_call};
  uint64_t calls;
  Sampled s;

  begin(&s, &options);
  g_assert_cmpint(capture_sampler_start(s.c, &sampler), ==, 0);
  n_calls = 0;
  while (n_calls < MORE_THAN_FIT)
    ;
  capture_sampler_stop(s.c);
  calls = n_calls;
  capture_close(s.c);
  sampled_read(&s.sampled, s.fd);
  close(s.fd);
  g_test_message("%" G_GUINT64_FORMAT " calls, %zu samples, %" G_GUINT64_FORMAT " lost", calls,
                 s.sampled.count, s.sampled.lost);
  g_assert_cmpuint(s.sampled.lost, >, 0);
  g_assert_cmpuint(s.sampled.count, >, 0);
  /* Where there was no set of windows to begin with, nobody was called. */
  g_assert_cmpuint(s.sampled.count + s.sampled.lost, >=, calls);
  sampled_clear(&s.sampled);
}

static gpointer allocate(gpointer data)
{
  capture *c = data;
  void *blocks[64] = {NULL};

  g_assert_cmpint(capture_thread_begin(c, "allocates"), ==, 0);
  for (unsigned i = 0; i < 200000; i++) {
    free(blocks[i % 64]);
    blocks[i % 64] = malloc(i % 5000);
  }
  for (unsigned i = 0; i < 64; i++)
    free(blocks[i]);
  capture_thread_end(c);
  return NULL;
}

static void test_malloc(void)
{
  GThread *threads[4];
  Sampled s;

  begin(&s, NULL);
  start(&s, NULL, NULL);
  for (unsigned i = 0; i < G_N_ELEMENTS(threads); i++)
    threads[i] = g_thread_new("allocates", allocate, s.c);
  for (unsigned i = 0; i < G_N_ELEMENTS(threads); i++)
    g_thread_join(threads[i]);
  end(&s);
  g_assert_cmpuint(s.sampled.count + s.sampled.lost, >, 10);
  sampled_clear(&s.sampled);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/sampler/time/cpu", test_cpu_time);
  g_test_add_func("/sampler/time/wall", test_wall_time);
  g_test_add_func("/sampler/signal/taken-early", test_taken_early);
  g_test_add_func("/sampler/signal/taken-late", test_taken_late);
  g_test_add_func("/sampler/signal/two", test_two);
  g_test_add_func("/sampler/signal/swap", test_swap);
  g_test_add_func("/sampler/signal/swap-as-asked", test_swap_as_asked);
  g_test_add_func("/sampler/signal/again", test_again);
  g_test_add_func("/sampler/found", test_found);
  g_test_add_func("/sampler/handler-of-who-stops", test_handler_of_who_stops);
  g_test_add_func("/sampler/signal/alternate-stack", test_alternate_stack);
  g_test_add_func("/sampler/signal/errno", test_errno);
  g_test_add_func("/sampler/full", test_full);
  g_test_add_func("/sampler/malloc", test_malloc);
  return g_test_run();
}
