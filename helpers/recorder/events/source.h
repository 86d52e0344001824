/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The perf events of a recording and the rings that they fill: one ring a CPU. */
#ifndef RECORDER_SOURCE_H
#define RECORDER_SOURCE_H

#include "helpers/recorder/common/table.h"
#include "helpers/recorder/events/bpf.h"
#include "helpers/recorder/events/cpus.h"
#include "helpers/recorder/events/event.h"
#include "helpers/recorder/events/ring.h"

/* What this kernel can do. */
struct recorder_support {
  bool lost_format;    /* events count what they lost */
  bool inherit_thread; /* threads inherit without children */
  bool build_id;       /* mappings come with build-ids */
  bool ksymbol;
};

/* The event of a descriptor that carries what BPF programs leave. */
#define RECORDER_EVENT_RAW UINT32_MAX

/* One open event. */
struct recorder_descriptor {
  int fd;         /* -1: its CPU went */
  uint32_t event; /* its index, or RECORDER_EVENT_RAW */
  struct recorder_ring *ring;
  int32_t tid; /* whom it was opened for, -1 everybody */
};

struct recorder_source {
  const struct recorder_event_type *events;
  uint32_t n_events;
  uint32_t flags;           /* enum recorder_flags; EXCLUDE_KERNEL is added where the kernel wants it so */
  uint32_t max_stack;       /* frames of the kernel's callchains */
  uint32_t user_stack;      /* frames of stacks that are walked by tables, at most WALK_FRAMES_MAX */
  uint32_t unwind;          /* enum recorder_unwind, anything but AUTO */
  uint32_t stack_bytes;     /* of each sample's stack, for TABLES */
  struct recorder_bpf *bpf; /* for BPF; stays the caller's */
  uint32_t ring_pages;
  uint32_t max_open;      /* events times threads; 0: no limit */
  const int32_t *targets; /* pids */
  uint32_t n_targets;
  bool enabled;
  struct recorder_support support;
  struct recorder_cpus online;
  struct recorder_ring **rings;
  uint32_t n_rings;
  struct recorder_descriptor *descriptors;
  uint32_t n_descriptors;
  uint32_t capacity;
  struct recorder_table ids; /* perf's identifier -> index in descriptors, plus one */
};

/* Opens every event, disabled. Fields up to targets are set by the caller, the others zero. 0 or a negative
 * errno with the error said; notes gets what had to be left out. recorder_source_close is due in either case.
 */
int recorder_source_open(struct recorder_source *source, char *notes, struct recorder_error *error);
void recorder_source_close(struct recorder_source *source);

/* Starts and ends all events; with RECORDER_ENABLE_ON_EXEC the kernel starts them. */
void recorder_source_enable(struct recorder_source *source);
void recorder_source_disable(struct recorder_source *source);
/* True when so many threads have more events, inherited ones too, than may be open. */
bool recorder_source_is_crowded(const struct recorder_source *source, uint32_t n_threads);
/* Closes every event, which ends those that were inherited; what is in the rings stays. */
void recorder_source_give_up(struct recorder_source *source);
/* -EDQUOT, with the error said. */
int recorder_source_explain_crowd(const struct recorder_source *source, struct recorder_error *error);
/* The event behind perf's identifier, or NULL. */
const struct recorder_descriptor *recorder_source_find(const struct recorder_source *source, uint64_t id);
/* True when every event's task, and all that inherited from it, has gone. */
bool recorder_source_is_over(const struct recorder_source *source);
/* Samples that events of the ring lost and LOST records have not told of. */
uint64_t recorder_source_untold(const struct recorder_source *source, const struct recorder_ring *ring);

/* What of `records`, which the ring lost by a LOST record's account, were no samples but what BPF programs
 * left; each is told once. */
uint64_t recorder_source_lost_raws(const struct recorder_source *source, struct recorder_ring *ring,
                                   uint64_t records);

typedef void (*recorder_cpu_fn)(uint32_t cpu, bool online, void *data);
/* Looks which CPUs came and went, opens what they need and tells fn. */
void recorder_source_follow_cpus(struct recorder_source *source, recorder_cpu_fn fn, void *data);

#endif
