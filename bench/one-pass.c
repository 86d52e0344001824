/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looks at every byte of some stretches of a file, one after the other: what nothing that reads them can be
 * faster than that looks at each.
 *
 * usage: one-pass FILE OFFSET:SIZE... */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* Neither are several bytes taken at once nor does one wait for the one before. */
__attribute__((optimize("no-tree-vectorize"))) static uint64_t pass(const uint8_t *bytes, uint64_t size)
{
  uint64_t sum = 0;

  for (uint64_t i = 0; i < size; i++) {
    sum += bytes[i];
    __asm__ volatile("" : "+r"(sum));
  }
  return sum;
}

int main(int argc, char **argv)
{
  int fd = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
  struct stat status;
  uint64_t sum = 0, offset, size;
  const uint8_t *bytes;

  if (fd < 0 || fstat(fd, &status) < 0)
    return 2;
  bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (bytes == MAP_FAILED)
    return 2;
  for (int i = 2; i < argc; i++)
    if (sscanf(argv[i], "%" SCNu64 ":%" SCNu64, &offset, &size) == 2 &&
        offset + size <= (uint64_t)status.st_size)
      sum += pass(bytes + offset, size);
  printf("%" PRIu64 "\n", sum);
  return 0;
}
