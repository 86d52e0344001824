/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the recorder is talked to: the whole protocol, one SOCK_SEQPACKET socketpair.
 *
 * The recorder is started as `capture-recorder FD` with its end of the pair as descriptor FD. One packet
 * is one message; each begins with struct recorder_message. Integers are the machine's own.
 *
 *   caller                    recorder
 *   PROBE                 ─▶              only to know what could be recorded
 *                         ◀─  PROBED
 *   CONFIGURE (+ pidfds)  ─▶
 *                         ◀─  READY (+ windows, control), or ENDED with an error
 *   START                 ─▶              events count from now on, or from the exec
 *                         ◀─  STARTED
 *   PLACED                ─▶              with RECORDER_PLACED_LATER: children may be started
 *                         ◀─  STATUS      about four times a second
 *                         ◀─  WAKE        after each round of commits, and when fewer than
 *                                         half of the windows are free
 *   STOP                  ─▶
 *                         ◀─  ENDED       after everything is committed and closed; it exits
 *
 * End of file on the socket ends the recorder at once. A message that breaks these rules ends it with
 * an error. The recorder's standard error is the caller's; it prints nothing there but bugs.
 */
#ifndef RECORDER_PROTOCOL_H
#define RECORDER_PROTOCOL_H

#include <stdint.h>

#define RECORDER_PROTOCOL_VERSION 4
#define RECORDER_EVENTS_MAX       16
#define RECORDER_EVENT_NAME_MAX   128
#define RECORDER_EVENT_OFF_CPU    "off-cpu"
#define RECORDER_TARGETS_MAX      250
#define RECORDER_TEXT_MAX         512
#define RECORDER_OUTCOMES         16
#define RECORDER_STACK_BYTES_MAX  65528 /* of a sample, with all else in it, as perf allows */
/* How many events times threads there may be in a session with RECORDER_OWN or RECORDER_NAMES, whose caller
 * could not open them himself; threads that inherit them count, too. For each the kernel keeps some 3 KiB of
 * memory a CPU, and charges nobody: so there may be no more than these times CPUs either. More are EDQUOT, at
 * the beginning or later. */
#define RECORDER_OPEN_EVENTS_MAX     2048
#define RECORDER_OPEN_CPU_EVENTS_MAX 16384

enum recorder_message_type {
  RECORDER_CONFIGURE = 1,
  RECORDER_START = 2,
  RECORDER_STOP = 3,
  RECORDER_PROBE = 4,
  RECORDER_PLACED = 5,
  RECORDER_READY = 64,
  RECORDER_STARTED = 65,
  RECORDER_STATUS = 66,
  RECORDER_WAKE = 67,
  RECORDER_ENDED = 68,
  RECORDER_PROBED = 69
};

struct recorder_message {
  uint32_t type;
  uint32_t size; /* of the whole message */
};

enum recorder_flags {
  RECORDER_KERNEL_STACKS = 1 << 0,
  RECORDER_USER_STACKS = 1 << 1,
  RECORDER_SYSTEM_WIDE = 1 << 2,    /* every process on every CPU; no targets */
  RECORDER_CHILDREN = 1 << 3,       /* follow children of the targets born later */
  RECORDER_ENABLE_ON_EXEC = 1 << 4, /* the targets wait at a gate: count from their exec on */
  RECORDER_NO_COMMAND_LINES = 1 << 5,
  RECORDER_EXCLUDE_KERNEL = 1 << 6, /* samples in user space only */
  /* The caller is entitled to the targets alone, which are his: events of the targets' tasks and nothing
   * else, no address of the kernel's (samples taken there have their user stack); tracepoints, "off-cpu" and
   * raw events are refused. An opener that runs as the caller, whose socket is attached behind the targets
   * (helpers/opener-protocol.h), proves the targets to be his once all events are open, opens their files,
   * and has its own cache of tables. Without its proof there is no READY; afterwards it costs stacks by table
   * when it does not behave. The recorder looks into no process itself. Not with SYSTEM_WIDE, nor with NAMES.
   */
  RECORDER_OWN = 1 << 7,
  /* The caller cannot read what the recorder can, or is root and reads no file that others may have written:
   * what was sampled in such files, and in the kernel, is named in the stream when the recording ends. */
  RECORDER_NAMES = 1 << 8,
  /* The caller puts the recorder where its memory is limited once it is READY, and says PLACED when that is
   * done, at any time. Until then the recorder starts no other process: those would stay outside. */
  RECORDER_PLACED_LATER = 1 << 9,
  /* The functions of an interpreter stay in stacks, beneath those of the language that they run. */
  RECORDER_INTERPRETER = 1 << 10
};

