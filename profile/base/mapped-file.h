/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bytes of a regular file, mapped. Where somebody cuts the file off meanwhile, zeroes are read and that
 * is noted, instead of the signal that ends a process (SIGBUS). Made, read and unreferenced on any thread.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _ProfileMappedFile ProfileMappedFile;

/* As many at once. */
#define PROFILE_MAPPED_FILES_MAX 64

/* Of fd, which may be closed afterwards. Errors: GIO's; the message is strerror's. */
ProfileMappedFile *profile_mapped_file_new(int fd, GError **error);
ProfileMappedFile *profile_mapped_file_ref(ProfileMappedFile *self);
void profile_mapped_file_unref(ProfileMappedFile *self);

/* NULL when the file is empty. */
const guint8 *profile_mapped_file_get_bytes(const ProfileMappedFile *self);
gsize profile_mapped_file_get_size(const ProfileMappedFile *self);
/* Whether the file has been shorter since than it was. */
gboolean profile_mapped_file_is_cut_off(const ProfileMappedFile *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileMappedFile, profile_mapped_file_unref)

G_END_DECLS
