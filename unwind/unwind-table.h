/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How to get from a frame to its caller, for every address of one ELF file: the flat image that the compiler
 * makes of .eh_frame, that is cached on disk, and that walk.h searches in the kernel and in user space.
 *
 *   struct unwind_table
 *   struct unwind_row   rows[n_rows]             in ascending order of address
 *   uint32_t            buckets[n_buckets + 1]   the first row of each bucket; the last is n_rows
 *   struct unwind_rule  rules[n_rules]           each distinct one once
 *   struct unwind_segment segments[n_segments]   what of the file is executable, in ascending order of offset
 *   struct unwind_runtime runtime                where the file holds a language's runtime
 *
 * Addresses are those of the ELF file, before its load bias. Bucket i covers the addresses from
 * base + (i << bucket_shift) on. A row holds from its address up to the next row's; the row in force at the
 * beginning of a bucket is the last one before it. Addresses below the first row and from base + (n_buckets
 * << bucket_shift) on have no rule; gaps are rows with rule 0, which is always UNWIND_CFA_NONE.
 *
 * Integers are the machine's own; every offset is from the image's beginning and a multiple of 8. Free of
 * dependencies, so that BPF programs include it.
 */
#ifndef UNWIND_TABLE_H
#define UNWIND_TABLE_H

#ifndef __bpf__
#include <stdint.h>
#endif

#include "unwind/unwind-runtime.h"

#define UNWIND_TABLE_MAGIC   0x656c6261u
#define UNWIND_TABLE_VERSION 13

/* Buckets are as small as the rows' share allows: an index costs at most an eighth of what the rows do. */
#define UNWIND_BUCKET_SHIFT_MIN 9
#define UNWIND_BUCKET_SHIFT_MAX 16

struct unwind_table {
  uint32_t magic;
  uint16_t version;
  uint16_t machine; /* EM_X86_64 or EM_AARCH64 */
  uint32_t size;    /* of the whole image, a multiple of 8 */
  uint32_t crc;     /* CRC-32C of the image with 0 here */
  uint64_t base;    /* address of bucket 0, a multiple of 1 << UNWIND_BUCKET_SHIFT_MIN */
  uint32_t bucket_shift;
  uint32_t n_buckets;
  uint32_t n_rows;
  uint32_t n_rules; /* at most 65536; 1 at least */
  uint32_t n_segments;
  uint32_t rows_at;
  uint32_t buckets_at;
  uint32_t rules_at;
  uint32_t segments_at;
  uint32_t n_bad;      /* functions left out because their description is damaged or not understood */
  uint32_t runtime_at; /* 0: it holds none */
  uint32_t reserved;
};

/* A bucket is at most 64 KiB and aligned, so the low bits are enough to tell and to order its rows. */
struct unwind_row {
  uint16_t low; /* the low 16 bits of address - base */
  uint16_t rule;
};

/* An executable PT_LOAD: load bias = mapping's start - (mapping's offset - offset + address). */
struct unwind_segment {
  uint64_t offset;
  uint64_t address;
  uint64_t size; /* in memory */
};

/* Where the canonical frame address (CFA) is: what sp was in the caller before the call. */
enum unwind_cfa {
  UNWIND_CFA_NONE = 0, /* nothing is known here */
  UNWIND_CFA_SP = 1,   /* sp + cfa_offset */
  UNWIND_CFA_FP = 2,   /* fp + cfa_offset (rbp, x29) */
  UNWIND_CFA_BASE = 3, /* rbx + cfa_offset; x86-64 only */
  /* register `operand` (DWARF's number) + cfa_offset: known in the innermost frame only */
  UNWIND_CFA_REGISTER = 4,
  UNWIND_CFA_SP_DEREF = 5, /* *(sp + cfa_offset) + cfa_add */
  UNWIND_CFA_FP_DEREF = 6, /* *(fp + cfa_offset) + cfa_add */
  UNWIND_CFA_PLT = 7,      /* sp + cfa_offset + ((ip & 15) >= operand ? 8 : 0); x86-64 only */
  /* The kernel's signal frame: sp + cfa_offset is where the saved registers stand (x86-64: the general
   * registers of struct sigcontext from r8 on; aarch64: regs[0] of struct sigcontext). Fields of saved
   * registers are 0. */
  UNWIND_CFA_SIGNAL = 8,
  UNWIND_CFA_UNSUPPORTED = 9, /* an expression that is not evaluated */
  /* sp + cfa_offset; but where register `operand` is 0, which is known in the innermost frame only, this
   * frame is the root of the stack: behind the system call from which a thread and the one it began both
   * return */
  UNWIND_CFA_CLONE = 10,
  UNWIND_CFA_FP_ELSEWHERE = 11 /* fp + cfa_offset, on another stack, which may lie anywhere */
};

/* What became of a caller's register. */
enum unwind_saved {
  UNWIND_SAVED_SAME = 0,        /* it is still there; for the return address: in the link register */
  UNWIND_SAVED_AT_CFA = 1,      /* stored at CFA + 8 × the field */
  UNWIND_SAVED_UNDEFINED = 2,   /* lost; for the return address: this frame is the root of the stack */
  UNWIND_SAVED_UNSUPPORTED = 3, /* an expression that is not evaluated, or an offset that does not fit */
  /* the return address only: in the register whose DWARF number is the field, known in the innermost frame
   * only */
  UNWIND_SAVED_IN_REGISTER = 4
};

enum unwind_rule_flags {
  UNWIND_RULE_SIGNAL = 1 << 0, /* the frame above was interrupted, it did not call */
  UNWIND_RULE_SIGNED = 1 << 1, /* the return address carries a pointer authentication code (aarch64) */
  /* CFA = fp + 16 with fp saved at CFA - 16 and ra at CFA - 8: frame pointers hold in this row */
  UNWIND_RULE_FRAME = 1 << 2,
  /* fp and base, where stored, are so at fp (the frame's own) + 8 × the field, not at the CFA: code that
   * aligns its stack */
  UNWIND_RULE_FROM_FP = 1 << 3,
  UNWIND_RULE_FROM_SP = 1 << 4, /* likewise at sp */
  /* read from the code itself, which nothing describes. The same bit as WALK_END_BY_FRAME_POINTERS */
  UNWIND_RULE_BY_CODE = 1 << 7
};

/* enum unwind_saved of fp and base, two bits each, and of ra, three bits. Whether ra is undefined is asked
 * before anything else of a rule: the root's CFA means nothing. */
#define UNWIND_SAVED(fp, base, ra) ((uint8_t)((fp) | (base) << 2 | (ra) << 4))
#define UNWIND_SAVED_FP(saved)     ((saved)&3)
#define UNWIND_SAVED_BASE(saved)   ((saved) >> 2 & 3)
#define UNWIND_SAVED_RA(saved)     ((saved) >> 4 & 7)

struct unwind_rule {
  int32_t cfa_offset;
  int16_t cfa_add;
  int16_t fp_at;   /* in units of 8 bytes, like the next two */
  int16_t base_at; /* rbx */
  int16_t ra_at;
  uint8_t cfa; /* enum unwind_cfa */
  uint8_t operand;
  uint8_t saved; /* UNWIND_SAVED */
  uint8_t flags; /* enum unwind_rule_flags */
};

#endif
