/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the other programs of a recording are: named in the environment, else beside this program in a build
 * directory or in an installation that was moved, else where they were installed. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The recorder's executable, or $CAPTURE_RECORDER. NULL and an error that says where it was looked for; so
 * for all. */
char *recording_paths_find_recorder(GError **error);
/* capture-elf-reader, or $CAPTURE_ELF_READER. */
char *recording_paths_find_elf_reader(GError **error);
/* libcapture-preload.so, or $CAPTURE_PRELOAD, for LD_PRELOAD: its path is whole, and holds no character that
 * separates paths there. */
char *recording_paths_find_preload(GError **error);

G_END_DECLS
