/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the symbols of a binary lie when it has been stripped of them, and the binary itself when its path
 * leads elsewhere. */
#pragma once

#include "profile/elf/elf.h"

G_BEGIN_DECLS

/* An ELF and the descriptor it is read from. */
typedef struct {
  ProfileElf *elf; /* NULL: none */
  int fd;
} ProfileDebugFile;

void profile_debug_file_clear(ProfileDebugFile *file);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ProfileDebugFile, profile_debug_file_clear)

/* Where debuginfod's clients keep what they fetched: BUILD-ID/debuginfo and BUILD-ID/executable. Free it. */
char *profile_debug_file_get_cache(void);
/* In hexadecimal. Free it. */
char *profile_debug_file_print_build_id(const guint8 *build_id, guint size);

/* Finds the debug file of elf, which was mapped as path: by .gnu_debuglink (beside it, in .debug/ and under
 * /usr/lib/debug), by build-id in /usr/lib/debug/.build-id and debuginfod's cache, and by path under
 * /usr/lib/debug; then in the same ways in roots (debug-roots.h; NULL: none). It is taken only when its
 * build-id is the same, or, where the binary has none, when the checksum in the link is right. False when
 * there is none. */
gboolean profile_debug_file_find(const ProfileElf *elf, const char *path, const char *const *roots,
                                 ProfileDebugFile *ret);

/* Finds what profile_debug_file_find finds, without the binary's ELF: by its build-id, which it must have,
 * and the name in its .gnu_debuglink (NULL: none). */
gboolean profile_debug_file_find_again(const guint8 *build_id, guint size, const char *link, const char *path,
                                       const char *const *roots, ProfileDebugFile *ret);

/* Finds the binary with that build-id where build-ids lead to: /usr/lib/.build-id, the caches of
 * debuginfod and perf. False when there is none. */
gboolean profile_debug_file_find_binary(const guint8 *build_id, guint size, ProfileDebugFile *ret);

/* Whether there is an ELF with .debug_info, compressed or not, or with what Go programs have instead. */
gboolean profile_debug_file_has_lines(const ProfileDebugFile *file);

/* Takes an open file that has that build-id and lines; false, and it is closed, when it is none. */
gboolean profile_debug_file_take(int fd, const guint8 *build_id, guint size, ProfileDebugFile *ret);

/* Finds such a file by its build-id, in /usr/lib/debug and debuginfod's cache. False when there is none. */
gboolean profile_debug_file_find_by_build_id(const guint8 *build_id, guint size, ProfileDebugFile *ret);

/* Finds the image with DWARF of the kernel that calls itself release (NULL: not known), likewise and where
 * distributions and builds put it. False when there is none with that build-id. */
gboolean profile_debug_file_find_kernel(const char *release, const guint8 *build_id, guint size,
                                        ProfileDebugFile *ret);

/* Finds the file that .gnu_debugaltlink (dwz) of a debug file in `directory` names by path and build-id:
 * where the path says, under /usr/lib/debug, in debuginfod's cache and in roots (NULL: none). False when
 * there is none. */
gboolean profile_debug_file_find_alternate(const char *directory, const char *path, const guint8 *build_id,
                                           guint size, const char *const *roots, ProfileDebugFile *ret);

G_END_DECLS
