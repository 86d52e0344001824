/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How far the names of a call tree stand from the edge of their column. A level is always seen as one: where
 * the tree is deeper than the column has room for, levels that all rows in sight have in common are left out.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  int step;                   /* pixels a level */
  guint32 first, most_levels; /* the depth that stands at the edge, and levels from there on */
} ViewerTreeIndentation;

/* For a column so wide, so many rows in sight at most, and the depths of those that are. What is left out
 * changes no more than is needed. Whether it is another one then. */
gboolean viewer_tree_indentation_fit(ViewerTreeIndentation *self, int width, guint n_rows, guint32 least,
                                     guint32 most);
/* In pixels. */
int viewer_tree_indentation_get(const ViewerTreeIndentation *self, guint32 depth);

G_END_DECLS
