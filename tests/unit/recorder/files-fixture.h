/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tests share that work with files. */
#ifndef FILES_FIXTURE_H
#define FILES_FIXTURE_H

#include <glib.h>

/* From here on what is mounted is nobody else's; where that is not permitted, nothing happens. */
void files_own_mounts(void);
/* The path of a shared library that has a build-id. */
const char *files_library(void);
/* Removes a directory and all that is below it. */
void files_remove_all(const char *path);

#endif
