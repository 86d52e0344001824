/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One elf-reader, from the recorder's side (helpers/elf-reader-protocol.h): another process, which files are
 * compiled and named in that may be made to take it over. It is believed nothing, and killed when it takes
 * too long.
 */
#ifndef RECORDER_READER_H
#define RECORDER_READER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct recorder_reader {
  pid_t pid;         /* 0: not running */
  int socket;        /* -1: not running */
  bool ready;        /* it has said so */
  void *job;         /* what it compiles or names; NULL: nothing */
  uint32_t expected; /* enum elf_reader_message_type: the answer to that */
  uint64_t cookie;
  uint64_t deadline; /* CLOCK_MONOTONIC, ns: when it counts as hung; UINT64_MAX while it has nothing to do */
};

struct recorder_reader_answer {
  int error; /* 0, or why there is no table, or no names: a positive errno */
  int fd;    /* the table or names, the receiver's to close; -1 without */
  uint64_t size;
};

/* Where capture-elf-reader is, beside this program; to be freed with free(). */
char *recorder_reader_find(void);
/* Starts `program`. 0 or -errno. */
int recorder_reader_start(struct recorder_reader *reader, const char *program);
/* Ends it; harmless when it is not running. */
void recorder_reader_stop(struct recorder_reader *reader);
/* Hands a file (helpers/elf-reader-protocol.h has the flags) to a reader that is ready and has no job. 0 or
 * -errno. */
int recorder_reader_compile(struct recorder_reader *reader, void *job, int fd, uint32_t flags);
/* The same with offsets in the file, ascending, at most ELF_READER_OFFSETS_MAX: which functions they lie in.
 */
int recorder_reader_name(struct recorder_reader *reader, void *job, int fd, const uint64_t *offsets,
                         uint32_t n);
/* What it says: 1 and *ret filled in when its job is done, which it then has no more; 0 when there is nothing
 * new, or it became ready; -errno when it died, hangs (-ETIMEDOUT) or breaks the protocol and must be
 * stopped. */
int recorder_reader_receive(struct recorder_reader *reader, struct recorder_reader_answer *ret);

#endif
