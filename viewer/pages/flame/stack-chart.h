/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stack chart: stacks of a thread in the order of time, as a canvas that is put into a scrolled window.
 * Main thread only; layouts are made elsewhere.
 *
 * Keys: arrows walk the boxes, Enter zooms to one, Backspace and 0 show all, + and - zoom, Page Up and Page
 * Down turn the pages of time.
 * Pointer: click selects, double click zooms, dragging pans, the wheel with Ctrl zooms about the pointer.
 *
 * Signals:
 *   "selected"               another box was selected by the user
 *   "shown"                  another part of the time is shown, or another layout, whose selection may differ
 *   "menu" (double, double)  a context menu is wanted for it, at that place of the widget
 */
#pragma once

#include "profile/views/search.h"
#include "profile/views/sequence.h"
#include "viewer/canvas/box-canvas.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_STACK_CHART (viewer_stack_chart_get_type())
G_DECLARE_FINAL_TYPE(ViewerStackChart, viewer_stack_chart, VIEWER, STACK_CHART, ViewerBoxCanvas)

GtkWidget *viewer_stack_chart_new(void);

/* Samples of the weights' filter; thread: an index, or PROFILE_SEQUENCE_ALL. Of first ≤ time < end. weights
 * NULL: nothing is shown. */
void viewer_stack_chart_set_weights(ViewerStackChart *self, ProfileWeights *weights, guint32 thread,
                                    guint64 first, guint64 end);
void viewer_stack_chart_set_colors(ViewerStackChart *self, ViewerPaletteMode mode);
/* What is marked; NULL: nothing. */
void viewer_stack_chart_set_search(ViewerStackChart *self, ProfileSearch *search);
/* Selects without a signal the longest box with this path of functions from the outermost one, now or when
 * there is one; n 0: nothing. */
void viewer_stack_chart_select(ViewerStackChart *self, const guint32 *path, guint n);
/* Whether the whole time is seen, or going to be. */
gboolean viewer_stack_chart_shows_all(ViewerStackChart *self);
/* Zooms about the middle. */
void viewer_stack_chart_zoom_by(ViewerStackChart *self, double factor);
void viewer_stack_chart_zoom_reset(ViewerStackChart *self);
/* The selected frame as a path of functions from the outermost one; free it. ret_n 0: nothing is selected. */
guint32 *viewer_stack_chart_get_selection(ViewerStackChart *self, guint *ret_n);

G_END_DECLS
