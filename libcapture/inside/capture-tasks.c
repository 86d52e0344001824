/* SPDX-License-Identifier: BSD-2-Clause */
#include "libcapture/inside/capture-tasks-private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
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

/* libc's own would look at the locale, and have other names where a newer libc builds this than runs it. */
static uint64_t read_number(const char *at, unsigned base)
{
  uint64_t number = 0;

  for (; (*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'f'); at++)
    number = number * base + (unsigned)(*at <= '9' ? *at - '0' : *at - 'a' + 10);
  return number;
}

static bool each_of(const char *buffer, long length, capture_task_fn fn, void *data)
{
  for (long at = 0; at < length;) {
    const struct entry *entry = (const void *)(buffer + at);

    if (entry->name[0] != '.' && !fn((pid_t)read_number(entry->name, 10), data))
      return false;
    at += entry->length;
  }
  return true;
}

/* By the numbers of /proc. */
static int each_listed(capture_task_fn fn, void *data)
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

static bool read_status(pid_t listed, char status[static STATUS_LENGTH])
{
  char path[64];
  ssize_t length;
  int fd;

  snprintf(path, sizeof path, "/proc/self/task/%d/status", (int)listed);
  fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  length = read(fd, status, STATUS_LENGTH - 1);
  close(fd);
  status[length > 0 ? length : 0] = '\0';
  return true;
}

/* The number that the link's target ends in; 0: there is none. */
static pid_t read_link(const char *path)
{
  char target[64];
  ssize_t length = readlink(path, target, sizeof target - 1);
  const char *slash;

  if (length <= 0)
    return 0;
  target[length] = '\0';
  slash = strrchr(target, '/');
  return (pid_t)read_number(slash ? slash + 1 : target, 10);
}

/* What a thread that is listed under a number calls itself: the last of its numbers. 0: it is gone. */
static pid_t own_number(pid_t listed)
{
  static const char numbers[] = "\nNSpid:";
  char status[STATUS_LENGTH], *at, *end;

  if (!read_status(listed, status))
    return 0;
  at = strstr(status, numbers);
  end = at ? strchr(at + 1, '\n') : NULL;
  if (!end)
    return 0;
  *end = '\0';
  return (pid_t)read_number(strrchr(at, '\t') ? strrchr(at, '\t') + 1 : "", 10);
}

pid_t capture_tasks_process_in_proc(void)
{
  return read_link("/proc/self");
}

static bool proc_is_own(void)
{
  return capture_tasks_process_in_proc() == getpid();
}

struct translation {
  capture_task_fn fn;
  void *data;
};

static bool tasks_translate(pid_t listed, void *data)
{
  const struct translation *translation = data;
  pid_t tid = own_number(listed);

  return tid == 0 || translation->fn(tid, translation->data);
}

int capture_tasks_each(capture_task_fn fn, void *data)
{
  struct translation translation = {fn, data};

  return proc_is_own() ? each_listed(fn, data) : each_listed(tasks_translate, &translation);
}

struct search {
  pid_t wanted;
  pid_t listed;
};

static bool is_other(pid_t listed, void *data)
{
  struct search *search = data;

  if (own_number(listed) != search->wanted)
    return true;
  search->listed = listed;
  return false;
}

pid_t capture_task_in_proc(pid_t tid)
{
  struct search search = {.wanted = tid};

  if (proc_is_own())
    return tid;
  if (tid == (pid_t)syscall(SYS_gettid))
    return read_link("/proc/thread-self");
  (void)each_listed(is_other, &search);
  return search.listed;
}

bool capture_task_runs_with_blocked(pid_t tid, int number)
{
  static const char state[] = "\nState:\t", blocked[] = "\nSigBlk:\t";
  char status[STATUS_LENGTH], *at;

  if (!read_status(capture_task_in_proc(tid), status))
    return false;
  at = strstr(status, state);
  if (!at || at[sizeof state - 1] == 'S')
    return false;
  at = strstr(status, blocked);
  return at && (read_number(at + sizeof blocked - 1, 16) >> (number - 1) & 1) != 0;
}
