/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From what the file holds to a plain prefix tree in which each node is either exact (stacks end or enter the
 * kernel there: its address itself was sampled) or a caller (its address is where a call returns).
 *
 * A node that is both keeps its number as the caller and gets an exact copy. A join becomes a path: the
 * kernel's frames on top of the user's node; joins of one user node share what they can.
 */
#include <glib/gi18n.h>
#include <string.h>

#include "profile/base/memory.h"
#include "profile/base/parallel.h"
#include "profile/load/loader-private.h"

enum {
  PIECE = 1 << 16,
  MAX_KERNEL_DEPTH = 512 /* deeper than any kernel stack; bounds what a hostile join can cost */
};

/* What happens in a node. Of those in which stacks end some are samples' own, others are parts of joins. */
enum { ENDS = 1, CALLS = 2, SAMPLED = 4 };

typedef struct {
  Load *load;
  ProfileCapture *capture;
  gsize n_read;     /* nodes that stand in the file */
  guint8 *states;   /* of those */
  guint32 *forward; /* of those: where stacks that end there go, 0: nowhere else */
  guint64 limit;    /* of nodes in all */
  /* While one user node's joins are made: node that stands for kernel node k if stamp[k] is the user node. */
  struct {
    guint32 stamp, node;
  } * seen;
  gsize event; /* whose samples are looked at */
} Stacks;

static void load_stacks_mark(guint8 *states, guint32 node, guint8 what)
{
  if ((__atomic_load_n(&states[node], __ATOMIC_RELAXED) & what) != what)
    __atomic_fetch_or(&states[node], what, __ATOMIC_RELAXED);
}

static void mark_callers(gsize begin, gsize end, gpointer data)
{
  Stacks *stacks = data;

  for (gsize i = begin; i < end; i++)
    if (stacks->capture->parent[i])
      load_stacks_mark(stacks->states, stacks->capture->parent[i], CALLS);
}

static const ProfileEvent *get_event(const Stacks *stacks)
{
  return &g_array_index(stacks->capture->events, ProfileEvent, stacks->event);
}

static void mark_leaves(gsize begin, gsize end, gpointer data)
{
  Stacks *stacks = data;
  const guint32 *leaf = get_event(stacks)->leaf, *waker_leaf = get_event(stacks)->waker_leaf;

  for (gsize i = begin; i < end; i++)
    load_stacks_mark(stacks->states, leaf[i], ENDS | SAMPLED);
  for (gsize i = begin; waker_leaf && i < end; i++)
    load_stacks_mark(stacks->states, waker_leaf[i], ENDS | SAMPLED);
}

static void for_each_event(Stacks *stacks, ProfileParallelFunc function)
{
  for (stacks->event = 0; stacks->event < stacks->capture->events->len; stacks->event++)
    profile_parallel(get_event(stacks)->n_samples, PIECE, function, stacks);
}

static GArray *collect_joins(Load *load)
{
  GArray *parts = load->parts[CAPTURE_WINDOW_DICTIONARY];
  GArray *joins = g_array_new(FALSE, FALSE, sizeof(LoadJoin));

  for (guint i = 0; i < parts->len; i++) {
    g_autoptr(GArray) some = g_steal_pointer(&g_array_index(parts, LoadPart, i).joins);
    if (some && some->len > 0)
      g_array_append_vals(joins, some->data, some->len);
  }
  return joins;
}

guint32 load_append_node(Load *load, guint32 parent, guint32 frame, gboolean exact)
{
  ProfileCapture *capture = load->capture;

  if (capture->n_nodes == load->node_capacity) {
    load->node_capacity += load->node_capacity / 2 + 1024;
    capture->parent = g_renew(guint32, capture->parent, load->node_capacity);
    capture->frame = g_renew(guint32, capture->frame, load->node_capacity);
    capture->exact = g_renew(guint8, capture->exact, load->node_capacity);
  }
  capture->parent[capture->n_nodes] = parent;
  capture->frame[capture->n_nodes] = frame;
  capture->exact[capture->n_nodes] = exact;
  return (guint32)capture->n_nodes++;
}

static void split_nodes(Stacks *stacks)
{
  ProfileCapture *capture = stacks->capture;

  for (gsize i = 1; i < stacks->n_read; i++) {
    capture->exact[i] = (stacks->states[i] & CALLS) == 0;
    if ((stacks->states[i] & ENDS) && (stacks->states[i] & CALLS) && capture->frame[i])
      stacks->forward[i] = load_append_node(stacks->load, capture->parent[i], capture->frame[i], TRUE);
  }
}

