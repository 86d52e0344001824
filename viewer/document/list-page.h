/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the pages that list functions share: the document with its transforms, the search, and that nothing is
 * worked out for a page that is not in sight. Implements ViewerPage but for next_match and copy, which a
 * derived page adds by implementing the interface, too. Main thread only.
 */
#pragma once

#include <adwaita.h>

#include "viewer/document/finder.h"
#include "viewer/document/page.h"
#include "viewer/document/transforms.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_LIST_PAGE (viewer_list_page_get_type())
G_DECLARE_DERIVABLE_TYPE(ViewerListPage, viewer_list_page, VIEWER, LIST_PAGE, AdwBin)

struct _ViewerListPageClass {
  AdwBinClass parent_class;

  /* The page is in sight, and what it shows is not what the document says: it is another one, or has other
   * weights. */
  void (*show)(ViewerListPage *self);
  /* The document has another selection, and all else is shown. */
  void (*show_selection)(ViewerListPage *self);
  /* Another text is to be found among what is shown. */
  void (*find)(ViewerListPage *self);
  /* It was: the finder has it. */
  void (*found)(ViewerListPage *self);
};

/* NULL: none. Borrowed, as all that follows. */
ViewerDocument *viewer_list_page_get_document(ViewerListPage *self);
/* NULL as well when there is nothing to show of them. */
ProfileWeights *viewer_list_page_get_weights(ViewerListPage *self);
/* That of the document's selection; G_MAXUINT32: none. The selection may be of other stacks than the weights
 * while new ones are made. */
guint32 viewer_list_page_get_function(ViewerListPage *self);
/* Of all ways to the function the document gets the heaviest, which other pages then show. FALSE: no stack
 * leads there. */
gboolean viewer_list_page_select_function(ViewerListPage *self, guint32 function);
ViewerTransforms *viewer_list_page_get_transforms(ViewerListPage *self);
/* NULL once the page is disposed of. */
ViewerFinder *viewer_list_page_get_finder(ViewerListPage *self);
/* NULL or "": nothing is searched for. */
const char *viewer_list_page_get_search(ViewerListPage *self);
/* Shows all anew if the page is in sight, else as soon as it is. */
void viewer_list_page_update(ViewerListPage *self);
/* The menu of transforms at a place of a view in the page; further as viewer_transforms_popup has it. */
void viewer_list_page_popup(ViewerListPage *self, GtkWidget *view, double x, double y, GMenuModel *further);

G_END_DECLS
