/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names for what the caller does not read: the files that not everybody may read, for root those that others
 * may have written, and the kernel. Such files are opened when they are first seen, by an opener, and kept
 * open, so that they can be read at the end whatever became of them; at the end of a recording elf-readers
 * name the functions that were sampled in them, and those names go into the stream. Which addresses were
 * sampled is read off the writer's frames when an epoch ends; samples cost nothing more.
 *
 * No file's content reaches the stream, no name of a function that was not sampled, and nothing of files that
 * everybody may read.
 */
#ifndef RECORDER_NAMES_H
#define RECORDER_NAMES_H

#include "helpers/recorder/stream/output.h"

struct recorder_names;

struct recorder_names_options {
  struct recorder_binaries *binaries; /* of the processes; stays the caller's */
  const char *reader;                 /* path of capture-elf-reader; NULL: beside this program */
  const char *kallsyms;               /* NULL: /proc/kallsyms */
  uint64_t patience;                  /* nanoseconds that the end may take; 0: three seconds */
};

/* 0 or -errno. Starts an opener, which is a fork (helpers/recorder/tables/opener.h). */
int recorder_names_create(struct recorder_names **ret, const struct recorder_names_options *options);
/* Ends its processes, gives back its binaries. */
void recorder_names_free(struct recorder_names *names);

/* A process has this mapped: its file is asked for, unless it is known already. Does not wait. */
void recorder_names_see(struct recorder_names *names, int32_t pid, const struct recorder_mapping *mapping);
/* The binary has got its identifier in this epoch. */
void recorder_names_define(struct recorder_names *names, const struct recorder_binary *binary);
/* An offset was sampled that the stream holds as an address of its process. */
void recorder_names_add(struct recorder_names *names, const struct recorder_binary *binary, uint64_t offset);
/* The epoch is over: what was sampled in it is read off the writer. */
void recorder_names_collect(struct recorder_names *names, const capture_writer *writer);
/* Hands out files to be opened and takes those that were; waits for two milliseconds at most. */
void recorder_names_serve(struct recorder_names *names);

/* Called some hundred times a second while names are being looked for, and whenever something was committed;
 * false when nobody waits for them any more. */
typedef bool (*recorder_names_tick)(void *data);
/* Names what was sampled, in an epoch of their own that it begins; counts in a message what could not be
 * named. */
void recorder_names_finish(struct recorder_names *names, struct recorder_output *output,
                           recorder_names_tick tick, void *data);

#endif
