/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waits in a known way, argv[1]. Each thread that is of interest prints a line when it ends: its name, its
 * number, the nanoseconds that it has lived, those on a CPU and those in a run queue, the times of its begin
 * and end. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 5

struct account {
  uint64_t time, on, waiting;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t begun, turn;
static int ready, ends[2];
static volatile unsigned long counter;

static uint64_t now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static struct account look(void)
{
  struct account account = {0};
  char text[128] = "";
  int fd = open("/proc/thread-self/schedstat", O_RDONLY);
  if (read(fd, text, sizeof text - 1) > 0)
    sscanf(text, "%lu %lu", &account.on, &account.waiting);
  close(fd);
  account.time = now();
  return account;
}

static void tell(const char *name, struct account begin)
{
  struct account end = look();
  printf("%s %d %lu %lu %lu %lu %lu\n", name, gettid(), end.time - begin.time, end.on - begin.on,
         end.waiting - begin.waiting, begin.time, end.time);
  fflush(stdout);
}

__attribute__((noinline)) static void nap(unsigned milliseconds)
{
  usleep(milliseconds * 1000);
  counter++;
}

__attribute__((noinline)) static void let_go(void)
{
  pthread_mutex_unlock(&mutex);
  counter++;
}

__attribute__((noinline)) static void take(void)
{
  pthread_mutex_lock(&mutex);
  counter++;
}

__attribute__((noinline)) static void await(void)
{
  pthread_mutex_lock(&mutex);
  while (ready == 0)
    pthread_cond_wait(&condition, &mutex);
  ready--;
  pthread_mutex_unlock(&mutex);
}

__attribute__((noinline)) static void announce(void)
{
  pthread_mutex_lock(&mutex);
  ready++;
  pthread_mutex_unlock(&mutex);
  pthread_cond_signal(&condition);
  counter++;
}

__attribute__((noinline)) static void feed(void)
{
  if (write(ends[1], "x", 1) != 1)
    abort();
  counter++;
}

__attribute__((noinline)) static void drink(void)
{
  char c;
  if (read(ends[0], &c, 1) != 1)
    abort();
  counter++;
}

static void *sleeper(void *data)
{
  struct account begin = look();
  for (int i = 0; i < ROUNDS; i++)
    nap(20);
  tell("sleeper", begin);
  return NULL;
}

static void *condition_waiter(void *data)
{
  struct account begin = look();
  sem_post(&begun);
  for (int i = 0; i < ROUNDS; i++)
    await();
  tell("waiter", begin);
  return NULL;
}

static void *lock_waiter(void *data)
{
  struct account begin = look();
  sem_post(&begun);
  for (int i = 0; i < ROUNDS; i++) {
    sem_wait(&turn);
    take();
    pthread_mutex_unlock(&mutex);
  }
  tell("waiter", begin);
  return NULL;
}

static void *reader(void *data)
{
  struct account begin = look();
  sem_post(&begun);
  for (int i = 0; i < ROUNDS; i++)
    drink();
  tell("reader", begin);
  return NULL;
}

static void *poller(void *data)
{
  struct account begin = look();
  sem_post(&begun);
  for (int i = 0; i < ROUNDS; i++) {
    struct pollfd end = {.fd = ends[0], .events = POLLIN};
    poll(&end, 1, -1);
    drink();
  }
  tell("poller", begin);
  return NULL;
}

static void *spinner(void *data)
{
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(*(int *)data, &one);
  sched_setaffinity(0, sizeof one, &one);
  struct account begin = look();
  while (look().on - begin.on < 200000000)
    for (int i = 0; i < 1000000; i++)
      counter++;
  tell("spinner", begin);
  return NULL;
}

/* Waits of the main thread itself, on what lies in argv[2]. */
__attribute__((noinline)) static void write_through(const char *path)
{
  static char block[65536];
  struct account begin = look();
  int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  for (int i = 0; i < 20; i++) {
    memset(block, i, sizeof block);
    if (write(fd, block, sizeof block) < 0 || fsync(fd) < 0)
      abort();
  }
  close(fd);
  tell("writer", begin);
}

__attribute__((noinline)) static void wait_for_child(void)
{
  struct account begin = look();
  pid_t pid = fork();
  if (pid == 0) {
    nap(60);
    _exit(0);
  }
  waitpid(pid, NULL, 0);
  tell("parent", begin);
}

static void with_partner(void *(*partner)(void *), void (*help)(void))
{
  pthread_t thread;
  sem_init(&begun, 0, 0);
  pthread_create(&thread, NULL, partner, NULL);
  sem_wait(&begun);
  for (int i = 0; i < ROUNDS; i++) {
    nap(20);
    help();
  }
  pthread_join(thread, NULL);
}

/* The mutex is held for a while after the other thread was told to ask for it. */
static void hand_over(void)
{
  pthread_t thread;
  sem_init(&begun, 0, 0);
  sem_init(&turn, 0, 0);
  pthread_create(&thread, NULL, lock_waiter, NULL);
  sem_wait(&begun);
  for (int i = 0; i < ROUNDS; i++) {
    take();
    sem_post(&turn);
    nap(20);
    let_go();
    nap(5);
  }
  pthread_join(thread, NULL);
}

static void spin_together(void)
{
  pthread_t threads[2];
  int cpu = sched_getcpu();
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, spinner, &cpu);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
  const char *how = argc > 1 ? argv[1] : "";
  if (pipe(ends) < 0)
    return 1;
  /* Unwind tables of wakers are not waited for: now there is time for them. */
  if (strcmp(how, "futex") == 0 || strcmp(how, "pipe") == 0 || strcmp(how, "poll") == 0 ||
      strcmp(how, "mutex") == 0)
    nap(300);
  if (strcmp(how, "sleep") == 0)
    sleeper(NULL);
  else if (strcmp(how, "futex") == 0)
    with_partner(condition_waiter, announce);
  else if (strcmp(how, "pipe") == 0)
    with_partner(reader, feed);
  else if (strcmp(how, "poll") == 0)
    with_partner(poller, feed);
  else if (strcmp(how, "mutex") == 0)
    hand_over();
  else if (strcmp(how, "disk") == 0 && argc > 2)
    write_through(argv[2]);
  else if (strcmp(how, "child") == 0)
    wait_for_child();
  else if (strcmp(how, "spin") == 0)
    spin_together();
  else if (strcmp(how, "hang") == 0)
    for (nap(200);; pause())
      ;
  else
    return 2;
  return 0;
}
