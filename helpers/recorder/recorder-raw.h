/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What BPF programs leave in the rings: the raw part of a sample of the ring's own BPF output event. Included by both sides.
 *
 * A program that is attached to an event runs before the event's sample is written, on the same CPU: its raw record stands in the
 * ring before that sample, and belongs to the next sample of the same thread whose ip is the same. (A second event may
 * interrupt between the two; then theirs nest.) When the program leaves no raw record, the sample has no user stack.
 *
 * In the ring a raw part follows its 32-bit size, so it begins at 4 mod 8; the first field is a word for that reason, and what
 * follows is aligned.
 */
#ifndef RECORDER_RAW_H
#define RECORDER_RAW_H

#ifndef __bpf__
#include <stdint.h>
#endif

enum recorder_raw_kind {
  RECORDER_RAW_STACK = 1, /* then `count` addresses, the innermost first */
  RECORDER_RAW_MISS = 2   /* then struct recorder_raw_registers and `count` bytes of the stack from sp on: something was not in the
                             area yet; user space walks */
};

struct recorder_raw {
  uint8_t kind;
  uint8_t end; /* enum walk_end */
  uint16_t count;
  /* 8-byte aligned from here on, as it stands in the ring */
  uint32_t ip[2]; /* of the sample, low half first */
};

/* In the order of struct walk_registers' general ones: by DWARF's numbers. */
struct recorder_raw_registers {
  uint64_t general[33]; /* x86-64: 17 of them, ip last; aarch64: x0–x30, sp, pc */
};

#endif
