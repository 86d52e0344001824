/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A hash table for what is looked up once a node or a frame: from a number of 64 bits, often made of two, to
 * one of 32 bits that is not 0. One thread at a time.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  guint64 key;
  guint32 value;
} ProfileNumberMapSlot;

/* Empty when zeroed. */
typedef struct {
  ProfileNumberMapSlot *slots;
  gsize n, mask;
} ProfileNumberMap;

/* Where the value of the key is; 0 if the key is new, and then the caller sets it before the next call, until
 * which the pointer holds. Aborts if there is no memory. */
guint32 *profile_number_map_use(ProfileNumberMap *self, guint64 key);
void profile_number_map_clear(ProfileNumberMap *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ProfileNumberMap, profile_number_map_clear)

G_END_DECLS
