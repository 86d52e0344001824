/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "helpers/elf-reader/elf-reader-confine.h"
#include "helpers/elf-reader/elf-reader-serve.h"
#include "helpers/packet.h"

int elf_reader_run(int argc, char **argv, const struct elf_reader_service *service)
{
  int fd = packet_find_socket(argc, argv);
  if (fd < 0) {
    fprintf(stderr, "%s is started by the programs that need it, with its end of a socket pair: %s FD.\n",
            service->program, service->program);
    return 2;
  }
  if (elf_reader_give_up_rights(fd) < 0 || elf_reader_give_up_calls(fd) < 0)
    return EXIT_FAILURE;
  /* What the C library and sanitizers do at an exit is not permitted here any more. */
  syscall(SYS_exit_group, elf_reader_serve(fd, service) == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
  return EXIT_FAILURE;
}
