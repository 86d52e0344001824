/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The flame graph: a canvas, scrolled vertically by the scrolled window that it is put into. It shows
 * weights, whoever made them. Main thread only; layouts are made elsewhere, and what was shown stays until
 * the new one is there.
 *
 * Keys: arrows walk the boxes, Home to the root, End down the heaviest way; Return zooms to the selected
 * box, Backspace and Escape back, + and - zoom, 0 shows all; Menu or Shift+F10 emits "menu".
 * Pointer: click selects, double click zooms, dragging pans, the wheel with Ctrl zooms about the pointer.
 *
 * Signals:
 *   "selected"               another box, or none, was selected by the user
 *   "shown"                  another layout, or another part of it, is shown
 *   "menu" (double, double)  a context menu is wanted for the selected box, at that place of the widget
 */
#pragma once

#include "profile/views/flame.h"
#include "profile/views/search.h"
#include "viewer/canvas/box-canvas.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_FLAME_GRAPH (viewer_flame_graph_get_type())
G_DECLARE_FINAL_TYPE(ViewerFlameGraph, viewer_flame_graph, VIEWER, FLAME_GRAPH, ViewerBoxCanvas)

GtkWidget *viewer_flame_graph_new(void);

/* NULL: nothing is shown. Of the same capture, or one that holds the same and more: what is zoomed and
 * selected stays. */
void viewer_flame_graph_set_weights(ViewerFlameGraph *self, ProfileWeights *weights);
/* Upside down: from where samples were taken to their callers. Forgets zoom and selection. */
void viewer_flame_graph_set_inverted(ViewerFlameGraph *self, gboolean inverted);
/* Whether the root is at the bottom and flames grow upwards; FALSE to begin with. */
void viewer_flame_graph_set_from_bottom(ViewerFlameGraph *self, gboolean from_bottom);
gboolean viewer_flame_graph_is_from_bottom(ViewerFlameGraph *self);
void viewer_flame_graph_set_colors(ViewerFlameGraph *self, ViewerPaletteMode mode);
/* Marks what holds text; NULL or "": nothing. */
void viewer_flame_graph_set_search(ViewerFlameGraph *self, const char *text);
/* Of what is shown; NULL: nothing is looked for, or it is not found yet. Borrowed. */
ProfileSearch *viewer_flame_graph_get_search(ViewerFlameGraph *self);

/* The layout that is shown; NULL: none. Borrowed, valid until "shown". */
ProfileFlame *viewer_flame_graph_get_flame(ViewerFlameGraph *self);

/* Selects without a signal and scrolls there. Path as in ProfileFlameOptions.focus; n 0: nothing. */
void viewer_flame_graph_select(ViewerFlameGraph *self, const guint32 *path, guint n);
const guint32 *viewer_flame_graph_get_selection(ViewerFlameGraph *self, guint *ret_n);
/* The selected box; FALSE: nothing is selected, or it is too narrow to have one. */
gboolean viewer_flame_graph_get_selected_box(ViewerFlameGraph *self, guint *ret_box);

/* Lets the frame at the end of path fill the width; n 0: shows all. */
void viewer_flame_graph_zoom_to(ViewerFlameGraph *self, const guint32 *path, guint n);
/* Zooms about a place, a share of the width. */
void viewer_flame_graph_zoom_by(ViewerFlameGraph *self, double at, double factor);
/* To where one came from. FALSE: all is shown already. */
gboolean viewer_flame_graph_zoom_back(ViewerFlameGraph *self);
void viewer_flame_graph_zoom_reset(ViewerFlameGraph *self);
gboolean viewer_flame_graph_is_zoomed(ViewerFlameGraph *self);

/* For a map: all that there is, coarsely (NULL: nothing is), which part of its width is shown, and a way to
 * show another one. */
ProfileFlame *viewer_flame_graph_get_overview(ViewerFlameGraph *self);
ViewerViewport viewer_flame_graph_get_part(ViewerFlameGraph *self);
void viewer_flame_graph_show_part(ViewerFlameGraph *self, ViewerViewport part);
ViewerPalette *viewer_flame_graph_get_palette(ViewerFlameGraph *self);

/* How long drawing took us: microseconds of each of the latest frames, in any order. */
const guint32 *viewer_flame_graph_get_frame_times(ViewerFlameGraph *self, guint *ret_n);

G_END_DECLS
