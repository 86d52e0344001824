/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A child widget that draws nothing and stands for one thing that its parent, a canvas, has drawn: it carries
 * that thing's accessible name, description and place, and has the keyboard's focus in its stead. Main thread
 * only.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define VIEWER_TYPE_CANVAS_PEER (viewer_canvas_peer_get_type())
G_DECLARE_FINAL_TYPE(ViewerCanvasPeer, viewer_canvas_peer, VIEWER, CANVAS_PEER, GtkWidget)

/* Something that is drawn. */
typedef struct {
  guint64 id;       /* the same as long as it is the same thing; anything, but different from the others' */
  const char *name; /* may be of any length and hold any bytes */
  const char *description; /* likewise; NULL none */
  graphene_rect_t bounds;  /* in the canvas; may lie outside of what is seen */
} ViewerCanvasItem;

GtkWidget *viewer_canvas_peer_new(GtkAccessibleRole role);

/* Makes it stand for the item, which is copied. The canvas is asked to allocate anew. */
void viewer_canvas_peer_set_item(ViewerCanvasPeer *self, const ViewerCanvasItem *item);
guint64 viewer_canvas_peer_get_id(ViewerCanvasPeer *self);
/* Gives it its place; for the canvas's size_allocate. */
void viewer_canvas_peer_allocate(ViewerCanvasPeer *self);

G_END_DECLS
