/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The capture format, version 1: every structure that stands in a capture, as it stands there.
 * docs/format.md is the normative text; this header is the same in C.
 *
 * All integers are in the byte order of the recording machine (capture_file_header.byte_order),
 * all fields are naturally aligned, all structures are multiples of 8 bytes and stand at multiples
 * of 8 bytes, so that each can be read in place. Reserved fields and padding are zero.
 * Times are nanoseconds of CLOCK_MONOTONIC unless the header's clock field says otherwise.
 */
#ifndef CAPTURE_FORMAT_H
#define CAPTURE_FORMAT_H

#include <stdint.h>

#define CAPTURE_FORMAT_MAJOR 1
#define CAPTURE_FORMAT_MINOR 1

/* The first eight bytes; like PNG's they reveal a transfer that mangled line ends or bit 7. */
#define CAPTURE_FILE_MAGIC                                                                                   \
  "\x89"                                                                                                     \
  "CAPT\r\n\x1a"
#define CAPTURE_BYTE_ORDER 0x01020304u

/* capture_file_header.clock */
enum capture_clock {
  CAPTURE_CLOCK_MONOTONIC = 0,
  CAPTURE_CLOCK_UNKNOWN = 1 /* imported: comparable with itself only */
};

/* capture_ended.reason: why a recording ended */
enum capture_end {
  CAPTURE_END_NONE = 0,          /* still recording, or its collector was killed */
  CAPTURE_END_EXITED = 1,        /* the recorded command exited; status is its wait status */
  CAPTURE_END_DURATION = 2,      /* the duration asked for was over */
  CAPTURE_END_INTERRUPTED = 3,   /* SIGINT, SIGTERM or Stop(); status is the signal, 0 for Stop() */
  CAPTURE_END_TARGETS_GONE = 4,  /* every recorded process had exited */
  CAPTURE_END_RECORDER_DIED = 5, /* the recorder went away without saying goodbye; status its wait status */
  CAPTURE_END_OUTPUT = 6,        /* the output could not be written; status is an errno */
  CAPTURE_END_FAILED = 7,        /* the recorder reported an error; status is an errno */
  CAPTURE_END_IMPORTED = 8,      /* converted from another format */
  CAPTURE_END_WRITTEN = 9        /* written by a program of its own accord (libcapture without a collector) */
};

/* The part of the file header that is rewritten in place, even on a full disk. */
struct capture_ended {
  uint32_t crc;    /* CRC-32C of this structure with crc zero */
  uint32_t reason; /* enum capture_end */
  int32_t status;
  uint32_t reserved;
  uint64_t time; /* when it ended; 0 while reason is CAPTURE_END_NONE */
};

struct capture_file_header { /* 256 bytes */
  uint8_t magic[8];
  uint16_t major; /* a reader refuses a major version it does not know */
  uint16_t minor; /* a reader ignores what a newer minor version adds */
  uint32_t size;  /* 256; the first window stands there */
  uint32_t byte_order;
  uint32_t crc;          /* CRC-32C of bytes 0 … offsetof(ended) with crc zero */
  uint64_t time;         /* when the recording began */
  int64_t time_realtime; /* the same instant, nanoseconds since 1970 UTC */
  uint8_t uuid[16];      /* random, one a capture */
  uint8_t boot_id[16];   /* of the recording machine, zero when unknown */
  uint32_t page_size;
  uint16_t machine; /* ELF e_machine of the recording machine */
  uint16_t clock;   /* enum capture_clock */
  uint8_t reserved[152];
  struct capture_ended ended; /* at 232 */
};

#define CAPTURE_WINDOW_MAGIC 0x4e495743u /* "CWIN" in memory, little endian */

enum capture_window_kind {
  CAPTURE_WINDOW_DICTIONARY = 1, /* records that define what samples refer to */
  CAPTURE_WINDOW_SAMPLES = 2,    /* fixed-size entries of one event */
  CAPTURE_WINDOW_RECORDS = 3,    /* records of what happened: losses, process life, marks … */
  CAPTURE_WINDOW_FOREIGN = 4,    /* bytes of another format, verbatim */
  CAPTURE_WINDOW_META = 5,       /* records about the recording, by the collector (stream 0) */
  CAPTURE_WINDOW_NAMES = 6,      /* records that name sampled addresses (stream 0, or a recorder's) */
  CAPTURE_WINDOW_INDEX = 7,      /* struct capture_index_entry, one a part before it (stream 0) */
  CAPTURE_WINDOW_FOOTER = 8      /* no content; time_first is the file offset of the index */
};

