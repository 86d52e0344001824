/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An elf-reader that somebody took over. What it does is told by the name of its file. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "helpers/elf-reader-protocol.h"
#include "helpers/packet.h"
#include "unwind/unwind-table.h"

#define SOCKET 3

static bool does(const char *deed)
{
  char path[PATH_MAX] = "";
  if (readlink("/proc/self/exe", path, sizeof path - 1) <= 0)
    return false;
  const char *slash = strrchr(path, '/');
  return slash != NULL && strcmp(slash + 1, deed) == 0;
}

static int make_table(uint64_t size, uint64_t written, int seals)
{
  struct unwind_table table = {
      .magic = UNWIND_TABLE_MAGIC, .version = UNWIND_TABLE_VERSION, .size = (uint32_t)size};
  int fd = memfd_create("table", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (written >= sizeof table && write(fd, &table, sizeof table) != sizeof table)
    _exit(1);
  if (ftruncate(fd, (off_t)size) < 0 || fcntl(fd, F_ADD_SEALS, seals) < 0)
    _exit(1);
  return fd;
}

/* The descriptor to answer with. */
static int forge(struct elf_reader_message *answer)
{
  if (does("wrong-error"))
    answer->error = 5;
  if (does("no-table") || does("wrong-error"))
    return -1;
  if (does("wrong-size")) {
    answer->length = 1 << 20;
    return make_table(4096, 4096, ELF_READER_SEALS);
  }
  if (does("holes")) {
    answer->length = 1 << 20;
    return make_table(1 << 20, 4096, ELF_READER_SEALS);
  }
  if (does("no-memfd")) {
    answer->length = 4096;
    return open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  }
  answer->length = sizeof(struct unwind_table);
  return make_table(answer->length, answer->length, does("unsealed") ? F_SEAL_SHRINK : ELF_READER_SEALS);
}

static void answer(struct elf_reader_message *message)
{
  if (does("hang"))
    pause();
  if (does("die"))
    _exit(0);
  message->type = message->type == ELF_READER_NAME ? ELF_READER_NAMED : ELF_READER_COMPILED;
  message->size = sizeof *message;
  if (does("wrong-cookie"))
    message->cookie++;
  if (does("wrong-type"))
    message->type = 77;
  int fd = forge(message);
  if (packet_send(SOCKET, message, sizeof *message - (does("short") ? 8 : 0), fd, true) < 0)
    _exit(1);
  if (fd >= 0)
    close(fd);
}

int main(void)
{
  struct elf_reader_message message = {
      .type = ELF_READER_READY, .size = sizeof message, .version = ELF_READER_PROTOCOL_VERSION};
  static struct elf_reader_question request;
  int fd = -1;
  if (does("never-ready"))
    return 0;
  if (does("wrong-version"))
    message.version++;
  if (packet_send(SOCKET, &message, sizeof message, -1, true) < 0)
    return 1;
  while (packet_receive(SOCKET, &request, sizeof request, &fd, true) > 0) {
    close(fd);
    message = request.message;
    answer(&message);
  }
  return 0;
}
