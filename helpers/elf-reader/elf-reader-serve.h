/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The requests of helpers/elf-reader-protocol.h, one after the other. */
#ifndef ELF_READER_SERVE_H
#define ELF_READER_SERVE_H

#include <stdbool.h>

#include "helpers/elf-reader-protocol.h"

/* With as many descriptors as it says, or brought. */
struct elf_reader_request {
  union {
    struct elf_reader_question question;
    struct elf_reader_code_question code;
  };
  int files[ELF_READER_DESCRIPTORS_MAX];
  uint32_t n_files;
};

/* What a program answers. */
struct elf_reader_service {
  const char *program;
  /* Whether that is one of its questions and is as the protocol has it; its size is as stated. */
  bool (*is_sound)(const struct elf_reader_request *request);
  /* The descriptor of the answer, or -errno. */
  int (*answer)(const struct elf_reader_request *request, uint64_t *ret_length);
};

/* Says READY and serves until the other end of the socket is closed. 0, or -errno when the other end breaks
 * the protocol. */
int elf_reader_serve(int socket, const struct elf_reader_service *service);
/* From now on the process may use so much processor time, or it dies. 0 or -errno. */
int elf_reader_limit_time(uint32_t seconds);

/* The whole program, which is started with its socket as its one argument: gives up its rights and serves.
 * What main returns. */
int elf_reader_run(int argc, char **argv, const struct elf_reader_service *service);

#endif
