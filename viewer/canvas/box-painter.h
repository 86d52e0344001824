/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Draws rows of boxes with names in them, as flame graphs and stack charts have: what is narrow costs little,
 * names are shaped once, and no frame waits for more names than it has time for. Main thread only.
 *
 * Between begin and end, boxes of one row come from left to right.
 */
#pragma once

#include <gtk/gtk.h>

#include "viewer/kit/palette.h"

G_BEGIN_DECLS

typedef enum {
  VIEWER_BOX_PLAIN,
  VIEWER_BOX_MATCH, /* what a search has found */
  VIEWER_BOX_DIM    /* steps back: what it has not found, or what lies above that which one looks at */
} ViewerBoxLook;

typedef struct _ViewerBoxPainter ViewerBoxPainter;

/* The widget, whose font it uses, is not referenced: it owns this. */
ViewerBoxPainter *viewer_box_painter_new(GtkWidget *widget);
void viewer_box_painter_free(ViewerBoxPainter *self);
/* What functions are called and which colour they have. */
void viewer_box_painter_set_stacks(ViewerBoxPainter *self, ProfileStacks *stacks, ViewerPaletteMode mode,
                                   ViewerScheme scheme);
/* NULL before set_stacks. */
ViewerPalette *viewer_box_painter_get_palette(ViewerBoxPainter *self);

/* Functions may be written otherwise now: names are shaped anew. */
void viewer_box_painter_forget(ViewerBoxPainter *self);

/* Height of a row in pixels, a gap included. */
int viewer_box_painter_get_row_height(ViewerBoxPainter *self);

/* width: of the widget; boxes may reach beyond it. */
void viewer_box_painter_begin(ViewerBoxPainter *self, GtkSnapshot *snapshot, double width);
/* inlined: it is a part of the code of the box that it stands on, and is underlined. */
void viewer_box_painter_draw(ViewerBoxPainter *self, double x, double y, double width, guint32 function,
                             gboolean inlined, ViewerBoxLook look);
/* In place of boxes that are too narrow to be seen each. */
void viewer_box_painter_draw_rest(ViewerBoxPainter *self, double x, double y, double width,
                                  ViewerBoxLook look);
/* FALSE: names are missing still; draw again soon. */
gboolean viewer_box_painter_end(ViewerBoxPainter *self);

/* A ring within a box that is selected; a dashed one within that which has the keyboard's focus. */
void viewer_box_painter_outline(ViewerBoxPainter *self, GtkSnapshot *snapshot, double x, double y,
                                double width, gboolean selected, gboolean focused);
/* Lets a box stand out: the pointer is on it. */
void viewer_box_painter_highlight(ViewerBoxPainter *self, GtkSnapshot *snapshot, double x, double y,
                                  double width);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ViewerBoxPainter, viewer_box_painter_free)

G_END_DECLS
