/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/views/chart.h"

#include "profile/base/memory.h"

struct _ProfileChart {
  gatomicrefcount references;
  ProfileSequence *sequence;
  guint64 first, end;
  ProfileChartBox *boxes;
  guint n;
  guint *rows; /* the first box of each depth, and behind the last one's the end */
  guint n_rows;
};

typedef struct {
  const ProfileSequence *sequence;
  const guint32 *parents, *functions; /* of the stacks */
  guint64 first, end;
  GArray *boxes; /* ProfileChartBox, as they begin */
  GArray *open;  /* guint: those that the last stack drawn consists of, by depth */
  GArray *path;  /* guint32: functions of the stack in hand, the innermost first */
  guint64 drawn; /* up to there */
} Drawing;

static ProfileChartBox *get_open(const Drawing *drawing, guint depth)
{
  return &g_array_index(drawing->boxes, ProfileChartBox, g_array_index(drawing->open, guint, depth));
}

static guint32 get_function(const Drawing *drawing, guint depth)
{
  return g_array_index(drawing->path, guint32, drawing->path->len - 1 - depth);
}

static void find_path(Drawing *drawing, guint32 node)
{
  g_array_set_size(drawing->path, 0);
  for (; node; node = drawing->parents[node])
    g_array_append_val(drawing->path, drawing->functions[node]);
}

/* Frames that the stack before had as well grow up to end; the others begin. */
static void chart_draw(Drawing *drawing, guint64 start, guint64 end, guint32 node)
{
  guint depth = 0;

  start = MAX(start, drawing->first);
  end = MIN(end, drawing->end);
  if (start >= end)
    return;
  if (start > drawing->drawn)
    g_array_set_size(drawing->open, 0);
  find_path(drawing, node);
  for (; depth < MIN(drawing->open->len, drawing->path->len); depth++) {
    if (get_open(drawing, depth)->function != get_function(drawing, depth))
      break;
    get_open(drawing, depth)->end = end;
  }
  g_array_set_size(drawing->open, depth);
  for (; depth < drawing->path->len; depth++) {
    ProfileChartBox box = {start, end, depth, get_function(drawing, depth)};
    g_array_append_val(drawing->open, drawing->boxes->len);
    g_array_append_val(drawing->boxes, box);
  }
  drawing->drawn = end;
}

static void draw_samples(Drawing *drawing, gsize begin, gsize end)
{
  for (gsize i = begin; i < end; i++) {
    guint64 from, to;
    profile_sequence_get_span(drawing->sequence, i, &from, &to);
    chart_draw(drawing, from, to, profile_sequence_get_node(drawing->sequence, i));
  }
}

/* A sample that stands for some of that time: one that ends behind it (time off the CPU), else the last one.
 */
static gboolean find_sample(const Drawing *drawing, guint64 from, guint64 to, gsize end, gsize *ret)
{
  gsize last = MIN(profile_sequence_find(drawing->sequence, to), end - 1);

  for (gsize i = last + 1; i-- > 0 && i + 2 > last;) {
    guint64 start, stop;
    profile_sequence_get_span(drawing->sequence, i, &start, &stop);
    if (start < to && stop > from) {
      *ret = i;
      return TRUE;
    }
  }
  return FALSE;
}

/* Columns lie on multiples of their width, so that what stands for one does not change when the span moves.
 */
static void draw_columns(Drawing *drawing, guint n_columns, gsize end)
{
  guint64 width = (drawing->end - drawing->first - 1) / n_columns + 1;

  for (guint64 from = drawing->first - drawing->first % width; from < drawing->end; from += width) {
    guint64 to = width > G_MAXUINT64 - from ? G_MAXUINT64 : from + width;
    gsize sample;
    if (find_sample(drawing, from, to, end, &sample))
      chart_draw(drawing, from, to, profile_sequence_get_node(drawing->sequence, sample));
    if (to == G_MAXUINT64)
      break;
  }
}

