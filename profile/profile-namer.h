/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names sampled offsets of one binary. Every function may be called from several threads at once. */
#pragma once

#include "profile/profile-naming.h"

G_BEGIN_DECLS

typedef struct {
  ProfileNamingOpenFunc open; /* NULL: paths only */
  gpointer open_data;
  gboolean
      same_boot;  /* this is the boot that was recorded: /proc/PID and the vDSO are those of the recording */
  gboolean lines; /* look for source files and lines */
} ProfileNamer;

/* A sealed table of the functions that hold any of the n offsets, which ascend. Never NULL: what cannot be
 * named is missing in the table, and its status says why. Blocking. */
ProfileFunctionTable *profile_namer_name_binary(const ProfileNamer *self, const ProfileBinary *binary,
                                                const guint64 *offsets, gsize n);

G_END_DECLS
