/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/tree/tree-indentation.h"

/* Pixels a level, and how much of the column's width names have at least, in percent. */
enum { STEP = 14, LEAST_STEP = 8, NAME_SHARE = 40 };

/* A row is at most one level deeper than the one above it: so many rows in sight are no more levels. */
gboolean viewer_tree_indentation_fit(ViewerTreeIndentation *self, int width, guint n_rows, guint32 least,
                                     guint32 most)
{
  ViewerTreeIndentation before = *self;
  int room = MAX(width, 1) * (100 - NAME_SHARE) / 100;

  self->step = CLAMP(room / (int)CLAMP(n_rows, 1, G_MAXINT), LEAST_STEP, STEP);
  self->most_levels = (guint32)(room / self->step);
  if (most > self->first + self->most_levels)
    self->first = most - self->most_levels;
  self->first = MIN(self->first, least);
  return self->step != before.step || self->first != before.first || self->most_levels != before.most_levels;
}

int viewer_tree_indentation_get(const ViewerTreeIndentation *self, guint32 depth)
{
  return depth > self->first ? (int)MIN(depth - self->first, self->most_levels) * self->step : 0;
}
