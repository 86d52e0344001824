/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names, paths and messages come from programs and files. In what people read, in a terminal, in a window or
 * as text in a file, they may not move the cursor, reorder or hide what stands beside them, or begin a line.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Whether a character stands for itself: controls, formats (directions of text among them), separators of
 * lines and what Unicode does not define do not. */
gboolean profile_is_printable(gunichar c);
/* Appends the text, which may be no UTF-8. Line feeds and tabs become blanks, all else that is not printable
 * U+FFFD. */
void profile_printable_append(GString *out, const char *text);
/* The same, to be freed. */
char *profile_printable(const char *text);

G_END_DECLS
