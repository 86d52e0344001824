/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the files of a kernel's modules are, those with debug information. One thread at a time. */
#pragma once

#include "profile/elf/debug-files.h"

G_BEGIN_DECLS

typedef struct _ProfileModuleFiles ProfileModuleFiles;

/* Of the kernel that calls itself release (NULL: not known). Looks at nothing yet. Compressed files are
 * unpacked until it is cancelled (NULL: never), or it is `until`, as g_get_monotonic_time; 0: never. */
ProfileModuleFiles *profile_module_files_new(const char *release, gint64 until, GCancellable *cancellable);
void profile_module_files_free(ProfileModuleFiles *self);

/* Finds the file of a module, as the kernel calls it, that has that build-id and DWARF: by build-id, as other
 * debug files, and in the trees of modules that distributions and builds install. False when there is none.
 */
gboolean profile_module_files_find(ProfileModuleFiles *self, const char *name, const guint8 *build_id,
                                   guint size, ProfileDebugFile *ret);

/* Whether there was no time to unpack one that may have been a file that was looked for. */
gboolean profile_module_files_are_late(const ProfileModuleFiles *self);

/* What follows a module's name in that of a file, which may have '-' where the kernel has '_'; NULL: it is
 * called otherwise. */
const char *profile_module_skip_name(const char *file, const char *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileModuleFiles, profile_module_files_free)

G_END_DECLS
