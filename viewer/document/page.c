/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/document/page.h"

#include <glib/gi18n.h>

G_DEFINE_INTERFACE(ViewerPage, viewer_page, GTK_TYPE_WIDGET)

static void viewer_page_default_init(ViewerPageInterface *iface)
{
  g_signal_new("search-changed", VIEWER_TYPE_PAGE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

void viewer_page_set_document(ViewerPage *self, ViewerDocument *document)
{
  g_return_if_fail(VIEWER_IS_PAGE(self));
  VIEWER_PAGE_GET_IFACE(self)->set_document(self, document);
}

void viewer_page_set_search(ViewerPage *self, const char *text)
{
  g_return_if_fail(VIEWER_IS_PAGE(self));
  if (VIEWER_PAGE_GET_IFACE(self)->set_search)
    VIEWER_PAGE_GET_IFACE(self)->set_search(self, text);
}

const char *viewer_page_get_search_label(ViewerPage *self)
{
  g_return_val_if_fail(VIEWER_IS_PAGE(self), NULL);
  ViewerPageInterface *iface = VIEWER_PAGE_GET_IFACE(self);

  if (!iface->set_search || (iface->can_search && !iface->can_search(self)))
    return NULL;
  return iface->search_label ? _(iface->search_label) : _("Search Functions");
}

char *viewer_page_describe_search(ViewerPage *self)
{
  g_return_val_if_fail(VIEWER_IS_PAGE(self), NULL);
  if (VIEWER_PAGE_GET_IFACE(self)->describe_search)
    return VIEWER_PAGE_GET_IFACE(self)->describe_search(self);
  return NULL;
}

gboolean viewer_page_next_match(ViewerPage *self, int direction)
{
  g_return_val_if_fail(VIEWER_IS_PAGE(self), FALSE);
  if (VIEWER_PAGE_GET_IFACE(self)->next_match)
    return VIEWER_PAGE_GET_IFACE(self)->next_match(self, direction);
  return FALSE;
}

gboolean viewer_page_copy(ViewerPage *self)
{
  g_return_val_if_fail(VIEWER_IS_PAGE(self), FALSE);
  if (VIEWER_PAGE_GET_IFACE(self)->copy)
    return VIEWER_PAGE_GET_IFACE(self)->copy(self);
  return FALSE;
}

gboolean viewer_page_is_of_all_events(ViewerPage *self)
{
  g_return_val_if_fail(VIEWER_IS_PAGE(self), FALSE);
  return VIEWER_PAGE_GET_IFACE(self)->is_of_all_events;
}

gboolean viewer_page_is_of_selection(ViewerPage *self)
{
  g_return_val_if_fail(VIEWER_IS_PAGE(self), FALSE);
  return VIEWER_PAGE_GET_IFACE(self)->is_of_selection;
}

void viewer_page_get_report(ViewerPage *self, ProfileReportBy *ret_by, ProfileReportTree *ret_tree)
{
  g_return_if_fail(VIEWER_IS_PAGE(self));
  *ret_by = PROFILE_REPORT_FUNCTION;
  *ret_tree = PROFILE_REPORT_TOP_DOWN;
  if (VIEWER_PAGE_GET_IFACE(self)->get_report)
    VIEWER_PAGE_GET_IFACE(self)->get_report(self, ret_by, ret_tree);
}

void viewer_page_take_focus(ViewerPage *self)
{
  GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(self));
  GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;

  if (!root || !gtk_widget_get_mapped(GTK_WIDGET(self)) || (focus && gtk_widget_get_mapped(focus)))
    return;
  gtk_root_set_focus(root, NULL);
  gtk_widget_grab_focus(GTK_WIDGET(self));
}
