/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The health of a document's recording, for all who show it: judged once in a thread whenever the document
 * has another capture. Main thread only.
 *
 * Signal, without arguments:
 *   "changed"  viewer_health_get
 */
#pragma once

#include "profile/report/health.h"
#include "viewer/document/document.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_HEALTH (viewer_health_get_type())
G_DECLARE_FINAL_TYPE(ViewerHealth, viewer_health, VIEWER, HEALTH, GObject)

/* The document's, which lives as long as that. Made when first asked for. */
ViewerHealth *viewer_health_of(ViewerDocument *document);
/* NULL while it is not judged yet. Borrowed. */
ProfileHealth *viewer_health_get(ViewerHealth *self);

/* "dialog-warning-symbolic" … Static. */
const char *viewer_health_get_icon(ProfileHealthSeverity severity);
/* "Warning" … for screen readers, since icons say nothing to them. Translated. */
const char *viewer_health_get_word(ProfileHealthSeverity severity);

G_END_DECLS
