/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is said of a box of a flame graph, in the user's language. Results are to be freed. */
#pragma once

#include "profile/views/flame.h"

G_BEGIN_DECLS

/* The function's name, of n_max characters at most (0: any length); of the root "All Samples". */
char *viewer_flame_text_get_name(const ProfileFlame *flame, guint box, guint n_max);
/* "libc.so.6", "[kernel]"; NULL: the root's. */
char *viewer_flame_text_get_binary(const ProfileFlame *flame, guint box);
/* "hash.c:12", or where no source is known the address; NULL: neither is. */
char *viewer_flame_text_get_place(const ProfileFlame *flame, guint box);
/* Its share of what it stands on, "12.3 %"; NULL: the root's. */
char *viewer_flame_text_get_share_of_parent(const ProfileFlame *flame, guint box);
/* One sentence with the numbers, for a screen reader. */
char *viewer_flame_text_describe(const ProfileFlame *flame, guint box);
/* Several lines of Pango markup. */
char *viewer_flame_text_get_tooltip(const ProfileFlame *flame, guint box);

G_END_DECLS
