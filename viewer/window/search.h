/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The search entry, with what the page found beside it, and the way from one place that was found to the
 * next. The text stays when another page is shown, which then searches for it.
 */
#pragma once

#include <gtk/gtk.h>

#include "viewer/document/page.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_SEARCH (viewer_search_get_type())
G_DECLARE_FINAL_TYPE(ViewerSearch, viewer_search, VIEWER, SEARCH, GtkBox)

/* The page that searches from now on, and gets the focus when searching is over; NULL: none. */
void viewer_search_set_page(ViewerSearch *self, ViewerPage *page);
/* Puts the focus into the entry and selects its text; a bell where the page has no search. */
void viewer_search_begin(ViewerSearch *self);
void viewer_search_set_text(ViewerSearch *self, const char *text);
/* Goes to the next (1) or previous (-1) place; a bell when there is none. */
void viewer_search_go(ViewerSearch *self, int direction);

G_END_DECLS
