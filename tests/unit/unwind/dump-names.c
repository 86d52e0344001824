/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the functions of file offsets as the elf-reader finds them, for tests that compare them with other
 * programs: `dump-names FILE` reads one hexadecimal offset a line, ascending, and answers "OFFSET NAME" or
 * "OFFSET". */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "unwind/names/unwind-names.h"

static void print(const struct unwind_names *names, const uint64_t *offsets, size_t n)
{
  uint32_t at = 0;

  for (size_t i = 0; i < n; i++) {
    while (at < names->n && names->names[at].end <= offsets[i])
      at++;
    if (at < names->n && names->names[at].start <= offsets[i])
      printf("%" PRIx64 " %.*s\n", offsets[i], (int)names->names[at].length,
             (const char *)names + names->names[at].at);
    else
      printf("%" PRIx64 "\n", offsets[i]);
  }
}

static int name(const void *elf, size_t size, const uint64_t *offsets, size_t n)
{
  struct unwind_names *names;
  int error = unwind_names_find(elf, size, offsets, n, &names);

  if (error < 0)
    return error;
  if (!unwind_names_are_valid(names, names->size))
    abort();
  print(names, offsets, n);
  free(names);
  return 0;
}

int main(int argc, char **argv)
{
  static uint64_t offsets[UNWIND_OFFSETS_MAX];
  int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1, error = 0;
  struct stat status;
  size_t n = 0;
  char line[64];

  if (fd < 0 || fstat(fd, &status) < 0)
    return 2;
  void *elf = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (elf == MAP_FAILED)
    return 2;
  while (error == 0 && fgets(line, sizeof line, stdin)) {
    offsets[n++] = strtoull(line, NULL, 16);
    if (n == UNWIND_OFFSETS_MAX) {
      error = name(elf, (size_t)status.st_size, offsets, n);
      n = 0;
    }
  }
  if (error == 0)
    error = name(elf, (size_t)status.st_size, offsets, n);
  return error < 0 ? 1 : 0;
}
