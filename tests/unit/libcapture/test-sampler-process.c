/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sampler and what processes do: fork, vfork, exec, unload what embeds it, forbid system calls, end. Each
 * in a process of its own, whose end is judged. */
#include <dlfcn.h>
#include <errno.h>
#include <glib.h>
#include <pthread.h>
#include <seccomp.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libcapture/capture.h"
#include "sampled.h"

static volatile unsigned *n_calls; /* shared with children */
static const char *self;

static void count_call(struct capture_stack *stack, const void *ucontext, void *data)
{
  (*n_calls)++;
  capture_sample_native(stack, NULL);
}

static void call_kernel(struct capture_stack *stack, const void *ucontext, void *data)
{
  (*n_calls)++;
  (void)syscall(SYS_getppid);
}

static capture *begin(int fd, capture_stack_fn stack, uint32_t frequency)
{
  const struct capture_sampler_options options = {.size = sizeof options,
                                                  .clock = CAPTURE_SAMPLE_WALL_TIME,
                                                  .frequency = frequency,
                                                  .all_threads = true,
                                                  .stack = stack};
  capture *c;

  if (capture_create(&c, fd, NULL) < 0 || capture_thread_begin(c, NULL) < 0 ||
      capture_sampler_start(c, &options) < 0)
    _exit(90);
  return c;
}

static void spin_until(unsigned calls)
{
  volatile unsigned i = 0; /* a frame of its own, in which it is busy */

  while (*n_calls < calls)
    i = i + 1;
}

/* The wait status of a child that does that. */
static int run_in_child(void (*what)(void))
{
  pid_t pid;
  int status;

  *n_calls = 0;
  pid = fork();
  g_assert_cmpint(pid, >=, 0);
  if (pid == 0) {
    what();
    _exit(0);
  }
  g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
  return status;
}

static int new_file(void)
{
  return memfd_create("process", MFD_CLOEXEC);
}

/* ── System calls ─────────────────────────────────────────────────────────────────────────────────────── */

static void allow_nothing_but_returning(void)
{
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);

  if (!filter || seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(rt_sigreturn), 0) < 0 ||
      seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(exit_group), 0) < 0 || seccomp_load(filter) < 0)
    _exit(91);
}

/* Sanitizers have system calls to make before a function that does not return. */
static void end_confined(unsigned calls)
{
  spin_until(calls);
  (void)syscall(SYS_exit_group, 0);
}

static void be_sampled_confined(void)
{
  begin(new_file(), count_call, 2000);
  allow_nothing_but_returning();
  end_confined(200);
}

static void call_kernel_confined(void)
{
  begin(new_file(), call_kernel, 2000);
  allow_nothing_but_returning();
  end_confined(200);
}

/* So many samples that windows are claimed, filled and lost, and epochs changed. */
static void overflow_confined(void)
{
  const struct capture_options options = {
      .size = sizeof options, .window_size = 4096, .window_count = 8, .max_nodes = 4096};
  const struct capture_sampler_options sampler = {
      .size = sizeof sampler, .clock = CAPTURE_SAMPLE_WALL_TIME, .frequency = 10000, .stack = count_call};
  capture *c;

  if (capture_create(&c, new_file(), &options) < 0 || capture_thread_begin(c, NULL) < 0 ||
      capture_sampler_start(c, &sampler) < 0)
    _exit(90);
  allow_nothing_but_returning();
  end_confined(2000);
}

static void test_seccomp(void)
{
  int status = run_in_child(be_sampled_confined);

  g_assert_true(WIFEXITED(status));
  g_assert_cmpint(WEXITSTATUS(status), ==, 0);
  g_assert_cmpuint(*n_calls, >=, 200);
  status = run_in_child(overflow_confined);
  g_assert_true(WIFEXITED(status));
  g_assert_cmpint(WEXITSTATUS(status), ==, 0);
  /* And it would be noticed. */
  status = run_in_child(call_kernel_confined);
  g_assert_true(WIFSIGNALED(status));
  g_assert_cmpint(WTERMSIG(status), ==, SIGSYS);
}

/* ── Signals ──────────────────────────────────────────────────────────────────────────────────────────── */

static void be_killed_by_foreign(void)
{
  begin(new_file(), count_call, 2000);
  spin_until(10);
  kill(getpid(), SIGPROF);
  spin_until(100000000);
}

static void ignore_foreign(void)
{
  capture *c;

  signal(SIGPROF, SIG_IGN);
  c = begin(new_file(), count_call, 2000);
  for (unsigned i = 0; i < 20; i++)
    kill(getpid(), SIGPROF);
  spin_until(50);
  capture_close(c);
  if (signal(SIGPROF, SIG_DFL) != SIG_IGN)
    _exit(92);
}

/* By default SIGPROF ends a program, and it still does when it is not the sampler's. */
static void test_foreign(void)
{
  int status = run_in_child(be_killed_by_foreign);

  g_assert_true(WIFSIGNALED(status));
  g_assert_cmpint(WTERMSIG(status), ==, SIGPROF);
  status = run_in_child(ignore_foreign);
  g_assert_true(WIFEXITED(status));
  g_assert_cmpint(WEXITSTATUS(status), ==, 0);
}

/* ── Children ─────────────────────────────────────────────────────────────────────────────────────────── */

static volatile bool is_over;

static void *spin_on(void *data)
{
  while (!is_over)
    ;
  return data;
}

