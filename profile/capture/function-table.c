/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/capture/function-table.h"

struct _ProfileFunctionTable {
  gatomicrefcount references;
  enum capture_naming status;
  GArray *ranges; /* ProfileFunctionRange */
  GStringChunk *strings;
  /* Buckets of 2^shift bytes from the first start on: buckets[i] is the first range that ends behind
   * bucket i's start, so that a lookup searches only the few ranges of one bucket. */
  guint32 *buckets;
  gsize n_buckets;
  guint shift;
  gboolean sealed;
};

ProfileFunctionTable *profile_function_table_new(enum capture_naming status)
{
  ProfileFunctionTable *self = g_new0(ProfileFunctionTable, 1);

  g_atomic_ref_count_init(&self->references);
  self->status = status;
  self->ranges = g_array_new(FALSE, FALSE, sizeof(ProfileFunctionRange));
  self->strings = g_string_chunk_new(16384);
  return self;
}

ProfileFunctionTable *profile_function_table_ref(ProfileFunctionTable *self)
{
  g_atomic_ref_count_inc(&self->references);
  return self;
}

void profile_function_table_unref(ProfileFunctionTable *self)
{
  if (!g_atomic_ref_count_dec(&self->references))
    return;
  g_array_unref(self->ranges);
  g_string_chunk_free(self->strings);
  g_free(self->buckets);
  g_free(self);
}

static const char *keep_string(ProfileFunctionTable *self, const char *string)
{
  return string ? g_string_chunk_insert_const(self->strings, string) : NULL;
}

void profile_function_table_add(ProfileFunctionTable *self, const ProfileFunctionRange *range)
{
  g_return_if_fail(!self->sealed && range->name);

  if (range->end <= range->start)
    return;
  ProfileFunctionRange copy = *range;
  copy.name = keep_string(self, range->name);
  copy.linkage_name = range->linkage_name ? keep_string(self, range->linkage_name) : copy.name;
  copy.file = keep_string(self, range->file);
  copy.module = keep_string(self, range->module);
  g_array_append_val(self->ranges, copy);
}

static gint compare_starts(gconstpointer a, gconstpointer b)
{
  const ProfileFunctionRange *left = a, *right = b;

  if (left->start != right->start)
    return left->start < right->start ? -1 : 1;
  return left->end < right->end ? -1 : left->end > right->end;
}

/* Of several with one start the longest stays; each ends no later than the next begins. */
static void remove_overlaps(GArray *ranges)
{
  ProfileFunctionRange *all = (ProfileFunctionRange *)ranges->data;
  guint n = 0;

  for (guint i = 0; i < ranges->len; i++) {
    if (n > 0 && all[n - 1].start == all[i].start)
      n--;
    else if (n > 0)
      all[n - 1].end = MIN(all[n - 1].end, all[i].start);
    all[n++] = all[i];
  }
  g_array_set_size(ranges, n);
}

static void build_buckets(ProfileFunctionTable *self)
{
  const ProfileFunctionRange *ranges = (const ProfileFunctionRange *)self->ranges->data;
  guint n = self->ranges->len;
  guint64 span = ranges[n - 1].end - ranges[0].start;

  while ((span >> self->shift) > 2 * (guint64)n)
    self->shift++;
  self->n_buckets = (gsize)(span >> self->shift) + 1;
  self->buckets = g_new(guint32, self->n_buckets + 1);
  guint32 range = 0;
  for (gsize i = 0; i < self->n_buckets; i++) {
    guint64 start = ranges[0].start + ((guint64)i << self->shift);
    while (range < n && ranges[range].end <= start)
      range++;
    self->buckets[i] = range;
  }
  self->buckets[self->n_buckets] = n;
}

void profile_function_table_seal(ProfileFunctionTable *self)
{
  g_return_if_fail(!self->sealed);

  g_array_sort(self->ranges, compare_starts);
  remove_overlaps(self->ranges);
  if (self->ranges->len > 0)
    build_buckets(self);
  self->sealed = TRUE;
}

static gboolean is_lacking(const ProfileFunctionTable *self)
{
  return self->status == CAPTURE_NAMING_UNREADABLE || self->status == CAPTURE_NAMING_HIDDEN;
}

ProfileFunctionTable *profile_function_table_join(const ProfileFunctionTable *old,
                                                  const ProfileFunctionTable *table)
{
  gboolean is_less = (table->ranges->len == 0 && old->ranges->len > 0) || is_lacking(table);
  ProfileFunctionTable *both = profile_function_table_new(is_less ? old->status : table->status);

  for (guint i = 0; i < old->ranges->len; i++) {
    const ProfileFunctionRange *range = &g_array_index(old->ranges, ProfileFunctionRange, i);

    if (!profile_function_table_lookup(table, range->start))
      profile_function_table_add(both, range);
  }
  for (guint i = 0; i < table->ranges->len; i++)
    profile_function_table_add(both, &g_array_index(table->ranges, ProfileFunctionRange, i));
  profile_function_table_seal(both);
  return both;
}

enum capture_naming profile_function_table_get_status(const ProfileFunctionTable *self)
{
  return self->status;
}

const ProfileFunctionRange *profile_function_table_get_ranges(const ProfileFunctionTable *self,
                                                              gsize *n_ranges)
{
  *n_ranges = self->ranges->len;
  return (const ProfileFunctionRange *)self->ranges->data;
}

/* The first of the ranges low … high - 1 that ends behind offset, or high. */
static guint32 find_end_behind(const ProfileFunctionRange *ranges, guint32 low, guint32 high, guint64 offset)
{
  while (low < high) {
    guint32 middle = low + (high - low) / 2;
    if (ranges[middle].end <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const ProfileFunctionRange *profile_function_table_lookup(const ProfileFunctionTable *self, guint64 offset)
{
  const ProfileFunctionRange *ranges = (const ProfileFunctionRange *)self->ranges->data;

  g_return_val_if_fail(self->sealed, NULL);
  if (self->n_buckets == 0 || offset < ranges[0].start)
    return NULL;
  guint64 bucket = (offset - ranges[0].start) >> self->shift;
  if (bucket >= self->n_buckets)
    return NULL;
  guint32 high = MIN(self->buckets[bucket + 1] + 1, self->ranges->len);
  guint32 found = find_end_behind(ranges, self->buckets[bucket], high, offset);
  return found < self->ranges->len && ranges[found].start <= offset && offset < ranges[found].end
             ? &ranges[found]
             : NULL;
}
