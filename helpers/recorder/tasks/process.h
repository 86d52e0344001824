/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One generation of a process's address space, and its threads. */
#ifndef RECORDER_PROCESS_H
#define RECORDER_PROCESS_H

#include "helpers/common/proc.h"
#include "helpers/recorder/common/memo.h"
#include "helpers/recorder/tasks/frames.h"
#include "helpers/recorder/tasks/mappings.h"

struct recorder_layout;

/* What the unwinder remembers of a process. */
struct recorder_unwound {
  struct recorder_layout *layout; /* NULL: none yet */
  uint64_t used;                  /* when it was sampled last, by the unwinder's clock */
  uint32_t published;             /* its place among those that programs know, plus one; 0: they do not */
  uint32_t changed;               /* its place among those to be published, plus one; 0: none */
  bool eager;                     /* tables are requested before they are missed */
  bool looked;                    /* for frames outside of all mappings */
  uint32_t generation;            /* struct walk_process's; 0: none yet */
  uint32_t runtime;               /* whose frames programs know: enum unwind_runtime_kind */
};

struct recorder_process {
  uint32_t references; /* of the table, of threads, of children */
  uint32_t n_threads;  /* known ones that have not gone */
  int32_t pid;
  uint32_t origin;         /* enum capture_process_origin */
  uint32_t id;             /* in the dictionary of `epoch` */
  uint32_t epoch;          /* 0: never defined */
  uint32_t mappings_epoch; /* in which all mappings were defined with it */
  uint32_t serial;         /* of the mappings: how often they changed */
  uint32_t doubt;          /* up to which loss of records it was looked at */
  bool command_line_known;
  char name[RECORDER_NAME_MAX];
  char *command_line;              /* NULL: none */
  uint64_t time;                   /* when it began; 0: before the recording */
  struct recorder_process *parent; /* NULL: not known */
  struct recorder_mappings *mappings;
  struct recorder_frames frames;
  struct recorder_unwound unwound;
};

struct recorder_thread {
  struct recorder_process *process;
  int32_t tid;
  uint32_t source; /* the thread whose events sample it; 0 not yet known */
  uint32_t id;     /* in the dictionary of `epoch` */
  uint32_t epoch;  /* 0: never defined */
  uint64_t time;   /* from when on it has this name; 0: before the recording */
  bool gone;
  struct recorder_memo *memo; /* of its stacks; NULL: never sampled */
  char name[RECORDER_NAME_MAX];
};

#endif
