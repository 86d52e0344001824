/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory for tables whose size the sampled system decides. Running out of it ends the process: the kernel
 * then closes every event, and the caller sees how the recorder died. */
#ifndef RECORDER_MEMORY_H
#define RECORDER_MEMORY_H

#include <stddef.h>

/* Zeroed memory for count items; freed with free(). Never NULL. */
void *recorder_allocate(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
/* Not zeroed, at a multiple of `alignment`, a power of two of which size is a multiple; freed with free().
 * Never NULL. */
void *recorder_allocate_aligned(size_t alignment, size_t size) __attribute__((malloc, returns_nonnull));
/* As realloc for count items; what is new is not zeroed. Never NULL. */
void *recorder_reallocate(void *memory, size_t count, size_t size) __attribute__((returns_nonnull));

#endif
