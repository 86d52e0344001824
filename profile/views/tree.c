/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A tree node stands for a group of stack nodes. Top down, a group's children are the children of its
 * stack nodes, put together by function. Upside down, a group holds stack nodes with the
 * samples that came up through them, and its children are their parents.
 */
#include "profile/views/tree.h"

#include <string.h>

#include "profile/base/memory.h"
#include "profile/capture/stacks-private.h"

/* One stack node of a group, with the samples that lead through it (top down) or came up to it. */
typedef struct {
  guint32 node;
  guint32 function; /* then the child that it goes to: index into children */
  ProfileWeight weight;
} Member;

/* A child before its group is made. */
typedef struct {
  guint64 count;
  guint32 function, order;
  guint32 n_members;
  gboolean called; /* not inlined, at least once */
  ProfileWeight self, total;
} Child;

typedef struct {
  ProfileTreeNode public;
  guint32 first_child, n_children;
  guint32 n_members;
  gboolean expanded;
  const guint32 *members;       /* stack nodes, ascending; in the tree's memory */
  const ProfileWeight *weights; /* upside down: one a member */
} Group;

struct _ProfileTree {
  ProfileWeights *weights;
  ProfileStacks *stacks; /* the weights' */
  gboolean inverted;
  gboolean weighed;         /* weights count, not samples */
  const guint32 *functions; /* of stack nodes */
  const guint8 *inlined;    /* likewise; NULL: none is */
  GArray *groups;           /* Group */
  guint64 minimum;          /* measure of a child */
  Member *found;            /* while children are made */
  gsize n_found, found_room;
  GArray *children; /* Child: while children are made */
  guint32 **next;   /* one of those each: where its next member goes */
  ProfileWeight **next_weight;
  guint n_next;
  guint64 *sums;     /* one a function: measure of the child that is being made for it; else 0 */
  guint32 *child_of; /* one a function: that child + 1, once there is one; else 0 */
  GPtrArray *memory; /* blocks for members */
  gsize memory_left;
};

enum { BLOCK = 1 << 16 };

