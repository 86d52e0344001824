/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A page of the window: a widget that shows one view of the window's document. When it is asked to grab the
 * focus (GtkWidgetClass.grab_focus) it gives it to what keys are for: its graph, its list.
 */
#pragma once

#include <gtk/gtk.h>

#include "profile/report/report.h"
#include "viewer/document/document.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_PAGE (viewer_page_get_type())
G_DECLARE_INTERFACE(ViewerPage, viewer_page, VIEWER, PAGE, GtkWidget)

struct _ViewerPageInterface {
  GTypeInterface parent;

  const char *search_label; /* N_("…"), where it is not functions that are searched */
  gboolean is_of_all_events;
  gboolean is_of_selection;
  void (*set_document)(ViewerPage *self, ViewerDocument *document);
  void (*set_search)(ViewerPage *self, const char *text);
  gboolean (*can_search)(ViewerPage *self); /* NULL: always */
  char *(*describe_search)(ViewerPage *self);
  gboolean (*next_match)(ViewerPage *self, int direction);
  gboolean (*copy)(ViewerPage *self);
  void (*get_report)(ViewerPage *self, ProfileReportBy *ret_by, ProfileReportTree *ret_tree);
};

/* Connects the page to a document that it shows from now on; NULL: to none. A page works only while it is
 * mapped: it keeps in mind that something changed, and looks when it is shown. */
void viewer_page_set_document(ViewerPage *self, ViewerDocument *document);
/* Looks for functions whose names hold text, without regard to case; NULL or "": for none. A page without
 * search ignores it. */
void viewer_page_set_search(ViewerPage *self, const char *text);
/* What the entry says that it searches, as "Search Functions"; NULL: the page has no search, or nothing in it
 * that can be searched, which may change with "search-changed". Borrowed. */
const char *viewer_page_get_search_label(ViewerPage *self);
/* What is shown beside the search entry, "12 functions, 34.5 %"; NULL: nothing. Free it. Emits
 * "search-changed" when it changes. */
char *viewer_page_describe_search(ViewerPage *self);
/* Goes to the next (direction 1) or previous (-1) place that was found. FALSE: there is none. */
gboolean viewer_page_next_match(ViewerPage *self, int direction);
/* What is selected, or else what one sees, goes to the clipboard as text (viewer/kit/copy.h). FALSE: there is
 * nothing. */
gboolean viewer_page_copy(ViewerPage *self);
/* Whether the page says the same whichever event is looked at. */
gboolean viewer_page_is_of_all_events(ViewerPage *self);
/* Whether the page shows nothing but what is selected: no page to begin with. */
gboolean viewer_page_is_of_selection(ViewerPage *self);
/* What a report of the document must show to say what the page does; the call tree from the outermost
 * functions where a page has nothing of the kind. */
void viewer_page_get_report(ViewerPage *self, ProfileReportBy *ret_by, ProfileReportTree *ret_tree);
/* For pages, when what they show is there at last: takes the focus if the page is in sight and nobody has it.
 */
void viewer_page_take_focus(ViewerPage *self);

G_END_DECLS
