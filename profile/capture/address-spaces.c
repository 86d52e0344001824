/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/capture/address-spaces.h"

/* Hostile captures may let thousands of mappings overlap; sane ones a handful. */
enum { MAX_OVERLAPS = 256 };

struct _ProfileAddressSpaces {
  GArray *by_address; /* ProfileMapping: process, start, time */
  GArray *by_offset;  /* ProfileMapping: process, binary, offset, time */
};

ProfileAddressSpaces *profile_address_spaces_new(void)
{
  ProfileAddressSpaces *self = g_new0(ProfileAddressSpaces, 1);

  self->by_address = g_array_new(FALSE, FALSE, sizeof(ProfileMapping));
  self->by_offset = g_array_new(FALSE, FALSE, sizeof(ProfileMapping));
  return self;
}

void profile_address_spaces_free(ProfileAddressSpaces *self)
{
  g_array_unref(self->by_address);
  g_array_unref(self->by_offset);
  g_free(self);
}

void profile_address_spaces_add(ProfileAddressSpaces *self, const ProfileMapping *mapping)
{
  if (mapping->start < mapping->end)
    g_array_append_vals(self->by_address, mapping, 1);
}

#define COMPARE(a, b)                                                                                        \
  if ((a) != (b))                                                                                            \
  return (a) < (b) ? -1 : 1

static gint compare_by_address(gconstpointer left, gconstpointer right)
{
  const ProfileMapping *a = left, *b = right;

  COMPARE(a->process, b->process);
  COMPARE(a->start, b->start);
  COMPARE(a->time, b->time);
  COMPARE(a->end, b->end);
  COMPARE(a->binary, b->binary);
  COMPARE(a->offset, b->offset);
  return 0;
}

static gint compare_by_offset(gconstpointer left, gconstpointer right)
{
  const ProfileMapping *a = left, *b = right;

  COMPARE(a->process, b->process);
  COMPARE(a->binary, b->binary);
  COMPARE(a->offset, b->offset);
  COMPARE(a->time, b->time);
  return 0;
}

void profile_address_spaces_seal(ProfileAddressSpaces *self)
{
  GArray *mappings = self->by_address;
  ProfileMapping *all = (ProfileMapping *)mappings->data;
  guint n = 0;

  g_array_sort(mappings, compare_by_address);
  for (guint i = 0; i < mappings->len; i++)
    if (n == 0 || compare_by_address(&all[n - 1], &all[i]) != 0)
      all[n++] = all[i];
  g_array_set_size(mappings, n);
  g_array_append_vals(self->by_offset, mappings->data, n);
  g_array_sort(self->by_offset, compare_by_offset);
}

/* The number of mappings that do not come after key in the order of compare. */
static guint count_up_to(const GArray *mappings, const ProfileMapping *key, GCompareFunc compare)
{
  guint low = 0, high = mappings->len;

  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (compare(&g_array_index(mappings, ProfileMapping, middle), key) <= 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The mappings that may hold an address: those before the one returned. */
static guint count_before(const ProfileAddressSpaces *self, guint32 process, guint64 address)
{
  const ProfileMapping key = {.process = process,
                              .start = address,
                              .end = G_MAXUINT64,
                              .offset = G_MAXUINT64,
                              .time = G_MAXUINT64,
                              .binary = G_MAXUINT32};

  return count_up_to(self->by_address, &key, compare_by_address);
}

static gboolean is_same_place(const ProfileMapping *a, const ProfileMapping *b)
{
  return a->binary == b->binary && (a->binary == G_MAXUINT32 || a->start - a->offset == b->start - b->offset);
}

const ProfileMapping *profile_address_spaces_find(const ProfileAddressSpaces *self, guint32 process,
                                                  guint64 address, gboolean *ret_ambiguous)
{
  guint i = count_before(self, process, address);
  const ProfileMapping *found = NULL, *any = NULL;

  for (guint looked = 0; i > 0 && looked < MAX_OVERLAPS; looked++) {
    const ProfileMapping *mapping = &g_array_index(self->by_address, ProfileMapping, --i);
    if (mapping->process != process)
      break;
    if (address >= mapping->end)
      continue;
    if (any && !is_same_place(any, mapping))
      *ret_ambiguous = TRUE;
    any = mapping;
    if (mapping->binary != G_MAXUINT32 && (!found || mapping->time <= found->time))
      found = mapping;
  }
  return found;
}

const ProfileMapping *profile_address_spaces_find_at(const ProfileAddressSpaces *self, guint32 process,
                                                     guint64 address, guint64 time, guint64 *from,
                                                     guint64 *until)
{
  guint i = count_before(self, process, address);
  const ProfileMapping *found = NULL, *later = NULL;

  for (guint looked = 0; i > 0 && looked < MAX_OVERLAPS; looked++) {
    const ProfileMapping *mapping = &g_array_index(self->by_address, ProfileMapping, --i);
    if (mapping->process != process)
      break;
    if (address >= mapping->end)
      continue;
    if (mapping->time <= time && (!found || mapping->time > found->time))
      found = mapping;
    if (mapping->time > time && (!later || mapping->time < later->time))
      later = mapping;
  }
  if (later)
    *until = MIN(*until, later->time);
  if (found)
    *from = MAX(*from, found->time);
  return found ? found : later;
}

static gboolean is_better(const ProfileMapping *mapping, const ProfileMapping *best, guint64 time)
{
  gboolean begun = mapping->time <= time, best_begun = best->time <= time;

  if (mapping->executable != best->executable)
    return mapping->executable;
  if (begun != best_begun)
    return begun;
  return begun ? mapping->time > best->time : mapping->time < best->time;
}

const ProfileMapping *profile_address_spaces_find_offset(const ProfileAddressSpaces *self, guint32 process,
                                                         guint32 binary, guint64 offset, guint64 time)
{
  ProfileMapping key = {.process = process, .binary = binary, .offset = offset, .time = G_MAXUINT64};
  guint i = count_up_to(self->by_offset, &key, compare_by_offset);
  const ProfileMapping *best = NULL;

  for (guint looked = 0; i > 0 && looked < MAX_OVERLAPS; looked++) {
    const ProfileMapping *mapping = &g_array_index(self->by_offset, ProfileMapping, --i);
    if (mapping->process != process || mapping->binary != binary)
      break;
    if (offset - mapping->offset < mapping->end - mapping->start && (!best || is_better(mapping, best, time)))
      best = mapping;
  }
  return best;
}
