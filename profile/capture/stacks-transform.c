/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A transform is one pass over the nodes. A node's parent comes before it, so that where the node goes
 * follows from where its parent went. */
#include <string.h>

#include "profile/base/memory.h"
#include "profile/capture/capture-private.h"
#include "profile/capture/stacks-builder.h"

typedef struct {
  const ProfileStacks *from;
  const ProfileTransform *transform;
  guint32 *to;       /* one a node of from: where its samples go, or PROFILE_STACKS_DROPPED */
  guint32 *state;    /* one a node of from, where a kind has to know more than where the parent went */
  guint8 *in_binary; /* one a function of from: whether it is collapsed */
  guint32 collapsed; /* the function that it is collapsed into */

  ProfileStacksBuilder tree; /* the new one */
} Pass;

static guint32 stacks_transform_add(Pass *pass, guint32 parent, guint32 function)
{
  return profile_stacks_builder_add(&pass->tree, parent, function);
}

/* Whether what goes there goes into a frame of that function. */
static gboolean is_in(const Pass *pass, guint32 node, guint32 function)
{
  return node != 0 && pass->tree.functions[node] == function;
}

/*
 * Where a node goes, by kind. Parents are those of the tree that is transformed; the state of a node whose
 * kind has one is set as well.
 */

static guint32 focus_function(Pass *pass, guint32 node, guint32 parent, guint32 function)
{
  if (pass->to[parent] != PROFILE_STACKS_DROPPED)
    return stacks_transform_add(pass, pass->to[parent], function);
  return function == pass->transform->function ? stacks_transform_add(pass, 0, function)
                                               : PROFILE_STACKS_DROPPED;
}

/* The state of paths: how many of their functions lead to the node; n_path: all do, or none leads further. */
static guint32 follow_path(const Pass *pass, guint32 parent, guint32 function)
{
  guint32 followed = pass->state[parent], n = pass->transform->n_path;

  return followed < n && pass->transform->path[followed] == function ? followed + 1 : n + 1;
}

static guint32 focus_path(Pass *pass, guint32 node, guint32 parent, guint32 function)
{
  if (pass->to[parent] != PROFILE_STACKS_DROPPED)
    return stacks_transform_add(pass, pass->to[parent], function);
  pass->state[node] = follow_path(pass, parent, function);
  return pass->state[node] == pass->transform->n_path ? stacks_transform_add(pass, 0, function)
                                                      : PROFILE_STACKS_DROPPED;
}

static guint32 merge_path(Pass *pass, guint32 node, guint32 parent, guint32 function)
{
  pass->state[node] = follow_path(pass, parent, function);
  if (pass->state[node] == pass->transform->n_path)
    return pass->to[parent];
  return stacks_transform_add(pass, pass->to[parent], function);
}

/* The state is where the node would go if nothing was cut off. */
static guint32 focus_path_inverted(Pass *pass, guint32 node, guint32 parent, guint32 function)
{
  const ProfileTransform *transform = pass->transform;
  const guint32 *functions = pass->from->functions, *parents = pass->from->parents;
  guint followed = 0;

  pass->state[node] = stacks_transform_add(pass, pass->state[parent], function);
  if (transform->n_path == 0)
    return pass->state[node];
  while (node && functions[node] == transform->path[followed]) {
    if (++followed == transform->n_path)
      return pass->state[node];
    node = parents[node];
  }
  return PROFILE_STACKS_DROPPED;
}

static guint32 merge_function(Pass *pass, guint32 node, guint32 parent, guint32 function)
{
  return function == pass->transform->function ? pass->to[parent]
                                               : stacks_transform_add(pass, pass->to[parent], function);
}

static guint32 drop_function(Pass *pass, guint32 node, guint32 parent, guint32 function)
{
  if (pass->to[parent] == PROFILE_STACKS_DROPPED || function == pass->transform->function)
    return PROFILE_STACKS_DROPPED;
  return stacks_transform_add(pass, pass->to[parent], function);
}