enum capture_window_flags {
  CAPTURE_WINDOW_ZSTD = 1 << 0,     /* stored bytes are one zstd frame */
  CAPTURE_WINDOW_SHUFFLED = 1 << 1, /* before compression byte i of every entry was put together: plane 0 of
                                     * all entries, plane 1, …; of every 8 bytes in dictionaries */
  CAPTURE_WINDOW_CLOSED = 1 << 2    /* this part is its window's last */
};

/*
 * Stands before the content of every window, in shared memory and in a file.
 *
 * A file holds a window as one or more parts, each a header and the bytes that were committed
 * since the part before. Parts end where a record or an entry ends, so each is read on its own.
 * The stored bytes are padded with zeroes to a multiple of 8.
 *
 * In shared memory crc is the slot's turn (how often it was claimed, from 1; published last),
 * length is the committed length (release store), stored is nonzero once the window is closed,
 * and stream and start are zero. See capture-pool.h.
 */
struct capture_window_header { /* 64 bytes */
  uint32_t magic;
  uint32_t crc;        /* CRC-32C of this header with crc zero, then of the stored bytes */
  uint16_t kind;       /* enum capture_window_kind */
  uint16_t flags;      /* enum capture_window_flags */
  uint32_t stream;     /* given out by the collector, from 1; 0 is the collector's own */
  uint32_t sequence;   /* number of the window in its stream */
  uint32_t epoch;      /* the epoch in which identifiers are looked up, from 1 */
  uint32_t start;      /* where in its window this part begins, bytes of content */
  uint32_t length;     /* bytes of content */
  uint32_t stored;     /* bytes of content as stored in the file, without padding */
  uint16_t event;      /* samples: identifier of the event; foreign: enum capture_foreign; else 0 */
  uint16_t entry_size; /* samples: 16, 24 or 32; else 0 */
  uint64_t
      time_first; /* samples: entries count their time from here; else of the first record that has a time */
  uint64_t time_last; /* no entry of the part is later; 0 when no times occur */
  uint64_t weight;    /* samples of 16 bytes: the weight of every one; else 0 */
};

/* How a sample's unwinding ended: the quality ledger counts these. */
enum capture_outcome {
  CAPTURE_OUTCOME_UNKNOWN = 0,        /* not said; nothing is known of this stack's quality */
  CAPTURE_OUTCOME_COMPLETE = 1,       /* the root was reached and proven */
  CAPTURE_OUTCOME_FRAME_POINTERS = 2, /* followed frame pointers to their end; not proven */
  CAPTURE_OUTCOME_TRUNCATED = 3,      /* more frames than the depth limit */
  CAPTURE_OUTCOME_NO_USER_STACK = 4,  /* a kernel thread, or user stacks were not asked for */
  CAPTURE_OUTCOME_NO_TABLE = 5,       /* no unwind table covers a frame's address */
  CAPTURE_OUTCOME_UNREADABLE = 6,     /* the stack memory could not be read */
  CAPTURE_OUTCOME_NOT_RESIDENT = 7,   /* the stack memory was not in memory */
  CAPTURE_OUTCOME_BAD_FRAME = 8,      /* the next frame would not lie above this one */
  CAPTURE_OUTCOME_UNSUPPORTED = 9,    /* a rule the unwinder does not evaluate */
  CAPTURE_OUTCOME_NO_STACK = 10,      /* the sample was taken without any stack */
  CAPTURE_OUTCOME_LOST = 11           /* its stack was found, but lost on the way */
};

/* Of a sample's outcome, beside the enum: frames on the way that no unwind table describes were left by their
 * frame pointers, in a walk by tables. A function there that keeps none is missing. */
#define CAPTURE_OUTCOME_BY_FRAME_POINTERS 0x80u

/* Where the processor was when the sample was taken. */
enum capture_mode {
  CAPTURE_MODE_UNKNOWN = 0,
  CAPTURE_MODE_KERNEL = 1,
  CAPTURE_MODE_USER = 2,
  CAPTURE_MODE_HYPERVISOR = 3,
  CAPTURE_MODE_GUEST_KERNEL = 4,
  CAPTURE_MODE_GUEST_USER = 5
};

#define CAPTURE_CPU_UNKNOWN 0xffffu

/* An entry of a samples window. Its entry size says which members it has. */
struct capture_sample {
  uint32_t time;   /* nanoseconds after the window's time_first */
  uint32_t thread; /* identifier of a THREAD record; 0 unknown */
  uint32_t leaf;   /* identifier of a stack node; 0 no stack */
  uint16_t cpu;
  uint8_t outcome; /* enum capture_outcome, and CAPTURE_OUTCOME_BY_FRAME_POINTERS */
  uint8_t mode;    /* enum capture_mode */
  /* entry size 24 and up: */
  uint64_t weight; /* in the event's unit */
  /* entry size 32 and up: */
  uint64_t detail; /* what the event's detail field says it is */
};

