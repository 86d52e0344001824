/* SPDX-License-Identifier: GPL-3.0-or-later */
/* capture-elf-reader FD: see helpers/elf-reader-protocol.h. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "helpers/elf-reader/elf-reader-confine.h"
#include "helpers/elf-reader/elf-reader-serve.h"

int main(int argc, char **argv)
{
  char *end;
  long fd = argc == 2 ? strtol(argv[1], &end, 10) : -1;
  int type;
  socklen_t size = sizeof type;
  if (fd < 0 || fd > INT32_MAX || *end != '\0' ||
      getsockopt((int)fd, SOL_SOCKET, SO_TYPE, &type, &size) < 0 || type != SOCK_SEQPACKET) {
    fputs("capture-elf-reader is started by the recorder, with its end of a socket pair: capture-elf-reader "
          "FD.\n",
          stderr);
    return 2;
  }
  if (elf_reader_give_up_rights((int)fd) < 0 || elf_reader_give_up_calls((int)fd) < 0)
    return EXIT_FAILURE;
  /* What the C library and sanitizers do at an exit is not permitted here any more. */
  syscall(SYS_exit_group, elf_reader_serve((int)fd) == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}
