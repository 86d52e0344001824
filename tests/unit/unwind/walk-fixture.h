/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process for the walker, made by hand: an area with tables and mappings, registers, and a piece of a
 * stack. */
#ifndef WALK_FIXTURE_H
#define WALK_FIXTURE_H

#include <glib.h>

#include "unwind/walk/unwind-walk.h"

#define WALK_FIXTURE_AREA     (1u << 20)
#define WALK_FIXTURE_STACK    0x7ffe00000000ull /* the lowest address of the piece */
#define WALK_FIXTURE_WORDS    4096
#define WALK_FIXTURE_FRAMES   64
#define WALK_FIXTURE_SP(word) (WALK_FIXTURE_STACK + 8ull * (word))

struct walk_fixture_row {
  uint64_t address; /* in the file */
  struct unwind_rule rule;
};

struct walk_fixture {
  uint8_t *area;
  uint32_t used; /* bytes of the area */
  uint32_t machine;
  bool in_kernel;
  struct walk_mapping mappings[WALK_MAPPINGS_MAX];
  struct walk_process process;
  struct walk_registers registers;
  uint64_t stack[WALK_FIXTURE_WORDS];
  int (*read)(void *data, uint64_t address, uint64_t *ret_word); /* for what is not in the stack */
  uint64_t frames[WALK_FIXTURE_FRAMES];
  uint32_t max; /* frames that are asked for */
  uint32_t n_frames;
  enum walk_end end;
  bool by_frame_pointers; /* beside the end */
};

/* Rules that occur everywhere. The CFA is given in bytes; the return address lies below it. */
struct unwind_rule walk_rule(enum unwind_cfa cfa, int32_t offset);
/* fp is saved below the return address, as by push %rbp. */
struct unwind_rule walk_rule_saving_fp(enum unwind_cfa cfa, int32_t offset);
struct unwind_rule walk_rule_root(void);
struct unwind_rule walk_rule_none(void);

struct walk_fixture *walk_fixture_new(uint32_t machine);
void walk_fixture_free(struct walk_fixture *fixture);
typedef struct walk_fixture WalkFixture;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WalkFixture, walk_fixture_free)

/* A table of n rows in ascending order; where it stands in the area. */
uint32_t walk_fixture_table(struct walk_fixture *fixture, uint32_t bucket_shift,
                            const struct walk_fixture_row *rows, uint32_t n);
/* To be called in ascending order. */
void walk_fixture_map(struct walk_fixture *fixture, uint64_t start, uint64_t end, uint64_t bias,
                      uint32_t table, uint32_t kind);

/* Registers of the innermost frame; the other ones have values of their own. */
void walk_fixture_begin(struct walk_fixture *fixture, uint64_t ip, uint64_t sp, uint64_t fp);
void walk_fixture_walk(struct walk_fixture *fixture);
/* Walks, and compares the end and the frames (those of an array of uint64_t). */
void walk_fixture_expect(struct walk_fixture *fixture, enum walk_end end, const uint64_t *frames, size_t n);

#define WALK_EXPECT(fixture, end, ...)                                                                       \
  walk_fixture_expect(fixture, end, (const uint64_t[]){__VA_ARGS__},                                         \
                      sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

#endif
