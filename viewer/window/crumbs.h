/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bar of breadcrumbs: what the query of a document looks at, from the whole recording on, step by step. A
 * click on a step takes back all that came after it. Where the capture has several events, one is chosen at
 * its end, while a page is shown for which that matters.
 */
#pragma once

#include <gtk/gtk.h>

#include "viewer/document/page.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_CRUMBS (viewer_crumbs_get_type())
G_DECLARE_FINAL_TYPE(ViewerCrumbs, viewer_crumbs, VIEWER, CRUMBS, GtkWidget)

GtkWidget *viewer_crumbs_new(void);
/* NULL: none. */
void viewer_crumbs_set_document(ViewerCrumbs *self, ViewerDocument *document);
/* The page that is shown; NULL: none. */
void viewer_crumbs_set_page(ViewerCrumbs *self, ViewerPage *page);

G_END_DECLS
