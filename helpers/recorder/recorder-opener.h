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

#include "helpers/opener-protocol.h"
#include "helpers/recorder/recorder-binary.h"

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
struct opener_request *recorder_opener_request_new(const struct recorder_binary_key *key, int32_t pid,
                                                   uint64_t start, uint64_t end);
/* Hands it a request, when it is not busy; fd is -1 or the table to store. 0 or -errno. */
int recorder_opener_send(struct recorder_opener *opener, const struct opener_request *request, int fd);
/* Its answer, and with it a descriptor or -1 that is the caller's. 1, 0 when there is none yet, or -errno
 * when it is gone. */
int recorder_opener_receive(struct recorder_opener *opener, struct opener_answer *ret, int *ret_fd);

#endif