/* Every record begins with this and is skipped by its size when its type is not known. */
struct capture_record {
  uint32_t size;  /* of the whole record, a multiple of 8, at least 8 */
  uint16_t type;  /* enum capture_record_type */
  uint16_t count; /* number of the items that follow the fixed part, where the type has any */
};

enum capture_record_type {
  /* dictionary windows */
  CAPTURE_RECORD_STRING = 1,
  CAPTURE_RECORD_SPACE = 2,
  CAPTURE_RECORD_FRAMES = 3,
  CAPTURE_RECORD_NODES = 4,
  CAPTURE_RECORD_BINARY = 6,
  CAPTURE_RECORD_PROCESS = 7,
  CAPTURE_RECORD_MAPPING = 8,
  CAPTURE_RECORD_THREAD = 9,
  CAPTURE_RECORD_EVENT = 10,
  CAPTURE_RECORD_KERNEL_SYMBOL = 11,
  CAPTURE_RECORD_FUNCTION = 12,
  CAPTURE_RECORD_CODE = 13,
  CAPTURE_RECORD_CODE_END = 14,
  CAPTURE_RECORD_COUNTER = 15,
  /* records windows */
  CAPTURE_RECORD_LOST = 32,
  CAPTURE_RECORD_THROTTLE = 33,
  CAPTURE_RECORD_FORK = 34,
  CAPTURE_RECORD_EXIT = 35,
  CAPTURE_RECORD_CPU = 36,
  CAPTURE_RECORD_USER_STACK = 37,
  /* meta windows */
  CAPTURE_RECORD_STREAM = 64,
  CAPTURE_RECORD_METADATA = 65,
  CAPTURE_RECORD_MESSAGE = 66,
  /* records windows again */
  CAPTURE_RECORD_MARK = 38,
  CAPTURE_RECORD_COUNTS = 39,
  CAPTURE_RECORD_LOG = 40,
  /* names windows; they use STRING as well, with identifiers of their own */
  CAPTURE_RECORD_NAMED_BINARY = 80,
  CAPTURE_RECORD_FUNCTIONS = 81
};

/*
 * Identifiers in dictionary records are local to their stream and epoch and count from 1; 0 means
 * none. Each kind (strings, spaces, frames, nodes, binaries, processes, threads, events) counts on
 * its own. Definitions may stand in any order: whatever a
 * sample leads to has been defined by the time the sample is committed.
 */

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

enum capture_lost_reason {
  CAPTURE_LOST_RING = 1,    /* perf's ring was full: LOST, LOST_SAMPLES */
  CAPTURE_LOST_WINDOWS = 2, /* no free window: the collector stalled */
  CAPTURE_LOST_DAMAGED = 3  /* a sample that could not be understood */
};

struct capture_record_lost {
  struct capture_record record;
  uint64_t time;    /* when it was noticed */
  uint64_t samples; /* lost since the record before; 0: only other records were lost */
  uint64_t records; /* lost records that may have been samples or not (perf's LOST) */
  uint32_t reason;  /* enum capture_lost_reason */
  uint32_t cpu;     /* CAPTURE_CPU_UNKNOWN */
  uint32_t event;   /* 0 not known */
  uint32_t reserved;
};

struct capture_record_throttle {
  struct capture_record record;
  uint64_t time;
  uint32_t event;
  uint32_t cpu;
  uint32_t on; /* 1 throttled, 0 running again */
  uint32_t reserved;
};

/* FORK and EXIT */
struct capture_record_task {
  struct capture_record record;
  uint64_t time;
  int32_t pid;
  int32_t tid;
  int32_t parent_pid;
  int32_t parent_tid;
};

struct capture_record_cpu {
  struct capture_record record;
  uint64_t time;
  uint32_t cpu;
  uint32_t online; /* 1 came, 0 went */
};

enum capture_mark_kind {
  CAPTURE_MARK_INSTANT = 0,
  CAPTURE_MARK_BEGIN = 1,
  CAPTURE_MARK_END = 2, /* of the thread's latest BEGIN with that category and name that has no end */
  CAPTURE_MARK_SPAN = 3 /* from time to time + duration */
};

/* Something that a program says happened. */
struct capture_record_mark {
  struct capture_record record;
  uint64_t time;
  uint64_t duration; /* of a SPAN, nanoseconds */
  uint32_t thread;
  uint32_t kind;     /* enum capture_mark_kind */
  uint32_t category; /* strings, 0 none */
  uint32_t name;
  uint32_t length;
  char message[]; /* length bytes and at least one NUL */
};

struct capture_count {
  uint32_t counter;
  uint32_t reserved;
  double value; /* IEEE 754 */
};

