/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One step on the way to what is looked at: a span of time, some threads, a transform … It says what it does
 * in a few words, which is what a breadcrumb shows, and does it to a filter. Immutable.
 */
#pragma once

#include "profile/capture/filter.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_STEP (viewer_step_get_type())
G_DECLARE_FINAL_TYPE(ViewerStep, viewer_step, VIEWER, STEP, GObject)

typedef enum {
  VIEWER_STEP_TIME,
  VIEWER_STEP_THREADS,
  VIEWER_STEP_PROCESSES,
  VIEWER_STEP_BINARIES,
  VIEWER_STEP_TRANSFORM
} ViewerStepKind;

/* Times are on the capture's clock; first < end. */
ViewerStep *viewer_step_new_time(guint64 first, guint64 end, const char *label);
/* Indices into the capture's threads, processes or binaries (G_MAXUINT32: the kernel), by kind. */
ViewerStep *viewer_step_new_items(ViewerStepKind kind, const guint32 *items, guint n, const char *label);
/* The transform is copied. */
ViewerStep *viewer_step_new_transform(const ProfileTransform *transform, const char *label);

ViewerStepKind viewer_step_get_kind(ViewerStep *self);
/* What a breadcrumb shows, in the user's language; fit to be shown even if it was made of names from a file.
 */
const char *viewer_step_get_label(ViewerStep *self);
/* NULL unless the kind is TRANSFORM. The step's. */
const ProfileTransform *viewer_step_get_transform(ViewerStep *self);
/* Restricts filter further; a transform does nothing here: it changes stacks, which ViewerDocument has made
 * away from the main thread. Of two steps of threads, processes or binaries the later one counts; of two
 * spans of time what they share. */
void viewer_step_apply(ViewerStep *self, ProfileFilter *filter);
/* The same step for a capture that holds what `from` holds, with other names or more of it. NULL when what it
 * is about is not there.
 */
ViewerStep *viewer_step_translate(ViewerStep *self, ProfileCapture *from, ProfileCapture *to);

G_END_DECLS
