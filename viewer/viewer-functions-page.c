/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/viewer-functions-page.h"

#include <glib/gi18n.h>

#include "viewer/viewer-empty.h"
#include "viewer/viewer-finder.h"
#include "viewer/viewer-format.h"
#include "viewer/viewer-functions-view.h"
#include "viewer/viewer-page.h"
#include "viewer/viewer-transforms.h"
#include "viewer/viewer-tree-view.h"

enum { CHARS_SHOWN = 60 }; /* of what is searched for */

struct _ViewerFunctionsPage {
  AdwBin parent;
  GtkStack *stack, *sandwich;
  GtkPaned *paned;
  AdwStatusPage *empty;
  GtkBox *callers_box, *callees_box;
  ViewerFunctionsView *functions;
  ViewerTreeView *callers, *callees;
  ViewerTransforms *transforms; /* the widget's */
  ViewerDocument *document;
  ViewerFinder *finder;
  char *search;
  gboolean is_stale; /* what is shown is not what the document says */
};

static void init_page(ViewerPageInterface *interface);

G_DEFINE_TYPE_WITH_CODE(ViewerFunctionsPage, viewer_functions_page, ADW_TYPE_BIN,
                        G_IMPLEMENT_INTERFACE(VIEWER_TYPE_PAGE, init_page))

/* NULL as well when there is nothing to show of them. */
static ProfileWeights *get_weights(ViewerFunctionsPage *self)
{
  ProfileWeights *weights = self->document ? viewer_document_get_weights(self->document) : NULL;

  return weights && !viewer_empty_is(self->document) ? weights : NULL;
}

/* That of the document's selection, or PROFILE_TREE_NO_FUNCTION. The selection may be of other stacks than
 * the weights while new ones are made. */
static guint32 get_function(ViewerFunctionsPage *self)
{
  ProfileWeights *weights = get_weights(self);
  guint n = 0;
  const guint32 *path = self->document ? viewer_document_get_selection(self->document, &n) : NULL;

  if (n == 0 || !weights ||
      path[n - 1] >= profile_stacks_get_n_functions(profile_weights_get_stacks(weights)))
    return PROFILE_TREE_NO_FUNCTION;
  return path[n - 1];
}

/* Who called it and what it called. */
static void show_sandwich(ViewerFunctionsPage *self)
{
  guint32 function = get_function(self);
  ProfileWeights *weights = function == PROFILE_TREE_NO_FUNCTION ? NULL : get_weights(self);

  gtk_stack_set_visible_child_name(self->sandwich, weights ? "trees" : "none");
  viewer_tree_model_show(viewer_tree_view_get_model(self->callers), weights, VIEWER_TREE_CALLERS, function);
  viewer_tree_model_show(viewer_tree_view_get_model(self->callees), weights, VIEWER_TREE_CALLEES, function);
}

static void show_functions(ViewerFunctionsPage *self)
{
  ProfileWeights *weights = get_weights(self);
  gboolean searches = weights && self->search && *self->search;

  viewer_finder_find(self->finder, weights, self->search);
  if (!searches)
    viewer_functions_view_show(self->functions, weights, NULL);
}

static void explain_search(ViewerFunctionsPage *self)
{
  g_autofree char *shown = viewer_format_name(self->search, CHARS_SHOWN);
  g_autofree char *why = g_strdup_printf(_("No function that was sampled here has “%s” in its name."), shown);

  viewer_empty_say(self->empty, _("No Function Found"), why, NULL);
}

/* The functions, or why there are none. */
static void choose_child(ViewerFunctionsPage *self)
{
  ProfileSearch *search = viewer_finder_get(self->finder);
  gboolean is_empty = self->document && viewer_empty_is(self->document);
  gboolean is_missed = self->search && search && profile_search_get_n_functions(search) == 0;

  if (is_empty)
    viewer_empty_explain(self->empty, self->document);
  else if (is_missed)
    explain_search(self);
  gtk_stack_set_visible_child_name(self->stack, is_empty || is_missed ? "empty" : "functions");
}

