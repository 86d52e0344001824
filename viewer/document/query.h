/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is looked at, shared by every page of a document: an event, and steps that lead from the whole
 * recording to a part of it. Steps can be taken back one by one, or down to any of them (breadcrumbs), and
 * taken again.
 *
 * It is a GListModel of ViewerStep: those that are in force, in their order.
 *
 * Signals, none with arguments:
 *   "changed"  something else is looked at. While a span is dragged it comes with every motion.
 */
#pragma once

#include <gio/gio.h>

#include "viewer/document/step.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_QUERY (viewer_query_get_type())
G_DECLARE_FINAL_TYPE(ViewerQuery, viewer_query, VIEWER, QUERY, GObject)

ViewerQuery *viewer_query_new(void);

guint viewer_query_get_event(ViewerQuery *self);
void viewer_query_set_event(ViewerQuery *self, guint event);

/* Adds a step, which is kept; what had been taken back can no longer be taken again. */
void viewer_query_push(ViewerQuery *self, ViewerStep *step);
/* Takes back all but the first n steps. */
void viewer_query_go_back_to(ViewerQuery *self, guint n);
/* Takes back the last step, or takes again the one that was taken back last. FALSE: there is none. */
gboolean viewer_query_undo(ViewerQuery *self);
gboolean viewer_query_redo(ViewerQuery *self);
/* Whether there is a step to take again. */
gboolean viewer_query_can_redo(ViewerQuery *self);

/* A span that is being selected and no step yet: counts as if it were the last one. first ≥ end: none.
 * Pushing or taking back a step ends it. */
void viewer_query_set_preview(ViewerQuery *self, guint64 first, guint64 end);
/* False: none. */
gboolean viewer_query_get_preview(ViewerQuery *self, guint64 *ret_first, guint64 *ret_end);
/* Makes the preview a step with that label. */
void viewer_query_commit_preview(ViewerQuery *self, const char *label);

/* The filter for a capture. With `with_time` FALSE all but the time: what a time line is drawn of. Free it.
 */
ProfileFilter *viewer_query_make_filter(ViewerQuery *self, ProfileCapture *capture, gboolean with_time);
/* The span in force, of steps and preview; when there is none the whole recording (profile/capture/span.h),
 * as time lines show it. */
void viewer_query_get_time(ViewerQuery *self, ProfileCapture *capture, guint64 *ret_first, guint64 *ret_end);

/* Called when the document's capture is replaced by one that holds the same, named or grown. */
void viewer_query_translate(ViewerQuery *self, ProfileCapture *from, ProfileCapture *to);

G_END_DECLS
