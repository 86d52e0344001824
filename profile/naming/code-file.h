/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file that machine code of a capture is read from: the very one that was mapped, or this machine's
 * kernel. One thread at a time. */
#pragma once

#include "profile/capture/machine-code.h"
#include "profile/naming/namer.h"

G_BEGIN_DECLS

/* What this machine's kernel has in memory, for who may read it. */
#define PROFILE_CODE_FILE_KERNEL "/proc/kcore"

typedef struct _ProfileCodeFile ProfileCodeFile;

/* NULL: not here, not ours to read, or another file. Blocking. */
ProfileCodeFile *profile_code_file_new(const ProfileNamer *namer, const ProfileBinary *binary);
/* The kernel's memory, if it is the one that was recorded, from a file as PROFILE_CODE_FILE_KERNEL; likewise.
 */
ProfileCodeFile *profile_code_file_new_for_kernel(const ProfileNamer *namer, const char *path);
void profile_code_file_free(ProfileCodeFile *self);

/* Bytes of file offsets (of the kernel, of its addresses), or NULL. */
GBytes *profile_code_file_read(const ProfileCodeFile *self, guint64 start, guint64 end);
/* Where the segments put a byte of such an offset; the offset itself where none does. */
guint64 profile_code_file_get_address(const ProfileCodeFile *self, guint64 start);
guint16 profile_code_file_get_machine(const ProfileCodeFile *self); /* EM_… */

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileCodeFile, profile_code_file_free)

G_END_DECLS
