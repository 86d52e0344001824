/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that mappings show, each once; counted by reference, forgotten with the last mapping. */
#ifndef RECORDER_BINARY_H
#define RECORDER_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcapture/format/capture-format.h"

/* What tells one binary from another. */
struct recorder_binary_key {
  const char *path;
  size_t path_length;
  uint64_t device;
  uint64_t inode;
  uint64_t inode_generation;
  uint32_t flags; /* enum capture_binary_flags */
  uint32_t build_id_size;
  uint8_t build_id[CAPTURE_BUILD_ID_MAX];
};

struct recorder_named;
struct recorder_unwind_table;

struct recorder_binary {
  struct recorder_binary *next;   /* in its bucket */
  struct recorder_binary_key key; /* path points behind this structure and is terminated */
  uint64_t hash;
  uint32_t references;
  uint32_t id;                         /* in the dictionary of `epoch` */
  uint32_t epoch;                      /* 0: never defined */
  struct recorder_unwind_table *table; /* NULL: never requested */
  struct recorder_named *named;        /* the names'; NULL: not asked for */
};

struct recorder_binaries {
  struct recorder_binary **buckets;
  size_t mask;
  size_t count;
};

/* Sets path, flags and, where there is no file, clears device and inode: as /proc and perf name a mapping.
 * The path stays the caller's. */
void recorder_binary_key_set_path(struct recorder_binary_key *key, const char *path, size_t length);

void recorder_binaries_init(struct recorder_binaries *binaries);
/* Frees the table, which must be empty by then. */
void recorder_binaries_clear(struct recorder_binaries *binaries);
/* A new reference to the binary of that key. */
struct recorder_binary *recorder_binaries_take(struct recorder_binaries *binaries,
                                               const struct recorder_binary_key *key);
void recorder_binaries_release(struct recorder_binaries *binaries, struct recorder_binary *binary);

#endif
