/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/views/flame.h"

#include <math.h>
#include <string.h>

#include "profile/base/memory.h"
#include "profile/views/tree.h"

struct _ProfileFlame {
  gatomicrefcount references;
  ProfileWeights *weights;
  gboolean inverted;
  GArray *boxes; /* ProfileFlameBox */
  GArray *rows;  /* guint: first box of each depth */
  guint n_focus;
};

/* A child before it is known where it stands. */
typedef struct {
  const char *name, *binary;
  guint32 function, node;
  guint64 amount;
} Child;

typedef struct {
  ProfileFlame *flame;
  const ProfileFlameOptions *options;
  ProfileStacks *stacks;
  ProfileTree *tree;
  GArray *nodes;    /* guint32: tree node of each box */
  GArray *begins;   /* guint64: amount that stands before each box */
  GArray *children; /* Child: of one box */
  guint64 *totals;  /* amount of the focus' functions, from the root's on */
  guint n_focus;
} Layout;

static const ProfileFlameBox *get_box(const ProfileFlame *self, guint box)
{
  return &g_array_index(self->boxes, ProfileFlameBox, box);
}

/* How far the focus leads to each node is known from its parent, which comes earlier. */
static void follow_focus(Layout *layout, ProfileWeights *weights)
{
  const guint32 *parents = profile_stacks_get_parents(layout->stacks);
  const guint32 *functions = profile_stacks_get_functions(layout->stacks);
  const guint32 *focus = layout->options->focus;
  gsize n = profile_stacks_get_n_nodes(layout->stacks);
  g_autofree guint32 *reached = profile_new(guint32, n); /* 1 + functions of the focus up to here, or 0 */

  reached[0] = 1;
  for (gsize node = 1; node < n; node++) {
    guint32 k = reached[parents[node]];
    gboolean leads_on = k && k <= layout->n_focus && functions[node] == focus[k - 1];
    reached[node] = leads_on ? k + 1 : 0;
    if (leads_on)
      layout->totals[k] +=
          profile_weights_measure(weights, profile_weights_get_total(weights, (guint32)node));
  }
}

static void follow_focus_inverted(Layout *layout, ProfileWeights *weights)
{
  const guint32 *parents = profile_stacks_get_parents(layout->stacks);
  const guint32 *functions = profile_stacks_get_functions(layout->stacks);
  const guint32 *counts = profile_weights_get_self_counts(weights), *focus = layout->options->focus;
  gsize n = profile_stacks_get_n_nodes(layout->stacks);

  for (gsize leaf = 1; leaf < n; leaf++) {
    if (!counts[leaf])
      continue;
    guint64 amount = profile_weights_measure(weights, profile_weights_get_self(weights, (guint32)leaf));
    guint32 node = (guint32)leaf;
    for (guint k = 0; k < layout->n_focus && node && functions[node] == focus[k]; k++) {
      layout->totals[k + 1] += amount;
      node = parents[node];
    }
  }
}

/* To know beforehand how heavy the focus is saves making what is lighter on the way to it. */
static void find_focus(Layout *layout)
{
  ProfileWeights *weights = layout->flame->weights;

  layout->n_focus = layout->options->n_focus;
  layout->totals = g_new0(guint64, layout->n_focus + 1);
  layout->totals[0] = profile_weights_measure(weights, profile_weights_get_sum(weights));
  if (layout->n_focus > 0) {
    if (layout->options->inverted)
      follow_focus_inverted(layout, weights);
    else
      follow_focus(layout, weights);
  }
  for (guint i = 0; i < layout->n_focus; i++)
    if (layout->totals[i + 1] == 0)
      layout->n_focus = i;
}

static void add_row(ProfileFlame *self, guint depth)
{
  guint index = self->boxes->len;

  if (depth == self->rows->len)
    g_array_append_val(self->rows, index);
}

