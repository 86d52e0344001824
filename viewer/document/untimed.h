/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What time lines are drawn of: a document's capture, event and steps, all but those of time. While one drags
 * a span these stay the same, and nothing has to be counted anew. Main thread only.
 */
#pragma once

#include "viewer/document/document.h"

G_BEGIN_DECLS

typedef struct _ViewerUntimed ViewerUntimed;

/* Of no document. */
ViewerUntimed *viewer_untimed_new(void);
void viewer_untimed_free(ViewerUntimed *self);

/* Takes what the document looks at now (NULL: nothing). False: that is what it did the last time. */
gboolean viewer_untimed_update(ViewerUntimed *self, ViewerDocument *document);
/* NULL: there is nothing to draw. */
ProfileCapture *viewer_untimed_get_capture(ViewerUntimed *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ViewerUntimed, viewer_untimed_free)

G_END_DECLS
