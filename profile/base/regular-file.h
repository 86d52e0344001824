/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens files by names that captures, recorded programs and binaries say. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* For reading; -1 for what is no regular file, or cannot be opened. Nothing else is ever opened, since a
 * device may do something then, and a FIFO lets its writer go on. The caller closes it. */
int profile_regular_file_open(const char *path);

/* Whether this process is root's and anybody else may have written the file. Root parses no ELF, DWARF or
 * LZMA of others: the recorder has an elf-reader name what was sampled there. */
gboolean profile_regular_file_is_of_others(int fd);

G_END_DECLS
