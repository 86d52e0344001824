/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/elf-reader/elf-reader-file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "helpers/elf-reader-protocol.h"

/* The size of a regular file, or -errno. By the system call that takes no path: the C library's fstat is one
 * that does. */
static int64_t elf_reader_file_measure(int fd, uint64_t most)
{
  struct stat status;
  if (syscall(SYS_fstat, fd, &status) < 0)
    return -errno;
  if (!S_ISREG(status.st_mode))
    return -EINVAL;
  if (status.st_size == 0)
    return -ENOEXEC;
  return (uint64_t)status.st_size > most ? -EFBIG : status.st_size;
}

int elf_reader_file_map(int fd, uint64_t most, const void **ret_bytes, size_t *ret_size)
{
  int64_t length = elf_reader_file_measure(fd, most);
  if (length < 0)
    return (int)length;
  void *bytes = mmap(NULL, (size_t)length, PROT_READ, MAP_PRIVATE, fd, 0);
  if (bytes == MAP_FAILED)
    return -errno;
  *ret_bytes = bytes;
  *ret_size = (size_t)length;
  return 0;
}

static int write_all(int fd, const void *bytes, size_t size)
{
  for (size_t done = 0; done < size;) {
    ssize_t written = write(fd, (const char *)bytes + done, size - done);
    if (written < 0)
      return -errno;
    done += (size_t)written;
  }
  return 0;
}

int elf_reader_file_seal(const void *bytes, size_t size)
{
  int fd = memfd_create("elf-reader", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0)
    return -errno;
  int result = write_all(fd, bytes, size);
  if (result == 0 && fcntl(fd, F_ADD_SEALS, ELF_READER_SEALS) < 0)
    result = -errno;
  if (result == 0)
    return fd;
  close(fd);
  return result;
}
