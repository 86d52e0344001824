/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Raw records (helpers/recorder/bpf/raw.h) that wait for their samples, of one ring. A sample that interrupts
 * another one between its raw record and itself comes complete before it, so they nest; a raw record whose
 * sample was lost is dropped by then.
 */
#ifndef RECORDER_RAWS_H
#define RECORDER_RAWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "helpers/recorder/bpf/raw.h"

/* Task, softirq, interrupt and non-maskable interrupt. */
#define RECORDER_RAWS_MAX 4u

struct recorder_waiting {
  int32_t tid;
  uint64_t ip;
  uint32_t size; /* of the raw part, without its size field */
  size_t capacity;
  uint8_t *bytes; /* the raw part as in the ring: its 32-bit size first, so that addresses are aligned */
};

struct recorder_raws {
  uint32_t count;
  struct recorder_waiting items[RECORDER_RAWS_MAX];
};

/* Keeps a copy of the raw part: `part` is its size field, `size` bytes follow. What says MORE becomes part of
 * the miss before it. False when it is none that is understood. */
bool recorder_raws_push(struct recorder_raws *raws, int32_t tid, uint64_t ip, const void *part,
                        uint32_t size);
/* The raw record of that thread's sample, NULL when none waits. It stays valid until the next push. */
const struct recorder_raw *recorder_raws_take(struct recorder_raws *raws, int32_t tid, uint64_t ip);
/* Samples were lost: whose they were is not known. */
void recorder_raws_drop(struct recorder_raws *raws);
void recorder_raws_clear(struct recorder_raws *raws);

/* The addresses of RECORDER_RAW_STACK. */
static inline const uint64_t *recorder_raw_frames(const struct recorder_raw *raw)
{
  return (const uint64_t *)(const void *)(raw + 1);
}

/* The registers of RECORDER_RAW_MISS, behind which the stack follows. */
static inline const struct recorder_raw_registers *recorder_raw_registers(const struct recorder_raw *raw)
{
  return (const struct recorder_raw_registers *)(const void *)(raw + 1);
}

#endif
