/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What flame graphs and stack charts are: rows of boxes, of whose width one sees a part. It scrolls them
 * vertically in the scrolled window that it is put into, moves smoothly from one part of the width to
 * another, and lets keys, the pointer and screen readers walk the boxes. A derived canvas knows what the
 * boxes are and draws them. Main thread only.
 *
 * Keys: arrows walk the boxes, Return activates the current one, z or Return with Ctrl zooms to it; all
 * others are the derived canvas's. Pointer: click selects, double click activates, with Ctrl it zooms;
 * dragging pans, the wheel with Ctrl zooms about the pointer.
 *
 * Signals:
 *   "selected"               the user has selected a box; the derived canvas emits it
 *   "activate"               the selected box was activated
 *   "menu" (double, double)  a context menu is wanted for the selected box, at that place of the widget
 */
#pragma once

#include <adwaita.h>

#include "viewer/canvas/box-painter.h"
#include "viewer/canvas/canvas-peers.h"
#include "viewer/kit/viewport.h"

G_BEGIN_DECLS

#define VIEWER_NO_BOX G_MAXUINT

#define VIEWER_TYPE_BOX_CANVAS    (viewer_box_canvas_get_type())
#define VIEWER_BOX_CANVAS(object) G_TYPE_CHECK_INSTANCE_CAST(object, VIEWER_TYPE_BOX_CANVAS, ViewerBoxCanvas)
#define VIEWER_BOX_CANVAS_CLASS(class)                                                                       \
  G_TYPE_CHECK_CLASS_CAST(class, VIEWER_TYPE_BOX_CANVAS, ViewerBoxCanvasClass)

/* Declared at length, since derived canvases share its fields. */
typedef struct _ViewerBoxCanvas ViewerBoxCanvas;
typedef struct _ViewerBoxCanvasClass ViewerBoxCanvasClass;
GType viewer_box_canvas_get_type(void);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ViewerBoxCanvas, g_object_unref)

struct _ViewerBoxCanvas {
  GtkWidget parent_instance;

  /* A derived canvas sets these. */
  int top;                 /* pixels above the rows, which scroll below them */
  ViewerViewport target;   /* what shall be seen */
  ViewerViewport view;     /* what is seen, on the way there */
  guint selected, hovered; /* VIEWER_NO_BOX: none is */

  /* It may look at these. */
  ViewerBoxPainter *painter;
  gboolean from_bottom; /* whether the first row is at the bottom */
  gboolean animating;   /* the view moves */

  /*< private >*/
  GtkAdjustment *adjustments[2]; /* by GtkOrientation */
  GtkScrollablePolicy policies[2];
  ViewerCanvasPeers *peers;
  ViewerPaletteMode mode;
  AdwAnimation *animation; /* of view */
  ViewerViewport animated_from, animated_to;
  int width;         /* that was allocated last */
  double pointer;    /* where it was last, from the left */
  double drag_value; /* of the vertical adjustment when the drag began */
  ViewerViewport drag_view;
  gboolean dragged;
};

typedef struct {
  double first, end; /* of the width, 0 … 1 */
  guint depth;
} ViewerBoxPlace;

typedef enum { VIEWER_BOX_CALLER, VIEWER_BOX_CALLEE, VIEWER_BOX_BEFORE, VIEWER_BOX_AFTER } ViewerBoxWay;

struct _ViewerBoxCanvasClass {
  GtkWidgetClass parent_class;

  /* What the boxes are of; NULL: nothing is shown, and no more is asked. Borrowed. */
  ProfileStacks *(*get_stacks)(ViewerBoxCanvas *self);
  guint (*get_n_rows)(ViewerBoxCanvas *self); /* 0 when nothing is shown */
  ViewerBoxPlace (*get_place)(ViewerBoxCanvas *self, guint box);
  gboolean (*find)(ViewerBoxCanvas *self, guint depth, double place, guint *ret_box);
  /* The box that keys start from, and where they lead; VIEWER_NO_BOX: there is none. */
  guint (*get_current)(ViewerBoxCanvas *self);
  guint (*get_next)(ViewerBoxCanvas *self, guint box, ViewerBoxWay way);
  /* For a screen reader: the same id as long as it is the same thing, and texts to be freed. */
  guint64 (*get_id)(ViewerBoxCanvas *self, guint box);
  void (*describe)(ViewerBoxCanvas *self, guint box, char **ret_name, char **ret_description);

  /* The user selects a box, zooms to one, or presses a key that is not handled here; GDK_KEY_Menu stands for
   * all that open a menu. */
  void (*choose)(ViewerBoxCanvas *self, guint box);
  void (*zoom_to_box)(ViewerBoxCanvas *self, guint box);
  gboolean (*press)(ViewerBoxCanvas *self, guint key);
  /* Shows another part; smoothly or at once. */
  void (*set_view)(ViewerBoxCanvas *self, ViewerViewport view, gboolean smoothly);
  /* The view has come to where it was sent. */
  void (*arrived)(ViewerBoxCanvas *self);
  /* The widget has another size: a layout may be needed that is as fine. */
  void (*request_layout)(ViewerBoxCanvas *self);
};

#define VIEWER_BOX_CANVAS_GET_CLASS(self)                                                                    \
  G_TYPE_INSTANCE_GET_CLASS(self, VIEWER_TYPE_BOX_CANVAS, ViewerBoxCanvasClass)

/* Where a place (0 … 1) and a row are in the widget. */
double viewer_box_canvas_get_x(ViewerBoxCanvas *self, double place);
double viewer_box_canvas_get_y(ViewerBoxCanvas *self, guint depth);
/* Place of a box in the widget, as far as it is seen of the width. */
graphene_rect_t viewer_box_canvas_get_bounds(ViewerBoxCanvas *self, guint box);
gboolean viewer_box_canvas_get_box_at(ViewerBoxCanvas *self, double x, double y, guint *ret_box);

/* Whether the first row is at the bottom and the others grow upwards; FALSE to begin with. */
void viewer_box_canvas_set_from_bottom(ViewerBoxCanvas *self, gboolean from_bottom);
void viewer_box_canvas_set_colors(ViewerBoxCanvas *self, ViewerPaletteMode mode);
/* get_stacks says something else. */
void viewer_box_canvas_update_palette(ViewerBoxCanvas *self);
/* get_n_rows says something else. */
void viewer_box_canvas_update_rows(ViewerBoxCanvas *self);
/* Something else is seen: draws anew, and tells screen readers. */
void viewer_box_canvas_redraw(ViewerBoxCanvas *self);
/* If a box is selected. */
void viewer_box_canvas_zoom_to_selected(ViewerBoxCanvas *self);
/* Scrolls so that these pixels of the widget are seen. */
void viewer_box_canvas_scroll_to(ViewerBoxCanvas *self, double y, double height);

/* Where animations are not wanted the view arrives before this returns. */
void viewer_box_canvas_animate(ViewerBoxCanvas *self, ViewerViewport from, ViewerViewport to);
/* The view stays where it is. */
void viewer_box_canvas_stop_animation(ViewerBoxCanvas *self);

/* Ends what viewer_box_painter_begin began, and draws again if names are missing still. */
void viewer_box_canvas_end_boxes(ViewerBoxCanvas *self);
/* Of the box that the pointer is on, the selected one, and the one with the focus if that is to be seen. */
void viewer_box_canvas_draw_marks(ViewerBoxCanvas *self, GtkSnapshot *snapshot);

/* Emits "menu" for the place below a box, which is the selected one. */
void viewer_box_canvas_open_menu(ViewerBoxCanvas *self, guint box);

G_END_DECLS
