/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ends of all ranges cut the addresses into segments, the leaves of a binary tree. A range belongs to the
 * few nodes of the tree that make it up; what stood at an address is among the ranges of its leaf and of that
 * leaf's ancestors, each of which lists them by time.
 */
#include "profile/capture/code-index.h"

#include <stdlib.h>

#include "profile/base/memory.h"

typedef struct {
  guint64 address;
  guint32 process;
} Point;

/* One source's. */
typedef struct {
  Point *points; /* ascending; segment i begins at point i */
  gsize n_points;
  gsize n_leaves; /* a power of two; leaf i is node n_leaves + i, its parent half of that */
  gsize *first;   /* by node: its ranges are items[first[node] … first[node + 1] - 1] */
  guint32 *items; /* indices of code, ascending */
} Layer;

struct _ProfileCodeIndex {
  const ProfileCode *code;
  Layer layers[PROFILE_CODE_N_SOURCES];
};

/* The highest address ends no range; nothing executes there. */
static guint64 get_end(const ProfileCode *code)
{
  guint64 end;

  return __builtin_add_overflow(code->start, code->length, &end) ? G_MAXUINT64 : end;
}

static gboolean is_of(const ProfileCode *code, guint source)
{
  return code->source == source && code->length > 0;
}

static int compare_points(const void *a, const void *b)
{
  const Point *left = a, *right = b;

  if (left->process != right->process)
    return left->process < right->process ? -1 : 1;
  return left->address < right->address ? -1 : left->address > right->address;
}

static void make_points(Layer *layer, guint source, const ProfileCode *code, gsize n)
{
  gsize n_all = 0, kept = 0;

  for (gsize i = 0; i < n; i++)
    n_all += is_of(&code[i], source);
  layer->points = profile_new(Point, 2 * n_all);
  n_all = 0;
  for (gsize i = 0; i < n; i++) {
    if (!is_of(&code[i], source))
      continue;
    layer->points[n_all++] = (Point){code[i].start, code[i].process};
    layer->points[n_all++] = (Point){get_end(&code[i]), code[i].process};
  }
  if (n_all > 0)
    qsort(layer->points, n_all, sizeof *layer->points, compare_points);
  for (gsize i = 0; i < n_all; i++)
    if (kept == 0 || compare_points(&layer->points[kept - 1], &layer->points[i]) != 0)
      layer->points[kept++] = layer->points[i];
  layer->n_points = kept;
}

/* The number of points up to an address of a process. */
static gsize count_points(const Layer *layer, guint32 process, guint64 address)
{
  const Point key = {address, process};
  gsize low = 0, high = layer->n_points;

  while (low < high) {
    gsize middle = low + (high - low) / 2;
    if (compare_points(&layer->points[middle], &key) <= 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Counts the range at each node that it belongs to, or, when the counts have become places, puts it there. */
static void visit_nodes(Layer *layer, gsize index, const ProfileCode *code, gboolean place)
{
  gsize left = count_points(layer, code->process, code->start) - 1 + layer->n_leaves;
  gsize right = count_points(layer, code->process, get_end(code)) - 1 + layer->n_leaves;

  for (; left < right; left /= 2, right /= 2) {
    gsize nodes[2] = {left % 2 ? left++ : 0, right % 2 ? --right : 0};
    for (guint i = 0; i < G_N_ELEMENTS(nodes); i++)
      if (nodes[i] && place)
        layer->items[layer->first[nodes[i]]++] = (guint32)index;
      else if (nodes[i])
        layer->first[nodes[i]]++;
  }
}

static void visit_all(Layer *layer, guint source, const ProfileCode *code, gsize n, gboolean place)
{
  for (gsize i = 0; i < n; i++)
    if (is_of(&code[i], source))
      visit_nodes(layer, i, &code[i], place);
}

static void make_layer(Layer *layer, guint source, const ProfileCode *code, gsize n)
{
  gsize n_nodes, total = 0;

  make_points(layer, source, code, n);
  if (layer->n_points == 0)
    return;
  for (layer->n_leaves = 1; layer->n_leaves < layer->n_points;)
    layer->n_leaves *= 2;
  n_nodes = 2 * layer->n_leaves;
  layer->first = profile_new0(gsize, n_nodes + 1);
  visit_all(layer, source, code, n, FALSE);
  for (gsize node = 0; node < n_nodes; node++) {
    gsize count = layer->first[node];
    layer->first[node] = total;
    total += count;
  }
  layer->first[n_nodes] = total;
  layer->items = profile_new(guint32, total);
  visit_all(layer, source, code, n, TRUE);
  /* Each place is now where the next node's begin. */
  for (gsize node = n_nodes; node > 0; node--)
    layer->first[node] = layer->first[node - 1];
  layer->first[0] = 0;
}

ProfileCodeIndex *profile_code_index_new(const ProfileCode *code, gsize n)
{
  ProfileCodeIndex *self = g_new0(ProfileCodeIndex, 1);

  self->code = code;
  for (guint source = 0; source < PROFILE_CODE_N_SOURCES; source++)
    make_layer(&self->layers[source], source, code, n);
  return self;
}

void profile_code_index_free(ProfileCodeIndex *self)
{
  for (guint source = 0; source < PROFILE_CODE_N_SOURCES; source++) {
    g_free(self->layers[source].points);
    g_free(self->layers[source].first);
    g_free(self->layers[source].items);
  }
  g_free(self);
}

/* The leaf of the segment that holds the address; 0: it is in none. */
static gsize get_leaf(const Layer *layer, guint32 process, guint64 address)
{
  gsize n = count_points(layer, process, address);

  return n > 0 && layer->points[n - 1].process == process ? n - 1 + layer->n_leaves : 0;
}

gboolean profile_code_index_covers(const ProfileCodeIndex *self, guint32 process, guint64 address)
{
  for (guint source = 0; source < PROFILE_CODE_N_SOURCES; source++) {
    const Layer *layer = &self->layers[source];
    for (gsize node = get_leaf(layer, process, address); node > 0; node /= 2)
      if (layer->first[node] < layer->first[node + 1])
        return TRUE;
  }
  return FALSE;
}

/* How many of a node's ranges, from `low` on, had begun at time. */
static gsize find_behind(const ProfileCodeIndex *self, const Layer *layer, gsize low, gsize high,
                         guint64 time)
{
  while (low < high) {
    gsize middle = low + (high - low) / 2;
    if (self->code[layer->items[middle]].time <= time)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const ProfileCode *profile_code_index_find(const ProfileCodeIndex *self, ProfileCodeSource source,
                                           guint32 process, guint64 address, guint64 time, guint64 *from,
                                           guint64 *until)
{
  const Layer *layer = &self->layers[source];
  const ProfileCode *found = NULL;

  for (gsize node = get_leaf(layer, process, address); node > 0; node /= 2) {
    gsize begin = layer->first[node], end = layer->first[node + 1];
    gsize behind = find_behind(self, layer, begin, end, time);
    if (behind < end)
      *until = MIN(*until, self->code[layer->items[behind]].time);
    /* Code ascends by time and, of one time, in the order in which it counts. */
    if (behind > begin && (!found || &self->code[layer->items[behind - 1]] > found))
      found = &self->code[layer->items[behind - 1]];
  }
  if (found)
    *from = MAX(*from, found->time);
  return found;
}
