/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls each of its own functions through machine code that it makes, as CPython 3.12 and 3.13 do with -X
 * perf: code without a table and without a frame pointer. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define DEPTH 12
#define SPACE 32

typedef int (*trampoline)(int n, int depth, void *unused, int (*target)(int, int));

static volatile unsigned int sink;
static unsigned char *trampolines;

static int called(int n, int depth);

static __attribute__((noinline)) int call(int n, int depth)
{
  return ((trampoline)(void *)(trampolines + depth * SPACE))(n, depth, NULL, called) + 1;
}

static __attribute__((noinline)) int called(int n, int depth)
{
  if (depth > 0)
    return call(n, depth - 1) + 1;
  for (int i = 0; i < n; i++)
    sink = sink * 7 + (unsigned int)i;
  return (int)sink;
}

int main(int argc, char **argv)
{
  /* sub $8, %rsp; call *%rcx; add $8, %rsp; ret */
  static const unsigned char code[] = {0x48, 0x83, 0xec, 0x08, 0xff, 0xd1, 0x48, 0x83, 0xc4, 0x08, 0xc3};

  trampolines = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i <= DEPTH; i++)
    memcpy(trampolines + i * SPACE, code, sizeof code);
  mprotect(trampolines, 4096, PROT_READ | PROT_EXEC);
  for (int i = 0; i < atoi(argv[1]); i++)
    sink += (unsigned int)call(100000, DEPTH);
  return 0;
}
