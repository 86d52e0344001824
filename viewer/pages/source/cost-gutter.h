/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A column beside source: the self of each line that has some, on a ground as hot as the line; or the total,
 * with dots below it where functions were inlined. Main thread only.
 */
#pragma once

#include <gtksourceview/gtksource.h>

#include "viewer/pages/source/source.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_COST_GUTTER (viewer_cost_gutter_get_type())
G_DECLARE_FINAL_TYPE(ViewerCostGutter, viewer_cost_gutter, VIEWER, COST_GUTTER, GtkSourceGutterRenderer)

GtkSourceGutterRenderer *viewer_cost_gutter_new(gboolean is_total);
/* Borrowed, until the next one is set; NULL: none. */
void viewer_cost_gutter_set_source(ViewerCostGutter *self, const ViewerSource *source);

G_END_DECLS
