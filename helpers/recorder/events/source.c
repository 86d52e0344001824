/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/events/source.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "helpers/common/memory.h"
#include "helpers/common/proc.h"
#include "helpers/recorder/common/rights.h"
#include "helpers/recorder/events/attr.h"

#define RING_PAGES_DEFAULT 512
/* Misses and copied stacks fill a ring in milliseconds: a quarter of the smallest ring, and seldom reached by
 * samples without them between two rounds. */
#define WATERMARK (128u << 10)
/* Rounds in which new threads of a target may turn up; one that was born of a covered thread is covered
 * already. */
#define SCAN_ROUNDS 16

static void add_descriptor(struct recorder_source *source, int fd, uint32_t event, struct recorder_ring *ring,
                           int32_t tid)
{
  if (source->n_descriptors == source->capacity) {
    source->capacity = source->capacity != 0 ? 2 * source->capacity : 64;
    source->descriptors =
        recorder_reallocate(source->descriptors, source->capacity, sizeof *source->descriptors);
  }
  source->descriptors[source->n_descriptors++] = (struct recorder_descriptor){fd, event, ring, tid};
  uint64_t id;
  if (ioctl(fd, PERF_EVENT_IOC_ID, &id) == 0)
    recorder_table_set(&source->ids, id, (void *)(uintptr_t)source->n_descriptors);
}

static uint64_t tracepoint_of(const struct recorder_event_type *type)
{
  return type->type == PERF_TYPE_TRACEPOINT ? type->config : 0;
}

/* Opens all events of one thread (-1: of everybody) on the ring's CPU. 0 or -errno; *ret_event is the one
 * that failed. */
static int open_events(struct recorder_source *source, struct recorder_ring *ring, int32_t tid,
                       uint32_t *ret_event)
{
  for (uint32_t i = 0; i < source->n_events; i++) {
    struct perf_event_attr attr;
    *ret_event = i;
    /* Nothing of perf's but, in the first place, what tells of tasks and mappings. */
    if (source->events[i].off_cpu && i != 0)
      continue;
    if (source->max_open != 0 && source->n_descriptors >= (uint64_t)source->max_open * source->n_rings)
      return -EDQUOT;
    recorder_attr_init(&attr, source, i, ring->size);
    int fd = recorder_rights_open_event(&attr, tid, (int)ring->cpu);
    if (fd < 0)
      return fd;
    int result = ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) < 0 ? -errno : 0;
    if (result == 0 && source->unwind == RECORDER_UNWIND_BPF && !source->events[i].off_cpu)
      result = recorder_bpf_attach(source->bpf, fd, tracepoint_of(&source->events[i]));
    if (result < 0) {
      close(fd);
      return result;
    }
    add_descriptor(source, fd, i, ring, tid);
  }
  return 0;
}

/* The event that carries what BPF programs leave on that CPU. */
static int open_raw_event(struct recorder_source *source, struct recorder_ring *ring)
{
  struct perf_event_attr attr;
  if (source->bpf == NULL)
    return 0;
  recorder_attr_init_raw(&attr, source);
  int fd = recorder_rights_open_event(&attr, -1, (int)ring->cpu);
  if (fd < 0)
    return fd;
  int result = ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) < 0
                   ? -errno
                   : recorder_bpf_set_output(source->bpf, ring->cpu, fd);
  if (result < 0)
    close(fd);
  else
    add_descriptor(source, fd, RECORDER_EVENT_RAW, ring, -1);
  if (result == 0 && ioctl(fd, PERF_EVENT_IOC_ID, &ring->raw_id) < 0)
    ring->raw_id = 0;
  return result;
}

static uint32_t source_watermark(const struct recorder_source *source)
{
  bool large = source->unwind == RECORDER_UNWIND_BPF || source->unwind == RECORDER_UNWIND_TABLES;
  return large ? WATERMARK : 0;
}

static int open_ring(struct recorder_source *source, uint32_t cpu, uint32_t pages, struct recorder_ring **ret)
{
  struct recorder_ring *ring = recorder_allocate(1, sizeof *ring);
  int result = recorder_ring_open(ring, cpu, pages, source_watermark(source));
  if (result < 0) {
    free(ring);
    return result;
  }
  source->rings = recorder_reallocate(source->rings, source->n_rings + 1, sizeof *source->rings);
  source->rings[source->n_rings++] = ring;
  *ret = ring;
  return 0;
}

static void close_rings(struct recorder_source *source)
{
  for (uint32_t i = 0; i < source->n_rings; i++) {
    recorder_ring_close(source->rings[i]);
    free(source->rings[i]);
  }
  source->n_rings = 0;
}

