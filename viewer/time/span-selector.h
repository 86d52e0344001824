/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lets one select a span of time on a widget that shows an axis: dragging selects, at every motion; the edges
 * of a selected span can be taken hold of; a click beside it drops it. What is selected is the preview of the
 * document's query. Main thread only.
 *
 * Signal:
 *   "changed"  is_dragging
 */
#pragma once

#include <gtk/gtk.h>

#include "viewer/document/document.h"
#include "viewer/time/time-axis.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_SPAN_SELECTOR (viewer_span_selector_get_type())
G_DECLARE_FINAL_TYPE(ViewerSpanSelector, viewer_span_selector, VIEWER, SPAN_SELECTOR, GObject)

/* The widget owns it; the axis is the widget's and lives as long. */
ViewerSpanSelector *viewer_span_selector_new(GtkWidget *widget, const ViewerTimeAxis *axis);
/* Where in the widget the axis begins. Left of it nothing is selected. */
void viewer_span_selector_set_offset(ViewerSpanSelector *self, double x);
/* NULL: nothing can be selected. */
void viewer_span_selector_set_document(ViewerSpanSelector *self, ViewerDocument *document);
/* Lets the keyboard select while the widget has the focus: arrows move the span, with Shift they widen it,
 * with Ctrl they narrow it, Home and End move it to an end, Enter zooms into it, Escape drops it. And tells
 * screen readers of it, as of a slider. */
void viewer_span_selector_take_keys(ViewerSpanSelector *self);

gboolean viewer_span_selector_is_dragging(ViewerSpanSelector *self);

/* The span that is being selected, on the axis; FALSE: none is. */
gboolean viewer_span_selector_get_preview(ViewerSpanSelector *self, guint64 *ret_first, guint64 *ret_end);
/* The span that steps lead to; FALSE: the whole recording. */
gboolean viewer_span_selector_get_committed(ViewerSpanSelector *self, guint64 *ret_first, guint64 *ret_end);
/* Makes what is selected a step. FALSE: nothing is. */
gboolean viewer_span_selector_commit(ViewerSpanSelector *self);
/* FALSE: there was nothing to drop. */
gboolean viewer_span_selector_drop(ViewerSpanSelector *self);
/* What is looked at: "1.20 s – 1.56 s, 0.36 s long". Free it. */
char *viewer_span_selector_describe(ViewerSpanSelector *self);

/* Draws it over what the widget shows in area, where the axis begins at the left edge: what is outside of the
 * committed span steps back, the preview has edges to take hold of. */
void viewer_span_selector_snapshot(ViewerSpanSelector *self, GtkSnapshot *snapshot,
                                   const graphene_rect_t *area);

G_END_DECLS
