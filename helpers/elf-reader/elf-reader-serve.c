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

/* Of address space, and at most as much of memory, that is kept from one file to the next: enough for nearly
 * all of them. */
#define WORKSPACE_KEPT ((size_t)32 << 20)

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
static int seal_table(const struct unwind_table *table)
{
  int fd = memfd_create("unwind-table", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0)
    return -errno;
  int result = write_all(fd, table, table->size);
  if (result == 0 && fcntl(fd, F_ADD_SEALS, ELF_READER_SEALS) < 0)
    result = -errno;
  if (result == 0)
    return fd;
  close(fd);
  return result;
}

/* A file that is cut short while it is mapped kills this process by SIGBUS; its owner knows what to make of
 * that. */
static int compile(int fd, uint32_t flags, struct unwind_workspace *workspace,
                   const struct unwind_table **ret)
{
  int64_t length = size_of_file(fd);
  if (length < 0)
    return (int)length;
  size_t size = (size_t)length;
  void *elf = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (elf == MAP_FAILED)
    return -errno;
  int result = unwind_compile_into(workspace, elf, size, (flags & ELF_READER_MEMORY) != 0, ret);
  munmap(elf, size);
  return result;
}

static int answer(int socket, const struct elf_reader_message *request, int file,
                  struct unwind_workspace *workspace)
{
  struct elf_reader_message message = {
      .type = ELF_READER_COMPILED, .size = sizeof message, .cookie = request->cookie};
  const struct unwind_table *table;
  int sealed = -1;
  message.error = compile(file, request->flags, workspace, &table);
  if (message.error == 0) {
    message.length = table->size;
    sealed = seal_table(table);
    message.error = sealed < 0 ? sealed : 0;
  }
  if (workspace->size > WORKSPACE_KEPT)
    unwind_workspace_clear(workspace);
  int result = packet_send(socket, &message, sizeof message, message.error == 0 ? sealed : -1, true);
  if (sealed >= 0)
    close(sealed);
  return result;
}

static int limit_time(void)
{
  const struct itimerval limit = {.it_value = {.tv_sec = ELF_READER_SECONDS_MAX}};
  return setitimer(ITIMER_PROF, &limit, NULL) < 0 ? -errno : 0;
}

static int serve_one(int socket, const struct elf_reader_message *request, ssize_t size, int file,
                     struct unwind_workspace *workspace)
{
  if (size != sizeof *request || request->size != sizeof *request || request->type != ELF_READER_COMPILE ||
      (request->flags & ~(uint32_t)ELF_READER_MEMORY) != 0 || file < 0)
    return -EPROTO;
  int result = limit_time();
  return result < 0 ? result : answer(socket, request, file, workspace);
}

int elf_reader_serve(int socket)
{
  struct elf_reader_message message = {
      .type = ELF_READER_READY, .size = sizeof message, .version = ELF_READER_PROTOCOL_VERSION};
  struct unwind_workspace workspace = {0};
  int result = packet_send(socket, &message, sizeof message, -1, true);
  while (result == 0) {
    int file = -1;
    ssize_t size = packet_receive(socket, &message, sizeof message, &file, true);
    if (size <= 0) {
      result = (int)size;
      break;
    }
    result = serve_one(socket, &message, size, file, &workspace);
    if (file >= 0)
      close(file);
  }
  unwind_workspace_clear(&workspace);
  return result;
}
