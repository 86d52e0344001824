/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elf-readers as the recorder has them (helpers/elf-reader-client.h). Not thread-safe. */
#ifndef RECORDER_READER_H
#define RECORDER_READER_H

#include "helpers/elf-reader-client.h"

/* Where capture-elf-reader is, beside this program; to be freed with free(). */
char *recorder_reader_find(void);
/* Ends it without waiting for that; harmless when it is not running. */
void recorder_reader_stop(struct elf_reader_client *reader);

#endif
