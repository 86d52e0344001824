/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Source file and line of functions, from the line tables of an ELF file's DWARF. Units are looked at when an
 * address of theirs is asked for, so that a few functions of a huge binary are cheap. One thread at a time.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _ProfileLines ProfileLines;

/* fd stays the caller's and open as long as this is used. NULL when the file has no DWARF that can be read.
 */
ProfileLines *profile_lines_new(int fd);
void profile_lines_free(ProfileLines *self);
/* For the address (not file offset) at which a function begins. The file name is valid until free. */
gboolean profile_lines_find(ProfileLines *self, guint64 address, const char **ret_file, guint32 *ret_line);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileLines, profile_lines_free)

G_END_DECLS
