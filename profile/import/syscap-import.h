/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts a .syscap of Sysprof's into a capture. */
#pragma once

#include "profile/base/input.h"
#include "profile/import/import-file.h"

G_BEGIN_DECLS

/* As profile_import_file, of a file that is a .syscap. Samples, allocations, frees and traced calls are
 * events of their own; METADATA of id ID becomes "sysprof.ID". */
gboolean profile_syscap_import(const ProfileInput *input, int fd, const ProfileImportOptions *options,
                               ProfileImportResult *ret_result, GError **error);

G_END_DECLS
