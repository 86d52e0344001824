/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts a perf.data into a capture. */
#pragma once

#include "profile/import/import-file.h"
#include "profile/import/perf-data.h"

G_BEGIN_DECLS

/*
 * Writes all of data, which must be freshly opened, as a capture into fd: an empty file, readable and
 * writable, which stays the caller's. Addresses stay exactly as they were sampled: one in a file is stored as
 * an offset in the file only where the mappings of its process lead back to that very address. The capture
 * has an index; names are not looked up. options may be NULL. On failure the content of fd is of no use.
 * Blocking.
 */
gboolean profile_perf_import(ProfilePerfData *data, int fd, const ProfileImportOptions *options,
                             ProfileImportResult *ret_result, GError **error);

G_END_DECLS
