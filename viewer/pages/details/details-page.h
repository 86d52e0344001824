/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A page of what is known about the recording: what was recorded, when, where and how, its events, streams,
 * counters and binaries.
 */
#pragma once

#include "viewer/document/page.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_DETAILS_PAGE (viewer_details_page_get_type())
G_DECLARE_FINAL_TYPE(ViewerDetailsPage, viewer_details_page, VIEWER, DETAILS_PAGE, GtkWidget)

GtkWidget *viewer_details_page_new(void);

G_END_DECLS
