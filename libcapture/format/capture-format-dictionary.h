/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Of the capture format (capture-format.h): the records of dictionary windows, which define what samples and
 * other records refer to.
 *
 * Their identifiers are local to their stream and epoch and count from 1; 0 means none. Each kind (strings,
 * spaces, frames, nodes, binaries, processes, threads, events) counts on its own. Definitions may stand in
 * any order: whatever a sample leads to has been defined by the time the sample is committed.
 */
#ifndef CAPTURE_FORMAT_DICTIONARY_H
#define CAPTURE_FORMAT_DICTIONARY_H

#include "libcapture/format/capture-format-file.h"

struct capture_record_string {
  struct capture_record record;
  uint32_t id;
  uint32_t length;
  char bytes[]; /* length bytes and at least one NUL; UTF-8 where the source was */
};

enum capture_space_kind {
  CAPTURE_SPACE_BINARY = 1,  /* owner: binary; base + offset is a file offset */
  CAPTURE_SPACE_KERNEL = 2,  /* owner: 0; base + offset is a kernel address */
  CAPTURE_SPACE_PROCESS = 3, /* owner: process (one generation of its address space); an address in it */
  CAPTURE_SPACE_IDENTIFIERS =
      4,                  /* owner: process; base + offset is 0xE0… | identifier of a STRING or FUNCTION */
  CAPTURE_SPACE_GUEST = 5 /* owner: 0; an address in a virtual machine */
};

struct capture_record_space {
  struct capture_record record;
  uint32_t id;
  uint32_t kind; /* enum capture_space_kind */
  uint32_t owner;
  uint32_t reserved;
  uint64_t base; /* added to each offset, modulo 2^64; a multiple of 2^32 */
};

struct capture_frame {
  uint32_t space;
  uint32_t offset;
};

/* Defines frames first, first + 1, …: a frame is an instruction address, exactly as it was sampled. */
struct capture_record_frames {
  struct capture_record record;
  uint32_t first;
  uint32_t reserved;
  struct capture_frame frames[]; /* record.count */
};

/* The two top bits of an item of NODES; below them stands an identifier. */
#define CAPTURE_NODE_TAG    0xc0000000u
#define CAPTURE_NODE_FRAME  0x00000000u
#define CAPTURE_NODE_PARENT 0x80000000u
#define CAPTURE_NODE_JOIN   0xc0000000u
#define CAPTURE_NODE_ID_MAX 0x3fffffffu /* of frames and nodes */

/* Defines stack nodes first, first + 1, … by items that are read in order, with a current node, at first 0.
 *
 * - FRAME | frame: defines the next node, frame on top of the current node (0: it is a root), and makes it
 * current.
 * - PARENT | node: makes node current.
 * - JOIN | node: defines the next node, a sample's two stacks joined: the kernel's, which ends in node, on
 * top of the user's, which ends in the current node. Then 0 is current.
 *
 * A node that is referred to has a smaller identifier than the one defined. A join is a leaf only: never
 * a parent, never part of another join. An item with tag 01 ends the reading of the record. */
struct capture_record_nodes {
  struct capture_record record; /* count: items */
  uint32_t first;
  uint32_t nodes;   /* how many are defined: items without PARENT */
  uint32_t items[]; /* record.count, then padding to 8 */
};

enum capture_binary_flags {
  CAPTURE_BINARY_DELETED = 1 << 0, /* already unlinked when first seen */
  CAPTURE_BINARY_VDSO = 1 << 1,
  CAPTURE_BINARY_KERNEL_MODULE = 1 << 2,
  CAPTURE_BINARY_KERNEL = 1 << 3,
  CAPTURE_BINARY_SPECIAL = 1 << 4 /* no file: [heap], //anon, memfd … */
};

#define CAPTURE_BUILD_ID_MAX 20

struct capture_record_binary {
  struct capture_record record;
  uint32_t id;
  uint32_t path;   /* string, as the process that mapped it saw it */
  uint64_t device; /* major << 32 | minor, 0 when not known */
  uint64_t inode;
  uint64_t inode_generation;
  uint64_t mapped_start; /* of the mapping through which it was first seen */
  uint64_t mapped_end;
  int32_t mapped_pid; /* in whose /proc/PID/map_files and /proc/PID/root it was seen; 0 none */
  uint32_t flags;     /* enum capture_binary_flags */
  uint8_t build_id[CAPTURE_BUILD_ID_MAX];
  uint32_t build_id_size; /* 0: not known */
};

enum capture_process_origin {
  CAPTURE_PROCESS_EXISTED = 0, /* looked up in /proc */
  CAPTURE_PROCESS_FORKED = 1,  /* has its parent's mappings up to time */
  CAPTURE_PROCESS_EXECED = 2   /* begins without mappings */
};

/* One generation of an address space: an exec begins another one of the same pid. */
struct capture_record_process {
  struct capture_record record;
  uint32_t id;
  int32_t pid;
  uint32_t parent;       /* process: forked from, or the generation before the exec; 0 not known */
  uint32_t origin;       /* enum capture_process_origin */
  uint32_t name;         /* string: comm of the leader at that time */
  uint32_t command_line; /* string, arguments separated by spaces, 0 left out */
  uint64_t time;         /* when this generation began; 0: before the recording */
};

/* From time on, until covered by a later one, the process has this range mapped. All mappings of
 * a generation are repeated in each epoch that uses it; a forked generation's inherited ones are
 * written out with it, so a reader need not follow parents. */