static void add_box(Layout *layout, guint32 node, guint32 parent, guint64 begin, double start, double end)
{
  const ProfileTreeNode *item = profile_tree_get_node(layout->tree, node);
  ProfileFlameBox box = {.start = (float)start,
                         .end = (float)end,
                         .depth = item->depth,
                         .function = item->function,
                         .parent = parent,
                         .self = item->self,
                         .total = item->total,
                         .inlined = item->inlined};

  add_row(layout->flame, item->depth);
  g_array_append_val(layout->flame->boxes, box);
  g_array_append_val(layout->nodes, node);
  g_array_append_val(layout->begins, begin);
}

static void add_focus(Layout *layout)
{
  guint32 node = 0;

  add_box(layout, 0, 0, 0, 0, 1);
  for (guint i = 0; i < layout->n_focus; i++) {
    guint32 n, child;
    profile_tree_set_minimum(layout->tree, layout->totals[i + 1]);
    child = profile_tree_expand(layout->tree, node, &n);
    while (profile_tree_get_node(layout->tree, child)->function != layout->options->focus[i])
      child++;
    node = child;
    add_box(layout, node, i, 0, 0, 1);
  }
}

static gint compare_children(gconstpointer a, gconstpointer b)
{
  const Child *left = a, *right = b;
  int order = strcmp(left->name, right->name);

  if (order == 0)
    order = strcmp(left->binary, right->binary);
  return order ? order : (left->function > right->function) - (left->function < right->function);
}

static void find_children(Layout *layout, guint box)
{
  ProfileStacks *stacks = layout->stacks;
  guint32 n, first = profile_tree_expand(layout->tree, g_array_index(layout->nodes, guint32, box), &n);

  g_array_set_size(layout->children, 0);
  for (guint32 node = first; node < first + n; node++) {
    const ProfileTreeNode *item = profile_tree_get_node(layout->tree, node);
    Child child = {.name = profile_stacks_get_function_name(stacks, item->function),
                   .binary = profile_stacks_get_function_binary(stacks, item->function),
                   .function = item->function,
                   .node = node,
                   .amount = profile_weights_measure(layout->flame->weights, item->total)};
    g_array_append_val(layout->children, child);
  }
  g_array_sort(layout->children, compare_children);
}

static void add_children(Layout *layout, guint box)
{
  double sum = (double)layout->totals[layout->n_focus];
  double first = layout->options->first, end = layout->options->end;
  guint64 begin = g_array_index(layout->begins, guint64, box);

  find_children(layout, box);
  for (guint i = 0; i < layout->children->len; i++) {
    const Child *child = &g_array_index(layout->children, Child, i);
    double left = begin / sum, right = (begin + child->amount) / sum;
    if (end <= first || (right > first && left < end))
      add_box(layout, child->node, box, begin, left, right);
    begin += child->amount;
  }
}

static void lay_out(Layout *layout)
{
  double minimum = ceil(layout->totals[layout->n_focus] * CLAMP(layout->options->min_share, 0, 1));

  add_focus(layout);
  profile_tree_set_minimum(layout->tree, (guint64)minimum);
  for (guint box = layout->n_focus; box < layout->flame->boxes->len; box++)
    add_children(layout, box);
  layout->flame->n_focus = layout->n_focus;
}

static ProfileFlame *new_empty(ProfileWeights *weights, gboolean inverted)
{
  ProfileFlame *self = g_new0(ProfileFlame, 1);

  g_atomic_ref_count_init(&self->references);
  self->weights = profile_weights_ref(weights);
  self->inverted = inverted;
  self->boxes = g_array_new(FALSE, FALSE, sizeof(ProfileFlameBox));
  self->rows = g_array_new(FALSE, FALSE, sizeof(guint));
  return self;
}

ProfileFlame *profile_flame_new(ProfileWeights *weights, const ProfileFlameOptions *options)
{
  ProfileFlame *self = new_empty(weights, options->inverted);
  Layout layout = {.flame = self,
                   .options = options,
                   .stacks = profile_filter_get_stacks(profile_weights_get_filter(weights)),
                   .tree = options->inverted ? profile_tree_new_inverted(weights) : profile_tree_new(weights),
                   .nodes = g_array_new(FALSE, FALSE, sizeof(guint32)),
                   .begins = g_array_new(FALSE, FALSE, sizeof(guint64)),
                   .children = g_array_new(FALSE, FALSE, sizeof(Child))};

  find_focus(&layout);
  lay_out(&layout);
  profile_tree_free(layout.tree);
  g_array_unref(layout.nodes);
  g_array_unref(layout.begins);
  g_array_unref(layout.children);
  g_free(layout.totals);
  return self;
}

