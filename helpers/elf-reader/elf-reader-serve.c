/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/elf-reader/elf-reader-serve.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "helpers/elf-reader-protocol.h"
#include "helpers/packet.h"
#include "unwind/unwind-compile.h"
#include "unwind/unwind-names.h"

_Static_assert(ELF_READER_OFFSETS_MAX == UNWIND_OFFSETS_MAX, "all that may be asked can be answered");

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

/* The answer in a memfd that nobody can change any more, or -errno. */
static int elf_reader_serve_seal(const void *bytes, size_t size)
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

/* The descriptor of the table, or -errno. */
static int elf_reader_serve_compile(const void *elf, size_t size, uint32_t flags,
                                    struct unwind_workspace *workspace, uint64_t *ret_length)
{
  const struct unwind_table *table;
  int result = unwind_compile_into(workspace, elf, size, (flags & ELF_READER_MEMORY) != 0, &table);
  if (result < 0)
    return result;
  *ret_length = table->size;
  return elf_reader_serve_seal(table, table->size);
}

/* The descriptor of the names, or -errno. */
static int elf_reader_serve_name(const void *elf, size_t size, const uint64_t *offsets, uint32_t n,
                                 uint64_t *ret_length)
{
  struct unwind_names *names;
  int result = unwind_names_find(elf, size, offsets, n, &names);
  if (result < 0)
    return result;
  *ret_length = names->size;
  result = elf_reader_serve_seal(names, names->size);
  free(names);
  return result;
}

/* The descriptor of the answer, or -errno. A file that is cut short while it is mapped kills this process by
 * SIGBUS; its owner knows what to make of that. */
static int do_it(const struct elf_reader_name *request, int file, struct unwind_workspace *workspace,
                 uint64_t *ret_length)
{
  int64_t length = size_of_file(file);
  if (length < 0)
    return (int)length;
  size_t size = (size_t)length;
  void *elf = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (elf == MAP_FAILED)
    return -errno;
  int result =
      request->message.type == ELF_READER_NAME
          ? elf_reader_serve_name(elf, size, request->offsets, request->message.n_offsets, ret_length)
          : elf_reader_serve_compile(elf, size, request->message.flags, workspace, ret_length);
  munmap(elf, size);
  return result;
}

static int elf_reader_serve_answer(int socket, const struct elf_reader_name *request, int file,
                                   struct unwind_workspace *workspace)
{
  struct elf_reader_message message = {.type = request->message.type == ELF_READER_NAME ? ELF_READER_NAMED
                                                                                        : ELF_READER_COMPILED,
                                       .size = sizeof message,
                                       .cookie = request->message.cookie};
  int done = do_it(request, file, workspace, &message.length);
  if (workspace->size > WORKSPACE_KEPT)
    unwind_workspace_clear(workspace);
  message.error = done < 0 ? done : 0;
  message.length = done < 0 ? 0 : message.length;
  int result = packet_send(socket, &message, sizeof message, done < 0 ? -1 : done, true);
  if (done >= 0)
    close(done);
  return result;
}

static int limit_time(void)
{
  const struct itimerval limit = {.it_value = {.tv_sec = ELF_READER_SECONDS_MAX}};
  return setitimer(ITIMER_PROF, &limit, NULL) < 0 ? -errno : 0;
}

static bool is_sound(const struct elf_reader_message *message, ssize_t size)
{
  if (size < (ssize_t)sizeof *message || message->size != (size_t)size)
    return false;
  switch (message->type) {
  case ELF_READER_COMPILE:
    return size == sizeof *message && (message->flags & ~(uint32_t)ELF_READER_MEMORY) == 0;
  case ELF_READER_NAME:
    return message->n_offsets <= ELF_READER_OFFSETS_MAX && message->flags == 0 &&
           (size_t)size == offsetof(struct elf_reader_name, offsets) + message->n_offsets * sizeof(uint64_t);
  default:
    return false;
  }
}

static int serve_one(int socket, const struct elf_reader_name *request, ssize_t size, int file,
                     struct unwind_workspace *workspace)
{
  if (!is_sound(&request->message, size) || file < 0)
    return -EPROTO;
  int result = limit_time();
  return result < 0 ? result : elf_reader_serve_answer(socket, request, file, workspace);
}

int elf_reader_serve(int socket)
{
  static struct elf_reader_name request;
  struct elf_reader_message message = {
      .type = ELF_READER_READY, .size = sizeof message, .version = ELF_READER_PROTOCOL_VERSION};
  struct unwind_workspace workspace = {0};
  int result = packet_send(socket, &message, sizeof message, -1, true);
  while (result == 0) {
    int file = -1;
    ssize_t size = packet_receive(socket, &request, sizeof request, &file, true);
    if (size <= 0) {
      result = (int)size;
      break;
    }
    result = serve_one(socket, &request, size, file, &workspace);
    if (file >= 0)
      close(file);
  }
  unwind_workspace_clear(&workspace);
  return result;
}
