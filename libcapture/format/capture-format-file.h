/* SPDX-License-Identifier: BSD-2-Clause */
/* Of the capture format (capture-format.h): the file, its windows and the index over them, and what stands in
 * a window: samples, records, or bytes of another format. */
#ifndef CAPTURE_FORMAT_FILE_H
#define CAPTURE_FORMAT_FILE_H

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
  uint64_t time_first; /* samples: entries count their time from here; else of the first record with a time */
  uint64_t time_last;  /* no entry of the part is later; 0 when no times occur */
  uint64_t weight;     /* samples of 16 bytes: the weight of every one; else 0 */
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
  CAPTURE_OUTCOME_LOST = 11,          /* its stack was found, but lost on the way */
  CAPTURE_OUTCOME_LATE = 12           /* a frame's unwind table was not there in time */
};

/* Of a sample's outcome, beside the enum: frames on the way that nothing describes were left by what their
 * code does, or by their frame pointers, in a walk by tables. A function there may be missing. */
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
  CAPTURE_RECORD_FUNCTION_LINE = 16,
  /* records windows */
  CAPTURE_RECORD_LOST = 32,
  CAPTURE_RECORD_THROTTLE = 33,
  CAPTURE_RECORD_FORK = 34,
  CAPTURE_RECORD_EXIT = 35,
  CAPTURE_RECORD_CPU = 36,
  CAPTURE_RECORD_USER_STACK = 37,
  CAPTURE_RECORD_MARK = 38,
  CAPTURE_RECORD_COUNTS = 39,
  CAPTURE_RECORD_LOG = 40,
  /* meta windows */
  CAPTURE_RECORD_STREAM = 64,
  CAPTURE_RECORD_METADATA = 65,
  CAPTURE_RECORD_MESSAGE = 66,
  /* names windows; they use STRING as well, with identifiers of their own */
  CAPTURE_RECORD_NAMED_BINARY = 80,
  CAPTURE_RECORD_FUNCTIONS = 81,
  CAPTURE_RECORD_PLACE_FRAMES = 82,
  CAPTURE_RECORD_PLACE = 83,
  CAPTURE_RECORD_MACHINE_CODE = 84,
  CAPTURE_RECORD_PLACES_OUTCOME = 85,
  CAPTURE_RECORD_SOURCE_TEXT = 86
};

/* Of a foreign window: what its bytes are. A stream has one kind; its parts, in order, are one file. */
enum capture_foreign {
  CAPTURE_FOREIGN_SYSCAP = 1,   /* Sysprof's capture format */
  CAPTURE_FOREIGN_PERF_MAP = 2, /* /tmp/perf-PID.map: names of machine code, without times */
  CAPTURE_FOREIGN_JITDUMP = 3   /* jit-PID.dump */
};

/* An index window holds these, one a part that stands before it. */
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