static void handle_found(ViewerFunctionsPage *self)
{
  ProfileSearch *search = viewer_finder_get(self->finder);

  if (search)
    viewer_functions_view_show(self->functions, profile_search_get_weights(search), search);
  choose_child(self);
  g_signal_emit_by_name(self, "search-changed");
}

static void show_document(ViewerFunctionsPage *self)
{
  self->is_stale = FALSE;
  show_functions(self);
  choose_child(self);
  viewer_functions_view_select(self->functions, get_function(self));
  show_sandwich(self);
}

static void update(ViewerFunctionsPage *self)
{
  self->is_stale = TRUE;
  if (gtk_widget_get_mapped(GTK_WIDGET(self)))
    show_document(self);
}

static void show_if_stale(ViewerFunctionsPage *self)
{
  if (self->is_stale)
    show_document(self);
}

static void show_selection(ViewerFunctionsPage *self)
{
  self->is_stale = self->is_stale || !gtk_widget_get_mapped(GTK_WIDGET(self));
  if (self->is_stale)
    return;
  viewer_functions_view_select(self->functions, get_function(self));
  show_sandwich(self);
}

/* Of all ways to the function the document gets the heaviest, which other pages then show. */
static void select_function(ViewerFunctionsPage *self, guint32 function)
{
  ProfileWeights *weights = get_weights(self);

  if (!weights || function == PROFILE_TREE_NO_FUNCTION || function == get_function(self))
    return;
  g_autofree ProfilePath *path = profile_path_find(weights, function);
  if (path)
    viewer_document_select(self->document, path->functions, path->n);
}

static void handle_selected(ViewerFunctionsPage *self)
{
  select_function(self, viewer_functions_view_get_selected(self->functions));
}

static void handle_activated(ViewerFunctionsPage *self)
{
  gtk_widget_activate_action(GTK_WIDGET(self), "win.show-page", "s", "tree");
}

static void handle_relative(ViewerFunctionsPage *self, guint node, ViewerTreeView *tree)
{
  select_function(self, viewer_tree_model_get(viewer_tree_view_get_model(tree), node)->function);
}

static void show_menu(ViewerFunctionsPage *self, double x, double y, GtkWidget *view)
{
  double page_x, page_y;

  if (gtk_widget_translate_coordinates(view, GTK_WIDGET(self), x, y, &page_x, &page_y))
    viewer_transforms_popup(self->transforms, page_x, page_y, NULL);
}