struct capture_record_mapping {
  struct capture_record record;
  uint32_t process; /* 0: the kernel's own (text and modules) */
  uint32_t binary;  /* 0: nothing that has a file stands there any more */
  uint64_t start;
  uint64_t end;
  uint64_t offset; /* in the file, of start */
  uint64_t time;
  uint32_t protection; /* PROT_* */
  uint32_t flags;      /* MAP_* */
};

/* A thread under one name: renaming it (exec too) begins another record with another identifier. */
struct capture_record_thread {
  struct capture_record record;
  uint32_t id;
  uint32_t process;
  int32_t tid;
  uint32_t name; /* string */
  uint64_t time; /* from when on; 0: before the recording */
};

enum capture_unit {
  CAPTURE_UNIT_COUNT = 0, /* occurrences of the event */
  CAPTURE_UNIT_NANOSECONDS = 1,
  CAPTURE_UNIT_BYTES = 2,
  CAPTURE_UNIT_CYCLES = 3
};

enum capture_detail {
  CAPTURE_DETAIL_NONE = 0,
  CAPTURE_DETAIL_ADDRESS = 1,
  CAPTURE_DETAIL_OFF_CPU = 2 /* CAPTURE_OFF_CPU(reason, thread, leaf) */
};

/* Why a thread was off the CPU from its sample's time - weight to time. */
enum capture_off_cpu {
  CAPTURE_OFF_CPU_UNKNOWN = 0,
  CAPTURE_OFF_CPU_PREEMPTED = 1, /* it could have gone on */
  CAPTURE_OFF_CPU_SLEEPING = 2,  /* it waited, interruptibly */
  CAPTURE_OFF_CPU_BLOCKED = 3,   /* it waited, uninterruptibly */
  CAPTURE_OFF_CPU_IO = 4,        /* it waited for a device */
  CAPTURE_OFF_CPU_STOPPED = 5    /* by a signal or a debugger */
};

/* A reason, and who woke the thread: a THREAD identifier (24 bits, 0 not known) and the leaf of its stack (0
 * none). */
#define CAPTURE_OFF_CPU(reason, thread, leaf)                                                                \
  ((uint64_t)(reason) << 56 | (uint64_t)((thread)&0xffffffu) << 32 | (uint32_t)(leaf))
#define CAPTURE_OFF_CPU_REASON(detail) ((uint32_t)((detail) >> 56) & 0x7fu)
#define CAPTURE_OFF_CPU_THREAD(detail) ((uint32_t)((detail) >> 32) & 0xffffffu)
#define CAPTURE_OFF_CPU_LEAF(detail)   ((uint32_t)(detail))
/* No thread woke it but an interrupt: a timer, a device. */
#define CAPTURE_OFF_CPU_BY_INTERRUPT (UINT64_C(1) << 63)

struct capture_record_event {
  struct capture_record record;
  uint32_t id;     /* fits 16 bits */
  uint32_t name;   /* string */
  uint32_t unit;   /* enum capture_unit */
  uint32_t detail; /* enum capture_detail */
  uint32_t type;   /* perf_event_attr.type */
  uint32_t reserved;
  uint64_t config;
  uint64_t config1;
  uint64_t config2;
  uint64_t period;    /* asked for; 0 when a frequency was */
  uint64_t frequency; /* in hertz, asked for; 0 when a period was */
};

/* A kernel function that came or went (BPF programs, ftrace trampolines, modules …). */
struct capture_record_kernel_symbol {
  struct capture_record record;
  uint64_t address;
  uint64_t time;
  uint32_t length;
  uint32_t name;  /* string */
  uint32_t type;  /* PERF_RECORD_KSYMBOL_TYPE_* */
  uint32_t flags; /* 1: unregistered at time */
};

/* A function that has no address but a place in a source. Its identifiers and those of STRING are one
 * sequence. */
struct capture_record_function {
  struct capture_record record;
  uint32_t id;
  uint32_t name; /* string */
  uint32_t file; /* string, 0 not known */
  uint32_t line; /* 0 not known */
};

/* A line of a FUNCTION that is executed; its identifier is of their sequence. */
struct capture_record_function_line {
  struct capture_record record;
  uint32_t id;
  uint32_t function; /* FUNCTION */
  uint32_t line;
  uint32_t reserved;
};

/* From offset on, up to the next item's; ascending. */
struct capture_code_range {
  uint32_t offset;   /* in the code */
  uint32_t line;     /* 0 not known */
  uint32_t file;     /* string; 0: the code's */
  uint32_t function; /* string, what was inlined there; 0: nothing */
};

/* Machine code made at run time: from time on it stands in start … start + length of the process, and what
 * was there before has ended. */
struct capture_record_code {
  struct capture_record record; /* count: ranges */
  uint32_t process;
  uint32_t name; /* string */
  uint64_t start;
  uint64_t length;
  uint64_t time;
  uint32_t file;                      /* string, 0 not known */
  uint32_t line;                      /* 0 not known */
  struct capture_code_range ranges[]; /* record.count */
};

/* From time on no code stands in start … start + length. */
struct capture_record_code_end {
  struct capture_record record;
  uint32_t process;
  uint32_t reserved;
  uint64_t start;
  uint64_t length;
  uint64_t time;
};

enum capture_counter_flags {
  CAPTURE_COUNTER_TOTALS = 1 << 0 /* values grow: what came since the value before is of interest */
};

/* Something that is counted: its values come in COUNTS. */
struct capture_record_counter {
  struct capture_record record;
  uint32_t id;
  uint32_t process;  /* 0: the machine's */
  uint32_t category; /* strings, 0 none */
  uint32_t name;
  uint32_t description;
  uint32_t unit;
  uint32_t flags; /* enum capture_counter_flags */
  uint32_t reserved;
};

#endif