/* Where a stack that ends in a node of the file ends now. */
static guint32 get_end(const Stacks *stacks, guint32 node)
{
  if (stacks->forward[node])
    return stacks->forward[node];
  return stacks->capture->frame[node] ? node : 0;
}

/* The node for the path user, then kernel from its root, in which the last one is a caller. */
static guint32 make_callers(Stacks *stacks, guint32 user, guint32 user_end, guint32 kernel)
{
  const ProfileCapture *capture = stacks->capture;
  guint32 path[MAX_KERNEL_DEPTH];
  guint depth = 0;

  for (; kernel && stacks->seen[kernel].stamp != user && depth < MAX_KERNEL_DEPTH;
       kernel = capture->parent[kernel])
    path[depth++] = kernel;
  guint32 node = kernel && stacks->seen[kernel].stamp == user ? stacks->seen[kernel].node : user_end;
  while (depth > 0) {
    kernel = path[--depth];
    node = load_append_node(stacks->load, node, capture->frame[kernel], FALSE);
    stacks->seen[kernel].stamp = user;
    stacks->seen[kernel].node = node;
  }
  return node;
}

static void make_join(Stacks *stacks, const LoadJoin *join)
{
  guint32 user_end = get_end(stacks, join->user);
  guint32 kernel = stacks->capture->frame[join->kernel] ? join->kernel : 0;

  if (!kernel || stacks->capture->n_nodes > stacks->limit) {
    stacks->forward[join->slot] = user_end;
  } else if (!user_end) {
    stacks->forward[join->slot] = get_end(stacks, kernel);
  } else {
    guint32 caller = make_callers(stacks, join->user, user_end, stacks->capture->parent[kernel]);
    stacks->forward[join->slot] =
        load_append_node(stacks->load, caller, stacks->capture->frame[kernel], TRUE);
  }
}

/* Joins of one user node are made one after the other, so that one stamp a kernel node suffices. */
static void make_joins(Stacks *stacks, const LoadJoin *joins, guint n)
{
  g_autofree guint32 *head =
      profile_new0(guint32, stacks->n_read); /* join + 1, the first of each user node */
  g_autofree guint32 *next = profile_new(guint32, n);

  stacks->seen = profile_memory_new0(stacks->n_read, sizeof *stacks->seen);
  for (guint i = n; i-- > 0;) {
    next[i] = head[joins[i].user];
    head[joins[i].user] = i + 1;
  }
  for (guint i = 0; i < n; i++) {
    guint32 join = head[joins[i].user];
    head[joins[i].user] = 0;
    for (; join; join = next[join - 1])
      make_join(stacks, &joins[join - 1]);
  }
  g_free(stacks->seen);
}

/* What is left is where each node's samples go, and which nodes have some. */
static void hand_on(Stacks *stacks)
{
  Load *load = stacks->load;

  for (gsize i = 0; i < stacks->n_read; i++) {
    stacks->forward[i] = get_end(stacks, (guint32)i);
    stacks->states[i] &= SAMPLED;
  }
  load->ends = stacks->forward;
  load->sampled = stacks->states;
  load->n_ends = stacks->n_read;
}

/* Joins leave their places in the file's numbering empty: nodes that nothing leads through. */
static void mark_joins(Stacks *stacks, const LoadJoin *joins, guint n)
{
  for (guint i = 0; i < n; i++) {
    load_stacks_mark(stacks->states, joins[i].user, ENDS);
    if (joins[i].user == 0)
      load_stacks_mark(stacks->states, joins[i].kernel, ENDS);
    stacks->capture->parent[joins[i].slot] = 0;
    stacks->capture->frame[joins[i].slot] = 0;
  }
}

void load_expand_stacks(Load *load)
{
  ProfileCapture *capture = load->capture;
  gsize n = capture->n_nodes;
  g_autoptr(GArray) joins = collect_joins(load);
  const LoadJoin *all = (const LoadJoin *)joins->data;
  Stacks stacks = {.load = load,
                   .capture = capture,
                   .n_read = n,
                   .states = profile_new0(guint8, n),
                   .forward = profile_new0(guint32, n)};

  stacks.limit = MIN(n + (guint64)joins->len * 64 + PIECE, G_MAXUINT32 / 2);
  capture->exact = profile_new0(guint8, load->node_capacity);
  mark_joins(&stacks, all, joins->len);
  profile_parallel(n, PIECE, mark_callers, &stacks);
  for_each_event(&stacks, mark_leaves);
  split_nodes(&stacks);
  make_joins(&stacks, all, joins->len);
  hand_on(&stacks);
  if (capture->n_nodes > stacks.limit)
    load_problem(load, _("The capture joins more kernel stacks than it can hold; some samples lack theirs."));
}
