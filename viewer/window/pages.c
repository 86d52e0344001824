/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/window/pages.h"

#include <glib/gi18n.h>

#include "viewer/document/page.h"
#include "viewer/pages/details/details-page.h"
#include "viewer/pages/flame/flame-page.h"
#include "viewer/pages/functions/functions-page.h"
#include "viewer/pages/health/health-page.h"
#include "viewer/pages/marks/marks-page.h"
#include "viewer/pages/processes/processes-page.h"
#include "viewer/pages/source/source-page.h"
#include "viewer/pages/timeline/timeline-page.h"
#include "viewer/pages/tree/tree-page.h"

static const struct {
  const char *name;
  const char *title;
  const char *icon;
  GtkWidget *(*make)(void);
} pages[] = {
    {"flame", N_("Flame Graph"), "viewer-flame-symbolic", viewer_flame_page_new},
    {"tree", N_("Call Tree"), "viewer-tree-symbolic", viewer_tree_page_new},
    {"functions", N_("Functions"), "viewer-functions-symbolic", viewer_functions_page_new},
    {"timeline", N_("Time Line"), "viewer-timeline-symbolic", viewer_timeline_page_new},
    {"marks", N_("Marks"), "viewer-marks-symbolic", viewer_marks_page_new},
    {"processes", N_("Processes"), "viewer-processes-symbolic", viewer_processes_page_new},
    {"health", N_("Health"), "viewer-health-symbolic", viewer_health_page_new},
    {"details", N_("Details"), "viewer-details-symbolic", viewer_details_page_new},
    {"source", N_("Source"), "viewer-source-symbolic", viewer_source_page_new},
};

G_STATIC_ASSERT(G_N_ELEMENTS(pages) == VIEWER_PAGES);

void viewer_pages_add(AdwViewStack *stack)
{
  for (guint i = 0; i < G_N_ELEMENTS(pages); i++)
    adw_view_stack_add_titled(stack, pages[i].make(), pages[i].name, _(pages[i].title));
  for (guint i = 0; i < G_N_ELEMENTS(pages); i++) {
    GtkWidget *page = adw_view_stack_get_child_by_name(stack, pages[i].name);

    adw_view_stack_page_set_icon_name(adw_view_stack_get_page(stack, page), pages[i].icon);
  }
}

void viewer_pages_keep_titles_whole(GtkWidget *switcher)
{
  if (GTK_IS_LABEL(switcher))
    gtk_label_set_ellipsize(GTK_LABEL(switcher), PANGO_ELLIPSIZE_NONE);
  for (GtkWidget *child = gtk_widget_get_first_child(switcher); child;
       child = gtk_widget_get_next_sibling(child))
    viewer_pages_keep_titles_whole(child);
}

void viewer_pages_set_document(AdwViewStack *stack, ViewerDocument *document)
{
  for (guint i = 0; i < G_N_ELEMENTS(pages); i++)
    viewer_page_set_document(VIEWER_PAGE(adw_view_stack_get_child_by_name(stack, pages[i].name)), document);
}

void viewer_pages_show(AdwViewStack *stack, const char *name)
{
  if (adw_view_stack_get_child_by_name(stack, name))
    adw_view_stack_set_visible_child_name(stack, name);
}

void viewer_pages_show_nth(AdwViewStack *stack, guint n)
{
  if (n < G_N_ELEMENTS(pages))
    viewer_pages_show(stack, pages[n].name);
}