static guint32 collapse_function(Pass *pass, guint32 node, guint32 parent, guint32 function)
{
  if (is_in(pass, pass->to[parent], pass->transform->function))
    return pass->to[parent];
  return stacks_transform_add(pass, pass->to[parent], function);
}

static guint32 collapse_binary(Pass *pass, guint32 node, guint32 parent, guint32 function)
{
  if (!pass->in_binary[function])
    return stacks_transform_add(pass, pass->to[parent], function);
  if (is_in(pass, pass->to[parent], pass->collapsed))
    return pass->to[parent];
  return stacks_transform_add(pass, pass->to[parent], pass->collapsed);
}

static guint32 collapse_direct_recursion(Pass *pass, guint32 node, guint32 parent, guint32 function)
{
  if (function == pass->transform->function && is_in(pass, pass->to[parent], function))
    return pass->to[parent];
  return stacks_transform_add(pass, pass->to[parent], function);
}

/* The state is where the outermost call went; 0: there is none. */
static guint32 collapse_recursion(Pass *pass, guint32 node, guint32 parent, guint32 function)
{
  gboolean is_call = function == pass->transform->function;
  guint32 outermost = pass->state[parent];
  guint32 to = is_call && outermost ? outermost : stacks_transform_add(pass, pass->to[parent], function);

  pass->state[node] = is_call ? to : outermost;
  return to;
}

typedef guint32 (*Step)(Pass *pass, guint32 node, guint32 parent, guint32 function);

static const struct {
  Step step;
  gboolean has_state;
  gboolean drops_root; /* samples without a stack go */
} steps[] = {
    [PROFILE_TRANSFORM_FOCUS_FUNCTION] = {focus_function, FALSE, TRUE},
    [PROFILE_TRANSFORM_FOCUS_PATH] = {focus_path, TRUE, TRUE},
    [PROFILE_TRANSFORM_FOCUS_PATH_INVERTED] = {focus_path_inverted, TRUE, TRUE},
    [PROFILE_TRANSFORM_MERGE_FUNCTION] = {merge_function, FALSE, FALSE},
    [PROFILE_TRANSFORM_MERGE_PATH] = {merge_path, TRUE, FALSE},
    [PROFILE_TRANSFORM_DROP_FUNCTION] = {drop_function, FALSE, FALSE},
    [PROFILE_TRANSFORM_COLLAPSE_FUNCTION] = {collapse_function, FALSE, FALSE},
    [PROFILE_TRANSFORM_COLLAPSE_BINARY] = {collapse_binary, FALSE, FALSE},
    [PROFILE_TRANSFORM_COLLAPSE_DIRECT_RECURSION] = {collapse_direct_recursion, FALSE, FALSE},
    [PROFILE_TRANSFORM_COLLAPSE_RECURSION] = {collapse_recursion, TRUE, FALSE},
};

static void stacks_transform_run(Pass *pass)
{
  ProfileTransformKind kind = pass->transform->kind;
  gboolean no_path = profile_transform_kind_has_path(kind) && pass->transform->n_path == 0;
  Step step = steps[kind].step;
  guint32 n = (guint32)pass->from->n_nodes;

  pass->to[0] = steps[kind].drops_root && !no_path ? PROFILE_STACKS_DROPPED : 0;
  for (guint32 node = 1; node < n; node++)
    pass->to[node] = step(pass, node, pass->from->parents[node], pass->from->functions[node]);
}

/* Binaries of one path are one, as people know them. */
static guint8 *mark_binaries(const ProfileCapture *capture, guint32 binary)
{
  const ProfileBinary *binaries = (const ProfileBinary *)capture->binaries->data;
  guint32 n = capture->binaries->len;
  guint8 *marks = g_new0(guint8, (gsize)n + 2);

  marks[n] = binary == G_MAXUINT32;
  for (guint32 i = 0; i < n && binary < n; i++)
    marks[i] = strcmp(binaries[i].path, binaries[binary].path) == 0;
  return marks;
}

