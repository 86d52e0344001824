/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lets a page look at its document when there is something new and somebody sees it: what changes while the
 * page is not mapped is kept in mind until it is. Main thread only.
 */
#pragma once

#include <gtk/gtk.h>

#include "viewer/document/document.h"

G_BEGIN_DECLS

typedef enum {
  VIEWER_FOLLOW_CAPTURE = 1 << 0,
  VIEWER_FOLLOW_WEIGHTS = 1 << 1,
  VIEWER_FOLLOW_QUERY = 1 << 2
} ViewerFollowFlags;

/* what: all that changed since the last call. Everything when the page gets another document. */
typedef void (*ViewerFollowFunc)(GtkWidget *page, ViewerFollowFlags what);

typedef struct _ViewerFollower ViewerFollower;

/* The page owns it, and frees it in its dispose. */
ViewerFollower *viewer_follower_new(GtkWidget *page, ViewerFollowFlags flags, ViewerFollowFunc function);
void viewer_follower_free(ViewerFollower *self);
/* NULL: follows none. */
void viewer_follower_set_document(ViewerFollower *self, ViewerDocument *document);
ViewerDocument *viewer_follower_get_document(const ViewerFollower *self);
/* The document's capture; NULL: there is none, or no document. */
ProfileCapture *viewer_follower_get_capture(const ViewerFollower *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ViewerFollower, viewer_follower_free)

G_END_DECLS
