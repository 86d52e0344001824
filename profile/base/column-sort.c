/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/base/column-sort.h"

#include "profile/base/memory.h"

/* Where each ascending run begins, and n at the end. */
static GArray *find_runs(const guint64 *times, gsize n)
{
  GArray *runs = g_array_new(FALSE, FALSE, sizeof(gsize));

  for (gsize i = 0; i < n; i++)
    if (i == 0 || times[i] < times[i - 1])
      g_array_append_val(runs, i);
  g_array_append_val(runs, n);
  return runs;
}

static void merge_runs(const guint64 *times, const guint32 *in, guint32 *out, gsize begin, gsize middle,
                       gsize end)
{
  gsize left = begin, right = middle;

  for (gsize i = begin; i < end; i++)
    out[i] =
        right >= end || (left < middle && times[in[left]] <= times[in[right]]) ? in[left++] : in[right++];
}

guint32 *profile_column_sort(const guint64 *times, gsize n)
{
  g_autoptr(GArray) runs = find_runs(times, n);
  guint32 *order = profile_new(guint32, n), *other = profile_new(guint32, n);

  for (gsize i = 0; i < n; i++)
    order[i] = (guint32)i;
  while (runs->len > 2) {
    guint kept = 0;
    for (guint i = 0; i + 1 < runs->len; i += 2) {
      gsize begin = g_array_index(runs, gsize, i), middle = g_array_index(runs, gsize, i + 1);
      gsize end = i + 2 < runs->len ? g_array_index(runs, gsize, i + 2) : middle;
      merge_runs(times, order, other, begin, middle, end);
      g_array_index(runs, gsize, kept++) = begin;
    }
    g_array_index(runs, gsize, kept++) = n;
    g_array_set_size(runs, kept);
    guint32 *swap = order;
    order = other;
    other = swap;
  }
  g_free(other);
  return order;
}

#define GATHER(type)                                                                                         \
  for (gsize i = 0; i < n; i++)                                                                              \
  ((type *)to)[i] = ((const type *)from)[order[i]]

void profile_column_reorder(gpointer column, const guint32 *order, gsize n, gsize size)
{
  gpointer from = *(gpointer *)column, to = g_malloc_n(n, size);

  switch (size) {
  case 1:
    GATHER(guint8);
    break;
  case 2:
    GATHER(guint16);
    break;
  case 4:
    GATHER(guint32);
    break;
  default:
    GATHER(guint64);
  }
  g_free(from);
  *(gpointer *)column = to;
}
