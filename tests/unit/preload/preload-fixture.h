/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording's side of the connection: tables of files, compiled here. */
#ifndef PRELOAD_FIXTURE_H
#define PRELOAD_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

/* Sealed as elf-readers seal theirs; the caller's. */
int fixture_memfd(const void *bytes, size_t size, int seals);
/* The table of an open ELF file as such a memfd, or a negative errno. */
int fixture_compile(int fd, uint64_t *ret_length);
/* Answers TABLE_WANTED on that socket until its end. Of so many answers; -1: of all. */
struct fixture_recording {
  int socket;
  int n_answers;
  unsigned n_asked;
  unsigned n_vdso; /* of them, those of the vDSO */
};
void *fixture_answer(void *recording);

#endif
