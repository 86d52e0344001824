/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/functions/functions-page.h"

#include <glib/gi18n.h>

#include "viewer/document/empty.h"
#include "viewer/kit/format.h"
#include "viewer/kit/split.h"
#include "viewer/pages/functions/functions-view.h"
#include "viewer/pages/tree/tree-view.h"

enum {
  LEAST_WIDTH = 300, /* of the table, in pixels */
  NARROW = 520,      /* pixels: table and trees are below each other */
  CHARS_SHOWN = 60   /* of what is searched for */
};

#define TABLE_SHARE 0.6 /* of the room for table and trees */

/* The trees beside the list. */
enum { CALLERS, CALLEES, N_TREES };
static const ViewerTreeKind kinds[N_TREES] = {VIEWER_TREE_CALLERS, VIEWER_TREE_CALLEES};

struct _ViewerFunctionsPage {
  ViewerListPage parent;
  GtkStack *stack, *sandwich, *callers_stack, *callees_stack;
  GtkPaned *paned;
  AdwStatusPage *empty;
  ViewerFunctionsView *functions;
  ViewerTreeView *trees[N_TREES];
  gboolean is_due[N_TREES]; /* to be made for another function or other weights */
  guint turn;               /* whose it is */
};

static void init_page(ViewerPageInterface *interface);

G_DEFINE_TYPE_WITH_CODE(ViewerFunctionsPage, viewer_functions_page, VIEWER_TYPE_LIST_PAGE,
                        G_IMPLEMENT_INTERFACE(VIEWER_TYPE_PAGE, init_page))

static ProfileWeights *get_weights(ViewerFunctionsPage *self)
{
  return viewer_list_page_get_weights(VIEWER_LIST_PAGE(self));
}

static gboolean functions_page_searches(ViewerFunctionsPage *self)
{
  const char *text = viewer_list_page_get_search(VIEWER_LIST_PAGE(self));

  return text && *text;
}

/* Or PROFILE_TREE_NO_FUNCTION. */
static guint32 get_function(ViewerFunctionsPage *self)
{
  return viewer_list_page_get_function(VIEWER_LIST_PAGE(self));
}

static void show_tree(ViewerFunctionsPage *self, guint tree)
{
  guint32 function = get_function(self);
  ProfileWeights *weights = function == PROFILE_TREE_NO_FUNCTION ? NULL : get_weights(self);

  self->is_due[tree] = FALSE;
  viewer_tree_model_show(viewer_tree_view_get_model(self->trees[tree]), weights, kinds[tree], function);
}

/* The list is drawn in one frame, each tree in another: all three take longer than one. By turns, so that no
 * tree waits for the end of keys that come faster. */
