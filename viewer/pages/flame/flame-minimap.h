/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A small picture of all of a flame graph with the part that is shown marked; a click or a drag shows another
 * part. Main thread only.
 */
#pragma once

#include "viewer/pages/flame/flame-graph.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_FLAME_MINIMAP (viewer_flame_minimap_get_type())
G_DECLARE_FINAL_TYPE(ViewerFlameMinimap, viewer_flame_minimap, VIEWER, FLAME_MINIMAP, GtkWidget)

GtkWidget *viewer_flame_minimap_new(void);
/* Once. */
void viewer_flame_minimap_set_graph(ViewerFlameMinimap *self, ViewerFlameGraph *graph);

G_END_DECLS
