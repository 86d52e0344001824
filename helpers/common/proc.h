/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What /proc tells of one process. Paths and names in it are chosen by that process: nothing is believed of
 * them. */
#ifndef RECORDER_PROC_H
#define RECORDER_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "helpers/opener-protocol.h"

#define RECORDER_NAME_MAX 16 /* the kernel's TASK_COMM_LEN */

/* One line of /proc/PID/maps; path points into the line and is not terminated. */
struct recorder_map_line {
  uint64_t start;
  uint64_t end;
  uint64_t offset;
  uint64_t device; /* major << 32 | minor */
  uint64_t inode;
  uint32_t protection; /* PROT_* */
  uint32_t flags;      /* MAP_PRIVATE or MAP_SHARED */
  const char *path;
  size_t path_length;
};

bool recorder_map_line_parse(struct recorder_map_line *ret, const char *line, size_t length);

typedef void (*recorder_map_line_fn)(const struct recorder_map_line *line, void *data);

/* The path of a process's file; tid counts for a name. */
void recorder_proc_path(char *path, size_t size, int32_t pid, int32_t tid, enum opener_proc file);
/* Opens it: a descriptor, or -errno. */
int recorder_proc_open(int32_t pid, int32_t tid, enum opener_proc file);
/* Who is asked for such a file, as recorder_proc_open, when the functions below may not open it themselves;
 * NULL: nobody. For the whole process. */
typedef int (*recorder_proc_open_fn)(int32_t pid, int32_t tid, enum opener_proc file, void *data);
void recorder_proc_set_proxy(recorder_proc_open_fn fn, void *data);

/* Calls fn for each mapping of the process that may be executed. 0 or -errno. */
int recorder_proc_maps(int32_t pid, recorder_map_line_fn fn, void *data);
/* The name of a thread. 0 or -errno. */
int recorder_proc_name(int32_t pid, int32_t tid, char name[RECORDER_NAME_MAX]);
/* The arguments, separated by spaces and cut to size - 1 bytes. Returns their length or -errno. */
int recorder_proc_command_line(int32_t pid, char *buffer, size_t size);
/* The threads of a process, in *ret, which is the caller's to free. Returns how many or -errno. */
int recorder_proc_threads(int32_t pid, int32_t **ret);
bool recorder_proc_has_thread(int32_t pid, int32_t tid);

#endif