/* How user stacks are found. */
enum recorder_unwind {
  RECORDER_UNWIND_AUTO = 0, /* by tables: in BPF programs where they are permitted, else as TABLES, else by
                               frame pointers; READY says which it is and notes why no better one */
  RECORDER_UNWIND_FRAME_POINTERS = 1, /* the kernel's own way */
  RECORDER_UNWIND_TABLES = 2,         /* by tables, in the recorder, over a copy of each sample's stack */
  RECORDER_UNWIND_BPF = 3,            /* by tables, in BPF programs; an error where they are not permitted */
  RECORDER_UNWIND_NONE = 4            /* the innermost address only */
};

/* An event by name, as in sysfs or tracefs: "cycles", "cpu-clock", "page-faults", "sched:sched_switch",
 * "cpu/event=0x3c,umask=1/", "rNNN"; "" is the default (cycles where there is a PMU, else cpu-clock).
 * "off-cpu" is the time that threads are off the CPU, in nanoseconds, where BPF programs are permitted; its
 * period is the shortest time that is recorded (0: every one). */
struct recorder_event {
  char name[RECORDER_EVENT_NAME_MAX];
  uint64_t frequency; /* hertz; 0: use period */
  uint64_t period;    /* both 0: every occurrence of a tracepoint, 4000 Hz of anything else */
};

struct recorder_configure {
  struct recorder_message message;
  uint32_t version;      /* RECORDER_PROTOCOL_VERSION */
  uint32_t flags;        /* enum recorder_flags */
  uint32_t window_size;  /* bytes; 0: default */
  uint32_t window_count; /* at least n_events + 2; 0: default */
  uint32_t ring_pages;   /* data of each CPU's ring, a power of two; 0: as many as permitted, up to 512 */
  uint32_t max_stack;    /* frames; 0: 127 where frame pointers are followed, 512 where tables are */
  uint32_t n_targets;    /* pidfds attached, at most RECORDER_TARGETS_MAX; with RECORDER_OWN a socket more */
  uint32_t unwind;       /* enum recorder_unwind */
  uint32_t stack_bytes;  /* of a sample's stack, copied where needed, a multiple of 8; 0: 16384 */
  uint32_t n_events;     /* at least 1 */
  struct recorder_event events[]; /* n_events, at most RECORDER_EVENTS_MAX */
};

#define RECORDER_PROBES 5

enum recorder_probe_flags {
  RECORDER_PROBE_KERNEL = 1 << 0,   /* what the kernel does, too */
  RECORDER_PROBE_EVERYBODY = 1 << 1 /* of all processes on a CPU; else of the recorder itself */
};

struct recorder_probe_event {
  uint32_t type;  /* of perf_event_attr, as config */
  uint32_t flags; /* enum recorder_probe_flags */
  uint64_t config;
};

/* Which of these events could the recorder open? */
struct recorder_probe {
  struct recorder_message message;
  struct recorder_probe_event events[RECORDER_PROBES];
};

struct recorder_probed {
  struct recorder_message message;
  int32_t errors[RECORDER_PROBES]; /* an errno per event; 0: it can */
};

struct recorder_ready {
  struct recorder_message message;
  uint32_t n_cpus;
  uint32_t n_events;
  uint32_t unwind; /* enum recorder_unwind: what AUTO became */
  uint32_t flags;  /* enum recorder_flags: RECORDER_KERNEL_STACKS unless the kernel was left out */
  char events[RECORDER_EVENTS_MAX][RECORDER_EVENT_NAME_MAX]; /* what they became: "cpu-clock" */
  char notes[RECORDER_TEXT_MAX]; /* a sentence a line: what was left out and why; may be empty */
};

struct recorder_status {
  struct recorder_message message;
  uint64_t time; /* everything up to here is committed */
  uint64_t samples;
  uint64_t lost;
  uint64_t throttled;
  uint64_t outcomes[RECORDER_OUTCOMES]; /* samples by enum capture_outcome */
};

enum recorder_end { RECORDER_END_STOPPED = 1, RECORDER_END_TARGETS_GONE = 2, RECORDER_END_FAILED = 3 };

struct recorder_ended {
  struct recorder_message message;
  uint32_t reason;               /* enum recorder_end */
  int32_t error;                 /* positive errno when it failed, else 0 */
  struct recorder_status status; /* its message field is unused */
  char text[RECORDER_TEXT_MAX];  /* one sentence: what is wrong and what to do */
};

#endif
