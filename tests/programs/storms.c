/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs that make it hard for whoever lives in them. `storms KIND TIMES [LIBRARY]` does so TIMES times,
 * and prints what must be the same whatever is preloaded.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 64

extern char **environ;
static unsigned times;
static char **arguments;
static volatile unsigned long sink;

static void work(unsigned n)
{
  void *block = malloc(n % 3000);
  for (unsigned i = 0; i < n; i++)
    sink++;
  free(realloc(block, n % 5000 + 1));
}

/* Some return, some exit, some are cancelled, some are detached. */
static void *thread(void *data)
{
  uintptr_t i = (uintptr_t)data;
  work(20000);
  if (i % 4 == 1)
    pthread_exit((void *)i);
  if (i % 4 == 2) {
    for (;;) {
      work(1000);
      pthread_testcancel();
    }
  }
  return (void *)i;
}

static unsigned long run_threads(void)
{
  pthread_t threads[THREADS];
  unsigned long sum = 0;
  for (uintptr_t i = 0; i < THREADS; i++) {
    if (pthread_create(&threads[i], NULL, thread, (void *)i) != 0)
      abort();
    if (i % 4 == 3)
      pthread_detach(threads[i]);
  }
  for (uintptr_t i = 0; i < THREADS; i++) {
    void *result = NULL;
    if (i % 4 == 3)
      continue;
    if (i % 4 == 2)
      pthread_cancel(threads[i]);
    pthread_join(threads[i], &result);
    sum += result == PTHREAD_CANCELED ? 1000 : (unsigned long)(uintptr_t)result;
  }
  return sum;
}

/* A library that comes and goes while others run. */
static void *spin(void *stop)
{
  while (!__atomic_load_n((bool *)stop, __ATOMIC_ACQUIRE))
    work(1000);
  return NULL;
}

static unsigned long use_library(void)
{
  void *opened = dlopen(arguments[3], RTLD_NOW);
  void (*call)(void (*)(void), uint64_t) =
      opened ? (void (*)(void (*)(void), uint64_t))dlsym(opened, "call") : NULL;
  if (!call)
    return 0;
  call(NULL, 0);
  return dlclose(opened) == 0;
}

static unsigned long run_libraries(void)
{
  pthread_t other;
  bool stop = false;
  unsigned long sum = 0;
  pthread_create(&other, NULL, spin, &stop);
  for (unsigned i = 0; i < 50; i++)
    sum += use_library();
  __atomic_store_n(&stop, true, __ATOMIC_RELEASE);
  pthread_join(other, NULL);
  return sum;
}

static unsigned long wait_for(pid_t child)
{
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child)
    abort();
  return (unsigned long)status;
}

/* Children of a process with threads, that end in every way. */
static unsigned long run_forks(void)
{
  pthread_t other;
  bool stop = false;
  unsigned long sum = 0;
  char *quick[] = {arguments[0], "nothing", "0", NULL};
  pthread_create(&other, NULL, spin, &stop);
  for (int i = 0; i < 10; i++) {
    pid_t child = fork();
    if (child == 0) {
      work(10000);
      if (i % 3 == 0)
        exit(i);
      if (i % 3 == 1)
        _exit(i);
      execv("/proc/self/exe", quick);
      abort();
    }
    sum += wait_for(child);
    child = vfork();
    if (child == 0) {
      execv("/proc/self/exe", quick);
      _exit(99);
    }
    sum += wait_for(child);
    if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, quick, environ) != 0)
      abort();
    sum += wait_for(child);
  }
  __atomic_store_n(&stop, true, __ATOMIC_RELEASE);
  pthread_join(other, NULL);
  return sum;
}

static volatile sig_atomic_t ticks;

static void tick(int number)
{
  ticks += number == SIGPROF;
}

/* Profiles itself as gprof does. */
static unsigned long run_profiler(void)
{
  struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART}, old, now;
  struct itimerval every = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
  if (sigaction(SIGPROF, &action, &old) != 0 || old.sa_handler != SIG_DFL)
    return 1;
  if (sigaction(SIGPROF, NULL, &now) != 0 || now.sa_handler != tick)
    return 2;
  ticks = 0;
  setitimer(ITIMER_PROF, &every, NULL);
  while (ticks < 20)
    work(100000);
  setitimer(ITIMER_PROF, &never, NULL);
  if (signal(SIGPROF, SIG_IGN) != tick)
    return 3;
  raise(SIGPROF);
  if (signal(SIGPROF, tick) != SIG_IGN)
    return 4;
  int before = ticks;
  raise(SIGPROF);
  if (ticks != before + 1)
    return 5;
  return signal(SIGPROF, SIG_DFL) != tick;
}

/* Closes what it does not know, as daemons do, and goes on. */
static unsigned long run_closer(void)
{
  int pipes[2];
  for (int fd = 3; fd < 1024; fd++)
    close(fd);
  for (int i = 0; i < 20; i++) {
    if (pipe(pipes) != 0)
      abort();
  }
  unsigned long sum = use_library();
  for (int i = 0; i < 100; i++)
    work(100000);
  for (int fd = 3; fd < 43; fd++)
    sum += close(fd) == 0;
  return sum;
}

static unsigned long run_nothing(void)
{
  work(10000);
  return 0;
}

/* Ends by the signal that samplers use. */
static unsigned long run_killed(void)
{
  work(100000);
  raise(SIGPROF);
  return 7;
}

static volatile sig_atomic_t raised;

static void count_raised(int number)
{
  raised++;
}

/* Each signal that a program raises comes. */
static unsigned long run_raises(void)
{
  signal(SIGPROF, count_raised);
  raised = 0;
  for (unsigned i = 0; i < 20000; i++)
    raise(SIGPROF);
  signal(SIGPROF, SIG_DFL);
  return (unsigned long)raised;
}

static const struct {
  const char *name;
  unsigned long (*run)(void);
} kinds[] = {{"threads", run_threads},   {"libraries", run_libraries}, {"forks", run_forks},
             {"profiler", run_profiler}, {"closer", run_closer},       {"nothing", run_nothing},
             {"killed", run_killed},     {"raises", run_raises}};

int main(int argc, char **argv)
{
  unsigned long sum = 0;
  if (argc < 3)
    return 2;
  arguments = argv;
  times = (unsigned)atoi(argv[2]);
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    for (unsigned n = 0; n < times && strcmp(kinds[i].name, argv[1]) == 0; n++)
      sum += kinds[i].run();
  }
  printf("%s %lu\n", argv[1], sum);
  return 0;
}