static Group *get_group(const ProfileTree *self, guint32 node)
{
  return &g_array_index(self->groups, Group, node);
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

static void append_found(ProfileTree *self, guint32 node, ProfileWeight weight)
{
  if (self->n_found == self->found_room) {
    self->found_room = MAX(2 * self->found_room, 1024);
    self->found = g_renew(Member, self->found, self->found_room);
  }
  self->found[self->n_found++] = (Member){node, self->functions[node], weight};
}

/* Upside down several stack nodes may lead to one: behind one another, since members ascend, and so do the
 * parents of what ascends. All are found before it is known how heavy a function is. */
static void find_member_inverted(ProfileTree *self, guint32 node, ProfileWeight weight)
{
  if (self->n_found && self->found[self->n_found - 1].node == node)
    profile_weight_add(&self->found[self->n_found - 1].weight, weight);
  else
    append_found(self, node, weight);
  self->sums[self->functions[node]] += self->weighed ? weight.weight : weight.count;
}

/* count is the node's. */
static guint64 measure_total(const ProfileTree *self, guint32 node, guint32 count)
{
  return self->weighed ? profile_weights_get_total(self->weights, node).weight : count;
}

static guint64 measure_self(const ProfileTree *self, guint32 node, guint32 count)
{
  return self->weighed ? profile_weights_get_self(self->weights, node).weight : count;
}

/* Most children are too light to be made: a first pass finds out which, so that the second one looks
 * closer at the others only. */
static void find_children(ProfileTree *self, const Group *group)
{
  const guint32 *totals = profile_weights_get_total_counts(self->weights);
  const guint32 *first_child = self->stacks->first_child, *functions = self->functions;
  const ProfileStacks *stacks = self->stacks;
  guint64 *sums = self->sums;

  for (guint32 i = 0; i < group->n_members; i++)
    for (guint32 k = first_child[group->members[i]]; k; k = profile_stacks_get_next(stacks, k))
      sums[functions[k]] += measure_total(self, k, totals[k]);
  for (guint32 i = 0; i < group->n_members; i++)
    for (guint32 k = first_child[group->members[i]]; k; k = profile_stacks_get_next(stacks, k)) {
      if (sums[functions[k]] < self->minimum)
        sums[functions[k]] = 0;
      else if (totals[k])
        append_found(self, k, profile_weights_get_total(self->weights, k));
    }
}

/* Parents are anywhere in memory: asking for them early hides the wait. */
static void find_parents(ProfileTree *self, const Group *group)
{
  enum { AHEAD = 12 };
  const guint32 *parents = self->stacks->parents;

  for (guint32 i = 0; i < group->n_members; i++) {
    guint32 parent = parents[group->members[i]];
    if (i + AHEAD < group->n_members) {
      guint32 later = parents[group->members[i + AHEAD]];
      __builtin_prefetch(&self->functions[later]);
      __builtin_prefetch(&parents[later]);
    }
    if (parent)
      find_member_inverted(self, parent, group->weights[i]);
  }
}

/* Where samples were taken: the first level of an upside-down tree of all stacks. Those of functions that are
 * too light to be made are not even collected: there are many. */
static void find_sampled(ProfileTree *self)
{
  const guint32 *counts = profile_weights_get_self_counts(self->weights), *functions = self->functions;
  guint32 n = (guint32)self->stacks->n_nodes, n_sampled = 0;
  g_autofree guint32 *sampled = profile_new(guint32, n);

  for (guint32 node = 1; node < n; node++) {
    sampled[n_sampled] = node; /* whether it was is anyone's guess: to write costs less than to guess wrong */
    n_sampled += counts[node] != 0;
  }
  for (guint32 i = 0; i < n_sampled; i++)
    self->sums[functions[sampled[i]]] += measure_self(self, sampled[i], counts[sampled[i]]);
  for (guint32 i = 0; i < n_sampled; i++) {
    guint32 node = sampled[i];
    if (self->sums[functions[node]] >= self->minimum)
      append_found(self, node, profile_weights_get_self(self->weights, node));
    else
      self->sums[functions[node]] = 0;
  }
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
      append_found(self, (guint32)node, profile_weights_get_total(self->weights, (guint32)node));
  }
}

static gint compare_children(gconstpointer a, gconstpointer b)
{
  const Child *left = a, *right = b;

  if (left->count != right->count)
    return left->count > right->count ? -1 : 1;
  return left->order < right->order ? -1 : left->order > right->order;
}

static Child *get_child(const ProfileTree *self, guint32 child)
{
  return &g_array_index(self->children, Child, child);
}

/* The child for a function, + 1; 0: it is too light. */
static guint32 use_child(ProfileTree *self, guint32 function)
{
  if (self->child_of[function])
    return self->child_of[function];
  if (self->sums[function] >= self->minimum) {
    Child child = {.count = self->sums[function], .function = function, .order = self->children->len};
    g_array_append_val(self->children, child);
    self->child_of[function] = self->children->len;
  }
  self->sums[function] = 0;
  return self->child_of[function];
}

static void add_member(const ProfileTree *self, Child *child, const Member *member)
{
  child->n_members++;
  child->called |= !self->inlined || !self->inlined[member->node];
  profile_weight_add(&child->total, member->weight);
  if (!self->inverted)
    profile_weight_add(&child->self, profile_weights_get_self(self->weights, member->node));
  else if (self->stacks->parents[member->node] == 0)
    profile_weight_add(&child->self, member->weight);
}

/* Makes a child for each function that was found and has enough samples (its slot says how many); what else
 * was found is forgotten. */
static void find_out_children(ProfileTree *self)
{
  gsize kept = 0;

  g_array_set_size(self->children, 0);
  for (gsize i = 0; i < self->n_found; i++) {
    Member member = self->found[i];
    guint32 child = use_child(self, member.function);
    if (child == 0)
      continue;
    add_member(self, get_child(self, child - 1), &member);
    member.function = child - 1;
    self->found[kept++] = member;
  }
  self->n_found = kept;
}

