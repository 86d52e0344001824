/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens the very file that a binary of a capture was mapped from. */
#pragma once

#include "profile/elf/debug-files.h"
#include "profile/naming/namer.h"

G_BEGIN_DECLS

typedef enum {
  PROFILE_BINARY_FILE_OPEN,      /* ret is set */
  PROFILE_BINARY_FILE_NOT_ELF,   /* it is the file, and has no symbols */
  PROFILE_BINARY_FILE_UNREADABLE /* not there, not permitted, or another file */
} ProfileBinaryFileStatus;

/* In this order: the namer's descriptor, the path, the path in the root of the process that mapped it, its
 * map_files, then wherever the build-id leads. The vDSO is read from our own memory. */
ProfileBinaryFileStatus profile_binary_file_open(const ProfileNamer *namer, const ProfileBinary *binary,
                                                 ProfileDebugFile *ret);

G_END_DECLS
