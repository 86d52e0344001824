/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The last order of nodes: siblings side by side (profile/base/siblings.h), and without those that no
 * sample's stack leads through. Those are many: kernel stacks that have been joined to user stacks, and
 * places of joins. No stack is deeper than whatever is done with stacks can bear.
 */
#include <glib/gi18n.h>

#include "profile/base/memory.h"
#include "profile/base/parallel.h"
#include "profile/base/siblings.h"
#include "profile/load/loader-private.h"

enum {
  PIECE = 1 << 16,
  FRAMES_MAX = 8192 /* of a stack; the recorder knows of a thousand */
};

typedef struct {
  Load *load;
  ProfileCapture *capture;
  const ProfileEvent *event; /* whose samples are looked at */
  const guint32 *to;         /* one a node: where its samples go */
  guint8 *kept;
  guint32 *places;
  guint32 *parent, *frame; /* new columns */
  guint8 *exact;
} Order;

/* Returns how many lead nowhere. */
static gint load_order_redirect(guint32 *leaf, const guint32 *to, gsize begin, gsize end)
{
  gint bad = 0;

  for (gsize i = begin; i < end; i++) {
    guint32 node = to[leaf[i]];
    bad += node == 0 && leaf[i] != 0;
    leaf[i] = node;
  }
  return bad;
}

static void redirect_leaves(gsize begin, gsize end, gpointer data)
{
  const Order *order = data;
  gint bad = load_order_redirect((guint32 *)order->event->leaf, order->to, begin, end);

  if (order->event->waker_leaf)
    bad += load_order_redirect((guint32 *)order->event->waker_leaf, order->to, begin, end);
  if (bad)
    g_atomic_int_add(&order->load->undefined, bad);
}

static void for_each_event(Order *order, ProfileParallelFunc function)
{
  GArray *events = order->capture->events;

  for (guint i = 0; i < events->len; i++) {
    order->event = &g_array_index(events, ProfileEvent, i);
    profile_parallel(order->event->n_samples, PIECE, function, order);
  }
}

void load_end_stacks(Load *load)
{
  Order order = {.load = load, .capture = load->capture, .to = load->ends};

  for_each_event(&order, redirect_leaves);
  g_clear_pointer(&load->ends, g_free);
  g_clear_pointer(&load->sampled, g_free);
}

static void load_order_mark(guint8 *kept, const guint32 *leaf, gsize begin, gsize end)
{
  for (gsize i = begin; i < end; i++)
    if (!__atomic_load_n(&kept[leaf[i]], __ATOMIC_RELAXED))
      __atomic_store_n(&kept[leaf[i]], 1, __ATOMIC_RELAXED);
}

static void mark_leaves(gsize begin, gsize end, gpointer data)
{
  const Order *order = data;

  load_order_mark(order->kept, order->event->leaf, begin, end);
  if (order->event->waker_leaf)
    load_order_mark(order->kept, order->event->waker_leaf, begin, end);
}

/* Those that stacks of samples lead through. */
static void find_kept(Order *order)
{
  const Load *load = order->load;
  const guint32 *parent = order->capture->parent;

  if (!load->ends)
    for_each_event(order, mark_leaves);
  for (gsize i = 0; load->ends && i < load->n_ends; i++)
    if (load->sampled[i])
      order->kept[load->ends[i]] = 1;
  for (gsize node = order->capture->n_nodes - 1; node > 0; node--)
    if (order->kept[node])
      order->kept[parent[node]] = 1;
}

static void move_nodes(gsize begin, gsize end, gpointer data)
{
  const Order *order = data;
  const ProfileCapture *capture = order->capture;

  for (gsize node = begin; node < end; node++) {
    guint32 place = order->places[node];
    if (place == 0)
      continue;
    order->parent[place] = order->places[capture->parent[node]];
    order->frame[place] = capture->frame[node];
    order->exact[place] = capture->exact[node];
  }
}

static void replace_columns(Order *order, gsize n)
{
  ProfileCapture *capture = order->capture;

  order->parent = profile_new(guint32, n);
  order->frame = profile_new(guint32, n);
  order->exact = profile_new(guint8, n);
  order->parent[0] = order->frame[0] = order->exact[0] = 0;
  profile_parallel(capture->n_nodes, PIECE, move_nodes, order);
  g_free(capture->parent);
  g_free(capture->frame);
  g_free(capture->exact);
  capture->n_nodes = n;
  capture->parent = order->parent;
  capture->frame = order->frame;
  capture->exact = order->exact;
  capture->first_child = profile_siblings_find_first(capture->parent, n);
}

/* One pass over the samples leads them to where their stacks end, and to where those nodes went. */
static void replace_leaves(Order *order)
{
  Load *load = order->load;

  for (gsize i = 0; load->ends && i < load->n_ends; i++)
    load->ends[i] = order->places[load->ends[i]];
  if (!load->ends)
    load->ends = g_steal_pointer(&order->places);
  load_end_stacks(load);
}

/* What would be deeper becomes a sibling of the deepest that may be: each stack keeps where it began and what
 * ran. */
static void limit_depth(Load *load)
{
  ProfileCapture *capture = load->capture;
  g_autofree guint16 *depths = profile_new0(guint16, capture->n_nodes);
  gboolean is_cut = FALSE;

  for (gsize node = 1; node < capture->n_nodes; node++) {
    guint32 *parent = &capture->parent[node];
    if (depths[*parent] == FRAMES_MAX) {
      *parent = capture->parent[*parent];
      is_cut = TRUE;
    }
    depths[node] = depths[*parent] + 1;
  }
  if (is_cut)
    load_problem(load, _("Some stacks have more than %d frames; frames behind those were left out."),
                 FRAMES_MAX);
}

void load_order_nodes(Load *load)
{
  Order order = {.load = load, .capture = load->capture};
  gsize n;

  limit_depth(load);
  order.kept = profile_new0(guint8, order.capture->n_nodes);
  find_kept(&order);
  order.places = profile_siblings_place(order.capture->parent, order.kept, order.capture->n_nodes, &n);
  g_free(order.kept);
  replace_columns(&order, n);
  replace_leaves(&order);
  g_free(order.places);
}
