/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recording, as small as one can be: a thread that listens where CAPTURE_SOCKET says, takes programs in and
 * writes what they have committed into a capture.
 */
#ifndef HOST_H
#define HOST_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libcapture/file/capture-file.h"
#include "libcapture/pool/capture-announce.h"

#define HOST_PROGRAMS_MAX 64

enum host_answer {
  HOST_SETTINGS,
  HOST_REFUSES, /* ends the connection */
  HOST_SILENT,
  HOST_GARBAGE
};

struct host_program {
  int socket;
  struct capture_tap *tap;
  struct capture_pool_control *control;
  int32_t pid;
  int64_t stream;
  char name[64];
};

struct host {
  char *directory;
  char *path;
  int listener;
  int fd; /* of the capture */
  capture_file *file;
  enum host_answer answer;
  uint32_t flags;      /* of the settings */
  _Atomic bool stalls; /* nothing is taken */
  _Atomic bool stops;
  _Atomic uint32_t n_programs; /* that were taken in */
  _Atomic uint32_t n_open;
  pthread_t thread;
  struct host_program programs[HOST_PROGRAMS_MAX];
};

/* Announces it in the environment. */
struct host *host_new(enum host_answer answer, uint32_t flags);
/* Says to every program that nothing is taken any more. */
void host_end(struct host *host);
/* Takes the rest once every program has gone, finishes the capture and returns its descriptor. */
int host_finish(struct host *host);

#endif
