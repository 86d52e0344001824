/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/profile-rows.h"

#include "profile/profile-capture-private.h"
#include "profile/profile-memory.h"

struct _ProfileRows {
  GArray *rows; /* ProfileRow */
};

static void add_weight(ProfileWeight *to, ProfileWeight weight)
{
  to->count += weight.count;
  to->weight += weight.weight;
}

/* The row of each function: its own, or its binary's, behind whose last come the kernel's and that of no
 * binary. */
static guint32 *get_rows_of_functions(ProfileCapture *capture, ProfileRowsBy by, gsize *n_rows)
{
  gsize n;
  const ProfileFunction *functions = profile_capture_get_functions(capture, &n);
  guint32 *rows = profile_new(guint32, n), n_binaries = capture->binaries->len;

  *n_rows = by == PROFILE_ROWS_FUNCTION ? n : (gsize)n_binaries + 2;
  for (gsize i = 0; i < n; i++) {
    if (by == PROFILE_ROWS_FUNCTION)
      rows[i] = (guint32)i;
    else if (functions[i].kind == CAPTURE_SPACE_BINARY)
      rows[i] = functions[i].binary;
    else
      rows[i] = functions[i].kind == CAPTURE_SPACE_KERNEL ? n_binaries : n_binaries + 1;
  }
  return rows;
}

static void add_up_nodes(ProfileWeights *weights, ProfileRowsBy by, const guint32 *row_of, ProfileRow *rows)
{
  ProfileCapture *capture = profile_weights_get_capture(weights);
  const guint32 *functions = profile_capture_get_node_functions(capture);
  const guint32 *self = profile_weights_get_self_counts(weights),
                *totals = profile_weights_get_total_counts(weights);
  const guint8 *outermost = profile_capture_get_outermost(capture);
  guint8 bit = by == PROFILE_ROWS_FUNCTION ? PROFILE_OUTERMOST_FUNCTION : PROFILE_OUTERMOST_BINARY;

  for (gsize node = 1; node < capture->n_nodes; node++) {
    if (!totals[node])
      continue;
    ProfileRow *row = &rows[row_of[functions[node]]];
    if (self[node])
      add_weight(&row->self, profile_weights_get_self(weights, (guint32)node));
    if (outermost[node] & bit)
      add_weight(&row->total, profile_weights_get_total(weights, (guint32)node));
  }
  add_weight(&rows[row_of[0]].self, profile_weights_get_self(weights, 0));
  add_weight(&rows[row_of[0]].total, profile_weights_get_self(weights, 0));
}

static void add_up_samples(ProfileWeights *weights, ProfileRowsBy by, ProfileRow *rows)
{
  ProfileCapture *capture = profile_weights_get_capture(weights);
  const ProfileFilter *filter = profile_weights_get_filter(weights);
  const ProfileEvent *event = &g_array_index(capture->events, ProfileEvent, profile_filter_get_event(filter));
  const ProfileThread *all = (const ProfileThread *)capture->threads->data;
  const guint8 *threads = profile_filter_get_threads(filter),
               *functions = profile_filter_get_functions(filter);
  const guint32 *of_node = profile_capture_get_node_functions(capture);
  gsize begin, end;

  profile_filter_get_range(filter, &begin, &end);
  for (gsize i = begin; i < end; i++) {
    guint32 thread = event->thread[i];
    if ((threads && !threads[thread]) || (functions && !functions[of_node[event->leaf[i]]]))
      continue;
    ProfileRow *row = &rows[by == PROFILE_ROWS_THREAD ? thread : all[thread].process];
    add_weight(&row->self, (ProfileWeight){1, event->weight ? event->weight[i] : event->constant_weight});
    row->total = row->self;
  }
}

static gint compare_rows(gconstpointer a, gconstpointer b)
{
  const ProfileRow *left = a, *right = b;

  if (left->self.count != right->self.count)
    return left->self.count > right->self.count ? -1 : 1;
  if (left->total.count != right->total.count)
    return left->total.count > right->total.count ? -1 : 1;
  return left->item < right->item ? -1 : left->item > right->item;
}

static guint32 get_item(ProfileCapture *capture, ProfileRowsBy by, gsize row)
{
  if (by == PROFILE_ROWS_BINARY && row >= capture->binaries->len)
    return row == capture->binaries->len ? PROFILE_ROWS_KERNEL : PROFILE_ROWS_NO_BINARY;
  return (guint32)row;
}

static void append_rows(GArray *to, const GArray *from, guint begin, guint end)
{
  if (begin < end)
    g_array_append_vals(to, &g_array_index(from, ProfileRow, begin), end - begin);
}

/* Sorts the rows and leaves out those that no sample leads to. Most rows of a large capture have one sample:
 * they are in order already and are only put where they belong, behind their heavier equals in self. */
static GArray *sort_rows(ProfileCapture *capture, ProfileRowsBy by, ProfileRow *rows, gsize n)
{
  g_autoptr(GArray) heavy = g_array_new(FALSE, FALSE, sizeof(ProfileRow));
  g_autoptr(GArray) once = g_array_new(FALSE, FALSE, sizeof(ProfileRow));  /* taken in it */
  g_autoptr(GArray) below = g_array_new(FALSE, FALSE, sizeof(ProfileRow)); /* taken below it */
  guint sampled = 0;

  for (gsize i = 0; i < n; i++) {
    rows[i].item = get_item(capture, by, i);
    if (rows[i].total.count > 1)
      g_array_append_val(heavy, rows[i]);
    else if (rows[i].total.count == 1)
      g_array_append_vals(rows[i].self.count ? once : below, &rows[i], 1);
  }
  g_array_sort(heavy, compare_rows);
  while (sampled < heavy->len && g_array_index(heavy, ProfileRow, sampled).self.count > 0)
    sampled++;
  GArray *sorted = g_array_sized_new(FALSE, FALSE, sizeof(ProfileRow), heavy->len + once->len + below->len);
  append_rows(sorted, heavy, 0, sampled);
  append_rows(sorted, once, 0, once->len);
  append_rows(sorted, heavy, sampled, heavy->len);
  append_rows(sorted, below, 0, below->len);
  return sorted;
}

ProfileRows *profile_rows_new(ProfileWeights *weights, ProfileRowsBy by)
{
  ProfileCapture *capture = profile_weights_get_capture(weights);
  ProfileRows *self = g_new0(ProfileRows, 1);
  g_autofree ProfileRow *rows = NULL;
  gsize n;

  if (by == PROFILE_ROWS_FUNCTION || by == PROFILE_ROWS_BINARY) {
    g_autofree guint32 *row_of = get_rows_of_functions(capture, by, &n);
    rows = profile_new0(ProfileRow, n);
    add_up_nodes(weights, by, row_of, rows);
  } else {
    n = by == PROFILE_ROWS_THREAD ? capture->threads->len : capture->processes->len;
    rows = profile_new0(ProfileRow, n);
    add_up_samples(weights, by, rows);
  }
  self->rows = sort_rows(capture, by, rows, n);
  return self;
}

void profile_rows_free(ProfileRows *self)
{
  g_array_unref(self->rows);
  g_free(self);
}

const ProfileRow *profile_rows_get(const ProfileRows *self, gsize *n)
{
  *n = self->rows->len;
  return (const ProfileRow *)self->rows->data;
}
