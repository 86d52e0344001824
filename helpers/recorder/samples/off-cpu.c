/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/samples/off-cpu.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* Of a stack that is read, in bytes. */
#define STACK_MAX 16384
/* By DWARF's numbers. */
#ifdef __aarch64__
#define STACK_POINTER 31
#else
#define STACK_POINTER 7
#endif

/* NULL: time off the CPU is not recorded. */
static struct recorder_bpf *programs_of(const struct recorder_decoder *decoder)
{
  return decoder->off_cpu != UINT32_MAX ? decoder->source->bpf : NULL;
}

int recorder_off_cpu_add_targets(const struct recorder_decoder *decoder, const int *pidfds,
                                 struct recorder_error *error)
{
  const struct recorder_source *source = decoder->source;
  struct recorder_bpf *programs = programs_of(decoder);
  enum recorder_off_cpu_member member =
      (source->flags & RECORDER_ENABLE_ON_EXEC) != 0 ? RECORDER_OFF_CPU_FROM_EXEC : RECORDER_OFF_CPU_MEMBER;
  for (uint32_t i = 0; programs != NULL && i < source->n_targets; i++) {
    int result = recorder_bpf_off_cpu_add(programs, pidfds[i], member);
    if (result == -ESRCH)
      return recorder_error_set(error, ESRCH, "Process %d does not exist any more.", source->targets[i]);
    if (result < 0)
      return recorder_error_set(error, -result,
                                "The time that process %d is off the CPU cannot be recorded: %s.",
                                source->targets[i], strerror(-result));
  }
  return 0;
}

/* What of the stack can be read, a page at a time; it stands still. */
static size_t read_stack(int32_t pid, uint64_t sp, uint8_t *bytes)
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t n = 0;
  while (n < STACK_MAX) {
    size_t size = page - (size_t)((sp + n) % page);
    struct iovec local = {bytes + n, size < STACK_MAX - n ? size : STACK_MAX - n};
    struct iovec remote = {(void *)(uintptr_t)(sp + n), local.iov_len};
    ssize_t r = process_vm_readv(pid, &local, 1, &remote, 1, 0);
    if (r <= 0)
      break;
    n += (size_t)r;
  }
  return n;
}

/* A thread that was found off the CPU, with its stack as if it had been missed then. */
struct found {
  uint32_t pad;
  struct recorder_raw raw;
  struct recorder_raw_registers registers;
  uint8_t stack[STACK_MAX];
};

static void take_found(const struct recorder_raw *raw, uint32_t size, void *data)
{
  struct recorder_decoder *decoder = data;
  const struct recorder_raw_registers *registers = recorder_raw_registers(raw);
  const struct recorder_raw_found *thread = (const void *)(registers + 1);
  struct found found;
  if (size != sizeof *raw + sizeof *registers + sizeof *thread || raw->kind != RECORDER_RAW_OFF_CPU_MISS)
    return;
  found.raw = *raw;
  found.registers = *registers;
  found.raw.count = (uint16_t)read_stack(thread->pid, registers->general[STACK_POINTER], found.stack);
  recorder_misses_add(&decoder->misses, thread->tid, &found.raw,
                      sizeof found.raw + sizeof found.registers + found.raw.count);
}

void recorder_off_cpu_begin(struct recorder_decoder *decoder)
{
  if (programs_of(decoder) == NULL)
    return;
  recorder_bpf_off_cpu_enable(programs_of(decoder), true);
  if (recorder_bpf_off_cpu_found(programs_of(decoder), take_found, decoder) < 0)
    recorder_output_damaged(decoder->output);
}

void recorder_off_cpu_disable(const struct recorder_decoder *decoder)
{
  if (programs_of(decoder) != NULL)
    recorder_bpf_off_cpu_enable(programs_of(decoder), false);
}

void recorder_off_cpu_count_lost(struct recorder_decoder *decoder, uint64_t now)
{
  struct recorder_output *output = decoder->output;
  uint64_t lost = programs_of(decoder) != NULL ? recorder_bpf_off_cpu_lost(programs_of(decoder)) : 0;
  if (lost == decoder->off_cpu_lost)
    return;
  uint32_t event = recorder_output_events(output) == 0 ? output->event_ids[decoder->off_cpu] : 0;
  recorder_output_lost(output, now, lost - decoder->off_cpu_lost, 0, CAPTURE_CPU_UNKNOWN, event);
  decoder->off_cpu_lost = lost;
}

struct rest {
  struct recorder_decoder *decoder;
  uint64_t time;
};

static void take_rest(const struct recorder_raw *raw, uint32_t size, void *data)
{
  struct rest *rest = data;
  recorder_decoder_off_cpu_rest(rest->decoder, rest->time, raw, size);
}

void recorder_off_cpu_finish(struct recorder_decoder *decoder, uint64_t now)
{
  struct rest rest = {decoder, now};
  if (programs_of(decoder) == NULL)
    return;
  recorder_off_cpu_count_lost(decoder, now);
  if (recorder_bpf_off_cpu_rest(programs_of(decoder), take_rest, &rest) < 0)
    recorder_output_damaged(decoder->output);
}
