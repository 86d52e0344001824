/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the viewer's own files are: beside the program in a build directory or in an installation that was
 * moved, else where they were installed. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The directory of translations. Free it. */
char *viewer_paths_find_locale(void);
/* The directory of a compiled schema beside the program; NULL: there is none, the installed one counts. Free
 * it. */
char *viewer_paths_find_schema(void);

G_END_DECLS
