/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Unwind tables, and names, in files and memfds: mapped read-only, and checked before anybody looks at them.
 */
#ifndef RECORDER_IMAGE_H
#define RECORDER_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/names/unwind-names.h"
#include "unwind/unwind-table.h"

/* A table of `size` bytes from the cache, with its checksum. 0, or -EBADMSG or another -errno. */
int recorder_image_map_cached(int fd, uint64_t size, const struct unwind_table **ret);
/* The same of an answer of an elf-reader or of another user's opener, which must be a memfd of exactly that
 * size, all of it in memory, that nobody can change any more. */
int recorder_image_map_answer(int fd, uint64_t size, const struct unwind_table **ret);
/* One that another process of the recorder's own has checked already, by either of these. */
int recorder_image_map_checked(int fd, uint64_t size, const struct unwind_table **ret);
/* An elf-reader's answer that holds names, checked in the same way; to be unmapped with munmap. */
int recorder_image_map_names(int fd, uint64_t size, const struct unwind_names **ret);
void recorder_image_unmap(const struct unwind_table *table, uint64_t size);

#endif
