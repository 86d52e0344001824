/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Allocations that are known. `allocations ROUNDS [THREADS]`: each thread calls every function of the malloc
 * family in known numbers and sizes, ROUNDS times, in a function each; what one thread allocates last another
 * one frees. Prints what was asked for and how many blocks, a line a function.
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAR __attribute__((noinline, noclone))
#define MAX 64

static unsigned rounds;
static pthread_barrier_t barrier;
static void *handed[MAX];
static volatile unsigned sink;

/* What a round of each asks for, in so many blocks. */
#define MALLOC_BYTES   (100 * 101 / 2)
#define CALLOC_BYTES   (10 * 7 * 33)
#define REALLOC_BYTES  (10 + 1000 + 100000 + 20)
#define ARRAY_BYTES    (3 * 50)
#define MEMALIGN_BYTES (64 + 128 + 256 + 512 + 1024)

FAR static void use(void *block)
{
  *(volatile char *)block = 1;
  sink++;
}

FAR static void many_mallocs(void)
{
  void *blocks[100];
  for (unsigned i = 0; i < 100; i++)
    use(blocks[i] = malloc(i + 1));
  for (unsigned i = 0; i < 100; i++)
    free(blocks[i]);
  sink++;
}

FAR static void some_callocs(void)
{
  for (unsigned i = 0; i < 10; i++) {
    char *block = calloc(7, 33);
    for (unsigned k = 0; k < 7 * 33; k++) {
      if (block[k] != 0)
        abort();
    }
    use(block);
    free(block);
  }
  sink++;
}

FAR static void grow_and_shrink(void)
{
  void *block = realloc(NULL, 10);
  use(block);
  use(block = realloc(block, 1000));
  use(block = realloc(block, 100000));
  use(block = realloc(block, 20));
  free(block);
  block = malloc(0);
  if (realloc(block, SIZE_MAX / 2))
    abort();
  free(block);
  sink++;
}

FAR static void an_array(void)
{
  void *block = reallocarray(NULL, 3, 50);
  use(block);
  if (reallocarray(block, SIZE_MAX / 2, 3))
    abort();
  free(block);
  sink++;
}

FAR static void aligned_ones(void)
{
  void *blocks[5];
  if (posix_memalign(&blocks[0], 64, 64) != 0)
    abort();
  blocks[1] = aligned_alloc(128, 128);
  blocks[2] = memalign(256, 256);
  blocks[3] = valloc(512);
  blocks[4] = pvalloc(1024);
  for (unsigned i = 0; i < 5; i++) {
    if (((uintptr_t)blocks[i] & (i < 3 ? (64u << i) - 1 : 4095)) != 0 || malloc_usable_size(blocks[i]) == 0)
      abort();
    use(blocks[i]);
    free(blocks[i]);
  }
  sink++;
}

FAR static void *hand_over(void)
{
  void *block = malloc(12345);
  use(block);
  return block;
}

FAR static void *work(void *which)
{
  uintptr_t i = (uintptr_t)which;
  pthread_barrier_wait(&barrier);
  for (unsigned round = 0; round < rounds; round++) {
    many_mallocs();
    some_callocs();
    grow_and_shrink();
    an_array();
    aligned_ones();
  }
  handed[i] = hand_over();
  pthread_barrier_wait(&barrier);
  return NULL;
}

/* A child that has this thread's memory, and ends without executing anything. */
FAR static void leave_child(void)
{
  pid_t child = vfork();
  if (child == 0)
    _exit(7);
  if (waitpid(child, NULL, 0) != child)
    abort();
  sink++;
}

FAR static void after_child(void)
{
  for (unsigned i = 0; i < 10; i++) {
    void *block = malloc(77);
    use(block);
    free(block);
  }
  sink++;
}

FAR static void take_over(unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    free(handed[i]);
  sink++;
}

int main(int argc, char **argv)
{
  pthread_t threads[MAX];
  rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  unsigned n = argc > 2 ? (unsigned)atoi(argv[2]) : 4;
  unsigned times = rounds * n;
  if (n > MAX)
    return 2;
  pthread_barrier_init(&barrier, NULL, n + 1);
  for (uintptr_t i = 0; i < n; i++)
    pthread_create(&threads[i], NULL, work, (void *)i);
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  for (unsigned i = 0; i < n; i++)
    pthread_join(threads[i], NULL);
  take_over(n);
  leave_child();
  after_child();
  printf("many_mallocs %u %u\n", times * 100, times * MALLOC_BYTES);
  printf("some_callocs %u %u\n", times * 10, times * CALLOC_BYTES);
  printf("grow_and_shrink %u %u\n", times * 5, times * REALLOC_BYTES);
  printf("an_array %u %u\n", times, times * ARRAY_BYTES);
  printf("aligned_ones %u %u\n", times * 5, times * MEMALIGN_BYTES);
  printf("hand_over %u %u\n", n, n * 12345);
  printf("after_child 10 770\n");
  return 0;
}
