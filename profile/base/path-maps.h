/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the folders are that programs were built in: what people say once, for `annotate` and the viewer. An
 * array of ProfilePathMap, in the order in which they are tried.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* `to` takes the place of `from` at the beginning of paths, whose next character is a slash, or none. An
 * empty `from`, or "/", is at the beginning of every path. What leads up again (/build/../src) may stand in a
 * path, or be resolved. */
typedef struct {
  char *from, *to;
} ProfilePathMap;

/* Empty; its maps are freed with it. */
GArray *profile_path_maps_new(void);
/* A relative `to` is one of the current folder. */
void profile_path_maps_append(GArray *maps, const char *from, const char *to);
/* "FROM=TO". FALSE: it is no such text. */
gboolean profile_path_maps_append_text(GArray *maps, const char *text);
/* The path that a map leads to, not made canonical; NULL: it says nothing of the path. Free it. */
char *profile_path_map_apply(const ProfilePathMap *map, const char *path);
/* Appends what leads the path to a file at or below the folder where as much of the path's end stands as can
 * be. A folder that both sides end in stays the last of both: others of it are found as well. FALSE: there is
 * no such file. Looks at the file system. */
gboolean profile_path_maps_append_found(GArray *maps, const char *path, const char *folder);

G_END_DECLS
