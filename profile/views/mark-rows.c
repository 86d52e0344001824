/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/views/mark-rows.h"

#include <stdlib.h>
#include <string.h>

struct _ProfileMarkRows {
  GArray *rows; /* ProfileMarkRow */
};

static int compare_names(const ProfileMark *a, const ProfileMark *b)
{
  int order = strcmp(a->category, b->category);

  return order ? order : strcmp(a->name, b->name);
}

/* By name, and of one name spans before instants, the shortest first. */
static int compare_marks(const void *a, const void *b)
{
  const ProfileMark *left = *(const ProfileMark *const *)a, *right = *(const ProfileMark *const *)b;
  int order = compare_names(left, right);

  if (order)
    return order;
  if (left->is_span != right->is_span)
    return left->is_span ? -1 : 1;
  return left->duration < right->duration ? -1 : left->duration > right->duration;
}

static int compare_rows(const void *a, const void *b)
{
  const ProfileMarkRow *left = a, *right = b;

  if (left->total != right->total)
    return left->total > right->total ? -1 : 1;
  if (left->count != right->count)
    return left->count > right->count ? -1 : 1;
  int order = strcmp(left->category, right->category);
  return order ? order : strcmp(left->name, right->name);
}

static GPtrArray *choose_marks(const ProfileFilter *filter)
{
  gsize n;
  const ProfileMark *marks = profile_capture_get_marks(profile_filter_get_capture(filter), &n);
  const guint8 *threads = profile_filter_get_threads(filter);
  GPtrArray *chosen = g_ptr_array_new();
  guint64 first, end;

  profile_filter_get_time(filter, &first, &end);
  for (gsize i = 0; i < n; i++)
    if (marks[i].time >= first && (marks[i].time < end || end == G_MAXUINT64) &&
        (!threads || threads[marks[i].thread]))
      g_ptr_array_add(chosen, (gpointer)&marks[i]);
  return chosen;
}

/* marks are of one name. */
static ProfileMarkRow make_row(const ProfileMark *const *marks, gsize n)
{
  ProfileMarkRow row = {.category = marks[0]->category, .name = marks[0]->name, .count = n};

  for (gsize i = 0; i < n && marks[i]->is_span; i++) {
    row.spans++;
    row.unfinished += marks[i]->is_unfinished != 0;
    if (__builtin_add_overflow(row.total, marks[i]->duration, &row.total))
      row.total = G_MAXUINT64;
  }
  if (row.spans > 0) {
    row.median = marks[(row.spans - 1) / 2]->duration;
    row.p95 = marks[(row.spans * 95 + 99) / 100 - 1]->duration;
    row.max = marks[row.spans - 1]->duration;
  }
  return row;
}

ProfileMarkRows *profile_mark_rows_new(const ProfileFilter *filter)
{
  g_autoptr(GPtrArray) chosen = choose_marks(filter);
  const ProfileMark *const *marks = (const ProfileMark *const *)chosen->pdata;
  ProfileMarkRows *self = g_new0(ProfileMarkRows, 1);
  gsize end;

  self->rows = g_array_new(FALSE, FALSE, sizeof(ProfileMarkRow));
  if (chosen->len > 0)
    qsort(chosen->pdata, chosen->len, sizeof(gpointer), compare_marks);
  for (gsize begin = 0; begin < chosen->len; begin = end) {
    for (end = begin; end < chosen->len && compare_names(marks[begin], marks[end]) == 0;)
      end++;
    ProfileMarkRow row = make_row(marks + begin, end - begin);
    g_array_append_val(self->rows, row);
  }
  if (self->rows->len > 0)
    qsort(self->rows->data, self->rows->len, sizeof(ProfileMarkRow), compare_rows);
  return self;
}

void profile_mark_rows_free(ProfileMarkRows *self)
{
  g_array_unref(self->rows);
  g_free(self);
}

const ProfileMarkRow *profile_mark_rows_get(const ProfileMarkRows *self, gsize *n)
{
  *n = self->rows->len;
  return (const ProfileMarkRow *)self->rows->data;
}