static void set_document(ViewerPage *page, ViewerDocument *document)
{
  ViewerFunctionsPage *self = VIEWER_FUNCTIONS_PAGE(page);

  if (self->document)
    g_signal_handlers_disconnect_by_data(self->document, self);
  g_set_object(&self->document, document);
  viewer_transforms_set_document(self->transforms, document);
  if (document) {
    g_signal_connect_object(document, "weights-changed", G_CALLBACK(update), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(document, "selection-changed", G_CALLBACK(show_selection), self,
                            G_CONNECT_SWAPPED);
  }
  update(self);
}

static void set_search(ViewerPage *page, const char *text)
{
  ViewerFunctionsPage *self = VIEWER_FUNCTIONS_PAGE(page);

  if (g_strcmp0(self->search, text) == 0)
    return;
  g_free(self->search);
  self->search = g_strdup(text);
  if (!self->is_stale)
    show_functions(self);
}

static char *describe_search(ViewerPage *page)
{
  return viewer_finder_describe(VIEWER_FUNCTIONS_PAGE(page)->finder);
}

static gboolean next_match(ViewerPage *page, int direction)
{
  ViewerFunctionsPage *self = VIEWER_FUNCTIONS_PAGE(page);

  return self->search && *self->search && viewer_functions_view_move(self->functions, direction);
}

static char *copy_text(ViewerPage *page)
{
  return viewer_functions_view_copy(VIEWER_FUNCTIONS_PAGE(page)->functions);
}

static void get_report(ViewerPage *page, ProfileReportBy *ret_by, ProfileReportTree *ret_tree)
{
  *ret_tree = PROFILE_REPORT_LIST;
}

static void init_page(ViewerPageInterface *interface)
{
  interface->get_report = get_report;
  interface->set_document = set_document;
  interface->set_search = set_search;
  interface->describe_search = describe_search;
  interface->next_match = next_match;
  interface->copy_text = copy_text;
}

static void viewer_functions_page_dispose(GObject *object)
{
  ViewerFunctionsPage *self = VIEWER_FUNCTIONS_PAGE(object);

  if (self->document)
    g_signal_handlers_disconnect_by_data(self->document, self);
  g_clear_object(&self->document);
  g_clear_object(&self->finder);
  g_clear_pointer(&self->search, g_free);
  G_OBJECT_CLASS(viewer_functions_page_parent_class)->dispose(object);
}

static gboolean viewer_functions_page_grab_focus(GtkWidget *widget)
{
  GtkWidget *functions = GTK_WIDGET(VIEWER_FUNCTIONS_PAGE(widget)->functions);

  return gtk_widget_get_mapped(functions) && gtk_widget_grab_focus(functions);
}

static void viewer_functions_page_class_init(ViewerFunctionsPageClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  G_OBJECT_CLASS(class)->dispose = viewer_functions_page_dispose;
  widget_class->grab_focus = viewer_functions_page_grab_focus;
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/org/capturectl/Viewer/viewer-functions-page.ui");
  gtk_widget_class_bind_template_child(widget_class, ViewerFunctionsPage, stack);
  gtk_widget_class_bind_template_child(widget_class, ViewerFunctionsPage, sandwich);
  gtk_widget_class_bind_template_child(widget_class, ViewerFunctionsPage, paned);
  gtk_widget_class_bind_template_child(widget_class, ViewerFunctionsPage, empty);
  gtk_widget_class_bind_template_child(widget_class, ViewerFunctionsPage, callers_box);
  gtk_widget_class_bind_template_child(widget_class, ViewerFunctionsPage, callees_box);
}

static ViewerTreeView *add_tree(ViewerFunctionsPage *self, GtkBox *box, const char *name)
{
  GtkWidget *tree = viewer_tree_view_new(TRUE);

  viewer_tree_view_set_name(VIEWER_TREE_VIEW(tree), name);
  gtk_box_append(box, tree);
  g_signal_connect_object(tree, "activated", G_CALLBACK(handle_relative), self, G_CONNECT_SWAPPED);
  return VIEWER_TREE_VIEW(tree);
}

static void viewer_functions_page_init(ViewerFunctionsPage *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  self->transforms = viewer_transforms_install(GTK_WIDGET(self));
  self->finder = viewer_finder_new();
  self->functions = VIEWER_FUNCTIONS_VIEW(viewer_functions_view_new());
  gtk_paned_set_start_child(self->paned, GTK_WIDGET(self->functions));
  self->callers = add_tree(self, self->callers_box, _("Callers"));
  self->callees = add_tree(self, self->callees_box, _("Callees"));
  g_signal_connect(self, "map", G_CALLBACK(show_if_stale), NULL);
  g_signal_connect_object(self->finder, "found", G_CALLBACK(handle_found), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->functions, "selected", G_CALLBACK(handle_selected), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->functions, "activated", G_CALLBACK(handle_activated), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self->functions, "menu", G_CALLBACK(show_menu), self, G_CONNECT_SWAPPED);
}

GtkWidget *viewer_functions_page_new(void)
{
  return g_object_new(VIEWER_TYPE_FUNCTIONS_PAGE, NULL);
}
