/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/events/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "helpers/common/memory.h"
#include "helpers/recorder/common/rights.h"

#define RECORD_MAX 65536

static int open_owner(uint32_t cpu, uint32_t watermark)
{
  struct perf_event_attr attr = {
      .type = PERF_TYPE_SOFTWARE,
      .size = sizeof attr,
      .config = PERF_COUNT_SW_DUMMY,
      .sample_type = RECORDER_SAMPLE_TYPE,
      .sample_id_all = 1,
      .disabled = 1,
      .exclude_kernel = 1,
      .exclude_hv = 1,
      .use_clockid = 1,
      .clockid = CLOCK_MONOTONIC,
      .watermark = watermark != 0,
      .wakeup_watermark = watermark,
  };
  return recorder_rights_open_event(&attr, 0, (int)cpu);
}

int recorder_ring_open(struct recorder_ring *ring, uint32_t cpu, uint32_t pages, uint32_t watermark)
{
  size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
  int fd = open_owner(cpu, watermark);
  if (fd < 0)
    return fd;
  void *map = mmap(NULL, (pages + 1) * page_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) {
    /* EPERM is the limit on locked memory here: who may not record did not get as far. */
    int error = errno == EPERM ? ENOBUFS : errno;
    close(fd);
    return -error;
  }
  *ring = (struct recorder_ring){
      .cpu = cpu,
      .fd = fd,
      .control = map,
      .data = (const uint8_t *)map + page_size,
      .size = pages * page_size,
      .unwrapped = recorder_allocate(RECORD_MAX, 1),
  };
  return 0;
}

void recorder_ring_close(struct recorder_ring *ring)
{
  munmap(ring->control, ring->size + (size_t)sysconf(_SC_PAGESIZE));
  close(ring->fd);
  free(ring->unwrapped);
  recorder_raws_clear(&ring->raws);
}

void recorder_ring_look(struct recorder_ring *ring)
{
  ring->head = __atomic_load_n(&ring->control->data_head, __ATOMIC_ACQUIRE);
}

/* The record at tail in one piece. */
static const struct perf_event_header *whole_record(struct recorder_ring *ring, size_t size)
{
  uint64_t at = ring->tail & (ring->size - 1);
  size_t before_end = (size_t)(ring->size - at);
  if (size <= before_end)
    return (const struct perf_event_header *)(ring->data + at);
  memcpy(ring->unwrapped, ring->data + at, before_end);
  memcpy(ring->unwrapped + before_end, ring->data, size - before_end);
  return (const struct perf_event_header *)ring->unwrapped;
}

/* What a BPF program leaves stands before its sample, but the sample's time was taken before the program ran:
 * the two are merged as one. `size` bytes behind tail the sample is, if the kernel has written it already. */
static void take_time_of_sample(struct recorder_ring *ring, size_t size)
{
  uint64_t at = ring->tail + size;
  if (ring->head - at < sizeof(struct recorder_sample_fixed))
    return;
  const struct perf_event_header *header =
      (const struct perf_event_header *)(ring->data + (at & (ring->size - 1)));
  at += offsetof(struct recorder_sample_fixed, time);
  uint64_t time = *(const uint64_t *)(ring->data + (at & (ring->size - 1)));
  if (header->type == PERF_RECORD_SAMPLE && time < ring->time)
    ring->time = time;
}

/* Kernels (up to 6.18 at least) make the record of a kernel symbol larger by a trailer for each event that
 * they tell of it before this one: what counts stands behind the name, and what stands at the end is left
 * from older records. Returns where the trailer of such a record ends. */
static size_t symbol_size(const struct perf_event_header *record)
{
  const size_t fixed = sizeof *record + 16;
  if (record->size < fixed + sizeof(struct recorder_trailer))
    return record->size;
  size_t name = strnlen((const char *)record + fixed, record->size - fixed - sizeof(struct recorder_trailer));
  size_t size = fixed + name / 8 * 8 + 8 + sizeof(struct recorder_trailer);
  return size < record->size ? size : record->size;
}

const struct recorder_trailer *recorder_trailer(const struct perf_event_header *record)
{
  size_t size = record->type == PERF_RECORD_KSYMBOL ? symbol_size(record) : record->size;
  return (const struct recorder_trailer *)((const uint8_t *)record + size - sizeof(struct recorder_trailer));
}

int recorder_ring_peek(struct recorder_ring *ring)
{
  ring->record = NULL;
  if (ring->tail == ring->head)
    return 0;
  const struct perf_event_header *header =
      (const struct perf_event_header *)(ring->data + (ring->tail & (ring->size - 1)));
  size_t size = header->size;
  bool is_sample = header->type == PERF_RECORD_SAMPLE;
  size_t least =
      is_sample ? sizeof(struct recorder_sample_fixed) : sizeof *header + sizeof(struct recorder_trailer);
  if (size < least || size % 8 != 0 || size > ring->head - ring->tail)
    return -EPROTO;
  ring->record = whole_record(ring, size);
  ring->time = is_sample ? ((const struct recorder_sample_fixed *)ring->record)->time
                         : recorder_trailer(ring->record)->time;
  if (is_sample && ring->raw_id != 0 &&
      ((const struct recorder_sample_fixed *)ring->record)->id == ring->raw_id)
    take_time_of_sample(ring, size);
  return 0;
}

void recorder_ring_release(struct recorder_ring *ring)
{
  __atomic_store_n(&ring->control->data_tail, ring->tail, __ATOMIC_RELEASE);
}