static int open_ring_of_each_cpu(struct recorder_source *source)
{
  int result = 0;
  for (uint32_t cpu = 0; cpu < RECORDER_CPUS_MAX && result == 0; cpu++) {
    struct recorder_ring *ring;
    if (recorder_cpus_has(&source->online, cpu))
      result = open_ring(source, cpu, source->ring_pages, &ring);
  }
  return result;
}

static int explain_memory(struct recorder_error *error)
{
  return recorder_error_set(
      error, EPERM,
      "This user may not lock the memory that samples need on their way, a little for "
      "each CPU: end other recordings, raise the limit with “ulimit -l”, or run “sysctl "
      "kernel.perf_event_mlock_kb=2048” as root.");
}

static bool is_short_of_memory(int result)
{
  return result == -ENOBUFS || result == -ENOMEM;
}

static int open_rings(struct recorder_source *source, struct recorder_error *error)
{
  int result = recorder_cpus_online(&source->online);
  if (result < 0)
    return recorder_error_set(error, -result,
                              "The list of CPUs, /sys/devices/system/cpu/online, cannot be read: %s.",
                              strerror(-result));
  if (source->ring_pages == 0)
    source->ring_pages = RING_PAGES_DEFAULT;
  /* The limit on locked memory is one for all CPUs and known by trying. All have rings of one size: what the
   * first ones took beyond their share the last ones would lack. */
  while (is_short_of_memory(result = open_ring_of_each_cpu(source)) && source->ring_pages > 1) {
    close_rings(source);
    source->ring_pages /= 2;
  }
  if (result == -ENOBUFS)
    return explain_memory(error);
  return result < 0 ? recorder_attr_explain(source, 0, 0, result, error) : 0;
}

/* Each event is one a CPU. */
static void limit_events(struct recorder_source *source)
{
  uint32_t most = RECORDER_OPEN_CPU_EVENTS_MAX / source->n_rings;
  if (source->max_open > most)
    source->max_open = most != 0 ? most : 1;
}

static int open_thread(struct recorder_source *source, int32_t pid, int32_t tid, struct recorder_error *error)
{
  for (uint32_t i = 0; i < source->n_rings; i++) {
    uint32_t event = 0;
    int result = open_events(source, source->rings[i], tid, &event);
    if (result == -ESRCH)
      return 0;
    if (result == -EDQUOT)
      return recorder_source_explain_crowd(source, error);
    if (result < 0)
      return recorder_attr_explain(source, event, pid, result, error);
  }
  return 0;
}

/* The kernel gave the thread's number to somebody else's meanwhile. */
static void forget_from(struct recorder_source *source, uint32_t first)
{
  for (uint32_t i = first; i < source->n_descriptors; i++) {
    if (source->descriptors[i].fd >= 0)
      close(source->descriptors[i].fd);
    source->descriptors[i].fd = -1;
  }
}

/* One look at the threads of a process; returns how many were new. */
static int open_new_threads(struct recorder_source *source, int32_t pid, struct recorder_table *known,
                            struct recorder_error *error)
{
  int32_t *threads;
  int count = recorder_proc_threads(pid, &threads), fresh = 0, result = 0;
  if (count < 0)
    return recorder_attr_explain(source, 0, pid, count, error);
  for (int i = 0; i < count && result == 0; i++) {
    if (recorder_table_find(known, (uint32_t)threads[i]) != NULL)
      continue;
    recorder_table_set(known, (uint32_t)threads[i], known);
    fresh++;
    uint32_t first = source->n_descriptors;
    result = open_thread(source, pid, threads[i], error);
    if (!recorder_proc_has_thread(pid, threads[i]))
      forget_from(source, first);
  }
  free(threads);
  return result < 0 ? result : fresh;
}

static int open_target(struct recorder_source *source, int32_t pid, struct recorder_error *error)
{
  struct recorder_table known;
  recorder_table_init(&known);
  int result = 1;
  for (int round = 0; round < SCAN_ROUNDS && result > 0; round++)
    result = open_new_threads(source, pid, &known, error);
  recorder_table_clear(&known);
  return result < 0 ? result : 0;
}

static int open_system(struct recorder_source *source, struct recorder_error *error)
{
  for (uint32_t i = 0; i < source->n_rings; i++) {
    uint32_t event = 0;
    int result = open_events(source, source->rings[i], -1, &event);
    if (result < 0)
      return recorder_attr_explain(source, event, 0, result, error);
  }
  return 0;
}

