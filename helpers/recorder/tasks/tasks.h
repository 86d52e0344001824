/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The processes and threads of the system, as the records tell of them. What existed before the recording is
 * looked up in /proc when it is first sampled or forks; nothing walks over all of /proc.
 */
#ifndef RECORDER_TASKS_H
#define RECORDER_TASKS_H

#include "helpers/recorder/common/table.h"
#include "helpers/recorder/tasks/process.h"

struct recorder_grave {
  struct recorder_thread *thread;
  uint64_t time;
};

struct recorder_tasks {
  struct recorder_table processes; /* by pid: the current generation */
  struct recorder_table threads;   /* by tid */
  uint32_t n_alive;                /* threads that have not gone */
  struct recorder_binaries binaries;
  /* Told, if set, when a generation's mappings are about to go; maybe more than once of each. */
  void (*forget)(struct recorder_process *process, void *data);
  void *forget_data;
  uint32_t doubt;                /* how often records were lost: processes are looked at again after it */
  uint64_t doubt_time;           /* when they were lost last */
  struct recorder_grave *graves; /* a ring of threads that went, in the order of their time */
  size_t graves_capacity;        /* a power of two */
  size_t graves_first;
  size_t graves_count;
};

void recorder_tasks_init(struct recorder_tasks *tasks);
void recorder_tasks_clear(struct recorder_tasks *tasks);

/* The thread, looked up in /proc when it is not known. Never NULL; a name that cannot be had is empty. */
struct recorder_thread *recorder_tasks_thread(struct recorder_tasks *tasks, int32_t pid, int32_t tid);

/* What records tell. A child of the same process is a thread. */
void recorder_tasks_fork(struct recorder_tasks *tasks, int32_t pid, int32_t tid, int32_t parent_pid,
                         int32_t parent_tid, uint64_t time);
void recorder_tasks_exec(struct recorder_tasks *tasks, int32_t pid, int32_t tid, const char *name,
                         uint64_t time);
void recorder_tasks_rename(struct recorder_tasks *tasks, int32_t pid, int32_t tid, const char *name,
                           uint64_t time);
void recorder_tasks_exit(struct recorder_tasks *tasks, int32_t pid, int32_t tid, uint64_t time);
/* The process gets a mapping; takes over the binary's reference. Returns the mapping and in *ret_process
 * whose it is, or NULL when the process is not known (it is looked up when it is first sampled). */
const struct recorder_mapping *recorder_tasks_map(struct recorder_tasks *tasks, int32_t pid,
                                                  const struct recorder_mapping *mapping,
                                                  struct recorder_process **ret_process);

/* Looks up what the process has mapped that no record told of. */
void recorder_tasks_look_again(struct recorder_tasks *tasks, struct recorder_process *process);
/* Gives back a reference to a process. */
void recorder_tasks_release(struct recorder_tasks *tasks, struct recorder_process *process);

/* Records were lost at that time: what is known of any process may be out of date. */
void recorder_tasks_doubt(struct recorder_tasks *tasks, uint64_t time);
/* Frees what went long enough before now: samples of a thread may come after its end. */
void recorder_tasks_bury(struct recorder_tasks *tasks, uint64_t now);

#endif
