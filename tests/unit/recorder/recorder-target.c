/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs to be recorded, one a word:
 *   spin SECONDS            burns CPU time in spin()
 *   threads SECONDS         one thread more after a while, one that another begot
 *   grow SECONDS            the same, but the one more comes when GATE is read again
 *   storm COUNT             forks and executes itself that often
 *   rename SECONDS          calls itself "renamed" at half time
 *   library SECONDS PATH    burns CPU time in a library that is opened late
 *   system SECONDS          burns CPU time in the kernel
 *   become SECONDS PATH     burns CPU time, then executes PATH to do so again
 *   beget SECONDS PATH      after some CPU time has a child that becomes PATH, and burns CPU time meanwhile
 *   hide SECONDS            burns CPU time where nobody may look
 * The time is CPU time of a thread, so that shares do not depend on how busy the machine is. With GATE in the
 * environment the descriptor of that number is read first, and spin is executed anew.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds;

static double cpu_time(void)
{
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

__attribute__((noinline)) static unsigned spin(double length)
{
  unsigned value = 1;
  for (double end = cpu_time() + length; cpu_time() < end;)
    for (volatile int i = 0; i < 100000; i++)
      value = value * 1664525 + 1013904223;
  return value;
}

static void *spin_thread(void *data)
{
  pthread_setname_np(pthread_self(), data);
  spin(seconds);
  return NULL;
}

static void *begetting_thread(void *data)
{
  pthread_t grandchild;
  usleep(200000);
  pthread_create(&grandchild, NULL, spin_thread, (void *)"grandchild");
  spin(seconds);
  pthread_join(grandchild, NULL);
  return NULL;
}

static void wait_at_gate(void)
{
  char byte;
  const char *gate = getenv("GATE");
  if (gate != NULL && read(atoi(gate), &byte, 1) < 0)
    exit(1);
}

/* The late one comes when the gate opens again. */
static int grow(void)
{
  pthread_t first, late;
  pthread_create(&first, NULL, begetting_thread, NULL);
  wait_at_gate();
  pthread_create(&late, NULL, spin_thread, (void *)"late");
  spin(seconds);
  pthread_join(first, NULL);
  pthread_join(late, NULL);
  return 0;
}

static int threads(void)
{
  pthread_t first, late;
  pthread_create(&first, NULL, begetting_thread, NULL);
  usleep(400000);
  pthread_create(&late, NULL, spin_thread, (void *)"late");
  spin(seconds);
  pthread_join(first, NULL);
  pthread_join(late, NULL);
  return 0;
}

static int storm(const char *program, int count)
{
  for (int i = 0; i < count; i++) {
    pid_t child = fork();
    if (child == 0) {
      execl(program, program, "spin", "0.0002", NULL);
      _exit(1);
    }
    waitpid(child, NULL, 0);
  }
  return 0;
}

static int rename_self(void)
{
  spin(seconds / 2);
  prctl(PR_SET_NAME, "renamed");
  spin(seconds / 2);
  return 0;
}

static int library(const char *path)
{
  spin(seconds / 4);
  void *handle = dlopen(path, RTLD_NOW);
  unsigned (*burn)(double) =
      handle != NULL ? (unsigned (*)(double))dlsym(handle, "recorder_test_burn") : NULL;
  if (burn == NULL)
    return 1;
  burn(seconds);
  return 0;
}

static int system_calls(void)
{
  char byte[4096];
  int zero = open("/dev/zero", O_RDONLY);
  for (double end = cpu_time() + seconds; cpu_time() < end;)
    for (int i = 0; i < 1000; i++)
      if (read(zero, byte, sizeof byte) < 0)
        return 1;
  return 0;
}

static int become(const char *path, const char *length)
{
  spin(seconds);
  execl(path, path, "spin", length, NULL);
  return 1;
}

static int beget(const char *path, const char *length)
{
  spin(seconds);
  pid_t child = fork();
  if (child == 0)
    _exit(become(path, length));
  spin(3 * seconds);
  return waitpid(child, NULL, 0) != child;
}

static int hide(void)
{
  prctl(PR_SET_DUMPABLE, 0);
  return spin(seconds) == 0;
}

int main(int argc, char **argv)
{
  wait_at_gate();
  if (argc < 3)
    return 2;
  seconds = atof(argv[2]);
  if (strcmp(argv[1], "spin") == 0)
    return spin(seconds) == 0;
  if (strcmp(argv[1], "threads") == 0)
    return threads();
  if (strcmp(argv[1], "grow") == 0)
    return grow();
  if (strcmp(argv[1], "storm") == 0)
    return unsetenv("GATE") != 0 || storm(argv[0], atoi(argv[2]));
  if (strcmp(argv[1], "rename") == 0)
    return rename_self();
  if (strcmp(argv[1], "library") == 0 && argc == 4)
    return library(argv[3]);
  if (strcmp(argv[1], "become") == 0 && argc == 4)
    return become(argv[3], argv[2]);
  if (strcmp(argv[1], "beget") == 0 && argc == 4)
    return beget(argv[3], argv[2]);
  if (strcmp(argv[1], "hide") == 0)
    return hide();
  return strcmp(argv[1], "system") == 0 ? system_calls() : 2;
}
