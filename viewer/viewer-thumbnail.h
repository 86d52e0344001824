/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A capture in small: its flame graph without words. */
#pragma once

#include "profile/profile-capture.h"

G_BEGIN_DECLS

/* A PNG of the capture's first event with samples, on nothing, for light and dark backgrounds. NULL when
 * there is nothing to show. Takes as long as a flame graph takes: for any thread but the main one. */
GBytes *viewer_thumbnail_new(ProfileCapture *capture, guint width, guint height);

G_END_DECLS