static void reserve_next(ProfileTree *self, guint n)
{
  if (n <= self->n_next)
    return;
  self->n_next = MAX(n, 2 * self->n_next);
  self->next = g_renew(guint32 *, self->next, self->n_next);
  self->next_weight = g_renew(ProfileWeight *, self->next_weight, self->n_next);
}

/* Gives a group its sums and memory for its members. */
static void fill_group(ProfileTree *self, Group *group, const Child *child)
{
  group->public.self = child->self;
  group->public.total = child->total;
  group->public.inlined = !child->called;
  group->n_members = child->n_members;
  self->next[child->order] = take_memory(self, (child->n_members * sizeof(guint32) + 7) & ~(gsize)7);
  group->members = self->next[child->order];
  if (!self->inverted)
    return;
  self->next_weight[child->order] = take_memory(self, child->n_members * sizeof(ProfileWeight));
  group->weights = self->next_weight[child->order];
}

static void store_members(ProfileTree *self)
{
  for (gsize i = 0; i < self->n_found; i++) {
    const Member *member = &self->found[i];
    *self->next[member->function]++ = member->node;
    if (self->inverted)
      *self->next_weight[member->function]++ = member->weight;
  }
  self->n_found = 0;
}

/* What was found becomes the children, heaviest first. */
static void make_children(ProfileTree *self, guint32 parent)
{
  guint32 first = self->groups->len;

  find_out_children(self);
  if (self->children->len > 1)
    g_array_sort(self->children, compare_children);
  reserve_next(self, self->children->len);
  for (guint i = 0; i < self->children->len; i++) {
    const Child *child = get_child(self, i);
    guint32 group = add_group(self, child->function, parent);
    fill_group(self, get_group(self, group), child);
    self->child_of[child->function] = 0;
  }
  store_members(self);
  get_group(self, parent)->first_child = first;
  get_group(self, parent)->n_children = self->groups->len - first;
}

/* What was found becomes the root itself. */
static void make_root(ProfileTree *self)
{
  Child root = {0};

  for (gsize i = 0; i < self->n_found; i++) {
    add_member(self, &root, &self->found[i]);
    self->found[i].function = 0;
  }
  reserve_next(self, 1);
  fill_group(self, get_group(self, 0), &root);
  store_members(self);
}

static ProfileTree *new_tree(ProfileWeights *weights, gboolean inverted, guint32 function)
{
  ProfileTree *self = g_new0(ProfileTree, 1);

  self->weights = profile_weights_ref(weights);
  self->stacks = profile_weights_get_stacks(weights);
  self->inverted = inverted;
  self->weighed = profile_weights_get_unit(weights) != CAPTURE_UNIT_COUNT;
  self->functions = self->stacks->functions;
  self->inlined = profile_stacks_get_inlined(self->stacks);
  self->groups = g_array_new(FALSE, FALSE, sizeof(Group));
  self->memory = g_ptr_array_new_with_free_func(g_free);
  gsize n_functions = profile_stacks_get_n_functions(self->stacks);
  self->minimum = 1;
  self->children = g_array_new(FALSE, FALSE, sizeof(Child));
  self->sums = profile_new0(guint64, n_functions);
  self->child_of = profile_new0(guint32, n_functions);
  add_group(self, function, 0);
  return self;
}

ProfileTree *profile_tree_new(ProfileWeights *weights)
{
  ProfileTree *self = new_tree(weights, FALSE, PROFILE_TREE_NO_FUNCTION);

  append_found(self, 0, profile_weights_get_total(weights, 0));
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
  g_free(self->found);
  g_ptr_array_unref(self->memory);
  g_array_unref(self->children);
  g_free(self->next);
  g_free(self->next_weight);
  g_free(self->sums);
  g_free(self->child_of);
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
