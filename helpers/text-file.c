/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/text-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

ssize_t text_file_read_open(int fd, char *buffer, size_t size)
{
  size_t length = 0;
  ssize_t got = 0;
  while (length + 1 < size && (got = read(fd, buffer + length, size - 1 - length)) > 0)
    length += (size_t)got;
  int error = errno;
  close(fd);
  if (got < 0)
    return -error;
  buffer[length] = '\0';
  return (ssize_t)length;
}

ssize_t text_file_read(const char *path, char *buffer, size_t size)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  return fd < 0 ? -errno : text_file_read_open(fd, buffer, size);
}

int64_t text_file_number(const char *path, int64_t otherwise)
{
  char text[64];
  if (text_file_read(path, text, sizeof text) <= 0)
    return otherwise;
  char *end;
  errno = 0;
  long long number = strtoll(text, &end, 10);
  return end == text || errno != 0 ? otherwise : number;
}
