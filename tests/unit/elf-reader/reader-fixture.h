/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program capture-elf-reader, started as the recorder starts it, or capture-code-reader. */
#ifndef READER_FIXTURE_H
#define READER_FIXTURE_H

#include <sys/types.h>

#include <glib.h>

#include "helpers/elf-reader-protocol.h"

struct reader {
  GPid pid;
  int socket;
};

/* Which of them is started; capture-elf-reader, unless another one is set. */
void reader_set_program(const char *name);
/* Until it has said that it is ready. */
void reader_start(struct reader *reader);
/* Until it has ended. The status as waitpid has it. */
int reader_wait(struct reader *reader);
/* It must end well. */
void reader_stop(struct reader *reader);

/* COMPILE, with a cookie of its own. */
struct elf_reader_message reader_request(guint32 flags);
/* Another elf-reader must end when it is asked that; the file, or -1, stays open. */
void reader_assert_ends(const void *bytes, gsize size, int file);

/* A file of so many bytes that begins with the text. */
int reader_file_of(const char *text, off_t size);

#endif
