/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf-budget-private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MEMORY_DEFAULT ((uint64_t)1 << 30)
#define CAPACITY_MIN   16

static uint64_t budget_now(clockid_t clock)
{
  struct timespec now;

  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void dwarf_budget_open(struct dwarf_budget *budget, const struct dwarf_limits *limits)
{
  *budget = (struct dwarf_budget){.memory = limits && limits->memory ? limits->memory : MEMORY_DEFAULT};
}

void dwarf_budget_start(struct dwarf_budget *budget, const struct dwarf_limits *limits)
{
  budget->out_of_time = false;
  budget->work = 0;
  budget->deadline = limits ? limits->deadline : 0;
  budget->processor_end = 0;
  if (limits && limits->processor_time &&
      __builtin_add_overflow(budget_now(CLOCK_THREAD_CPUTIME_ID), limits->processor_time,
                             &budget->processor_end))
    budget->processor_end = 0;
}

static bool budget_take(struct dwarf_budget *budget, uint64_t n, size_t size)
{
  uint64_t bytes;

  if (__builtin_mul_overflow(n, (uint64_t)size, &bytes) || bytes > budget->memory) {
    budget->out_of_memory = true;
    return false;
  }
  budget->memory -= bytes;
  return true;
}

void *dwarf_budget_allocate(struct dwarf_budget *budget, uint64_t n, size_t size)
{
  void *memory = budget_take(budget, n, size) ? calloc(n ? n : 1, size) : NULL;

  if (!memory)
    budget->out_of_memory = true;
  return memory;
}

void dwarf_budget_free(struct dwarf_budget *budget, void *memory, uint64_t n, size_t size)
{
  if (memory)
    budget->memory += n * size;
  free(memory);
}

void *dwarf_budget_grow(struct dwarf_budget *budget, void *items, uint32_t *capacity, size_t size)
{
  uint32_t grown = *capacity ? 2 * *capacity : CAPACITY_MIN;
  void *memory;

  if (*capacity > UINT32_MAX / 2 || !budget_take(budget, grown - *capacity, size)) {
    budget->out_of_memory = true;
    return NULL;
  }
  memory = reallocarray(items, grown, size);
  if (!memory) {
    budget->memory += (uint64_t)(grown - *capacity) * size;
    budget->out_of_memory = true;
    return NULL;
  }
  *capacity = grown;
  return memory;
}

void *dwarf_budget_trim(struct dwarf_budget *budget, void *items, uint32_t *capacity, uint32_t n, size_t size)
{
  void *memory = n > 0 && n < *capacity ? reallocarray(items, n, size) : NULL;

  if (!memory)
    return items;
  budget->memory += (uint64_t)(*capacity - n) * size;
  *capacity = n;
  return memory;
}

int dwarf_budget_work(struct dwarf_budget *budget, uint32_t amount)
{
  if (__builtin_add_overflow(budget->work, amount, &budget->work))
    budget->work = UINT32_MAX;
  if (budget->work < DWARF_WORK_OF_A_LOOK)
    return budget->out_of_time ? -ETIME : 0;
  budget->work = 0;
  if ((budget->processor_end && budget_now(CLOCK_THREAD_CPUTIME_ID) > budget->processor_end) ||
      (budget->deadline && budget_now(CLOCK_MONOTONIC) > budget->deadline))
    budget->out_of_time = true;
  return budget->out_of_time ? -ETIME : 0;
}

enum dwarf_outcome dwarf_budget_get_outcome(const struct dwarf_budget *budget)
{
  return budget->out_of_time     ? DWARF_OUT_OF_TIME
         : budget->out_of_memory ? DWARF_OUT_OF_MEMORY
         : budget->damaged       ? DWARF_DAMAGED
                                 : DWARF_COMPLETE;
}
