/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture-tasks-private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STATUS_LENGTH 2048u

/* As getdents64 fills it in. */
struct entry {
  uint64_t inode;
  int64_t offset;
  uint16_t length;
  uint8_t type;
  char name[];
};

static bool each_of(const char *buffer, long length, capture_task_fn fn, void *data)
{
  for (long at = 0; at < length;) {
    const struct entry *entry = (const void *)(buffer + at);

    if (entry->name[0] != '.' && !fn((pid_t)atoi(entry->name), data))
      return false;
    at += entry->length;
  }
  return true;
}

int capture_tasks_each(capture_task_fn fn, void *data)
{
  _Alignas(struct entry) char buffer[2048];
  int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
  long length;

  if (fd < 0)
    return -errno;
  do {
    length = syscall(SYS_getdents64, fd, buffer, sizeof buffer);
    if (length < 0)
      r = -errno;
  } while (length > 0 && each_of(buffer, length, fn, data));
  close(fd);
  return r;
}

static bool read_status(pid_t tid, char status[static STATUS_LENGTH])
{
  char path[64];
  ssize_t length;
  int fd;

  snprintf(path, sizeof path, "/proc/self/task/%d/status", (int)tid);
  fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  length = read(fd, status, STATUS_LENGTH - 1);
  close(fd);
  status[length > 0 ? length : 0] = '\0';
  return true;
}

bool capture_task_runs_with_blocked(pid_t tid, int number)
{
  static const char state[] = "\nState:\t", blocked[] = "\nSigBlk:\t";
  char status[STATUS_LENGTH], *at;

  if (!read_status(tid, status))
    return false;
  at = strstr(status, state);
  if (!at || at[sizeof state - 1] == 'S')
    return false;
  at = strstr(status, blocked);
  return at && (strtoull(at + sizeof blocked - 1, NULL, 16) >> (number - 1) & 1) != 0;
}
