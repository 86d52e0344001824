/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/tables/reader.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "helpers/common/memory.h"
#include "helpers/recorder/common/child.h"

/* Installed, both stand in one directory; in a build directory, side by side. */
char *recorder_reader_find(void)
{
  char directory[PATH_MAX], path[PATH_MAX + 64];
  ssize_t length = readlink("/proc/self/exe", directory, sizeof directory - 1);
  directory[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(directory, '/');
  if (slash != NULL)
    *slash = '\0';
  snprintf(path, sizeof path, "%s/../elf-reader/capture-elf-reader", directory);
  if (access(path, X_OK) < 0)
    snprintf(path, sizeof path, "%s/capture-elf-reader", directory);
  size_t size = strlen(path) + 1;
  return memcpy(recorder_allocate(1, size), path, size);
}

void recorder_reader_stop(struct elf_reader_client *reader)
{
  pid_t pid = elf_reader_client_release(reader);
  if (pid != 0)
    recorder_child_end(pid);
}