static int open_all(struct recorder_source *source, struct recorder_error *error)
{
  int result = 0;
  for (uint32_t i = 0; i < source->n_rings && result == 0; i++)
    result = open_raw_event(source, source->rings[i]);
  if (result < 0)
    return recorder_error_set(
        error, -result,
        "Stacks that were walked in the kernel cannot be received: %s; record with “--unwind dwarf”.",
        strerror(-result));
  if ((source->flags & RECORDER_SYSTEM_WIDE) != 0)
    return open_system(source, error);
  for (uint32_t i = 0; i < source->n_targets && result == 0; i++)
    result = open_target(source, source->targets[i], error);
  return result;
}

static void close_descriptors(struct recorder_source *source)
{
  for (uint32_t i = 0; i < source->n_descriptors; i++)
    if (source->descriptors[i].fd >= 0)
      close(source->descriptors[i].fd);
  source->n_descriptors = 0;
  recorder_table_clear(&source->ids);
  recorder_table_init(&source->ids);
}

static void note_no_kernel(char *notes)
{
  if (recorder_rights_are_lent())
    recorder_notes_add(notes,
                       "Samples in the kernel are left out: a security module or the service's sandbox "
                       "forbids them.");
  else
    recorder_notes_add(
        notes,
        "Samples in the kernel are left out: perf_event_paranoid is %d; record as root, or run "
        "“sysctl kernel.perf_event_paranoid=1” as root, to have them.",
        recorder_rights_paranoid());
}

int recorder_source_open(struct recorder_source *source, char *notes, struct recorder_error *error)
{
  recorder_table_init(&source->ids);
  recorder_attr_probe(&source->support);
  int result = open_rings(source, error);
  if (result < 0)
    return result;
  limit_events(source);
  result = open_all(source, error);
  if ((result == -EACCES || result == -EPERM) && (source->flags & RECORDER_EXCLUDE_KERNEL) == 0) {
    struct recorder_error again;
    close_descriptors(source);
    source->flags |= RECORDER_EXCLUDE_KERNEL;
    result = open_all(source, &again) < 0 ? result : 0;
    if (result == 0)
      note_no_kernel(notes);
  }
  return result;
}

void recorder_source_close(struct recorder_source *source)
{
  close_descriptors(source);
  close_rings(source);
  free(source->rings);
  free(source->descriptors);
  recorder_table_clear(&source->ids);
}

void recorder_source_enable(struct recorder_source *source)
{
  source->enabled = true;
  if ((source->flags & RECORDER_ENABLE_ON_EXEC) != 0)
    return;
  for (uint32_t i = 0; i < source->n_descriptors; i++)
    ioctl(source->descriptors[i].fd, PERF_EVENT_IOC_ENABLE, 0);
}

void recorder_source_disable(struct recorder_source *source)
{
  for (uint32_t i = 0; i < source->n_descriptors; i++)
    if (source->descriptors[i].fd >= 0 && source->descriptors[i].event != RECORDER_EVENT_RAW)
      ioctl(source->descriptors[i].fd, PERF_EVENT_IOC_DISABLE, 0);
}

bool recorder_source_is_crowded(const struct recorder_source *source, uint32_t n_threads)
{
  return source->max_open != 0 && (uint64_t)n_threads * source->n_events > source->max_open;
}

void recorder_source_give_up(struct recorder_source *source)
{
  recorder_source_disable(source);
  forget_from(source, 0);
}

int recorder_source_explain_crowd(const struct recorder_source *source, struct recorder_error *error)
{
  return recorder_error_set(
      error, EDQUOT,
      "The processes have too many threads: their number times that of the events may be %u at most; "
      "record fewer processes or events.",
      source->max_open);
}

const struct recorder_descriptor *recorder_source_find(const struct recorder_source *source, uint64_t id)
{
  uintptr_t index = (uintptr_t)recorder_table_find(&source->ids, id);
  return index != 0 ? &source->descriptors[index - 1] : NULL;
}

bool recorder_source_is_over(const struct recorder_source *source)
{
  for (uint32_t i = 0; i < source->n_descriptors; i++) {
    struct pollfd poll_fd = {.fd = source->descriptors[i].fd};
    if (poll_fd.fd >= 0 && source->descriptors[i].event != RECORDER_EVENT_RAW &&
        (poll(&poll_fd, 1, 0) != 1 || (poll_fd.revents & POLLHUP) == 0))
      return false;
  }
  return true;
}

