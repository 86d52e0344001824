/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file of /proc that is read again and again: kept open, read from its beginning each time; and scanning
 * its lines. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Opens directory/name; -1 where there is none. */
int recording_proc_file_open(const char *directory, const char *name);
/* What it holds now, with a NUL behind it, in buffer (which grows as needed); NULL when it cannot be read. */
char *recording_proc_file_read(int fd, GByteArray *buffer);

/* The next line of *text, which is moved behind it, with its end made a NUL; NULL when there is none. */
char *recording_proc_file_next_line(char **text);
/* A decimal number after blanks at *text, which is moved behind it. FALSE: none stands there. */
gboolean recording_proc_file_scan(const char **text, guint64 *ret);
/* The n-th number (from 0) of those that stand at text; 0 when there are fewer. */
guint64 recording_proc_file_get(const char *text, guint n);

G_END_DECLS
