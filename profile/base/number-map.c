/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/base/number-map.h"

#include "profile/base/memory.h"

enum { SLOTS_AT_FIRST = 1024 };

static ProfileNumberMapSlot *find_slot(const ProfileNumberMap *self, guint64 key)
{
  guint64 hash = key * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
  gsize at = (hash ^ hash >> 32) & self->mask;

  while (self->slots[at].value && self->slots[at].key != key)
    at = (at + 1) & self->mask;
  return &self->slots[at];
}

static void number_map_grow(ProfileNumberMap *self)
{
  ProfileNumberMap old = *self;

  self->mask = old.slots ? 2 * old.mask + 1 : SLOTS_AT_FIRST - 1;
  self->slots = profile_new0(ProfileNumberMapSlot, self->mask + 1);
  for (gsize i = 0; old.slots && i <= old.mask; i++)
    if (old.slots[i].value)
      *find_slot(self, old.slots[i].key) = old.slots[i];
  g_free(old.slots);
}

guint32 *profile_number_map_use(ProfileNumberMap *self, guint64 key)
{
  if (!self->slots || 2 * self->n > self->mask)
    number_map_grow(self);
  ProfileNumberMapSlot *slot = find_slot(self, key);
  if (!slot->value) {
    slot->key = key;
    self->n++;
  }
  return &slot->value;
}

void profile_number_map_clear(ProfileNumberMap *self)
{
  g_clear_pointer(&self->slots, g_free);
  *self = (ProfileNumberMap){0};
}