/* Values of counters at one time. */
struct capture_record_counts {
  struct capture_record record; /* count: values */
  uint64_t time;
  struct capture_count values[]; /* record.count */
};

/* A line of a program's log. */
struct capture_record_log {
  struct capture_record record;
  uint64_t time;
  uint32_t thread;
  uint32_t severity; /* of syslog: 3 error, 4 warning, 6 information, 7 debugging */
  uint32_t domain;   /* string, 0 none */
  uint32_t length;
  char text[]; /* length bytes and at least one NUL */
};

/* Of a foreign window: what its bytes are. A stream has one kind; its parts, in order, are one file. */
enum capture_foreign {
  CAPTURE_FOREIGN_SYSCAP = 1,   /* Sysprof's capture format */
  CAPTURE_FOREIGN_PERF_MAP = 2, /* /tmp/perf-PID.map: names of machine code, without times */
  CAPTURE_FOREIGN_JITDUMP = 3   /* jit-PID.dump */
};

/* Registers and a piece of the stack of one sample, for an unwinder to come (imported captures). */
struct capture_record_user_stack {
  struct capture_record record; /* count: registers */
  uint64_t time;                /* with event and thread: which sample */
  uint32_t event;
  uint32_t thread;
  uint64_t abi;          /* PERF_SAMPLE_REGS_ABI_* */
  uint64_t mask;         /* perf's register numbers, in the order of the bits */
  uint64_t stack_length; /* bytes of stack from the stack pointer upwards */
  uint64_t registers[];  /* record.count, then the stack's bytes, padded to 8 */
};

enum capture_stream_kind {
  CAPTURE_STREAM_RECORDER = 1,
  CAPTURE_STREAM_SAMPLER = 2,
  CAPTURE_STREAM_FOREIGN = 3,
  CAPTURE_STREAM_COUNTERS = 4,
  CAPTURE_STREAM_IMPORT = 5
};

struct capture_record_stream {
  struct capture_record record;
  uint32_t id;
  uint32_t kind; /* enum capture_stream_kind */
  int32_t pid;   /* of the producer, 0 not known */
  uint32_t length;
  char name[]; /* length bytes and at least one NUL */
};

/* One fact about the recording. Keys are listed in docs/format.md. */
struct capture_record_metadata {
  struct capture_record record;
  uint32_t key_length;
  uint32_t value_length;
  char bytes[]; /* key, NUL, value, NUL */
};

/* Something a person should know about this recording. */
struct capture_record_message {
  struct capture_record record;
  uint64_t time;
  uint32_t severity; /* of syslog: 3 error, 4 warning, 6 information */
  uint32_t length;
  char text[];
};

/* A binary whose sampled functions are named. Binaries of dictionaries are matched by build-id
 * where both have one, else by path, device and inode. */
struct capture_record_named_binary {
  struct capture_record record;
  uint32_t id;
  uint32_t path; /* string */
  uint64_t device;
  uint64_t inode;
  uint32_t flags; /* enum capture_binary_flags; KERNEL: functions carry kernel addresses */
  uint32_t build_id_size;
  uint8_t build_id[CAPTURE_BUILD_ID_MAX];
  uint32_t status; /* enum capture_naming */
};

enum capture_naming {
  CAPTURE_NAMING_SYMBOLS = 0,    /* .symtab, here or in a debug file, or kallsyms */
  CAPTURE_NAMING_DYNAMIC = 1,    /* only exported symbols: stripped, no debug file found */
  CAPTURE_NAMING_NONE = 2,       /* no symbols at all */
  CAPTURE_NAMING_UNREADABLE = 3, /* the file could not be opened or was another one */
  CAPTURE_NAMING_HIDDEN = 4      /* kernel: addresses are hidden from the recording user */
};

struct capture_function {
  uint64_t start;        /* file offset, or kernel address */
  uint64_t end;          /* first byte after it */
  uint32_t name;         /* string, demangled; 0: whoever wrote it does not demangle */
  uint32_t linkage_name; /* string, as in the symbol table; 0 same as name */
  uint32_t file;         /* string, source file of the function, 0 not known */
  uint32_t line;         /* 0 not known */
  uint32_t module;       /* string: kernel module it belongs to, 0 none */
  uint32_t reserved;
};

struct capture_record_functions {
  struct capture_record record;
  uint32_t binary;
  uint32_t reserved;
  struct capture_function functions[]; /* record.count, ascending by start, not overlapping */
};

struct capture_index_entry { /* 48 bytes */
  uint64_t offset;           /* of the part's header in the file */
  uint64_t time_first;
  uint64_t time_last;
  uint32_t stream;
  uint32_t epoch;
  uint32_t length;
  uint32_t stored;
  uint16_t kind;
  uint16_t event;
  uint16_t entry_size;
  uint16_t flags;
};

#endif
