/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Unwind tables of the binaries that are being recorded: from the cache on disk, or compiled by elf-readers,
 * which are other processes. Asked for once a binary, ready later; nothing here waits but
 * recorder_tables_wait.
 *
 * A binary is what it is by its build-id, or where it has none by device, inode, generation and time of
 * change; never by its path. One without unwind information, damaged, or deadly to its elf-reader is
 * remembered as such; one that could not be opened is tried again when another process has it.
 *
 * Who maps ever new files does not make this grow: of those that nobody holds the ones that were not asked
 * for lately are forgotten, and when too many wait to be opened, more are refused until there are fewer.
 */
#ifndef RECORDER_TABLES_H
#define RECORDER_TABLES_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "helpers/common/binary.h"
#include "helpers/common/unwind-table.h"
#include "helpers/recorder/tables/opener.h"

struct recorder_tables;

struct recorder_tables_options {
  uint32_t readers;     /* elf-readers at most; 0: as many as there are CPUs, at most 4 */
  const char *cache;    /* directory of the cache, made when missing; NULL: none */
  uint64_t cache_limit; /* bytes; least recently used files go first; 0: 512 MiB */
  const char *reader;   /* path of capture-elf-reader; NULL: beside this program */
  struct recorder_opener
      *opener; /* that runs already and stays the caller's, with a cache of its own; NULL: start one */
  /* Told of a table with `user` set that is forgotten; NULL: such tables are kept. */
  void (*forget)(struct recorder_unwind_table *table, void *data);
  void *data;
};

/* Where the cache is when nobody says otherwise: $XDG_CACHE_HOME/capture/unwind, unless that variable names
 * another user's directory, else /var/cache/capture/unwind for root and ~/.cache/capture/unwind for everybody
 * else. False when there is no such place. */
bool recorder_tables_default_cache(char *path, size_t size);

/* 0 or -errno; that of access() when there is no elf-reader. Starts none of them yet, but, unless processes
 * are held, the one that opens files (opener.h), which is a fork: memory that is shared and must not
 * be there should be mapped later, or with MADV_DONTFORK. */
int recorder_tables_create(struct recorder_tables **ret, const struct recorder_tables_options *options);

/* Ends all processes. What was compiled but is not in the cache yet is put there first, for half a second at
 * most. */
void recorder_tables_free(struct recorder_tables *tables);

/* The table of a binary that a process has mapped at start–end: what is known of it already, or a new one
 * that is pending (or ready at once, from the cache). The file is opened through /proc/PID/map_files, else
 * below /proc/PID/root. The vDSO is read from memory. Owned by tables, stays where it is. Waits for the
 * cache, but no more than 5 ms for all requests between two calls of recorder_tables_serve. */
struct recorder_unwind_table *recorder_tables_request(struct recorder_tables *tables,
                                                      const struct recorder_binary_key *key, int32_t pid,
                                                      uint64_t start, uint64_t end);

/* Descriptors to poll for answers; at most 16. Returns how many were set. */
uint32_t recorder_tables_poll(struct recorder_tables *tables, struct pollfd *fds);
/* Takes what has come, and ends who hangs, so call it some times a second even when nothing comes; calls fn
 * for each table that is no longer pending. */
void recorder_tables_serve(struct recorder_tables *tables,
                           void (*fn)(struct recorder_unwind_table *table, void *data), void *data);
/* Serves until nothing is pending or the time (CLOCK_MONOTONIC, ns) has come. */
void recorder_tables_wait(struct recorder_tables *tables, uint64_t until,
                          void (*fn)(struct recorder_unwind_table *table, void *data), void *data);
/* Its image is not needed here any more: `table` becomes NULL. When it is requested anew with `user` NULL, it
 * is fetched again, from the cache if there is one; so leave `user` set as long as the copy elsewhere can be
 * used. */
void recorder_tables_drop(struct recorder_tables *tables, struct recorder_unwind_table *table);
/* How many binaries were forgotten, and how many refused, so far. */
void recorder_tables_count_bounds(const struct recorder_tables *tables, uint64_t *ret_forgotten,
                                  uint64_t *ret_refused);

#endif
