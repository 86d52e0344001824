/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a Go program says of its functions (.gopclntab, Go 1.18 and newer; runtime/symtab.go of Go): names,
 * and how far the stack has grown at each instruction. It is there in stripped programs, too. Every byte of
 * it is hostile: what is handed out lies inside of it.
 */
#ifndef UNWIND_GO_PRIVATE_H
#define UNWIND_GO_PRIVATE_H

#include "unwind/unwind-elf-private.h"

struct unwind_go {
  struct unwind_bytes table;
  uint64_t text;  /* what addresses of functions count from */
  uint64_t names; /* offsets in the table */
  uint64_t deltas;
  uint64_t functions;
  uint32_t n;       /* functions */
  uint32_t flags;   /* where they stand in a function's description */
  uint32_t quantum; /* bytes of the shortest instruction */
};

enum unwind_go_flags {
  UNWIND_GO_TOP = 1 << 0,   /* nobody called it */
  UNWIND_GO_SWITCH = 1 << 1 /* it goes to another stack */
};

struct unwind_go_function {
  uint64_t start; /* addresses in the file */
  uint64_t end;
  const char *name; /* not terminated */
  uint32_t length;
  uint32_t flags; /* enum unwind_go_flags */
  uint32_t deltas;
};

/* How many bytes lie between the stack pointer and the return address, from one instruction to another. */
struct unwind_go_delta {
  const uint8_t *at;
  uint64_t start; /* addresses in the file */
  uint64_t end;
  int32_t bytes;
  bool is_first;
};

/* Whether the file has such a table that is understood. */
bool unwind_go_open(struct unwind_go *ret, const struct unwind_elf *elf);

/* Function i, which is less than n; false where its description is damaged. Functions ascend, or all that
 * come behind are damaged. */
bool unwind_go_read(const struct unwind_go *go, uint32_t i, struct unwind_go_function *ret);

/* Goes through the deltas of a function, from its start to its end or to where they are damaged. */
void unwind_go_begin(const struct unwind_go *go, const struct unwind_go_function *function,
                     struct unwind_go_delta *ret);
bool unwind_go_next(const struct unwind_go *go, struct unwind_go_delta *delta);

#endif