ProfileFlame *profile_flame_new_coarser(const ProfileFlame *from, double min_share)
{
  ProfileFlame *self = new_empty(from->weights, from->inverted);
  g_autofree guint *places = g_new(guint, from->boxes->len);

  self->n_focus = from->n_focus;
  for (guint i = 0; i < from->boxes->len; i++) {
    ProfileFlameBox box = *get_box(from, i);
    if (box.end - box.start < min_share)
      continue;
    box.parent = i ? places[box.parent] : 0;
    places[i] = self->boxes->len;
    add_row(self, box.depth);
    g_array_append_val(self->boxes, box);
  }
  return self;
}

ProfileFlame *profile_flame_ref(ProfileFlame *self)
{
  g_atomic_ref_count_inc(&self->references);
  return self;
}

void profile_flame_unref(ProfileFlame *self)
{
  if (!g_atomic_ref_count_dec(&self->references))
    return;
  profile_weights_unref(self->weights);
  g_array_unref(self->boxes);
  g_array_unref(self->rows);
  g_free(self);
}

ProfileWeights *profile_flame_get_weights(const ProfileFlame *self)
{
  return self->weights;
}

const ProfileFlameBox *profile_flame_get_boxes(const ProfileFlame *self, guint *ret_n)
{
  *ret_n = self->boxes->len;
  return get_box(self, 0);
}

guint profile_flame_get_row(const ProfileFlame *self, guint depth, guint *ret_n)
{
  *ret_n = 0;
  if (depth >= self->rows->len)
    return 0;
  guint first = g_array_index(self->rows, guint, depth);
  guint end = depth + 1 < self->rows->len ? g_array_index(self->rows, guint, depth + 1) : self->boxes->len;
  *ret_n = end - first;
  return first;
}

guint profile_flame_get_n_rows(const ProfileFlame *self)
{
  return self->rows->len;
}

guint profile_flame_get_n_focus(const ProfileFlame *self)
{
  return self->n_focus;
}

gboolean profile_flame_is_inverted(const ProfileFlame *self)
{
  return self->inverted;
}

gboolean profile_flame_find(const ProfileFlame *self, guint depth, double at, guint *ret_box)
{
  guint n, low = profile_flame_get_row(self, depth, &n), high = low + n;

  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (get_box(self, middle)->end <= at)
      low = middle + 1;
    else
      high = middle;
  }
  if (low >= self->boxes->len || get_box(self, low)->depth != depth || get_box(self, low)->start > at)
    return FALSE;
  *ret_box = low;
  return TRUE;
}

/* Within a row parents ascend. Boxes low … high - 1: the first whose parent is not below. */
static guint find_parent(const ProfileFlame *self, guint low, guint high, guint parent)
{
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (get_box(self, middle)->parent < parent)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

guint profile_flame_get_children(const ProfileFlame *self, guint box, guint *ret_n)
{
  guint n, row = profile_flame_get_row(self, get_box(self, box)->depth + 1, &n);
  guint first = find_parent(self, row, row + n, box);

  *ret_n = find_parent(self, first, row + n, box + 1) - first;
  return first;
}

void profile_flame_get_path(const ProfileFlame *self, guint box, guint32 *path)
{
  for (; box; box = get_box(self, box)->parent)
    path[get_box(self, box)->depth - 1] = get_box(self, box)->function;
}

gboolean profile_flame_find_path(const ProfileFlame *self, const guint32 *path, guint n, guint *ret_box)
{
  guint box = 0;

  for (guint i = 0; i < n; i++) {
    guint n_children, child = profile_flame_get_children(self, box, &n_children), end = child + n_children;
    while (child < end && get_box(self, child)->function != path[i])
      child++;
    if (child == end)
      return FALSE;
    box = child;
  }
  *ret_box = box;
  return TRUE;
}
