/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What each process had mapped where and when. Filled, sealed once, then readable from any thread.
 * Process 0 is the kernel. At most a few hundred mappings are looked at for one address, however many
 * overlap.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  guint64 start, end;
  guint64 offset; /* in the file, of start */
  guint64 time;   /* from when on */
  guint32 process;
  gboolean executable;
  guint32 binary; /* index; G_MAXUINT32: nothing that has a file */
} ProfileMapping;

typedef struct _ProfileAddressSpaces ProfileAddressSpaces;

ProfileAddressSpaces *profile_address_spaces_new(void);
void profile_address_spaces_free(ProfileAddressSpaces *self);
void profile_address_spaces_add(ProfileAddressSpaces *self, const ProfileMapping *mapping);
/* Equal mappings (they are repeated in each epoch) become one. */
void profile_address_spaces_seal(ProfileAddressSpaces *self);

/* The earliest mapping of a binary in the process that holds address, or NULL. *ret_ambiguous becomes TRUE
 * when something else stood there at another time. */
const ProfileMapping *profile_address_spaces_find(const ProfileAddressSpaces *self, guint32 process,
                                                  guint64 address, gboolean *ret_ambiguous);
/* The mapping that holds address at time: the last begun by then, else the first of all; or NULL. Narrows
 * *from and *until to when that is true. */
const ProfileMapping *profile_address_spaces_find_at(const ProfileAddressSpaces *self, guint32 process,
                                                     guint64 address, guint64 time, guint64 *from,
                                                     guint64 *until);
/* The mapping that holds the binary's file offset: the last begun at or before time, else the first of all;
 * or NULL. */
const ProfileMapping *profile_address_spaces_find_offset(const ProfileAddressSpaces *self, guint32 process,
                                                         guint32 binary, guint64 offset, guint64 time);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileAddressSpaces, profile_address_spaces_free)

G_END_DECLS
