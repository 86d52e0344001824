/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The same file at another number, one that scripts do not use for their own and that select() can still
 * handle; closes fd. Closed on exec. -1 when fd is -1 or there is none. */
int recording_descriptor_move_up(int fd);
/* Another opening of the file behind fd, for reading and writing, with an offset of its own; -1 when it
 * fails. */
int recording_descriptor_reopen(int fd);

G_END_DECLS
