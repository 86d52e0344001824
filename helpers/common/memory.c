/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/common/memory.h"

#include <stdio.h>
#include <stdlib.h>

static _Noreturn void out_of_memory(void)
{
  fputs("capture-recorder: out of memory\n", stderr);
  _Exit(EXIT_FAILURE);
}

void *recorder_allocate(size_t count, size_t size)
{
  void *memory = calloc(count != 0 ? count : 1, size);
  if (memory == NULL)
    out_of_memory();
  return memory;
}

void *recorder_allocate_aligned(size_t alignment, size_t size)
{
  void *memory = aligned_alloc(alignment, size);
  if (memory == NULL)
    out_of_memory();
  return memory;
}

void *recorder_reallocate(void *memory, size_t count, size_t size)
{
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes))
    out_of_memory();
  void *grown = realloc(memory, bytes != 0 ? bytes : 1);
  if (grown == NULL)
    out_of_memory();
  return grown;
}
