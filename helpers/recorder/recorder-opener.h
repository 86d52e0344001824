/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The opener: a fork of the recorder that touches files for it, with no other descriptor, and no other right
 * than to look into processes and to read files. Opening a file may take for ever (whoever serves its file
 * system may never answer), and so may a disk; the recorder has rings to drain. It can be killed and started
 * again. It does one thing at a time, and says when it is done.
 *
 * An OPEN finds the file that a process has mapped and looks into the cache of tables; what the cache knows
 * is the answer, else the file, to be compiled. A STORE keeps what was compiled.
 */
#ifndef RECORDER_OPENER_H
#define RECORDER_OPENER_H

#include <stdbool.h>
#include <sys/types.h>

#include "helpers/recorder/recorder-open.h"

enum recorder_opener_type { RECORDER_OPENER_OPEN = 1, RECORDER_OPENER_STORE = 2 };

struct recorder_opener_request {
  uint32_t type; /* enum recorder_opener_type */
  uint32_t size; /* of all of it */
  uint64_t start;
  uint64_t end;
  int32_t pid;
  int32_t error;                        /* STORE: 0 with a table as descriptor, or why there is none */
  char identity[RECORDER_IDENTITY_MAX]; /* STORE */
  struct recorder_binary_key key;       /* OPEN; its path follows this structure */
};

enum recorder_opener_kind {
  RECORDER_OPENED_FILE = 1,   /* to be compiled; the descriptor */
  RECORDER_OPENED_MEMORY = 2, /* the same, of what is in memory at its addresses */
  RECORDER_OPENED_TABLE = 3,  /* from the cache, checked; the descriptor, of `size` bytes */
  RECORDER_OPENED_NONE = 4,   /* known to have no table: `error` */
  RECORDER_OPENED_NOT = 5,    /* it cannot be opened now: `error` */
  RECORDER_OPENED_STORED = 6
};

struct recorder_opener_answer {
  uint32_t kind; /* enum recorder_opener_kind */
  int32_t error; /* positive errno */
  uint64_t size;
  char identity[RECORDER_IDENTITY_MAX];
};

struct recorder_opener {
  pid_t pid;  /* 0: not running */
  int socket; /* -1: not running */
  bool busy;
  uint64_t since; /* CLOCK_MONOTONIC, ns: when it was given what it does */
};

/* Starts it; cache may be NULL. 0 or -errno. */
int recorder_opener_start(struct recorder_opener *opener, const char *cache, uint64_t cache_limit);
/* Kills it; what it was doing is lost. */
void recorder_opener_stop(struct recorder_opener *opener);

/* A request for OPEN, to be freed with free(); the path is copied. */
struct recorder_opener_request *recorder_opener_request_new(const struct recorder_binary_key *key,
                                                            int32_t pid, uint64_t start, uint64_t end);
/* Hands it a request, when it is not busy; fd is -1 or the table to store. 0 or -errno. */
int recorder_opener_send(struct recorder_opener *opener, const struct recorder_opener_request *request,
                         int fd);
/* Its answer, and with it a descriptor or -1 that is the caller's. 1, 0 when there is none yet, or -errno
 * when it is gone. */
int recorder_opener_receive(struct recorder_opener *opener, struct recorder_opener_answer *ret, int *ret_fd);

/* What runs in the opener: serves until the other end is closed. */
void recorder_opener_serve(int socket, const char *cache, uint64_t cache_limit);

#endif
