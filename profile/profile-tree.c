/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A tree node stands for a group of stack nodes. Top down, a group's children are the children of its
 * stack nodes, put together by function. Upside down, a group holds stack nodes with the
 * samples that came up through them, and its children are their parents.
 */
#include "profile/profile-tree.h"

#include <string.h>

#include "profile/profile-memory.h"
#include "profile/profile-stacks-private.h"

/* One stack node of a group, with the samples that lead through it (top down) or came up to it. */
typedef struct {
  guint32 node;
  guint32 group; /* while children are made: where it goes */
  ProfileWeight weight;
} Member;

/* A child before its group is made. */
typedef struct {
  guint64 count;
  guint32 function, order;
} Child;

typedef struct {
  ProfileTreeNode public;
  guint32 first_child, n_children;
  guint32 n_members;
  gboolean expanded;
  const guint32 *members;       /* stack nodes; in the tree's memory */
  const ProfileWeight *weights; /* upside down: one a member */
} Group;

struct _ProfileTree {
  ProfileWeights *weights;
  ProfileStacks *stacks; /* the weights' */
  gboolean inverted;
  gboolean weighed;         /* weights count, not samples */
  const guint32 *functions; /* of stack nodes */
  GArray *groups;           /* Group */
  guint64 minimum;          /* measure of a child */
  GArray *found;            /* Member: while children are made */
  GArray *children;         /* Child: while children are made */
  guint64 *counts;          /* one a function: measure of the child that is being made for it; else 0 */
  guint32 *child_of;        /* one a function: that child; else 0 */
  guint32 *found_at;        /* upside down, one a stack node: 1 + its place among those found; else 0 */
  GPtrArray *memory;        /* blocks for members */
  gsize memory_left;
};

enum { BLOCK = 1 << 16 };

static Group *get_group(const ProfileTree *self, guint32 node)
{
  return &g_array_index(self->groups, Group, node);
}

static void add_weight(ProfileWeight *to, ProfileWeight weight)
{
  to->count += weight.count;
  to->weight += weight.weight;
}

/* Memory that lives as long as the tree; size is a multiple of 8. */
static gpointer take_memory(ProfileTree *self, gsize size)
{
  if (size > self->memory_left || self->memory->len == 0) {
    gsize block = MAX(size, BLOCK);
    g_ptr_array_add(self->memory, g_malloc(block));
    self->memory_left = block;
  }
  self->memory_left -= size;
  return (guint8 *)self->memory->pdata[self->memory->len - 1] + self->memory_left;
}

static guint32 add_group(ProfileTree *self, guint32 function, guint32 parent)
{
  Group group = {.public = {.function = function, .parent = parent}};

  if (self->groups->len > 0)
    group.public.depth = get_group(self, parent)->public.depth + 1;
  g_array_append_val(self->groups, group);
  return self->groups->len - 1;
}

static void find_member(ProfileTree *self, guint32 node, ProfileWeight weight)
{
  Member member = {.node = node, .weight = weight};

  if (self->inverted) {
    if (self->found_at[node]) {
      add_weight(&g_array_index(self->found, Member, self->found_at[node] - 1).weight, weight);
      return;
    }
    self->found_at[node] = self->found->len + 1;
  }
  g_array_append_val(self->found, member);
}

/* count is the node's. */
static guint64 measure_total(const ProfileTree *self, guint32 node, guint32 count)
{
  return self->weighed ? profile_weights_get_total(self->weights, node).weight : count;
}

/* Most children are too light to be made: a first pass finds out which, so that the second one looks
 * closer at the others only. */
static void find_children(ProfileTree *self, const Group *group)
{
  const guint32 *totals = profile_weights_get_total_counts(self->weights);
  const guint32 *first_of = self->stacks->first_of, *children = self->stacks->children;
  const guint32 *functions = self->stacks->child_functions;

  for (guint32 i = 0; i < group->n_members; i++)
    for (guint32 k = first_of[group->members[i]]; k < first_of[group->members[i] + 1]; k++)
      self->counts[functions[k]] += measure_total(self, children[k], totals[children[k]]);
  for (guint32 i = 0; i < group->n_members; i++)
    for (guint32 k = first_of[group->members[i]]; k < first_of[group->members[i] + 1]; k++) {
      if (self->counts[functions[k]] < self->minimum)
        self->counts[functions[k]] = 0;
      else if (totals[children[k]])
        find_member(self, children[k], profile_weights_get_total(self->weights, children[k]));
    }
}

static void find_parents(ProfileTree *self, const Group *group)
{
  for (guint32 i = 0; i < group->n_members; i++) {
    guint32 parent = self->stacks->parents[group->members[i]];
    if (parent)
      find_member(self, parent, group->weights[i]);
  }
}

