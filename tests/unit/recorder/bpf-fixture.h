/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The BPF programs at work on a child process: loaded, fed from /proc, attached, read. Needs root. */
#ifndef BPF_FIXTURE_H
#define BPF_FIXTURE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/types.h>

#include <glib.h>

#include "helpers/recorder/bpf/raw.h"
#include "helpers/recorder/events/bpf-private.h"
#include "helpers/recorder/events/ring.h"

#define BPF_FIXTURE_AREA (16u << 20)
#define BPF_FIXTURE_MISS 16384 /* bytes of the stack in a piece of a miss */

struct bpf_record {
  const struct recorder_raw *raw; /* NULL: a sample of the event's own */
  uint64_t ip;                    /* of the interrupted code, as perf has it */
  pid_t pid;
};

typedef void (*bpf_record_fn)(const struct bpf_record *record, void *data);

struct bpf_fixture {
  struct recorder_bpf *bpf;
  uint8_t *area;
  uint32_t used;    /* bytes of the area */
  GPtrArray *rings; /* struct recorder_ring *, one a CPU */
  GArray *events;   /* descriptors */
};

/* Aborts when the programs cannot be loaded. */
struct bpf_fixture *bpf_fixture_new(bool only_own_events, uint32_t max_stack);
void bpf_fixture_free(struct bpf_fixture *fixture);
typedef struct bpf_fixture BpfFixture;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BpfFixture, bpf_fixture_free)

/* Puts tables and mappings of a process into the area. The kind is that of its mappings: TABLE, or PENDING
 * for all. */
struct walk_process bpf_fixture_publish(struct bpf_fixture *fixture, pid_t pid, enum walk_mapping_kind kind);
/* Samples the process 4,000 times a second of its time on the CPU. */
void bpf_fixture_sample(struct bpf_fixture *fixture, pid_t pid);
/* Each time that it comes to that tracepoint, as "raw_syscalls/sys_enter". */
void bpf_fixture_trace(struct bpf_fixture *fixture, pid_t pid, const char *tracepoint);
/* Hands over what was left since. Returns the number of records. */
guint bpf_fixture_read(struct bpf_fixture *fixture, bpf_record_fn fn, void *data);
/* Reads until there were so many records, or for ten seconds. */
void bpf_fixture_await(struct bpf_fixture *fixture, guint n, bpf_record_fn fn, void *data);

/* Starts a program whose output goes nowhere, and waits until it executes. */
pid_t bpf_fixture_start(const char *const *arguments);
void bpf_fixture_stop(pid_t pid);

#endif