static gboolean show_tree_that_is_due(GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  ViewerFunctionsPage *self = VIEWER_FUNCTIONS_PAGE(widget);

  if (!self->is_due[self->turn])
    self->turn = (self->turn + 1) % N_TREES;
  if (self->is_due[self->turn])
    show_tree(self, self->turn);
  self->turn = (self->turn + 1) % N_TREES;
  return self->is_due[self->turn] ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

/* Who called it and what it called. */
static void show_sandwich(ViewerFunctionsPage *self)
{
  gboolean has_function = get_function(self) != PROFILE_TREE_NO_FUNCTION;
  gboolean was_due = self->is_due[CALLERS] || self->is_due[CALLEES];

  gtk_stack_set_visible_child_name(self->sandwich, has_function ? "trees" : "none");
  for (guint i = 0; i < N_TREES; i++) {
    self->is_due[i] = TRUE;
    if (!has_function)
      show_tree(self, i);
  }
  if (has_function && !was_due)
    gtk_widget_add_tick_callback(GTK_WIDGET(self), show_tree_that_is_due, NULL, NULL);
}

/* A tree of nothing but the function itself would look as if it called itself. */
static void choose_words(ViewerTreeModel *model, GtkStack *stack)
{
  if (viewer_tree_model_get_weights(model))
    gtk_stack_set_visible_child_name(stack, viewer_tree_model_can_open(model, 0) ? "tree" : "none");
}

static void viewer_functions_page_find(ViewerListPage *page)
{
  ViewerFunctionsPage *self = VIEWER_FUNCTIONS_PAGE(page);
  ProfileWeights *weights = get_weights(self);

  viewer_finder_find(viewer_list_page_get_finder(page), weights, viewer_list_page_get_search(page));
  if (!weights || !functions_page_searches(self))
    viewer_functions_view_show(self->functions, weights, NULL);
}

static void explain_search(ViewerFunctionsPage *self)
{
  g_autofree char *shown =
      viewer_format_name(viewer_list_page_get_search(VIEWER_LIST_PAGE(self)), CHARS_SHOWN);
  g_autofree char *why = g_strdup_printf(_("No function that was sampled here has “%s” in its name."), shown);

  viewer_empty_say(self->empty, _("No Function Found"), why, NULL);
}

/* The functions, or why there are none. */
static void choose_child(ViewerFunctionsPage *self)
{
  ViewerDocument *document = viewer_list_page_get_document(VIEWER_LIST_PAGE(self));
  ProfileSearch *search = viewer_finder_get(viewer_list_page_get_finder(VIEWER_LIST_PAGE(self)));
  gboolean is_empty = document && viewer_empty_is(document);
  gboolean is_missed = functions_page_searches(self) && search && profile_search_get_n_functions(search) == 0;

  if (is_empty)
    viewer_empty_explain(self->empty, document);
  else if (is_missed)
    explain_search(self);
  gtk_stack_set_visible_child_name(self->stack, is_empty || is_missed ? "empty" : "functions");
}

static void viewer_functions_page_found(ViewerListPage *page)
{
  ViewerFunctionsPage *self = VIEWER_FUNCTIONS_PAGE(page);
  ProfileSearch *search = viewer_finder_get(viewer_list_page_get_finder(page));

  if (search)
    viewer_functions_view_show(self->functions, profile_search_get_weights(search), search);
  choose_child(self);
}

static void viewer_functions_page_show_selection(ViewerListPage *page)
{
  ViewerFunctionsPage *self = VIEWER_FUNCTIONS_PAGE(page);

  viewer_functions_view_select(self->functions, get_function(self));
  show_sandwich(self);
}

static void viewer_functions_page_show(ViewerListPage *page)
{
  viewer_functions_page_find(page);
  choose_child(VIEWER_FUNCTIONS_PAGE(page));
  viewer_functions_page_show_selection(page);
}

static void select_function(ViewerFunctionsPage *self, guint32 function)
{
  if (function != PROFILE_TREE_NO_FUNCTION && function != get_function(self))
    viewer_list_page_select_function(VIEWER_LIST_PAGE(self), function);
}

static void handle_selected(ViewerFunctionsPage *self)
{
  select_function(self, viewer_functions_view_get_selected(self->functions));
}

static void handle_activated(ViewerFunctionsPage *self)
{
  gtk_widget_activate_action(GTK_WIDGET(self), "win.show-page", "s", "source");
}

static void handle_relative(ViewerFunctionsPage *self, guint node, ViewerTreeView *tree)
{
  select_function(self, viewer_tree_model_get(viewer_tree_view_get_model(tree), node)->function);
}

static void show_menu(ViewerFunctionsPage *self, double x, double y, GtkWidget *view)
{
  g_autoptr(GMenu) further = g_menu_new();

  g_menu_append(further, _("Show in Call _Tree"), "win.show-page::tree");
  viewer_list_page_popup(VIEWER_LIST_PAGE(self), view, x, y, G_MENU_MODEL(further));
}

static gboolean next_match(ViewerPage *page, int direction)
{
  ViewerFunctionsPage *self = VIEWER_FUNCTIONS_PAGE(page);

  return functions_page_searches(self) && viewer_functions_view_move(self->functions, direction);
}

static gboolean functions_page_copy(ViewerPage *page)
{
  const ViewerCopyRows rows = viewer_functions_view_get_copied(VIEWER_FUNCTIONS_PAGE(page)->functions);

  return viewer_copy_rows(GTK_WIDGET(page), &rows);
}

static void get_report(ViewerPage *page, ProfileReportBy *ret_by, ProfileReportTree *ret_tree)
{
  *ret_tree = PROFILE_REPORT_LIST;
}

static void init_page(ViewerPageInterface *interface)
{
  interface->get_report = get_report;
  interface->next_match = next_match;
  interface->copy = functions_page_copy;
}

static gboolean viewer_functions_page_grab_focus(GtkWidget *widget)
{
  GtkWidget *functions = GTK_WIDGET(VIEWER_FUNCTIONS_PAGE(widget)->functions);

  return gtk_widget_get_mapped(functions) && gtk_widget_grab_focus(functions);
}

static void viewer_functions_page_class_init(ViewerFunctionsPageClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
  ViewerListPageClass *page_class = VIEWER_LIST_PAGE_CLASS(class);

  page_class->show = viewer_functions_page_show;
  page_class->show_selection = viewer_functions_page_show_selection;
  page_class->find = viewer_functions_page_find;
  page_class->found = viewer_functions_page_found;
  widget_class->grab_focus = viewer_functions_page_grab_focus;
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/org/capturectl/Viewer/pages/functions/functions-page.ui");
  gtk_widget_class_bind_template_child(widget_class, ViewerFunctionsPage, stack);
  gtk_widget_class_bind_template_child(widget_class, ViewerFunctionsPage, sandwich);
  gtk_widget_class_bind_template_child(widget_class, ViewerFunctionsPage, paned);
  gtk_widget_class_bind_template_child(widget_class, ViewerFunctionsPage, empty);
  gtk_widget_class_bind_template_child(widget_class, ViewerFunctionsPage, callers_stack);
  gtk_widget_class_bind_template_child(widget_class, ViewerFunctionsPage, callees_stack);
}

static ViewerTreeView *add_tree(ViewerFunctionsPage *self, GtkStack *stack, const char *name)
{
  GtkWidget *tree = viewer_tree_view_new(TRUE);

  viewer_tree_view_set_name(VIEWER_TREE_VIEW(tree), name);
  gtk_stack_add_named(stack, tree, "tree");
  g_signal_connect_object(tree, "activated", G_CALLBACK(handle_relative), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(viewer_tree_view_get_model(VIEWER_TREE_VIEW(tree)), "shown",
                          G_CALLBACK(choose_words), stack, G_CONNECT_DEFAULT);
  return VIEWER_TREE_VIEW(tree);
}

static void viewer_functions_page_init(ViewerFunctionsPage *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  self->functions = VIEWER_FUNCTIONS_VIEW(viewer_functions_view_new());
  gtk_widget_set_size_request(GTK_WIDGET(self->functions), LEAST_WIDTH, -1);
  gtk_paned_set_start_child(self->paned, GTK_WIDGET(self->functions));
  viewer_split_follow(self->paned, NARROW, TABLE_SHARE);
  self->trees[CALLERS] = add_tree(self, self->callers_stack, _("Callers"));
  self->trees[CALLEES] = add_tree(self, self->callees_stack, _("Callees"));
  g_signal_connect_object(self->functions, "selected", G_CALLBACK(handle_selected), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->functions, "activated", G_CALLBACK(handle_activated), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self->functions, "menu", G_CALLBACK(show_menu), self, G_CONNECT_SWAPPED);
}

GtkWidget *viewer_functions_page_new(void)
{
  return g_object_new(VIEWER_TYPE_FUNCTIONS_PAGE, NULL);
}
