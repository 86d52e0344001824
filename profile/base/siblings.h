/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prefix trees whose siblings stand side by side: the children of a node are one range of nodes, so that
 * walking them needs no lists, and sums of them are made of neighbours in memory. And nodes are in the order
 * of their parents (breadth first): the parents of nodes that ascend ascend as well, so that the way up goes
 * through memory in one direction, and who leads to one node stands side by side, too. Node 0 is the root; a
 * node's parent has a smaller index, before and after.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Where each of n nodes is to go: the children of a node behind one another in the order they have, those of
 * a node that goes further up before those of one that goes further down. Nodes of which kept says 0 (NULL:
 * none) are left out, as all below them has to be, and go to 0. *ret_n becomes how many are left, with the
 * root. Free it. */
guint32 *profile_siblings_place(const guint32 *parents, const guint8 *kept, gsize n, gsize *ret_n);
/* One a node: its first child, 0 for none; further ones stand behind it for as long as the parent is the
 * same. For nodes in such an order. One pass. Free it. */
guint32 *profile_siblings_find_first(const guint32 *parents, gsize n);

G_END_DECLS
