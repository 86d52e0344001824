/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/elf-reader/elf-reader-serve.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "helpers/elf-reader-protocol.h"
#include "helpers/packet.h"
#include "unwind/unwind-compile.h"

/* The size of a regular file, or -errno. By the system call that takes no path: the C library's fstat is one
 * that does. */
static int64_t size_of_file(int fd)
{
  struct stat status;
  if (syscall(SYS_fstat, fd, &status) < 0)
    return -errno;
  if (!S_ISREG(status.st_mode))
    return -EINVAL;
  if (status.st_size == 0)
    return -ENOEXEC;
  return (uint64_t)status.st_size > ELF_READER_FILE_MAX ? -EFBIG : status.st_size;
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

/* The table in a memfd that nobody can change any more, or -errno. */
static int seal_image(const struct unwind_image *image)
{
  int fd = memfd_create("unwind-table", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0)
    return -errno;
  int result = write_all(fd, image->table, image->table->size);
  if (result == 0 && fcntl(fd, F_ADD_SEALS, ELF_READER_SEALS) < 0)
    result = -errno;
  if (result == 0)
    return fd;
  close(fd);
  return result;
}

/* A file that is cut short while it is mapped kills this process by SIGBUS; its owner knows what to make of
 * that. */
static int compile(int fd, uint32_t flags, struct unwind_image *ret)
{
  int64_t length = size_of_file(fd);
  if (length < 0)
    return (int)length;
  size_t size = (size_t)length;
  void *elf = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (elf == MAP_FAILED)
    return -errno;
  int result = (flags & ELF_READER_MEMORY) != 0 ? unwind_compile_memory(elf, size, ret)
                                                : unwind_compile(elf, size, ret);
  munmap(elf, size);
  return result;
}

static int answer(int socket, const struct elf_reader_message *request, int file)
{
  struct elf_reader_message message = {
      .type = ELF_READER_COMPILED, .size = sizeof message, .cookie = request->cookie};
  struct unwind_image image = {0};
  int table = -1;
  message.error = compile(file, request->flags, &image);
  if (message.error == 0) {
    message.length = image.table->size;
    table = seal_image(&image);
    message.error = table < 0 ? table : 0;
    unwind_image_clear(&image);
  }
  int result = packet_send(socket, &message, sizeof message, message.error == 0 ? table : -1, true);
  if (table >= 0)
    close(table);
  return result;
}

static int limit_time(void)
{
  const struct itimerval limit = {.it_value = {.tv_sec = ELF_READER_SECONDS_MAX}};
  return setitimer(ITIMER_PROF, &limit, NULL) < 0 ? -errno : 0;
}

static int serve_one(int socket, const struct elf_reader_message *request, ssize_t size, int file)
{
  if (size != sizeof *request || request->size != sizeof *request || request->type != ELF_READER_COMPILE ||
      (request->flags & ~(uint32_t)ELF_READER_MEMORY) != 0 || file < 0)
    return -EPROTO;
  int result = limit_time();
  return result < 0 ? result : answer(socket, request, file);
}

int elf_reader_serve(int socket)
{
  struct elf_reader_message message = {
      .type = ELF_READER_READY, .size = sizeof message, .version = ELF_READER_PROTOCOL_VERSION};
  int result = packet_send(socket, &message, sizeof message, -1, true);
  while (result == 0) {
    int file = -1;
    ssize_t size = packet_receive(socket, &message, sizeof message, &file, true);
    if (size <= 0)
      return (int)size;
    result = serve_one(socket, &message, size, file);
    if (file >= 0)
      close(file);
  }
  return result;
}
