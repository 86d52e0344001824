/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory for samples that wait for tables. While a large program's table is compiled, each of its samples
 * brings kilobytes of stack: from malloc, faults of fresh pages were most of what a recorder then did. This
 * is a few huge pages, which are used again.
 */
#ifndef RECORDER_HELD_MEMORY_H
#define RECORDER_HELD_MEMORY_H

#include <stddef.h>

struct recorder_held_block;

/* All zero: empty. */
struct recorder_held_memory {
  struct recorder_held_block *open;  /* what is taken next stands there */
  struct recorder_held_block *spare; /* empty ones */
  size_t size;                       /* bytes of the blocks that are not empty */
};

/* So many bytes, at most a mebibyte, aligned to eight and of any content. Ends the process where there is no
 * memory. */
void *recorder_held_memory_take(struct recorder_held_memory *memory, size_t size);
/* Gives back what was taken. */
void recorder_held_memory_give(struct recorder_held_memory *memory, void *bytes);
/* Gives empty blocks back to the system, but for so many. */
void recorder_held_memory_trim(struct recorder_held_memory *memory, size_t kept);

#endif
