/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What BPF programs leave in the rings: the raw part of a sample of the ring's own BPF output event. Included
 * by both sides.
 *
 * A program that is attached to an event runs before the event's sample is written, on the same CPU: its raw
 * record stands in the ring before that sample, and belongs to the next sample of the same thread whose ip is
 * the same. (A second event may interrupt between the two; then theirs nest.) When there is none, it was
 * lost.
 *
 * In the ring a raw part follows its 32-bit size, so it begins at 4 mod 8; the first field is a word for that
 * reason, and what follows is aligned.
 */
#ifndef RECORDER_RAW_H
#define RECORDER_RAW_H

#ifndef __bpf__
#include <stdint.h>
#endif

/* Addresses of one OFF_CPU record at most, and of its parts. */
#define RECORDER_RAW_OFF_KERNEL     64
#define RECORDER_RAW_OFF_USER       256
#define RECORDER_RAW_OFF_WAKER_USER 96
#define RECORDER_RAW_OFF_FRAMES                                                                              \
  (2 * RECORDER_RAW_OFF_KERNEL + RECORDER_RAW_OFF_USER + RECORDER_RAW_OFF_WAKER_USER)

enum recorder_raw_kind {
  RECORDER_RAW_STACK = 1, /* then `count` addresses, the innermost first */
  RECORDER_RAW_MISS = 2,  /* then struct recorder_raw_registers and `count` bytes of the stack from sp on:
                             something was not in the area yet; user space walks */
  RECORDER_RAW_OFF_CPU =
      3, /* then struct recorder_raw_off_cpu and `count` addresses: a thread was off the CPU. It belongs to no
            sample: it is one, of the event "off-cpu", and its time is when the thread came back */
  RECORDER_RAW_OFF_CPU_MISS = 4, /* as MISS, of a thread that leaves the CPU. The OFF_CPU record to come whose
                                    `ip` is the same has the stack's place empty, and `end` WALK_MISSED; none
                                    comes when it was away for less than the threshold */
  RECORDER_RAW_NONE = 5, /* nothing: the thread has no user stack. It is the kernel's, or on its way to its
                            end or to another program */
  RECORDER_RAW_WAKER_MISS = 6, /* as OFF_CPU_MISS, of a thread that wakes another one, by waker_end */
  RECORDER_RAW_MORE = 7,       /* right after a MISS whose stack did not end with it: the same registers, then
                                  `count` bytes more of the stack, from where it ended on */
  RECORDER_RAW_FUNCTION = 8    /* then struct recorder_raw_function: a language's function, before the first
                                  stack that has it. It belongs to no sample */
};

struct recorder_raw {
  uint8_t kind;
  uint8_t end; /* enum walk_end, WALK_END_BY_FRAME_POINTERS included */
  uint16_t count;
  /* 8-byte aligned from here on, as it stands in the ring */
  uint32_t ip[2]; /* of the sample, low half first; OFF_CPU and its misses: when the thread (the one that
                     was woken) left the CPU, by CLOCK_MONOTONIC */
};

/* As enum capture_off_cpu. */
enum recorder_raw_reason {
  RECORDER_RAW_UNKNOWN = 0,
  RECORDER_RAW_PREEMPTED = 1,
  RECORDER_RAW_SLEEPING = 2,
  RECORDER_RAW_BLOCKED = 3,
  RECORDER_RAW_IO = 4,
  RECORDER_RAW_STOPPED = 5
};

/* Follows the registers of an OFF_CPU_MISS of a thread that was off the CPU already when the recording began;
 * `count` is 0, and user space reads the stack. */
struct recorder_raw_found {
  int32_t pid;
  int32_t tid;
};

enum recorder_raw_waking {
  RECORDER_RAW_NOT_WOKEN = 0, /* or nothing is known of it */
  RECORDER_RAW_BY_THREAD = 1,
  RECORDER_RAW_BY_INTERRUPT = 2
};

/* Addresses follow: of the kernel's stack, the user's, the waker's in the kernel, the waker's in user space;
 * each the innermost first. */
