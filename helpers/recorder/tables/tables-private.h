/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of recorder_tables share: the opener's half, the elf-readers' half, and what both work
 * on. */
#ifndef RECORDER_TABLES_PRIVATE_H
#define RECORDER_TABLES_PRIVATE_H

#include "helpers/recorder/common/table.h"
#include "helpers/recorder/tables/opener.h"
#include "helpers/recorder/tables/reader.h"
#include "helpers/recorder/tables/tables.h"

#define READERS_MAX 8

/* What a mapping record calls a binary. Several of these may be one. */
struct name {
  struct name *next; /* of the same hash */
  struct recorder_binary_key key;
  struct item *item;
  bool was_used; /* since names were looked through last */
  char path[];
};

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
  bool is_leaving;                    /* while others are forgotten with it */
  bool was_used;                      /* since items were looked through last */
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
  uint32_t n_items, items_limit; /* when there are so many, some are forgotten; 0: not yet said */
  uint32_t n_names, names_limit;
  uint64_t n_forgotten;
  uint64_t n_refused; /* since too many waited to be opened */

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
  void (*forget)(struct recorder_unwind_table *table, void *data);
  void *forget_data;
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
/* Frees it, which nothing may lead to any more. */
void recorder_tables_free_item(struct item *item);
/* Keeps a settled binary in the cache; fd is taken over, -1 when it has no table. */
void recorder_tables_keep(struct recorder_tables *tables, const struct item *item, int fd);

/* Makes room for another binary, when there are many, by forgetting. May not be called while one is in
 * `asked`. */
void recorder_tables_make_room(struct recorder_tables *tables);

/* Whether a table is yet to come. */
bool recorder_tables_are_pending(const struct recorder_tables *tables);

/* Takes what the elf-readers say, and gives them what is to be compiled. */
void recorder_tables_serve_readers(struct recorder_tables *tables);

#endif
