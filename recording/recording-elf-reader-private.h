/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One elf-reader, a process that compiles unwind tables of files (helpers/elf-reader-protocol.h): one file at
 * a time. One thread at a time.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _RecordingElfReader RecordingElfReader;

/* What became of the file: a table, sealed for good, or why there is none. */
typedef struct {
  int error; /* 0 or a negative errno */
  int fd;    /* the receiver's to close; -1 without a table */
  guint64 length;
} RecordingElfReaderAnswer;

typedef enum {
  RECORDING_ELF_READER_ANSWERED, /* *ret is filled in */
  RECORDING_ELF_READER_QUIET,    /* nothing new; it may have become ready */
  RECORDING_ELF_READER_LOST      /* it died, hangs or lies: free it; a file that it has is to blame */
} RecordingElfReaderState;

/* Starts the program. 0 or a negative errno. */
int recording_elf_reader_new(RecordingElfReader **ret, const char *program);
/* Kills and reaps it; NULL is ignored. */
void recording_elf_reader_free(RecordingElfReader *self);
/* Readable when there is something to receive. */
int recording_elf_reader_get_fd(RecordingElfReader *self);
/* Whether it has nothing to do, and has said that it can. */
gboolean recording_elf_reader_is_idle(RecordingElfReader *self);
/* Whether it was ready once. */
gboolean recording_elf_reader_was_ready(RecordingElfReader *self);
/* Hands a file, which stays the caller's, to one that is idle; FALSE when it is lost. */
gboolean recording_elf_reader_compile(RecordingElfReader *self, int fd);
/* Does not block. To be called some times a second, too, while it has a file: so it is noticed that it hangs.
 */
RecordingElfReaderState recording_elf_reader_receive(RecordingElfReader *self, RecordingElfReaderAnswer *ret);

G_END_DECLS
