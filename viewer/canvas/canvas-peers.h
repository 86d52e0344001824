/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lets a screen reader walk a drawing: GTK knows accessible widgets only, so the one thing in a canvas that
 * has the focus and its neighbours (what contains it, what it contains, what stands beside it) are child
 * widgets, which follow when the focus moves. A thing keeps its widget as long as it is among them, so that
 * moving from one to the next is seen as that.
 *
 * The canvas calls `show` when the focused thing or its neighbours change or move, `allocate` in its
 * size_allocate, `grab_focus` in its grab_focus, `focus` in its focus, and g_object_run_dispose in its
 * dispose. Main thread only.
 *
 * Signal:
 *   "focused" (guint64 id)  somebody else, a screen reader, gave the focus to the item of that id
 */
#pragma once

#include "viewer/canvas/canvas-peer.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_CANVAS_PEERS (viewer_canvas_peers_get_type())
G_DECLARE_FINAL_TYPE(ViewerCanvasPeers, viewer_canvas_peers, VIEWER, CANVAS_PEERS, GObject)

/* The canvas is not referenced: it owns this. The role is each peer's, GTK_ACCESSIBLE_ROLE_TREE_ITEM for
 * instance. */
ViewerCanvasPeers *viewer_canvas_peers_new(GtkWidget *canvas, GtkAccessibleRole role);

/* The first item is the one that has the focus when the canvas has it; n 0: there is nothing. */
void viewer_canvas_peers_show(ViewerCanvasPeers *self, const ViewerCanvasItem *items, guint n);
void viewer_canvas_peers_allocate(ViewerCanvasPeers *self);
/* FALSE: there is nothing. */
gboolean viewer_canvas_peers_grab_focus(ViewerCanvasPeers *self);
/* For GtkWidgetClass.focus: the canvas is one stop of the Tab key, however many peers there are. */
gboolean viewer_canvas_peers_focus(ViewerCanvasPeers *self);
gboolean viewer_canvas_peers_have_focus(ViewerCanvasPeers *self);

G_END_DECLS
