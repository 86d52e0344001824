/* SPDX-License-Identifier: BSD-2-Clause */
/* Of the capture format (capture-format.h): the records that are no definitions: what happened (records
 * windows), what the collector tells of the recording (meta windows), and names of sampled addresses (names
 * windows). */
#ifndef CAPTURE_FORMAT_RECORDS_H
#define CAPTURE_FORMAT_RECORDS_H

#include "libcapture/format/capture-format-dictionary.h"
#include "libcapture/format/capture-format-file.h"

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

enum capture_record_mark_kind {
  CAPTURE_RECORD_MARK_INSTANT = 0,
  CAPTURE_RECORD_MARK_BEGIN = 1,
  CAPTURE_RECORD_MARK_END = 2, /* of the thread's latest BEGIN with that category and name that has no end */
  CAPTURE_RECORD_MARK_SPAN = 3 /* from time to time + duration */
};

/* Something that a program says happened. */
struct capture_record_mark {
  struct capture_record record;
  uint64_t time;
  uint64_t duration; /* of a SPAN, nanoseconds */
  uint32_t thread;
  uint32_t kind;     /* enum capture_record_mark_kind */
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
  uint32_t flags;        /* CAPTURE_FUNCTION_* */
};

/* No symbol names it. Where it begins and ends the unwind information says; its name is "fn@" and its address
 * in the file, in hexadecimal. */
#define CAPTURE_FUNCTION_NAMELESS 1u

struct capture_record_functions {
  struct capture_record record;
  uint32_t binary;
  uint32_t reserved;
  struct capture_function functions[]; /* record.count, ascending by start, not overlapping */
};

/* A function at a line of the source that code comes from. */
struct capture_place_frame {
  uint32_t name;          /* string, demangled; 0: whoever wrote it does not demangle, or it is not known */
  uint32_t linkage_name;  /* string, as in the symbol table; 0 same as name */
  uint32_t file;          /* string, 0 not known */
  uint32_t line;          /* 0 not known */
  uint32_t column;        /* 0 not known */
  uint32_t declared_file; /* string: where the function begins; 0 not known */
  uint32_t declared_line; /* 0 not known */
  uint32_t flags;         /* 0 */
};

/* Defines place frames first, first + 1, …, which places of any binary may share. */
struct capture_record_place_frames {
  struct capture_record record;
  uint32_t first;
  uint32_t reserved;
  struct capture_place_frame frames[]; /* record.count */
};

/* A stretch of code in which line and inlined functions are the same. The line of the first frame is where
 * the instructions come from, that of each other one is where it calls the one before. The last one is the
 * function that holds the others. Places of one binary do not overlap. */
struct capture_record_place {
  struct capture_record record;
  uint32_t binary; /* named binary */
  uint32_t reserved;
  uint64_t start;    /* file offset, or kernel address */
  uint64_t end;      /* first byte after it */
  uint32_t frames[]; /* record.count place frames, innermost first, one at least; then padding to 8 */
};

/* A copy of machine code. Copies of one binary do not overlap. */
struct capture_record_machine_code {
  struct capture_record record;
  uint32_t binary;  /* named binary */
  uint32_t machine; /* e_machine of ELF */
  uint64_t start;   /* file offset, or kernel address */
  uint64_t address; /* of the first byte, as the binary's segments have it */
  uint32_t length;  /* 1 at least */
  uint32_t flags;   /* 0 */
  uint8_t code[];   /* length bytes, then padding to 8 */
};

/* A piece of a source file's text. */
struct capture_record_source_text {
  struct capture_record record;
  uint32_t path;   /* string: as place frames name the file */
  uint32_t length; /* 1 at least */
  uint64_t offset; /* in the file */
  uint8_t text[];  /* length bytes, then padding to 8 */
};

/* Why places of a binary are not all there. Where several are true the greatest counts. */
enum capture_places_outcome {
  CAPTURE_PLACES_COMPLETE = 0,      /* all that could be found was, or nobody has looked */
  CAPTURE_PLACES_DAMAGED = 1,       /* some of the debug information could not be understood */
  CAPTURE_PLACES_OUT_OF_MEMORY = 2, /* to read it would have taken too much memory */
  CAPTURE_PLACES_OUT_OF_TIME = 3,   /* or too much time */
  CAPTURE_PLACES_LOST = 4,          /* whoever read it died of it */
  CAPTURE_PLACES_LEFT = 5 /* it was not read to the end: the rest is left to whoever opens the capture */
};

/* How the search for places of a binary ended. Without it: COMPLETE. */
struct capture_record_places_outcome {
  struct capture_record record;
  uint32_t binary;  /* named binary */
  uint32_t outcome; /* enum capture_places_outcome */
};

#endif
