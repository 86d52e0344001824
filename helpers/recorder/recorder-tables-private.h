/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of recorder_tables share: the opener's half, the elf-readers' half, and what both work
 * on. */
#ifndef RECORDER_TABLES_PRIVATE_H
#define RECORDER_TABLES_PRIVATE_H

#include "helpers/recorder/recorder-opener.h"
#include "helpers/recorder/recorder-reader.h"
#include "helpers/recorder/recorder-table.h"
#include "helpers/recorder/recorder-tables.h"

#define READERS_MAX 8

/* A binary. It stands in one queue at most: to be opened, to be compiled, or settled but not yet
 * announced. */
struct item {
  struct recorder_unwind_table table;
  struct item *next;      /* in its queue */
  struct item *next_same; /* whose identity has the same hash */
  struct item *next_all;
  struct opener_request *request;     /* while it is to be opened */
  int fd;                             /* while it is to be compiled; else -1 */
  uint32_t reader_flags;              /* enum elf_reader_flags */
  bool is_given;                      /* to whoever requested it: it stays where it is */
  bool is_settled;                    /* and not yet announced */
  bool not_opened;                    /* it has no table only because it could not be opened … */
  int32_t pid;                        /* … through this process */
  char identity[OPENER_IDENTITY_MAX]; /* empty until it was opened */
};

struct queue {
  struct item *first;
  struct item *last;
  uint32_t count;
};

/* A table, or the lack of one, on its way to the cache. */
struct keepsake {
  struct keepsake *next;
  struct opener_request request;
  int fd; /* -1 without a table */
};

struct recorder_tables {
  struct recorder_table names;      /* from hashes of keys to struct name */
  struct recorder_table identities; /* from hashes of identities to struct item */
  struct item *all;

  struct recorder_opener *opener; /* own_opener, or another's, which cannot be started again */
  struct recorder_opener own_opener;
  uint32_t opener_failures; /* deaths and failed starts since it last answered */
  struct queue to_open;
  struct item *opening;  /* NULL with a busy opener: it stores */
  struct item *asked;    /* whose request waits for the opener: its answer needs no announcement */
  uint64_t ask_patience; /* nanoseconds that requests wait for it, all of a round together … */
  uint64_t ask_waited;   /* … and have waited since recorder_tables_serve */
  struct keepsake *keepsakes, **last_keepsake;
  uint32_t n_keepsakes;

  struct elf_reader_client readers[READERS_MAX];
  uint32_t n_readers;
  uint32_t reader_failures; /* readers that never became ready, since one last did */
  struct queue to_compile;
  struct queue settled;

  char *cache;  /* NULL: none */
  char *reader; /* program */
  uint64_t cache_limit;
};

void recorder_tables_push(struct queue *queue, struct item *item);
/* NULL when there is none. */
struct item *recorder_tables_pop(struct queue *queue);

/* The binary has a table, or none (`table` NULL) for this reason (positive errno). */
void recorder_tables_settle(struct recorder_tables *tables, struct item *item,
                            const struct unwind_table *table, uint64_t size, int error);

/* Takes the opener's answer, if there is one, and gives it the next thing to do. Returns a binary that was
 * the very one of `asked` under another name, in whose place that is used from then on; else NULL. */
struct item *recorder_tables_serve_opener(struct recorder_tables *tables);
void recorder_tables_feed_opener(struct recorder_tables *tables);
/* Keeps a settled binary in the cache; fd is taken over, -1 when it has no table. */
void recorder_tables_keep(struct recorder_tables *tables, const struct item *item, int fd);

/* Whether a table is yet to come. */
bool recorder_tables_are_pending(const struct recorder_tables *tables);

/* Takes what the elf-readers say, and gives them what is to be compiled. */
void recorder_tables_serve_readers(struct recorder_tables *tables);

#endif
