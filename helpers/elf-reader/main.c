/* SPDX-License-Identifier: GPL-3.0-or-later */
/* capture-elf-reader FD: see helpers/elf-reader-protocol.h. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "helpers/elf-reader/elf-reader-confine.h"
#include "helpers/elf-reader/elf-reader-serve.h"
#include "helpers/packet.h"

int main(int argc, char **argv)
{
  int fd = packet_find_socket(argc, argv);
  if (fd < 0) {
    fputs("capture-elf-reader is started by the recorder, with its end of a socket pair: capture-elf-reader "
          "FD.\n",
          stderr);
    return 2;
  }
  if (elf_reader_give_up_rights(fd) < 0 || elf_reader_give_up_calls(fd) < 0)
    return EXIT_FAILURE;
  /* What the C library and sanitizers do at an exit is not permitted here any more. */
  syscall(SYS_exit_group, elf_reader_serve(fd) == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}