/* The new function says that it is of the kind that the functions in it are. */
static void add_collapsed(ProfileStacks *self, guint32 binary, guint16 kind)
{
  g_autofree char *name =
      binary == G_MAXUINT32
          ? g_strdup("[kernel]")
          : g_path_get_basename(g_array_index(self->capture->binaries, ProfileBinary, binary).path);

  const ProfileFunctionRange range = {.name = name};

  profile_collapsed_add(self->collapsed, &range, binary, kind);
}

/* Which functions are collapsed, and into which one: that of an earlier transform when there is one. */
static void choose_collapsed(Pass *pass, ProfileStacks *self)
{
  g_autofree guint8 *marks = mark_binaries(self->capture, pass->transform->binary);
  g_autofree guint32 *binaries = profile_stacks_make_binaries(pass->from);
  gsize n = profile_stacks_get_n_functions(pass->from);
  guint16 kind = CAPTURE_SPACE_BINARY;

  pass->in_binary = g_new0(guint8, n);
  pass->collapsed = PROFILE_STACKS_DROPPED;
  for (gsize i = n; i-- > 0;) {
    pass->in_binary[i] = marks[binaries[i]];
    if (!pass->in_binary[i])
      continue;
    kind = profile_stacks_get_function(pass->from, (guint32)i)->kind;
    if (i >= pass->from->n_capture_functions)
      pass->collapsed = (guint32)i;
  }
  if (pass->collapsed != PROFILE_STACKS_DROPPED || memchr(pass->in_binary, 1, n) == NULL)
    return;
  pass->collapsed = (guint32)n;
  add_collapsed(self, pass->transform->binary, kind);
}

/* Where a node of the capture goes: by way of where it went before. */
static guint32 *stacks_transform_compose(const guint32 *first, gsize n, const guint32 *then)
{
  guint32 *map = profile_new(guint32, n);

  for (gsize i = 0; i < n; i++)
    map[i] = first[i] == PROFILE_STACKS_DROPPED ? PROFILE_STACKS_DROPPED : then[first[i]];
  return map;
}

/* What merges with a call is no longer inlined everywhere. */
static void keep_inlined(Pass *pass)
{
  if (!pass->from->inlined)
    return;
  pass->tree.inlined = profile_new(guint8, pass->tree.n_nodes);
  memset(pass->tree.inlined, 1, pass->tree.n_nodes);
  for (gsize node = 0; node < pass->from->n_nodes; node++) {
    guint32 to = pass->to[node];

    if (to != PROFILE_STACKS_DROPPED && pass->tree.functions[to] == pass->from->functions[node])
      pass->tree.inlined[to] &= pass->from->inlined[node];
  }
}

ProfileStacks *profile_stacks_transform(ProfileStacks *from, const ProfileTransform *transform)
{
  ProfileStacks *self = g_new0(ProfileStacks, 1);
  Pass pass = {.from = from, .transform = transform, .to = profile_new(guint32, from->n_nodes)};

  g_atomic_ref_count_init(&self->references);
  self->capture = g_object_ref(from->capture);
  self->is_transformed = TRUE;
  self->n_capture_functions = from->n_capture_functions;
  self->collapsed = profile_collapsed_copy(from->collapsed);
  profile_stacks_builder_init(&pass.tree, from->n_nodes);
  if (steps[transform->kind].has_state)
    pass.state = profile_new0(guint32, from->n_nodes);
  if (transform->kind == PROFILE_TRANSFORM_COLLAPSE_BINARY)
    choose_collapsed(&pass, self);
  stacks_transform_run(&pass);
  keep_inlined(&pass);
  profile_stacks_builder_finish(&pass.tree, self, pass.to, from->n_nodes);
  self->map = from->map ? stacks_transform_compose(from->map, from->capture->n_nodes, pass.to)
                        : g_steal_pointer(&pass.to);
  g_free(pass.to);
  g_free(pass.state);
  g_free(pass.in_binary);
  profile_stacks_builder_clear(&pass.tree);
  return self;
}