struct recorder_raw_off_cpu {
  uint64_t duration; /* ns */
  int32_t pid;
  int32_t tid;
  int32_t waker_pid;
  int32_t waker_tid;
  uint16_t n_kernel;
  uint16_t n_user;
  uint16_t n_waker_kernel;
  uint16_t n_waker_user;
  uint8_t reason;    /* enum recorder_raw_reason */
  uint8_t waking;    /* enum recorder_raw_waking */
  uint8_t waker_end; /* enum walk_end; 0: there was no stack, or it was not asked for. So is `end` */
  uint8_t reserved[5];
};

enum recorder_raw_form {
  RECORDER_RAW_TABLE = 0,      /* the runtime's own */
  RECORDER_RAW_V8 = 1,         /* struct recorder_raw_v8 */
  RECORDER_RAW_V8_CODE = 2,    /* struct recorder_raw_v8_code */
  RECORDER_RAW_V8_BASELINE = 3 /* struct recorder_raw_v8_baseline */
};

#define RECORDER_RAW_FUNCTION_NAME  256
#define RECORDER_RAW_FUNCTION_FILE  512
#define RECORDER_RAW_FUNCTION_LINES 8192
#define RECORDER_RAW_FUNCTION_BYTES                                                                          \
  (RECORDER_RAW_FUNCTION_NAME + RECORDER_RAW_FUNCTION_FILE + RECORDER_RAW_FUNCTION_LINES)

/* Then the name, the file and what says its lines, each at its place of the sizes above, the last one as long
 * as it is. All as the runtime has them; what is longer is cut, but lines are left out. */
struct recorder_raw_function {
  uint32_t number;     /* WALK_WORD's */
  uint32_t generation; /* of the process */
  uint8_t kind;        /* enum unwind_runtime_kind */
  uint8_t form;        /* of its lines: enum recorder_raw_form */
  uint16_t version;
  uint32_t line; /* the first one */
  uint16_t name_size;
  uint16_t file_size;
  uint16_t lines_size;
  uint8_t name_width; /* bytes a character; 0: ASCII */
  uint8_t file_width;
};

/* What says the lines of a function of V8: where in the script it begins, in characters, and how many each of
 * its lines has from there on, as far as there is room, the last one more than any; then the places of its
 * bytecode (see languages/v8-places.h). */
#define RECORDER_RAW_V8_LENGTHS 512

struct recorder_raw_v8 {
  uint32_t start;
  uint32_t n_lengths;
  uint32_t lengths[RECORDER_RAW_V8_LENGTHS];
};

/* Or of a function of optimised code, which has no name itself: the functions that it consists of, its own
 * the last, whose numbers they are; which of them is inlined where; then the places of the code. */
#define RECORDER_RAW_V8_FUNCTIONS 32
#define RECORDER_RAW_V8_INLINED   64

struct recorder_raw_v8_inlined {
  uint64_t place;
  int32_t function;
  uint32_t reserved;
};

struct recorder_raw_v8_code {
  uint32_t n_functions;
  uint32_t n_inlined;
  uint32_t functions[RECORDER_RAW_V8_FUNCTIONS];
  struct recorder_raw_v8_inlined inlined[RECORDER_RAW_V8_INLINED];
};

/* Or of a function of baseline code, which has no name itself either: the function whose number it is, how
 * long bytecodes are (of each, then with wide operands, then with those twice as wide), then the code's table
 * and the bytecode that it is of. */
#define RECORDER_RAW_V8_LENGTHS_SIZE 768

struct recorder_raw_v8_baseline {
  uint32_t function;
  uint16_t n_bytecodes;
  uint16_t table_size;
  uint8_t lengths[RECORDER_RAW_V8_LENGTHS_SIZE];
};

/* In the order of struct walk_registers' general ones: by DWARF's numbers. */
struct recorder_raw_registers {
  uint64_t general[33]; /* x86-64: 17 of them, ip last; aarch64: x0–x30, sp, pc */
};

#endif
