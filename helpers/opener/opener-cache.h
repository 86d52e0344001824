/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Unwind tables on disk, one file a binary and format version; also that a binary has none. Losing any costs
 * time only.
 *
 * The directory and each file in it must belong to root or to this user and be writable for nobody else, or
 * they are not used; whoever else could write them would say where stacks lead. A file is written under
 * another name and renamed, so it is whole whenever it is seen; it is checked with its checksum all the same,
 * and removed when damaged. What was used least recently goes when the limit is reached. Several recorders
 * may use one directory at once.
 */
#ifndef OPENER_CACHE_H
#define OPENER_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "unwind/unwind-table.h"

#define OPENER_CACHE_LIMIT (UINT64_C(512) << 20)

struct opener_cache {
  int directory;  /* -1: there is none, nothing is found and nothing kept */
  uint64_t limit; /* bytes */
  uint64_t used;  /* as far as known; the limit until somebody has counted */
  uint32_t serial;
};

enum opener_cache_answer {
  OPENER_CACHE_ABSENT = 0,
  OPENER_CACHE_TABLE = 1, /* *ret_fd holds a table of *ret_size bytes, checked */
  OPENER_CACHE_NONE = 2   /* the binary has no table; *ret_error says why */
};

/* Opens the directory, and makes it and those above where they are missing. 0, or -errno when it may not be
 * used. A limit of 0 means OPENER_CACHE_LIMIT. */
int opener_cache_open(struct opener_cache *cache, const char *path, uint64_t limit);
void opener_cache_close(struct opener_cache *cache);

enum opener_cache_answer opener_cache_find(struct opener_cache *cache, const char *identity, int *ret_fd,
                                           uint64_t *ret_size, int *ret_error);
/* Keeps a table. 0 or -errno; then there is nothing of it in the cache. */
int opener_cache_store(struct opener_cache *cache, const char *identity, const struct unwind_table *table,
                       uint64_t size);
/* Keeps that there is none, for this reason (positive errno). */
int opener_cache_store_none(struct opener_cache *cache, const char *identity, int error);

#endif
