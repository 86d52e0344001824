/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The opener, which touches files for the recorder; helpers/opener-protocol.h says how. Opening a file may
 * take for ever (whoever serves its file system may never answer), and so may a disk; the recorder has rings
 * to drain.
 *
 * Either it is a fork of the recorder, with no other descriptor, and no other right than to look into
 * processes and to read files; that can be killed and started again. Or it is another user's process, which
 * may say anything; that is lost when it does not behave.
 */
#ifndef RECORDER_OPENER_H
#define RECORDER_OPENER_H

#include <stdbool.h>
#include <sys/types.h>

#include "helpers/common/binary.h"
#include "helpers/opener-protocol.h"

struct recorder_opener {
  pid_t pid;    /* 0: not running, or not ours */
  int socket;   /* -1: not running */
  bool foreign; /* another user's process */
  bool busy;
  uint32_t asked; /* enum opener_type: what it does */
  uint64_t since; /* CLOCK_MONOTONIC, ns: when it was given that */
  bool has_kept;  /* its answer came while somebody waited for another one */
  int kept_fd;
  struct opener_answer kept;
};

/* Starts it; cache may be NULL. 0 or -errno. */
int recorder_opener_start(struct recorder_opener *opener, const char *cache, uint64_t cache_limit);
/* Another user's, that is at the other end of the socket, which is taken over. */
void recorder_opener_adopt(struct recorder_opener *opener, int socket);
/* Kills it, or hangs up on another user's; what it was doing is lost. */
void recorder_opener_stop(struct recorder_opener *opener);

/* A request for OPEN, to be freed with free(); the path is copied. */
struct opener_request *recorder_opener_request_new(const struct recorder_binary_key *key, int32_t pid,
                                                   uint64_t start, uint64_t end);
/* Whether it has something to do, or an answer that nobody took yet. */
static inline bool recorder_opener_is_busy(const struct recorder_opener *opener)
{
  return opener->busy || opener->has_kept;
}
/* Waits for an answer to take, for that long at most. */
bool recorder_opener_wait(struct recorder_opener *opener, int milliseconds);
/* Hands it a request, when it is not busy; fd is -1 or what goes with it. 0 or -errno. */
int recorder_opener_send(struct recorder_opener *opener, const struct opener_request *request, int fd);
/* Its answer, and with it a descriptor or -1 that is the caller's. 1, 0 when there is none yet, or -errno
 * when it is gone or has said what none says that behaves. The text of the answer is terminated, and of
 * another user's opener the descriptor is of the sort that the answer says, and no file whose server could
 * hold up whoever closes it. */
int recorder_opener_receive(struct recorder_opener *opener, struct opener_answer *ret, int *ret_fd);

/* These wait for the answer, for `patience` nanoseconds at most. What the opener was doing comes with the
 * next recorder_opener_receive. -errno of the answer, or because the opener was lost, which it is then. */
/* Whether the process is its user's. 0 or -errno. */
int recorder_opener_prove(struct recorder_opener *opener, int32_t pid, int pidfd, uint64_t patience);
/* A file of the process's in /proc. A descriptor or -errno. */
int recorder_opener_look(struct recorder_opener *opener, int32_t pid, int32_t tid, enum opener_proc file,
                         uint64_t patience);

#endif