/* Where samples were taken: the first level of an upside-down tree of all stacks. Those of functions that are
 * too light to be made are not even collected: there are many. */
static void find_sampled(ProfileTree *self)
{
  const guint32 *counts = profile_weights_get_self_counts(self->weights), *functions = self->functions;
  gsize n = self->stacks->n_nodes;
  g_autofree guint64 *sums = profile_new0(guint64, profile_stacks_get_n_functions(self->stacks));

  for (gsize node = 1; node < n; node++)
    if (counts[node])
      sums[functions[node]] +=
          self->weighed ? profile_weights_get_self(self->weights, (guint32)node).weight : counts[node];
  for (gsize node = 1; node < n; node++)
    if (counts[node] && sums[functions[node]] >= self->minimum)
      find_member(self, (guint32)node, profile_weights_get_self(self->weights, (guint32)node));
}

/* The outermost calls of a function: each sample leads through at most one of them. */
static void find_calls(ProfileTree *self, guint32 function)
{
  const guint32 *parent = self->stacks->parents, *totals = profile_weights_get_total_counts(self->weights);
  gsize n = self->stacks->n_nodes;
  g_autofree guint8 *inside = g_malloc0(n);

  for (gsize node = 1; node < n; node++) {
    gboolean below = inside[parent[node]];
    inside[node] = below || self->functions[node] == function;
    if (inside[node] && !below && totals[node])
      find_member(self, (guint32)node, profile_weights_get_total(self->weights, (guint32)node));
  }
}

/* Adds what was found to the sums of its group. */
static void add_member(ProfileTree *self, Group *group, const Member *member)
{
  group->n_members++;
  add_weight(&group->public.total, member->weight);
  if (!self->inverted)
    add_weight(&group->public.self, profile_weights_get_self(self->weights, member->node));
  else if (self->stacks->parents[member->node] == 0)
    add_weight(&group->public.self, member->weight);
}

/* Moves what was found into the groups it goes to, whose n_members say how many each gets. */
static void store_members(ProfileTree *self, guint32 first, guint32 n_groups)
{
  gsize n = self->found->len;
  guint32 *nodes = take_memory(self, (n * sizeof *nodes + 7) & ~(gsize)7);
  ProfileWeight *weights = self->inverted ? take_memory(self, n * sizeof *weights) : NULL;

  for (guint32 i = first; i < first + n_groups; i++) {
    Group *group = get_group(self, i);
    group->members = nodes;
    group->weights = weights;
    nodes += group->n_members;
    weights = weights ? weights + group->n_members : NULL;
    group->n_members = 0;
  }
  for (gsize i = 0; i < n; i++) {
    const Member *member = &g_array_index(self->found, Member, i);
    Group *group = get_group(self, member->group);
    ((guint32 *)group->members)[group->n_members] = member->node;
    if (group->weights)
      ((ProfileWeight *)group->weights)[group->n_members] = member->weight;
    group->n_members++;
    if (self->inverted)
      self->found_at[member->node] = 0;
  }
  g_array_set_size(self->found, 0);
}

static gint compare_children(gconstpointer a, gconstpointer b)
{
  const Child *left = a, *right = b;

  if (left->count != right->count)
    return left->count > right->count ? -1 : 1;
  return left->order < right->order ? -1 : left->order > right->order;
}

/* Makes a group for each function that was found, heaviest first. child_of says which until members are in.
 */
static void make_groups(ProfileTree *self, guint32 parent)
{
  g_array_set_size(self->children, 0);
  for (guint i = 0; i < self->found->len; i++) {
    guint32 function = self->functions[g_array_index(self->found, Member, i).node];
    if (self->counts[function] == 0)
      continue;
    Child child = {.count = self->counts[function], .function = function, .order = i};
    self->counts[function] = 0;
    g_array_append_val(self->children, child);
  }
  g_array_sort(self->children, compare_children);
  for (guint i = 0; i < self->children->len; i++) {
    guint32 function = g_array_index(self->children, Child, i).function;
    self->child_of[function] = add_group(self, function, parent);
  }
}

/* What was found, of functions with enough samples (counts says how many), becomes the children. */
static void make_children(ProfileTree *self, guint32 parent)
{
  guint32 first = self->groups->len;

  make_groups(self, parent);
  for (guint i = 0; i < self->found->len; i++) {
    Member *member = &g_array_index(self->found, Member, i);
    member->group = self->child_of[self->functions[member->node]];
    add_member(self, get_group(self, member->group), member);
  }
  guint32 n = self->groups->len - first;
  for (guint32 i = first; i < first + n; i++)
    self->child_of[get_group(self, i)->public.function] = 0;
  store_members(self, first, n);
  get_group(self, parent)->first_child = first;
  get_group(self, parent)->n_children = n;
}

