/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where our other programs are. libc only; thread-safe. */
#ifndef PROGRAM_PATH_H
#define PROGRAM_PATH_H

/* Directories are from the one of this program. */
struct program_path {
  const char *variable;  /* of the environment, names it */
  const char *built;     /* in a build directory */
  const char *moved;     /* in an installation that was moved */
  const char *installed; /* whole */
};

/* What a folder of helpers/ builds, and an installation has in its directory libexec for capture. */
#define PROGRAM_PATH(VARIABLE, FOLDER, NAME, LIBEXEC)                                                        \
  {                                                                                                          \
    .variable = (VARIABLE), .built = "../helpers/" FOLDER "/" NAME, .moved = "../libexec/capture/" NAME,     \
    .installed = LIBEXEC "/" NAME                                                                            \
  }

/* The first of them that is named or there, if `mode` (of access()) is permitted of it; else NULL, and what
 * is missing (ret_missing may be NULL). Both are to be freed with free(). */
char *program_path_find(const struct program_path *path, int mode, char **ret_missing);

#endif
