/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Unwind tables of the binaries that are being recorded: from the cache on disk, or compiled by elf-readers, which are other
 * processes. Asked for once a binary, ready later; nothing here waits but recorder_tables_wait.
 *
 * A binary is what it is by its build-id, or where it has none by device, inode, generation and time of change; never by its
 * path. One without unwind information, damaged, or deadly to its elf-reader is remembered as such.
 */
#ifndef RECORDER_TABLES_H
#define RECORDER_TABLES_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "helpers/recorder/recorder-binary.h"
#include "unwind/unwind-table.h"

enum recorder_table_state {
  RECORDER_TABLE_PENDING = 1,
  RECORDER_TABLE_READY = 2,
  RECORDER_TABLE_NONE = 3 /* there is no table and there will be none; `error` says why */
};

struct recorder_unwind_table {
  enum recorder_table_state state;
  int error;                        /* positive errno for RECORDER_TABLE_NONE */
  const struct unwind_table *table; /* when ready: valid and mapped read-only until recorder_tables_free; may be unmapped in
                                       between by recorder_tables_drop once it was copied elsewhere */
  uint64_t size;
  void *user; /* the unwinder's: where the table stands in the area */
};

struct recorder_tables;

struct recorder_tables_options {
  uint32_t readers;      /* elf-readers at most; 0: as many as there are CPUs, at most 4 */
  const char *cache;     /* directory of the cache, made when missing; NULL: none */
  uint64_t cache_limit;  /* bytes; least recently used files go first; 0: 512 MiB */
  const char *reader;    /* path of capture-elf-reader; NULL: beside this program */
};

/* 0 or -errno. Starts no elf-reader yet. */
int recorder_tables_create(struct recorder_tables **ret, const struct recorder_tables_options *options);
void recorder_tables_free(struct recorder_tables *tables);

/* The table of a binary that a process has mapped at start–end: what is known of it already, or a new one that is pending
 * (or ready at once, from the cache). The file is opened through /proc/PID/map_files, else below /proc/PID/root. The vDSO is
 * read from memory. Owned by tables, stays where it is. */
struct recorder_unwind_table *recorder_tables_request(struct recorder_tables *tables, const struct recorder_binary_key *key,
                                                      int32_t pid, uint64_t start, uint64_t end);

/* Descriptors to poll for answers; at most 16. Returns how many were set. */
uint32_t recorder_tables_poll(struct recorder_tables *tables, struct pollfd *fds);
/* Takes what has come; calls fn for each table that is no longer pending. */
void recorder_tables_serve(struct recorder_tables *tables, void (*fn)(struct recorder_unwind_table *table, void *data), void *data);
/* Serves until nothing is pending or the time (CLOCK_MONOTONIC, ns) has come. */
void recorder_tables_wait(struct recorder_tables *tables, uint64_t until, void (*fn)(struct recorder_unwind_table *table, void *data),
                          void *data);
/* Its image is not needed here any more; it is fetched again from the cache when it is requested anew. */
void recorder_tables_drop(struct recorder_tables *tables, struct recorder_unwind_table *table);

#endif
