/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bytes of a file that is imported: mapped, or read from a pipe to its end. */
#pragma once

#include "profile/base/mapped-file.h"

G_BEGIN_DECLS

typedef struct {
  char *name; /* for messages */
  const guint8 *bytes;
  gsize size;
  ProfileMappedFile *mapped; /* or NULL: bytes were read into memory */
  gint64 modified;           /* when the file was last written, nanoseconds since 1970; now for a pipe */
  gint64 created;            /* 0 where the file system does not tell, and for a pipe */
} ProfileInput;

/* path "-": standard input. Errors: GIO's, messages are sentences that name the file. Blocking. */
ProfileInput *profile_input_open(const char *path, GError **error);
void profile_input_free(ProfileInput *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileInput, profile_input_free)

G_END_DECLS
