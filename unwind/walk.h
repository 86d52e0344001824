/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walker: from a thread's registers to the addresses of its stack, by tables (unwind-table.h) and frame pointers.
 * One source: BPF programs, the recorder, importers and the preload library include it, each with its own way to the
 * memory. No dependencies, no allocation, no recursion, no loop without a bound; async-signal-safe.
 *
 * All that it searches lies in one flat *area* of bytes, whose size is a power of two: tables, and for each process an array of
 * struct walk_mapping in ascending order. References are offsets into the area. Whatever stands in the area, the walker reads
 * only inside of it: offsets are masked, loops are bounded. So an area that is being changed costs a wrong frame at worst.
 *
 * The includer defines, before it includes this header:
 *   WALK_AREA(offset, type)         a const type * to that place in the area, the offset masked by it
 *   WALK_READ(walk, address, &word) reads a word (u64) of the thread's memory; 0, or an enum walk_end
 * and may define WALK_FUNCTION (how functions are declared: `static inline`, or `__noinline` for the verifier's sake).
 */
#ifndef WALK_H
#define WALK_H

#include "unwind/unwind-table.h"

/* What a walk may not exceed, whatever is asked for. */
#define WALK_FRAMES_MAX   512
/* Mappings of one process, executable ones only. */
#define WALK_MAPPINGS_MAX 4096

enum walk_mapping_kind {
  WALK_MAPPING_TABLE = 1,          /* `table` is where its struct unwind_table stands */
  WALK_MAPPING_FRAME_POINTERS = 2, /* no table will come (machine code made at run time, no unwind information): follow frame
                                      pointers */
  WALK_MAPPING_PENDING = 3         /* a table is to come: a miss */
};

struct walk_mapping {
  uint64_t start;
  uint64_t end;
  uint64_t bias;  /* runtime address - address in the file; for WALK_MAPPING_TABLE */
  uint32_t table; /* offset in the area */
  uint32_t kind;  /* enum walk_mapping_kind */
};

/* What the walker must know of a process. */
struct walk_process {
  uint32_t mappings;   /* offset in the area of struct walk_mapping[n_mappings] */
  uint32_t n_mappings; /* at most WALK_MAPPINGS_MAX */
  uint32_t flags;      /* enum walk_process_flags */
  uint32_t serial;     /* changes whenever the mappings do */
};

enum walk_process_flags {
  WALK_PROCESS_FRAME_POINTERS = 1 << 0 /* addresses outside of all mappings: follow frame pointers, it is no miss (their mappings
                                          were looked at and are no files') */
};

/* User-space registers of a thread. `general` is by DWARF's numbers (x86-64: rax rdx rcx rbx rsi rdi rbp rsp r8–r15 and 16 the
 * return address, here ip; aarch64: x0–x30, sp). Only ip, sp, fp, base and link are known beyond the innermost frame. */
struct walk_registers {
  uint64_t ip;
  uint64_t sp;
  uint64_t fp;   /* rbp, x29 */
  uint64_t base; /* rbx */
  uint64_t link; /* x30; 0 on x86-64 */
  uint64_t general[32];
};

/* Why a walk ended. Each has its enum capture_outcome; MISSED never leaves the recorder. */
enum walk_end {
  WALK_ENDED_NOT = 0,        /* it goes on */
  WALK_COMPLETE = 1,         /* a table says that this frame is the root */
  WALK_FRAME_POINTERS = 2,   /* the chain of frame pointers ended as such chains do, without a table's proof */
  WALK_TRUNCATED = 3,        /* as many frames as were asked for */
  WALK_NO_TABLE = 5,         /* no mapping, no table or no rule for a frame's address, and no frame pointers to follow */
  WALK_UNREADABLE = 6,       /* the stack could not be read */
  WALK_NOT_RESIDENT = 7,     /* the stack was not in memory, and interrupt context cannot fetch it */
  WALK_BAD_FRAME = 8,        /* the next frame would not lie above this one */
  WALK_UNSUPPORTED = 9,      /* a rule that is not evaluated, or registers that are not known; a 32-bit program */
  WALK_MISSED = 64           /* what is needed is not in the area yet */
};

/* Interface to be completed with the walker: struct walk (registers, process, cursor, frame count and flags), walk_begin(walk,
 * process, registers, in_kernel) and walk_step(walk), which delivers one frame's address and goes to its caller. Rules of the
 * game, each with a test:
 *   - A return address is looked up minus one, frame 0 and what was interrupted by a signal never. Where the sample was taken in
 *     the kernel, by a syscall, ip may stand one behind its function: looked up minus one when exactly there is no rule.
 *   - sp grows from frame to frame, but for a signal's frame (another stack) and a CFA that is no offset of sp or fp.
 *   - UNWIND_SAVED_SAME keeps a register; it is not lost.
 *   - A frame in WALK_MAPPING_FRAME_POINTERS, or outside of all mappings with WALK_PROCESS_FRAME_POINTERS, is left by its frame
 *     pointer: fp must lie in the stack above sp, aligned, and *(fp + 8) lie in an executable mapping.
 *   - Addresses delivered are the return addresses themselves (as perf's callchains have them).
 */

#endif
