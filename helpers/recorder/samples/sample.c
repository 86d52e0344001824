/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/samples/sample.h"

#include "helpers/recorder/common/machine.h"
#include "helpers/recorder/events/attr.h"
#include "libcapture/format/capture-format.h"
#include "unwind/walk/unwind-walk.h"

/* Entries of a callchain from here on are marks, not addresses. */
#define CONTEXT_FIRST ((uint64_t)-4095)

_Static_assert(CAPTURE_MODE_GUEST_USER == PERF_RECORD_MISC_GUEST_USER, "modes are perf's");

/* The words of a record behind its fixed part. */
struct words {
  const uint64_t *next;
  size_t left;
};

static bool sample_take(struct words *words, uint64_t *ret)
{
  if (words->left == 0)
    return false;
  *ret = *words->next++;
  words->left--;
  return true;
}

static bool sample_skip(struct words *words, uint64_t count, const uint64_t **ret)
{
  if (count > words->left)
    return false;
  *ret = words->next;
  words->next += count;
  words->left -= count;
  return true;
}

static void split_chain(struct recorder_sample *sample, const uint64_t *entries, uint64_t count)
{
  const uint64_t **addresses = &sample->kernel;
  uint32_t *n = NULL;
  for (uint64_t i = 0; i < count; i++) {
    if (entries[i] < CONTEXT_FIRST) {
      if (n != NULL)
        (*n)++;
      continue;
    }
    /* The kernel puts no mark behind the user's addresses, but what a program has on its stack may look like
     * one. */
    if (n == &sample->n_user)
      return;
    bool user = entries[i] == (uint64_t)PERF_CONTEXT_USER;
    addresses = user ? &sample->user : &sample->kernel;
    n = user ? &sample->n_user : entries[i] == (uint64_t)PERF_CONTEXT_KERNEL ? &sample->n_kernel : NULL;
    if (n != NULL) {
      *addresses = entries + i + 1;
      *n = 0;
    }
  }
}

static bool read_chain(struct recorder_sample *sample, struct words *words)
{
  uint64_t count;
  const uint64_t *entries;
  if (!sample_take(words, &count) || !sample_skip(words, count, &entries))
    return false;
  split_chain(sample, entries, count);
  return true;
}

/* The registers, and what of the stack was copied. */
static bool read_stack(struct recorder_sample *sample, struct words *words)
{
  uint64_t mask = unwind_registers_perf_mask(RECORDER_MACHINE), size, copied;
  const uint64_t *registers = NULL, *stack;
  if (!sample_take(words, &sample->abi) ||
      (sample->abi != PERF_SAMPLE_REGS_ABI_NONE &&
       !sample_skip(words, (uint64_t)__builtin_popcountll(mask), &registers)) ||
      !sample_take(words, &size))
    return false;
  if (size == 0)
    return true;
  if (size % 8 != 0 || !sample_skip(words, size / 8, &stack) || !sample_take(words, &copied) || copied > size)
    return false;
  if (registers == NULL ||
      !unwind_registers_set_perf(&sample->start.registers, RECORDER_MACHINE, mask, registers))
    return true;
  sample->start.bytes = (const uint8_t *)stack;
  sample->start.size = copied;
  sample->start.stack = sample->start.registers.sp;
  return true;
}

bool recorder_sample_read(struct recorder_sample *ret, const struct recorder_source *source, uint32_t event,
                          const struct recorder_sample_fixed *record)
{
  const struct recorder_event_type *type = &source->events[event];
  struct words words = {(const uint64_t *)(record + 1), (record->header.size - sizeof *record) / 8};
  *ret = (struct recorder_sample){
      .time = record->time,
      .ip = record->ip,
      .weight = type->period,
      .event = event,
      .cpu = record->cpu < CAPTURE_CPU_UNKNOWN ? (uint16_t)record->cpu : CAPTURE_CPU_UNKNOWN,
      .mode = record->header.misc & PERF_RECORD_MISC_CPUMODE_MASK,
  };
  ret->start.in_kernel = ret->mode != CAPTURE_MODE_USER;
  return (type->frequency == 0 || sample_take(&words, &ret->weight)) &&
         (!recorder_attr_has_callchain(source) || read_chain(ret, &words)) &&
         (!recorder_attr_has_stack(source) || read_stack(ret, &words));
}

void recorder_sample_set_miss(struct recorder_sample *sample, const struct recorder_raw *raw)
{
  const struct recorder_raw_registers *registers = recorder_raw_registers(raw);
  unwind_registers_set(&sample->start.registers, RECORDER_MACHINE, registers->general);
  sample->start.bytes = (const uint8_t *)(registers + 1);
  sample->start.size = raw->count;
  sample->start.stack = sample->start.registers.sp;
}
