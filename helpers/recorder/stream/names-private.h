/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of recorder_names share. */
#ifndef RECORDER_NAMES_PRIVATE_H
#define RECORDER_NAMES_PRIVATE_H

#include "helpers/recorder/stream/addresses.h"
#include "helpers/recorder/stream/kallsyms.h"
#include "helpers/recorder/stream/names.h"
#include "helpers/recorder/tables/opener.h"
#include "helpers/recorder/tables/reader.h"
#include "unwind/names/unwind-names.h"

#define RECORDER_NAMES_READERS_MAX 4

enum recorder_named_state {
  RECORDER_NAMED_WAITS = 1,  /* for the opener */
  RECORDER_NAMED_LOST = 2,   /* it could not be opened, through that process */
  RECORDER_NAMED_PUBLIC = 3, /* everybody may read it */
  RECORDER_NAMED_OPEN = 4,   /* the descriptor */
  RECORDER_NAMED_DONE = 5
};

/* A file, as mappings know it. */
struct recorder_named {
  struct recorder_named *next_all;
  struct recorder_named *next;    /* to be opened, then to be read */
  struct recorder_binary *binary; /* a reference */
  enum recorder_named_state state;
  struct opener_request *request; /* while it waits */
  int32_t pid;                    /* through which it was asked for */
  int fd;                         /* when open; else -1 */
  struct recorder_addresses offsets;
  size_t n_read; /* of the offsets: handed to an elf-reader */
  size_t n_asked;
  uint64_t named_end; /* the last function written ends there */
  uint32_t id;        /* as NAMED_BINARY; 0: not written */
};

struct recorder_named_queue {
  struct recorder_named *first;
  struct recorder_named *last;
};

struct recorder_names {
  struct recorder_binaries *binaries;
  struct recorder_named *all;
  uint32_t n_all;
  uint32_t n_open;
  uint64_t n_unseen;             /* mappings of files that there was no room for */
  struct recorder_named **by_id; /* of this epoch's binaries; NULL: not to be named */
  uint32_t by_id_capacity;
  struct recorder_addresses kernel;
  size_t n_addresses; /* that there is room for, of all of them */
  uint64_t n_dropped; /* sampled, but there was no room */

  struct recorder_opener opener;
  struct recorder_named_queue to_open;
  struct recorder_named *opening; /* NULL: none */
  uint32_t opener_failures;

  struct elf_reader_client readers[RECORDER_NAMES_READERS_MAX];
  uint32_t n_readers;
  uint32_t reader_failures;
  struct recorder_named_queue to_read;

  /* The end. */
  struct recorder_output *output;
  recorder_names_tick tick;
  void *tick_data;
  uint64_t deadline;
  bool is_over; /* nobody waits any more, or the time is */
  uint32_t n_strings;
  uint32_t n_binaries;
  uint32_t n_unnamed; /* files */

  char *reader; /* program */
  const char *kallsyms;
  uint64_t patience;
};

void recorder_named_push(struct recorder_named_queue *queue, struct recorder_named *named);
struct recorder_named *recorder_named_pop(struct recorder_named_queue *queue);

/* names-files.c: the opener's half. Asks for a file that waits. */
void recorder_names_ask(struct recorder_names *names, struct recorder_named *named);
/* Serves the opener until nothing waits, or until that time (CLOCK_MONOTONIC, ns). */
void recorder_names_serve_until(struct recorder_names *names, uint64_t until);

/* names-read.c: the elf-readers' half. Reads all that is open, until the end's deadline. */
void recorder_names_read(struct recorder_names *names);

/* names-write.c. What stands in a NAMED_BINARY: of a file, or of the kernel (NULL). Its identifier,
 * or 0 when it could not be written. */
uint32_t recorder_names_write_binary(struct recorder_names *names, const struct recorder_binary *binary,
                                     enum capture_naming status);
/* The functions that an elf-reader found, but for one that was written already because offsets of two
 * requests lie in it. False when they could not be written. */
bool recorder_names_write_functions(struct recorder_names *names, struct recorder_named *named,
                                    const struct unwind_names *found);
/* The same of the kernel, of those that hold an address of the kernel's that was sampled. */
void recorder_names_write_kernel(struct recorder_names *names, const struct recorder_kallsyms *kallsyms);
/* Lets others work for a moment; false when the end has come. */
bool recorder_names_go_on(struct recorder_names *names);

#endif
