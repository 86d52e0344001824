/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small text files of /proc and /sys. */
#ifndef TEXT_FILE_H
#define TEXT_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Reads at most size - 1 bytes of the file and ends them with NUL. Returns the number of bytes or -errno. */
ssize_t text_file_read(const char *path, char *buffer, size_t size);
/* The same of an open one, which is closed. */
ssize_t text_file_read_open(int fd, char *buffer, size_t size);
/* The decimal number that the file holds; `otherwise` when there is none. */
int64_t text_file_number(const char *path, int64_t otherwise);

#endif