/* It has the parent's memory but none of its timers: numbers of those are the child's own timers'. */
static void live_on_as_child(capture *c)
{
  struct sigevent event = {.sigev_notify = SIGEV_NONE};
  struct itimerspec left;
  timer_t timers[8];

  for (unsigned i = 0; i < G_N_ELEMENTS(timers); i++) {
    const struct itimerspec times = {.it_value = {.tv_sec = 1000}};

    if (timer_create(CLOCK_MONOTONIC, &event, &timers[i]) < 0 ||
        timer_settime(timers[i], 0, &times, NULL) < 0)
      _exit(93);
  }
  capture_mark(c, 0, 0, "of nobody");
  capture_sampler_stop(c);
  capture_close(c);
  for (unsigned i = 0; i < G_N_ELEMENTS(timers); i++) {
    if (timer_gettime(timers[i], &left) < 0 || left.it_value.tv_sec == 0)
      _exit(94);
  }
}

static void test_fork(void)
{
  int fd = new_file(), status;
  struct sampled sampled;
  pthread_t thread;
  capture *c;

  *n_calls = 0;
  pthread_create(&thread, NULL, spin_on, NULL);
  c = begin(fd, count_call, 2000);
  for (unsigned i = 0; i < 20; i++) {
    pid_t pid;

    spin_until(*n_calls + 5);
    pid = fork();
    g_assert_cmpint(pid, >=, 0);
    if (pid == 0) {
      live_on_as_child(c);
      _exit(7);
    }
    while (waitpid(pid, &status, 0) < 0)
      g_assert_cmpint(errno, ==, EINTR);
    g_assert_true(WIFEXITED(status));
    g_assert_cmpint(WEXITSTATUS(status), ==, 7);
  }
  spin_until(*n_calls + 100);
  capture_close(c);
  is_over = true;
  pthread_join(thread, NULL);
  is_over = false;
  sampled_read(&sampled, fd);
  g_assert_cmpuint(sampled.count, >=, 100);
  sampled_clear(&sampled);
  close(fd);
}

/* posix_spawn's child runs in the parent's memory, while the parent's other threads are sampled. */
static void test_spawn(void)
{
  char *const argv[] = {(char *)"true", NULL};
  int fd = new_file(), status;
  capture *c;

  *n_calls = 0;
  c = begin(fd, count_call, 5000);
  for (unsigned i = 0; i < 50; i++) {
    pid_t pid;

    g_assert_cmpint(posix_spawnp(&pid, "true", NULL, NULL, argv, environ), ==, 0);
    while (waitpid(pid, &status, 0) < 0)
      g_assert_cmpint(errno, ==, EINTR);
    g_assert_cmpint(status, ==, 0);
  }
  capture_close(c);
  close(fd);
}

/* A program that executes itself again and again, at any time: --exec TIMES. */
static int exec_again(int times)
{
  char text[16];
  pthread_t thread;

  n_calls = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (times == 0)
    return 0;
  pthread_create(&thread, NULL, spin_on, NULL);
  begin(new_file(), count_call, 20000);
  spin_until(20);
  g_snprintf(text, sizeof text, "%d", times - 1);
  execl("/proc/self/exe", self, "--exec", text, NULL);
  return 95;
}

static void exec_many_times(void)
{
  execl("/proc/self/exe", self, "--exec", "60", NULL);
  _exit(96);
}

/* No signal comes to the new program, which knows nothing of it. */
static void test_exec(void)
{
  int status = run_in_child(exec_many_times);

  g_assert_true(WIFEXITED(status));
  g_assert_cmpint(WEXITSTATUS(status), ==, 0);
}

/* ── Unloading ────────────────────────────────────────────────────────────────────────────────────────── */

static void load_and_unload(void)
{
  pthread_t threads[2];

  for (unsigned i = 0; i < G_N_ELEMENTS(threads); i++)
    pthread_create(&threads[i], NULL, spin_on, NULL);
  for (unsigned i = 0; i < 50; i++) {
    void *plugin = dlopen(SAMPLER_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    int (*start)(volatile unsigned *) =
        plugin ? (int (*)(volatile unsigned *))dlsym(plugin, "plugin_start") : NULL;

    if (!start || start(n_calls) != 0)
      _exit(97);
    spin_until(*n_calls + 5);
    if (dlclose(plugin) != 0 || dlopen(SAMPLER_PLUGIN, RTLD_NOW | RTLD_NOLOAD))
      _exit(98);
  }
}

/* Its code, the handler's too, goes while signals come. */
static void test_dlclose(void)
{
  int status = run_in_child(load_and_unload);

  g_assert_true(WIFEXITED(status));
  g_assert_cmpint(WEXITSTATUS(status), ==, 0);
  g_assert_cmpuint(*n_calls, >=, 250);
}

int main(int argc, char **argv)
{
  self = argv[0];
  if (argc == 3 && strcmp(argv[1], "--exec") == 0)
    return exec_again(atoi(argv[2]));
  g_test_init(&argc, &argv, NULL);
  n_calls = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  g_test_add_func("/sampler/process/seccomp", test_seccomp);
  g_test_add_func("/sampler/process/foreign", test_foreign);
  g_test_add_func("/sampler/process/fork", test_fork);
  g_test_add_func("/sampler/process/spawn", test_spawn);
  g_test_add_func("/sampler/process/exec", test_exec);
  g_test_add_func("/sampler/process/dlclose", test_dlclose);
  return g_test_run();
}