/* Upside down all parents are found first, because several stack nodes may lead to one. */
static void drop_light_members(ProfileTree *self)
{
  Member *found = (Member *)self->found->data;
  guint kept = 0;

  for (guint i = 0; i < self->found->len; i++)
    self->counts[self->functions[found[i].node]] += profile_weights_measure(self->weights, found[i].weight);
  for (guint i = 0; i < self->found->len; i++) {
    guint64 *count = &self->counts[self->functions[found[i].node]];
    if (*count >= self->minimum) {
      found[kept++] = found[i];
    } else {
      *count = 0;
      self->found_at[found[i].node] = 0;
    }
  }
  g_array_set_size(self->found, kept);
}

/* What was found becomes the root itself. */
static void make_root(ProfileTree *self)
{
  for (guint i = 0; i < self->found->len; i++)
    add_member(self, get_group(self, 0), &g_array_index(self->found, Member, i));
  store_members(self, 0, 1);
}

static ProfileTree *new_tree(ProfileWeights *weights, gboolean inverted, guint32 function)
{
  ProfileTree *self = g_new0(ProfileTree, 1);

  self->weights = profile_weights_ref(weights);
  self->stacks = profile_weights_get_stacks(weights);
  self->inverted = inverted;
  self->weighed = profile_weights_get_unit(weights) != CAPTURE_UNIT_COUNT;
  self->functions = self->stacks->functions;
  self->groups = g_array_new(FALSE, FALSE, sizeof(Group));
  self->found = g_array_new(FALSE, FALSE, sizeof(Member));
  self->memory = g_ptr_array_new_with_free_func(g_free);
  gsize n_functions = profile_stacks_get_n_functions(self->stacks);
  self->minimum = 1;
  self->children = g_array_new(FALSE, FALSE, sizeof(Child));
  self->counts = profile_new0(guint64, n_functions);
  self->child_of = profile_new0(guint32, n_functions);
  if (inverted)
    self->found_at = profile_new0(guint32, self->stacks->n_nodes);
  else
    profile_stacks_line_up(self->stacks);
  add_group(self, function, 0);
  return self;
}

ProfileTree *profile_tree_new(ProfileWeights *weights)
{
  ProfileTree *self = new_tree(weights, FALSE, PROFILE_TREE_NO_FUNCTION);

  find_member(self, 0, profile_weights_get_total(weights, 0));
  make_root(self);
  return self;
}

ProfileTree *profile_tree_new_inverted(ProfileWeights *weights)
{
  ProfileTree *self = new_tree(weights, TRUE, PROFILE_TREE_NO_FUNCTION);
  ProfileTreeNode *root = &get_group(self, 0)->public;

  root->total = profile_weights_get_total(weights, 0);
  root->self = profile_weights_get_self(weights, 0);
  return self;
}

ProfileTree *profile_tree_new_callees(ProfileWeights *weights, guint32 function)
{
  ProfileTree *self = new_tree(weights, FALSE, function);

  find_calls(self, function);
  make_root(self);
  return self;
}

ProfileTree *profile_tree_new_callers(ProfileWeights *weights, guint32 function)
{
  ProfileTree *self = new_tree(weights, TRUE, function);

  find_calls(self, function);
  make_root(self);
  return self;
}

void profile_tree_free(ProfileTree *self)
{
  profile_weights_unref(self->weights);
  g_array_unref(self->groups);
  g_array_unref(self->found);
  g_ptr_array_unref(self->memory);
  g_array_unref(self->children);
  g_free(self->counts);
  g_free(self->child_of);
  g_free(self->found_at);
  g_free(self);
}

void profile_tree_set_minimum(ProfileTree *self, guint64 measure)
{
  self->minimum = MAX(measure, 1);
}

ProfileWeights *profile_tree_get_weights(const ProfileTree *self)
{
  return self->weights;
}

const ProfileTreeNode *profile_tree_get_node(const ProfileTree *self, guint32 node)
{
  return &get_group(self, node)->public;
}

guint32 profile_tree_get_n_nodes(const ProfileTree *self)
{
  return self->groups->len;
}

guint32 profile_tree_expand(ProfileTree *self, guint32 node, guint32 *n_children)
{
  Group *group = get_group(self, node);

  if (!group->expanded) {
    group->expanded = TRUE;
    if (!self->inverted)
      find_children(self, group);
    else if (group->public.function == PROFILE_TREE_NO_FUNCTION)
      find_sampled(self);
    else
      find_parents(self, group);
    if (self->inverted)
      drop_light_members(self);
    make_children(self, node);
    group = get_group(self, node);
  }
  *n_children = group->n_children;
  return group->first_child;
}

void profile_tree_expand_all(ProfileTree *self)
{
  guint32 n_children;

  for (guint32 node = 0; node < self->groups->len; node++)
    profile_tree_expand(self, node, &n_children);
}
