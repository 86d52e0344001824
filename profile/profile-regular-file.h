/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens files by names that captures, recorded programs and binaries say. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* For reading; -1 for what is no regular file, or cannot be opened. Nothing else is ever opened, since a
 * device may do something then, and a FIFO lets its writer go on. The caller closes it. */
int profile_regular_file_open(const char *path);

G_END_DECLS
