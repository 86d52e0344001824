/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The texts and functions that a program has names for: a closed hash of fixed memory between threads and
 * signal handlers, without a lock. A handle holds as long as the capture; 0 is none.
 */
#ifndef CAPTURE_INSIDE_NAMES_H
#define CAPTURE_INSIDE_NAMES_H

#include <stddef.h>

#include "libcapture/inside/capture-inside-table.h"

#define CAPTURE_NAME_LENGTH_MAX 4095u
/* Kept for what the library itself has to say: threads, binaries, the command line. */
#define CAPTURE_NAMES_OWN 4096u

struct capture_name {
  uint32_t length; /* of the text; CAPTURE_NAME_FUNCTION: it is a function */
  uint32_t text;   /* where in the arena; of a function: handle of its name */
  uint32_t file;   /* handle */
  uint32_t line;
  capture_definition definition;
};

#define CAPTURE_NAME_FUNCTION UINT32_MAX

struct capture_inside_names {
  _Atomic uint64_t *slots;    /* hash's high half << 32 | handle; never more than half full */
  struct capture_name *names; /* by handle */
  char *arena;
  uint64_t seed;
  uint32_t mask;
  uint32_t arena_size;
  uint32_t max;              /* for the program */
  _Atomic uint32_t programs; /* handles that the program took */
  _Atomic uint32_t own;      /* and the library: at most CAPTURE_NAMES_OWN */
  _Atomic uint32_t count;    /* both */
  _Atomic uint32_t arena_used;
};

/* Bytes of memory, zeroed, that a table of max names of the program's needs. */
uint64_t capture_names_size(uint32_t max);
void capture_names_init(struct capture_inside_names *names, void *memory, uint32_t max, uint64_t seed);

/* The handle of a text, of at most CAPTURE_NAME_LENGTH_MAX bytes, or a function; 0 when there is no room.
 * own: for the library. */
uint32_t capture_names_text(struct capture_inside_names *names, const char *text, size_t length, bool own);
uint32_t capture_names_function(struct capture_inside_names *names, uint32_t name, uint32_t file,
                                uint32_t line);
/* NULL for what no handle is. */
struct capture_name *capture_names_get(const struct capture_inside_names *names, uint32_t handle);

#endif
