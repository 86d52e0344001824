/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a work in another thread is, for whoever asks now and then. Thread-safe. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _ViewerActivity ViewerActivity;

ViewerActivity *viewer_activity_new(void);
ViewerActivity *viewer_activity_ref(ViewerActivity *self);
void viewer_activity_unref(ViewerActivity *self);

/* share: 0 … 1, negative when it is not known; activity: what is being done, in the user's language. */
void viewer_activity_set(ViewerActivity *self, double share, const char *activity);
/* *ret_activity is NULL before anything was set; free it. */
double viewer_activity_get(ViewerActivity *self, char **ret_activity);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ViewerActivity, viewer_activity_unref)

G_END_DECLS