static uint64_t count_lost(const struct recorder_source *source, const struct recorder_descriptor *descriptor)
{
  uint64_t values[2]; /* the count, then what was lost */
  if (!source->support.lost_format || descriptor->fd < 0 ||
      read(descriptor->fd, values, sizeof values) != (ssize_t)sizeof values)
    return 0;
  return values[1];
}

uint64_t recorder_source_untold(const struct recorder_source *source, const struct recorder_ring *ring)
{
  uint64_t counted = ring->lost_counted;
  for (uint32_t i = 0; i < source->n_descriptors; i++)
    if (source->descriptors[i].ring == ring && source->descriptors[i].event != RECORDER_EVENT_RAW)
      counted += count_lost(source, &source->descriptors[i]);
  return counted > ring->lost ? counted - ring->lost : 0;
}

uint64_t recorder_source_lost_raws(const struct recorder_source *source, struct recorder_ring *ring,
                                   uint64_t records)
{
  uint64_t counted = ring->raws_lost_counted;
  for (uint32_t i = 0; i < source->n_descriptors; i++)
    if (source->descriptors[i].ring == ring && source->descriptors[i].event == RECORDER_EVENT_RAW)
      counted += count_lost(source, &source->descriptors[i]);
  uint64_t untold = counted > ring->raws_lost ? counted - ring->raws_lost : 0;
  uint64_t told = untold < records ? untold : records;
  ring->raws_lost += told;
  return told;
}

static struct recorder_ring *ring_of(const struct recorder_source *source, uint32_t cpu)
{
  for (uint32_t i = 0; i < source->n_rings; i++)
    if (source->rings[i]->cpu == cpu)
      return source->rings[i];
  return NULL;
}

/* Events of the whole CPU die with it; those of a thread go on when it comes back. */
static void cpu_went(struct recorder_source *source, uint32_t cpu)
{
  for (uint32_t i = 0; i < source->n_descriptors; i++) {
    struct recorder_descriptor *descriptor = &source->descriptors[i];
    if (descriptor->ring->cpu != cpu || descriptor->tid != -1 || descriptor->fd < 0)
      continue;
    uint64_t *counted = descriptor->event == RECORDER_EVENT_RAW ? &descriptor->ring->raws_lost_counted
                                                                : &descriptor->ring->lost_counted;
    *counted += count_lost(source, descriptor);
    close(descriptor->fd);
    descriptor->fd = -1;
  }
}

/* A smaller ring when there is no memory left for one as the others have. */
static int open_late_ring(struct recorder_source *source, uint32_t cpu, struct recorder_ring **ret)
{
  int result = -ENOBUFS;
  for (uint32_t pages = source->ring_pages; pages > 0 && is_short_of_memory(result); pages /= 2)
    result = open_ring(source, cpu, pages, ret);
  return result;
}

static bool cpu_came(struct recorder_source *source, uint32_t cpu)
{
  struct recorder_ring *ring = ring_of(source, cpu);
  bool known = ring != NULL;
  uint32_t event, threads = source->n_descriptors;
  if (!known && open_late_ring(source, cpu, &ring) < 0)
    return false;
  if (open_raw_event(source, ring) < 0)
    return false;
  if ((source->flags & RECORDER_SYSTEM_WIDE) != 0) {
    bool opened = open_events(source, ring, -1, &event) == 0;
    if (!opened) /* or what was opened would be open twice after the next attempt */
      cpu_went(source, cpu);
    return opened;
  }
  /* Whose a thread's number is by now cannot be proven. */
  if ((source->flags & RECORDER_OWN) != 0)
    return true;
  for (uint32_t i = 0; !known && i < threads; i++)
    if (source->descriptors[i].ring == source->rings[0] && source->descriptors[i].event == 0 &&
        source->descriptors[i].fd >= 0)
      open_events(source, ring, source->descriptors[i].tid, &event);
  return true;
}

void recorder_source_follow_cpus(struct recorder_source *source, recorder_cpu_fn fn, void *data)
{
  struct recorder_cpus now;
  if (recorder_cpus_online(&now) < 0 || memcmp(&now, &source->online, sizeof now) == 0)
    return;
  for (uint32_t cpu = 0; cpu < RECORDER_CPUS_MAX; cpu++) {
    bool is = recorder_cpus_has(&now, cpu), was = recorder_cpus_has(&source->online, cpu);
    if (is == was)
      continue;
    if (was)
      cpu_went(source, cpu);
    else if (!cpu_came(source, cpu))
      now.bits[cpu / 64] &= ~(UINT64_C(1) << (cpu % 64)); /* tried again at the next look */
    if (was || recorder_cpus_has(&now, cpu))
      fn(cpu, is, data);
  }
  source->online = now;
}
