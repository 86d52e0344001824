/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the walker (walk.h) is told and what it answers, for those who feed it and for those who read its
 * answers.
 *
 * All that it searches lies in one flat *area* of bytes, aligned to 8, whose size is a power of two: tables
 * (unwind-table.h), and for each process an array of struct walk_mapping in ascending order. References are
 * offsets into the area, multiples of 8.
 */
#ifndef WALK_TYPES_H
#define WALK_TYPES_H

#include "unwind/unwind-table.h"

/* e_machine of ELF: the two whose stacks are walked. */
#define WALK_X86_64  62
#define WALK_AARCH64 183

/* What a walk may not exceed, whatever is asked for. */
#define WALK_FRAMES_MAX 512
/* Mappings of one process, executable ones only. */
#define WALK_MAPPINGS_MAX 4096

enum walk_mapping_kind {
  WALK_MAPPING_TABLE = 1,          /* `table` is where its struct unwind_table stands */
  WALK_MAPPING_FRAME_POINTERS = 2, /* no table will come (machine code made at run time, no unwind
                                      information): follow frame pointers */
  WALK_MAPPING_PENDING = 3         /* a table is to come: a miss */
};

struct walk_mapping {
  uint64_t start;
  uint64_t end;
  uint64_t bias;  /* runtime address - address in the file; for WALK_MAPPING_TABLE */
  uint32_t table; /* offset in the area */
  uint32_t kind;  /* enum walk_mapping_kind */
};

/* Stands behind a process's mappings. */
struct walk_language {
  uint64_t bias;    /* of the binary that holds the runtime */
  uint32_t runtime; /* offset in the area of its struct unwind_runtime; 0: there is none */
  uint32_t reserved;
};

/* What the walker must know of a process. */
struct walk_process {
  uint32_t mappings; /* offset in the area of struct walk_mapping[n_mappings], then a struct walk_language */
  uint32_t n_mappings; /* at most WALK_MAPPINGS_MAX */
  uint32_t flags;      /* enum walk_process_flags */
  uint32_t serial;     /* never the same for other mappings, whatever process's: rules are remembered by it */
  uint32_t generation; /* never the same for another process, or for another program in it; 0: not known */
  uint32_t runtime;    /* enum unwind_runtime_kind */
  uint64_t namespace_device; /* in which the process numbers its threads; both 0: not known */
  uint64_t namespace_inode;
};

enum walk_process_flags {
  WALK_PROCESS_FRAME_POINTERS = 1 << 0, /* addresses outside of all mappings: follow frame pointers, it is no
                                           miss (their mappings were looked at and are no files') */
  WALK_PROCESS_CERTAIN = 1 << 1 /* that holds for the innermost frame, too: elsewhere it is a miss, for the
                                   process may execute another program by now */
};

/* A language's frame among addresses, which are never that high: the function's number, and in which of its
 * units it is, plus 1. 0: it is about to begin; WALK_WORD_AT_NONE: that is not known. */
#define WALK_WORD(function, at) (1ull << 63 | (uint64_t)(at) << 32 | (uint32_t)(function))
#define WALK_WORD_AT_NONE       0xffffffu
/* Beside it: the unit is the line, without 1 added. Walks do not know lines. */
#define WALK_WORD_LINE        (1ull << 62)
#define WALK_IS_WORD(address) ((address) >> 63 != 0)
#define WALK_WORD_FUNCTION(w) ((uint32_t)(w))
#define WALK_WORD_AT(w)       ((uint32_t)((w) >> 32) & WALK_WORD_AT_NONE)

/* User-space registers of a thread. `general` is by DWARF's numbers (x86-64: rax rdx rcx rbx rsi rdi rbp rsp
 * r8–r15 and 16 the return address, here ip; aarch64: x0–x30, sp). Only ip, sp, fp, base and link are known
 * beyond the innermost frame. */
struct walk_registers {
  uint64_t ip;
  uint64_t sp;
  uint64_t fp;   /* rbp, x29 */
  uint64_t base; /* rbx */
  uint64_t link; /* x30; 0 on x86-64 */
  uint64_t general[32];
};

/* What was found in mappings and table for an address, and holds as long as the process's serial; or that
 * neither these nor the instructions there say anything. */
struct walk_memo {
  uint64_t address;
  uint64_t serial;
  uint64_t rule_words[2];
};

/* Of machine code that a runtime made: which piece has an address, or what runs in a frame of a piece. See
 * walk-hotspot.h. */
struct walk_frame_memo {
  uint64_t address;
  uint64_t code;       /* where the piece is described; in the upper byte of which kind it is */
  uint64_t word;       /* what is delivered; 0: that is not known yet */
  uint32_t generation; /* of the process */
  uint32_t check;      /* differs where there is other code by now */
  uint32_t size;       /* of a frame, in words */
  uint32_t scope;      /* where a frame is described; 0: nowhere */
  uint32_t next;       /* likewise of the caller that was inlined, too; 0: there is none */
  uint32_t epoch;      /* the includer's */
};

/* Why a walk ended. Each has its enum capture_outcome; MISSED never leaves the recorder. */
enum walk_end {
  WALK_ENDED_NOT = 0,      /* it goes on */
  WALK_COMPLETE = 1,       /* a table says that this frame is the root */
  WALK_FRAME_POINTERS = 2, /* the chain of frame pointers ended as such chains do, without a table's proof */
  WALK_TRUNCATED = 3,      /* as many frames as were asked for */
  WALK_NO_TABLE =
      5, /* no mapping, no table or no rule for a frame's address, and no frame pointers to follow */
  WALK_UNREADABLE = 6,   /* the stack could not be read */
  WALK_NOT_RESIDENT = 7, /* the stack was not in memory, and interrupt context cannot fetch it */
  WALK_BAD_FRAME = 8,    /* the next frame would not lie above this one */
  WALK_UNSUPPORTED = 9,  /* a rule that is not evaluated, or registers that are not known; a 32-bit program */
  WALK_MISSED = 64,      /* what is needed is not in the area yet */
  /* beside each but MISSED: frames without a rule, or whose rule leads to another stack, were left by their
   * frame pointers, and a function there that keeps none was skipped unseen; or by a rule that was read from
   * their code (UNWIND_RULE_BY_CODE) */
  WALK_END_BY_FRAME_POINTERS = 128
};

#endif