/* The boxes by depth; those of one depth are in order already. */
static void sort_boxes(ProfileChart *self, const GArray *boxes)
{
  const ProfileChartBox *all = (const ProfileChartBox *)boxes->data;
  g_autofree guint *at = NULL;

  for (guint i = 0; i < boxes->len; i++)
    self->n_rows = MAX(self->n_rows, all[i].depth + 1);
  self->rows = g_new0(guint, self->n_rows + 1);
  for (guint i = 0; i < boxes->len; i++)
    self->rows[all[i].depth + 1]++;
  for (guint depth = 0; depth < self->n_rows; depth++)
    self->rows[depth + 1] += self->rows[depth];
  at = g_memdup2(self->rows, (self->n_rows + 1) * sizeof *at);
  self->boxes = profile_new(ProfileChartBox, boxes->len);
  for (guint i = 0; i < boxes->len; i++)
    self->boxes[at[all[i].depth]++] = all[i];
  self->n = boxes->len;
}

static void draw_all(ProfileChart *self, Drawing *drawing, guint n_columns)
{
  gsize n = profile_sequence_get_n(self->sequence);
  gsize begin = profile_sequence_find(self->sequence, self->first);
  gsize end = profile_sequence_find(self->sequence, self->end);

  /* One before may reach into the span, as may time off the CPU that ends behind it. */
  begin -= begin > 0;
  end += end < n;
  if (begin == end || self->first >= self->end || n_columns == 0)
    return;
  if (end - begin <= n_columns)
    draw_samples(drawing, begin, end);
  else
    draw_columns(drawing, n_columns, end);
}

ProfileChart *profile_chart_new(ProfileSequence *sequence, guint64 first, guint64 end, guint n_columns)
{
  ProfileChart *self = g_new0(ProfileChart, 1);
  const ProfileStacks *stacks = profile_filter_get_stacks(profile_sequence_get_filter(sequence));
  g_autoptr(GArray) boxes = g_array_new(FALSE, FALSE, sizeof(ProfileChartBox));
  g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(guint));
  g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(guint32));
  Drawing drawing = {.sequence = sequence,
                     .parents = profile_stacks_get_parents(stacks),
                     .functions = profile_stacks_get_functions(stacks),
                     .first = first,
                     .end = end,
                     .boxes = boxes,
                     .open = open,
                     .path = path};

  g_atomic_ref_count_init(&self->references);
  self->sequence = profile_sequence_ref(sequence);
  self->first = first;
  self->end = end;
  draw_all(self, &drawing, n_columns);
  sort_boxes(self, boxes);
  return self;
}

ProfileChart *profile_chart_ref(ProfileChart *self)
{
  g_atomic_ref_count_inc(&self->references);
  return self;
}

void profile_chart_unref(ProfileChart *self)
{
  if (!g_atomic_ref_count_dec(&self->references))
    return;
  profile_sequence_unref(self->sequence);
  g_free(self->boxes);
  g_free(self->rows);
  g_free(self);
}

ProfileSequence *profile_chart_get_sequence(const ProfileChart *self)
{
  return self->sequence;
}

void profile_chart_get_time(const ProfileChart *self, guint64 *ret_first, guint64 *ret_end)
{
  *ret_first = self->first;
  *ret_end = self->end;
}

const ProfileChartBox *profile_chart_get_boxes(const ProfileChart *self, guint *ret_n)
{
  *ret_n = self->n;
  return self->boxes;
}

guint profile_chart_get_n_rows(const ProfileChart *self)
{
  return self->n_rows;
}

guint profile_chart_get_row(const ProfileChart *self, guint depth, guint *ret_n)
{
  *ret_n = depth < self->n_rows ? self->rows[depth + 1] - self->rows[depth] : 0;
  return depth < self->n_rows ? self->rows[depth] : 0;
}

gboolean profile_chart_find(const ProfileChart *self, guint depth, guint64 time, guint *ret_box)
{
  guint n, low = profile_chart_get_row(self, depth, &n), high = low + n;

  /* The last box that begins at or before the time. */
  while (n > 0 && high - low > 1) {
    guint middle = low + (high - low) / 2;
    if (self->boxes[middle].start <= time)
      low = middle;
    else
      high = middle;
  }
  if (n == 0 || time < self->boxes[low].start || time >= self->boxes[low].end)
    return FALSE;
  *ret_box = low;
  return TRUE;
}
