/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ELF files of this process and their unwind tables, which the recording is asked for
 * (libcapture/pool/capture-announce.h). Each file is known by device, inode, size and times, asked for once,
 * and remembered for good. By one thread at a time; nothing is allocated.
 */
#ifndef PRELOAD_FILES_H
#define PRELOAD_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "helpers/preload/preload-area.h"
#include "helpers/preload/preload-maps.h"

#define PRELOAD_FILES_MAX 4096

enum preload_file_state {
  PRELOAD_FILE_WANTED = 0, /* asked for, not answered yet */
  PRELOAD_FILE_TABLE = 1,
  PRELOAD_FILE_NONE = 2 /* it has none, cannot be read, or nobody answers */
};

struct preload_file {
  dev_t device; /* as the mappings say, and as stat says of everything else */
  ino_t inode;
  uint64_t size;
  int64_t modified; /* nanoseconds */
  int64_t changed;
  uint32_t state; /* enum preload_file_state */
  uint32_t table; /* offset in the area */
};

struct preload_files {
  struct preload_area *area;
  int socket;            /* -1: nobody is asked */
  uint32_t n_wanted;     /* not answered yet */
  uint32_t n_not_placed; /* tables that found no room in the area */
  uint32_t count;
  struct preload_file files[PRELOAD_FILES_MAX];
};

/* The file of a mapping, which is asked for when it was not known; NULL when there is none: memory without a
 * file, what is no file any more, or too many. */
const struct preload_file *preload_files_find(struct preload_files *files, const struct preload_map *map);
/* Takes the answers that have come, or come until that time (CLOCK_MONOTONIC, nanoseconds). */
void preload_files_receive(struct preload_files *files, uint64_t deadline);
/* In a child of fork, or when the connection is gone: what was not answered will not be. */
void preload_files_disconnect(struct preload_files *files);

#endif
