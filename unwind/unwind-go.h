/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a Go program says of its functions (.gopclntab, Go 1.18 and newer; runtime/symtab.go of Go): names,
 * lines, what was inlined, and how far the stack has grown at each instruction. It is there in stripped
 * programs, too. Every byte of it is hostile: what is handed out lies inside of it.
 */
#ifndef UNWIND_GO_H
#define UNWIND_GO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of the file. */
struct unwind_go_bytes {
  const uint8_t *bytes;
  size_t size;
};

struct unwind_go {
  struct unwind_go_bytes table;
  struct unwind_go_bytes inlined; /* go:func.*, where functions' trees of inlined calls are; or nothing */
  uint64_t text;                  /* what addresses of functions count from */
  uint64_t names;                 /* offsets in the table */
  uint64_t units;
  uint64_t files;
  uint64_t steps;
  uint64_t functions;
  uint32_t n;       /* functions */
  uint32_t kind;    /* where it stands in a function's description, and its flags behind it */
  uint32_t quantum; /* bytes of the shortest instruction */
};

enum unwind_go_flags {
  UNWIND_GO_TOP = 1 << 0,   /* nobody called it */
  UNWIND_GO_SWITCH = 1 << 1 /* it goes to another stack */
};

struct unwind_go_text {
  const char *text; /* not terminated; NULL: not known */
  uint32_t length;
};

struct unwind_go_function {
  uint64_t start; /* addresses in the file */
  uint64_t end;
  struct unwind_go_text name;
  uint32_t line;   /* where it begins; 0: not known, before Go 1.20 */
  uint32_t flags;  /* enum unwind_go_flags */
  uint64_t at;     /* of its description, in the table */
  uint32_t deltas; /* steps: how many bytes lie between the stack pointer and the return address */
};

/* A stretch of a function's code, and a value that holds in it. */
struct unwind_go_step {
  const uint8_t *at;
  uint64_t start; /* addresses in the file */
  uint64_t end;
  int32_t value;
  bool is_first;
};

/* Where an instruction comes from; and in [start, end) it is the same. */
struct unwind_go_place {
  uint64_t start;
  uint64_t end;
  struct unwind_go_text function; /* that was inlined here last, or the function itself */
  struct unwind_go_text file;
  uint32_t line;     /* 0: not known */
  uint32_t declared; /* where `function` begins; 0: not known */
  bool is_inlined;
  uint64_t caller; /* then: the address that the call has, in the same function */
};

/* Whether the `size` bytes of an ELF file have such a table that is understood. They stay the caller's. */
bool unwind_go_open(struct unwind_go *ret, const void *elf, size_t size);

/* Function i, which is less than n; false where its description is damaged. Functions ascend, or all that
 * come behind are damaged. */
bool unwind_go_read(const struct unwind_go *go, uint32_t i, struct unwind_go_function *ret);
/* The one that holds an address of the file. */
bool unwind_go_find(const struct unwind_go *go, uint64_t address, struct unwind_go_function *ret);

/* Goes through the steps that begin at an offset, from the function's start to its end or to where they are
 * damaged. */
void unwind_go_begin(const struct unwind_go *go, const struct unwind_go_function *function, uint32_t steps,
                     struct unwind_go_step *ret);
bool unwind_go_next(const struct unwind_go *go, struct unwind_go_step *step);

/* Of an address in the function: the innermost place. The next one around it is that of its caller. */
void unwind_go_locate(const struct unwind_go *go, const struct unwind_go_function *function, uint64_t address,
                      struct unwind_go_place *ret);

#endif
