/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/profile-rows.h"

#include <string.h>

#include "profile/profile-capture-private.h"
#include "profile/profile-memory.h"

struct _ProfileRows {
  ProfileRow *rows;
  gsize n;
};

/* While counting: columns with an entry a row. Counts and weights are apart, since most events need no sum of
 * weights. */
typedef struct {
  gsize n;
  guint32 *self, *total;
  guint64 *self_weight, *total_weight; /* NULL: each sample weighs constant_weight */
  guint64 constant_weight;
} Sums;

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

static const ProfileEvent *get_event(const ProfileWeights *weights)
{
  ProfileCapture *capture = profile_weights_get_capture(weights);

  return &g_array_index(capture->events, ProfileEvent,
                        profile_filter_get_event(profile_weights_get_filter(weights)));
}

static void init_sums(Sums *sums, const ProfileEvent *event, gsize n)
{
  sums->n = n;
  sums->self = profile_new0(guint32, n);
  sums->total = profile_new0(guint32, n);
  sums->self_weight = event->weight ? profile_new0(guint64, n) : NULL;
  sums->total_weight = event->weight ? profile_new0(guint64, n) : NULL;
  sums->constant_weight = event->constant_weight;
}

static void clear_sums(Sums *sums)
{
  g_free(sums->self);
  g_free(sums->total);
  g_free(sums->self_weight);
  g_free(sums->total_weight);
}

static void add_node_weights(const ProfileWeights *weights, guint32 node, gboolean outermost, Sums *sums,
                             guint32 row)
{
  sums->self_weight[row] += profile_weights_get_self(weights, node).weight;
  if (outermost)
    sums->total_weight[row] += profile_weights_get_total(weights, node).weight;
}

static void add_up_nodes(ProfileWeights *weights, ProfileRowsBy by, const guint32 *row_of, Sums *sums)
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
    guint32 row = row_of[functions[node]];
    sums->self[row] += self[node];
    sums->total[row] += outermost[node] & bit ? totals[node] : 0;
    if (sums->self_weight)
      add_node_weights(weights, (guint32)node, (outermost[node] & bit) != 0, sums, row);
  }
  sums->self[row_of[0]] += self[0];
  sums->total[row_of[0]] += self[0];
  if (sums->self_weight) {
    sums->self_weight[row_of[0]] += profile_weights_get_self(weights, 0).weight;
    sums->total_weight[row_of[0]] += profile_weights_get_self(weights, 0).weight;
  }
}

static void add_up_samples(ProfileWeights *weights, ProfileRowsBy by, Sums *sums)
{
  ProfileCapture *capture = profile_weights_get_capture(weights);
  const ProfileFilter *filter = profile_weights_get_filter(weights);
  const ProfileEvent *event = get_event(weights);
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
    guint32 row = by == PROFILE_ROWS_THREAD ? thread : all[thread].process;
    sums->self[row]++;
    if (sums->self_weight)
      sums->self_weight[row] += event->weight[i];
  }
  memcpy(sums->total, sums->self, sums->n * sizeof *sums->total);
  if (sums->self_weight)
    memcpy(sums->total_weight, sums->self_weight, sums->n * sizeof *sums->total_weight);
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

static ProfileRow make_row(ProfileCapture *capture, ProfileRowsBy by, const Sums *sums, gsize i)
{
  guint64 self = sums->self[i], total = sums->total[i], constant = sums->constant_weight;

  return (ProfileRow){.item = get_item(capture, by, i),
                      .self = {self, sums->self_weight ? sums->self_weight[i] : self * constant},
                      .total = {total, sums->total_weight ? sums->total_weight[i] : total * constant}};
}

/* The rows that samples lead to more than once, in order; *ret_n_once says how many others were sampled and
 * *ret_n_below through how many others one sample leads. */
static GArray *sort_heavy_rows(ProfileCapture *capture, ProfileRowsBy by, const Sums *sums, gsize *ret_n_once,
                               gsize *ret_n_below)
{
  GArray *heavy = g_array_new(FALSE, FALSE, sizeof(ProfileRow));
  gsize n_once = 0, n_below = 0;

  for (gsize i = 0; i < sums->n; i++) {
    n_once += sums->total[i] == 1 && sums->self[i];
    n_below += sums->total[i] == 1 && !sums->self[i];
    if (sums->total[i] <= 1)
      continue;
    ProfileRow row = make_row(capture, by, sums, i);
    g_array_append_val(heavy, row);
  }
  g_array_sort(heavy, compare_rows);
  *ret_n_once = n_once;
  *ret_n_below = n_below;
  return heavy;
}

/* Most rows of a large capture have one sample. They are in order already and are only put where they belong:
 * behind the heavier ones that were sampled too, or at the end. */
static void sort_rows(ProfileRows *self, ProfileCapture *capture, ProfileRowsBy by, const Sums *sums)
{
  gsize n_once, n_below, sampled = 0;
  g_autoptr(GArray) heavy = sort_heavy_rows(capture, by, sums, &n_once, &n_below);

  while (sampled < heavy->len && g_array_index(heavy, ProfileRow, sampled).self.count > 0)
    sampled++;
  self->n = heavy->len + n_once + n_below;
  self->rows = profile_new(ProfileRow, self->n);
  ProfileRow *once = self->rows + sampled, *below = self->rows + heavy->len + n_once;
  for (gsize i = 0; i < heavy->len; i++)
    self->rows[i < sampled ? i : i + n_once] = g_array_index(heavy, ProfileRow, i);
  for (gsize i = 0; i < sums->n; i++)
    if (sums->total[i] == 1)
      *(sums->self[i] ? once++ : below++) = make_row(capture, by, sums, i);
}

ProfileRows *profile_rows_new(ProfileWeights *weights, ProfileRowsBy by)
{
  ProfileCapture *capture = profile_weights_get_capture(weights);
  ProfileRows *self = g_new0(ProfileRows, 1);
  Sums sums;
  gsize n;

  if (by == PROFILE_ROWS_FUNCTION || by == PROFILE_ROWS_BINARY) {
    g_autofree guint32 *row_of = get_rows_of_functions(capture, by, &n);
    init_sums(&sums, get_event(weights), n);
    add_up_nodes(weights, by, row_of, &sums);
  } else {
    n = by == PROFILE_ROWS_THREAD ? capture->threads->len : capture->processes->len;
    init_sums(&sums, get_event(weights), n);
    add_up_samples(weights, by, &sums);
  }
  sort_rows(self, capture, by, &sums);
  clear_sums(&sums);
  return self;
}

void profile_rows_free(ProfileRows *self)
{
  g_free(self->rows);
  g_free(self);
}

const ProfileRow *profile_rows_get(const ProfileRows *self, gsize *n)
{
  *n = self->n;
  return self->rows;
}
