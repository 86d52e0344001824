/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ring in which the kernel leaves one CPU's records. It belongs to a counter of this very process that
 * never counts: so it outlives every target and the CPU itself, and all events of the CPU are redirected into
 * it.
 */
#ifndef RECORDER_RING_H
#define RECORDER_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "helpers/recorder/common/memo.h"
#include "helpers/recorder/events/raws.h"

/* What every event of a recording asks for; the layout of samples and of the trailers of other records.
 * Events with a frequency ask for PERF_SAMPLE_PERIOD, too. Those with a period must not: software events
 * would then make a sample of every occurrence. */
#define RECORDER_SAMPLE_TYPE                                                                                 \
  (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

struct recorder_sample_fixed {
  struct perf_event_header header;
  uint64_t id;
  uint64_t ip;
  int32_t pid;
  int32_t tid;
  uint64_t time;
  uint32_t cpu;
  uint32_t reserved;
  /* then the period (u64) if the event has a frequency, and the callchain if stacks are taken */
};

/* The last bytes of every other record. */
struct recorder_trailer {
  int32_t pid;
  int32_t tid;
  uint64_t time;
  uint32_t cpu;
  uint32_t reserved;
  uint64_t id;
};

struct recorder_ring {
  uint32_t cpu;
  int fd;
  struct perf_event_mmap_page *control;
  const uint8_t *data;
  uint64_t size;                          /* bytes, a power of two */
  uint64_t head;                          /* what the kernel had written when it was last looked at */
  uint64_t tail;                          /* what was read */
  const struct perf_event_header *record; /* the one at tail, whole; NULL: none */
  uint64_t time;                          /* of that record */
  uint8_t *unwrapped;                     /* where a record is put together that goes round the end */
  uint64_t lost;                          /* records that the kernel's LOST records told of */
  uint64_t lost_counted;                  /* by events that are closed already */
  uint64_t raws_lost;                     /* raw records among the lost ones that were told of */
  uint64_t raws_lost_counted;             /* by raw events that are closed already */
  int32_t exited_pid;                     /* who exited last on this CPU */
  int32_t exited_tid;
  struct recorder_memo memo; /* of the kernel's stacks */
  uint64_t raw_id; /* perf's identifier of the event that carries what BPF programs leave; 0: none */
  struct recorder_raws raws; /* that wait for their samples */
};

/* `pages` is a power of two. Its descriptor is readable each time that `watermark` bytes were written; 0:
 * half of the ring. 0 or -errno: -ENOBUFS when so much memory may not be locked. */
int recorder_ring_open(struct recorder_ring *ring, uint32_t cpu, uint32_t pages, uint32_t watermark);
void recorder_ring_close(struct recorder_ring *ring);

/* Looks how far the kernel has come. */
void recorder_ring_look(struct recorder_ring *ring);
/* Sets record and time to what stands at tail. 0, or -EPROTO when it cannot be a record. */
int recorder_ring_peek(struct recorder_ring *ring);
/* Goes on behind the record. */
static inline void recorder_ring_skip(struct recorder_ring *ring)
{
  ring->tail += ring->record->size;
}
/* Gives what was read back to the kernel. */
void recorder_ring_release(struct recorder_ring *ring);

/* The trailer of a record that is no sample and has room for one. */
const struct recorder_trailer *recorder_trailer(const struct perf_event_header *record);

#endif
