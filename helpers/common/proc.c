/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/common/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helpers/common/memory.h"
#include "helpers/text-file.h"

/* Longer than any line: addresses, PATH_MAX and what escapes add. */
#define MAPS_BUFFER 32768

static recorder_proc_open_fn proxy;
static void *proxy_data;

static bool parse_field(const char **text, const char *end, unsigned base, char terminator, uint64_t *ret)
{
  const char *at = *text;
  uint64_t number = 0;
  for (; at < end && *at != terminator; at++) {
    unsigned digit = *at >= '0' && *at <= '9'   ? (unsigned)(*at - '0')
                     : *at >= 'a' && *at <= 'f' ? (unsigned)(*at - 'a') + 10
                                                : 16;
    if (digit >= base || number > (UINT64_MAX - digit) / base)
      return false;
    number = number * base + digit;
  }
  if (at == *text || at == end)
    return false;
  *text = at + 1;
  *ret = number;
  return true;
}

static bool parse_protection(const char **text, const char *end, struct recorder_map_line *line)
{
  const char *at = *text;
  if (end - at < 5 || at[4] != ' ')
    return false;
  line->protection =
      (at[0] == 'r' ? PROT_READ : 0) | (at[1] == 'w' ? PROT_WRITE : 0) | (at[2] == 'x' ? PROT_EXEC : 0);
  line->flags = at[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
  *text = at + 5;
  return true;
}

bool recorder_map_line_parse(struct recorder_map_line *ret, const char *text, size_t length)
{
  const char *end = text + length;
  struct recorder_map_line line = {0};
  uint64_t major, minor;
  if (!parse_field(&text, end, 16, '-', &line.start) || !parse_field(&text, end, 16, ' ', &line.end) ||
      !parse_protection(&text, end, &line) || !parse_field(&text, end, 16, ' ', &line.offset) ||
      !parse_field(&text, end, 16, ':', &major) || !parse_field(&text, end, 16, ' ', &minor) ||
      !parse_field(&text, end, 10, ' ', &line.inode) || line.start >= line.end)
    return false;
  line.device = major << 32 | (minor & UINT32_MAX);
  while (text < end && *text == ' ')
    text++;
  line.path = text;
  line.path_length = (size_t)(end - text);
  *ret = line;
  return true;
}

/* Hands over the whole lines of buffer; returns how many bytes they take. */
static size_t hand_over_lines(const char *buffer, size_t length, recorder_map_line_fn fn, void *data)
{
  size_t done = 0;
  const char *newline;
  while ((newline = memchr(buffer + done, '\n', length - done)) != NULL) {
    struct recorder_map_line line;
    size_t line_length = (size_t)(newline - (buffer + done));
    if (recorder_map_line_parse(&line, buffer + done, line_length) && (line.protection & PROT_EXEC) != 0)
      fn(&line, data);
    done += line_length + 1;
  }
  return done;
}

void recorder_proc_path(char *path, size_t size, int32_t pid, int32_t tid, enum opener_proc file)
{
  if (file == OPENER_PROC_NAME)
    snprintf(path, size, "/proc/%d/task/%d/comm", pid, tid);
  else
    snprintf(path, size, "/proc/%d/%s", pid, file == OPENER_PROC_MAPS ? "maps" : "cmdline");
}

int recorder_proc_open(int32_t pid, int32_t tid, enum opener_proc file)
{
  char path[64];
  recorder_proc_path(path, sizeof path, pid, tid, file);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  return fd < 0 ? -errno : fd;
}

void recorder_proc_set_proxy(recorder_proc_open_fn fn, void *data)
{
  proxy = fn;
  proxy_data = data;
}

/* With a proxy not even an attempt of our own: what the recorder has besides may be enough to look into
 * processes that are not the caller's (since Linux 6.15 CAP_PERFMON is, for maps). */
static int open_somehow(int32_t pid, int32_t tid, enum opener_proc file)
{
  return proxy != NULL ? proxy(pid, tid, file, proxy_data) : recorder_proc_open(pid, tid, file);
}

int recorder_proc_maps(int32_t pid, recorder_map_line_fn fn, void *data)
{
  static char buffer[MAPS_BUFFER];
  size_t length = 0;
  ssize_t got;
  int fd = open_somehow(pid, 0, OPENER_PROC_MAPS);
  if (fd < 0)
    return fd;
  while ((got = read(fd, buffer + length, sizeof buffer - length)) > 0) {
    length += (size_t)got;
    size_t done = hand_over_lines(buffer, length, fn, data);
    memmove(buffer, buffer + done, length - done);
    length -= done;
  }
  int error = errno;
  close(fd);
  return got < 0 ? -error : 0;
}

bool recorder_proc_has_thread(int32_t pid, int32_t tid)
{
  char path[48];
  struct stat status;
  snprintf(path, sizeof path, "/proc/%d/task/%d", pid, tid);
  return stat(path, &status) == 0;
}

int recorder_proc_name(int32_t pid, int32_t tid, char name[RECORDER_NAME_MAX])
{
  char text[RECORDER_NAME_MAX + 48];
  int fd = open_somehow(pid, tid, OPENER_PROC_NAME);
  ssize_t length = fd < 0 ? fd : text_file_read_open(fd, text, sizeof text);
  if (length < 0)
    return (int)length;
  if (length > 0 && text[length - 1] == '\n')
    text[length - 1] = '\0';
  snprintf(name, RECORDER_NAME_MAX, "%.*s", RECORDER_NAME_MAX - 1, text);
  return 0;
}

int recorder_proc_command_line(int32_t pid, char *buffer, size_t size)
{
  int fd = open_somehow(pid, 0, OPENER_PROC_COMMAND_LINE);
  ssize_t length = fd < 0 ? fd : text_file_read_open(fd, buffer, size);
  if (length < 0)
    return (int)length;
  while (length > 0 && buffer[length - 1] == '\0')
    length--;
  for (ssize_t i = 0; i < length; i++)
    if (buffer[i] == '\0')
      buffer[i] = ' ';
  return (int)length;
}

int recorder_proc_threads(int32_t pid, int32_t **ret)
{
  char path[32];
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  DIR *directory = opendir(path);
  if (directory == NULL)
    return errno == ENOENT ? -ESRCH : -errno;
  int32_t *threads = NULL;
  int count = 0, capacity = 0;
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    int tid = atoi(entry->d_name);
    if (tid <= 0)
      continue;
    if (count == capacity) {
      capacity = capacity != 0 ? 2 * capacity : 16;
      threads = recorder_reallocate(threads, (size_t)capacity, sizeof *threads);
    }
    threads[count++] = tid;
  }
  closedir(directory);
  *ret = threads;
  return count;
}
