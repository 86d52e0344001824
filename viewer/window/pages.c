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
#include "viewer/pages/summary/summary-page.h"
#include "viewer/pages/timeline/timeline-page.h"
#include "viewer/pages/tree/tree-page.h"

static gboolean has_marks(ProfileCapture *capture)
{
  gsize n_marks, n_lines;

  profile_capture_get_marks(capture, &n_marks);
  profile_capture_get_log(capture, &n_lines);
  return n_marks + n_lines > 0;
}

/* In the order of their keys. Those without an icon do not stand in the sidebar: other ways lead there. */
static const struct {
  const char *name;
  const char *title;
  const char *icon;
  GtkWidget *(*make)(void);
  gboolean (*has)(ProfileCapture *capture); /* whether there is something to show; NULL: always */
} pages[] = {
    {"summary", N_("Summary"), "viewer-summary-symbolic", viewer_summary_page_new},
    {"flame", N_("Flame Graph"), "viewer-flame-symbolic", viewer_flame_page_new},
    {"tree", N_("Call Tree"), "viewer-tree-symbolic", viewer_tree_page_new},
    {"functions", N_("Functions"), "viewer-functions-symbolic", viewer_functions_page_new},
    {"source", N_("Source"), "viewer-source-symbolic", viewer_source_page_new},
    {"timeline", N_("Time Line"), "viewer-timeline-symbolic", viewer_timeline_page_new},
    {"processes", N_("Processes"), "viewer-processes-symbolic", viewer_processes_page_new},
    {"marks", N_("Marks"), "viewer-marks-symbolic", viewer_marks_page_new, has_marks},
    {"health", N_("Health"), NULL, viewer_health_page_new},
    {"details", N_("Details"), NULL, viewer_details_page_new},
};

G_STATIC_ASSERT(G_N_ELEMENTS(pages) == VIEWER_PAGES);

static AdwViewStackPage *find_page(AdwViewStack *stack, guint i)
{
  return adw_view_stack_get_page(stack, adw_view_stack_get_child_by_name(stack, pages[i].name));
}

void viewer_pages_add(AdwViewStack *stack)
{
  for (guint i = 0; i < G_N_ELEMENTS(pages); i++) {
    adw_view_stack_add_titled(stack, pages[i].make(), pages[i].name, _(pages[i].title));
    adw_view_stack_page_set_icon_name(find_page(stack, i), pages[i].icon);
  }
}

void viewer_pages_set_capture(AdwViewStack *stack, ProfileCapture *capture)
{
  for (guint i = 0; i < G_N_ELEMENTS(pages); i++)
    adw_view_stack_page_set_visible(find_page(stack, i), !pages[i].has || pages[i].has(capture));
}

void viewer_pages_set_document(AdwViewStack *stack, ViewerDocument *document)
{
  for (guint i = 0; i < G_N_ELEMENTS(pages); i++)
    viewer_page_set_document(VIEWER_PAGE(adw_view_stack_get_child_by_name(stack, pages[i].name)), document);
}

void viewer_pages_show(AdwViewStack *stack, const char *name)
{
  GtkWidget *page = adw_view_stack_get_child_by_name(stack, name);

  if (page && adw_view_stack_page_get_visible(adw_view_stack_get_page(stack, page)))
    adw_view_stack_set_visible_child(stack, page);
}

void viewer_pages_show_nth(AdwViewStack *stack, guint n)
{
  if (n < G_N_ELEMENTS(pages))
    viewer_pages_show(stack, pages[n].name);
}
