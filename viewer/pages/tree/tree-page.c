/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/tree/tree-page.h"

#include <glib/gi18n.h>

#include "viewer/document/empty.h"
#include "viewer/pages/tree/tree-text.h"
#include "viewer/pages/tree/tree-view.h"

struct _ViewerTreePage {
  ViewerListPage parent;
  GtkStack *stack;
  GtkBox *box;
  AdwStatusPage *empty;
  GtkToggleButton *top_down, *inverted;
  GMenuModel *rows_menu;
  ViewerTreeView *tree;
  int next_match;           /* a place is to be gone to when they are there: 1, -1; or 0 */
  ProfilePath *upside_down; /* what is selected in a tree of callers; NULL: nothing is */
};

static void init_page(ViewerPageInterface *interface);
static ViewerPageInterface *parent_interface;

G_DEFINE_TYPE_WITH_CODE(ViewerTreePage, viewer_tree_page, VIEWER_TYPE_LIST_PAGE,
                        G_IMPLEMENT_INTERFACE(VIEWER_TYPE_PAGE, init_page))

static ViewerDocument *get_document(ViewerTreePage *self)
{
  return viewer_list_page_get_document(VIEWER_LIST_PAGE(self));
}

static ViewerTreeModel *get_model(ViewerTreePage *self)
{
  return viewer_tree_view_get_model(self->tree);
}

static gboolean is_inverted(ViewerTreePage *self)
{
  return viewer_tree_model_get_kind(get_model(self)) == VIEWER_TREE_INVERTED;
}

static void set_upside_down(ViewerTreePage *self, ProfilePath *path)
{
  g_free(self->upside_down);
  self->upside_down = path;
  viewer_transforms_set_inverted_path(viewer_list_page_get_transforms(VIEWER_LIST_PAGE(self)),
                                      path ? path->functions : NULL, path ? path->n : 0);
}

static void viewer_tree_page_show(ViewerListPage *page)
{
  ViewerTreePage *self = VIEWER_TREE_PAGE(page);
  ViewerDocument *document = get_document(self);
  gboolean is_empty = document && viewer_empty_is(document);
  gboolean inverted = gtk_toggle_button_get_active(self->inverted);

  if (is_empty)
    viewer_empty_explain(self->empty, document);
  gtk_stack_set_visible_child_name(self->stack, is_empty ? "empty" : "tree");
  viewer_tree_model_show(get_model(self), viewer_list_page_get_weights(page),
                         inverted ? VIEWER_TREE_INVERTED : VIEWER_TREE_TOP_DOWN, 0);
}

static void toggle_inverted(ViewerTreePage *self)
{
  set_upside_down(self, NULL);
  viewer_list_page_update(VIEWER_LIST_PAGE(self));
}

/* Whether the row that is selected stands for what the document has selected. */
static gboolean shows_selection(ViewerTreePage *self, const guint32 *selection, guint n)
{
  guint32 node = viewer_tree_view_get_selected(self->tree);

  if (node == VIEWER_TREE_NO_NODE)
    return n == 0;
  g_autofree ProfilePath *path = viewer_tree_model_get_path(get_model(self), node);
  if (is_inverted(self))
    return n > 0 && path->n > 0 && path->functions[path->n - 1] == selection[n - 1];
  return path->n == n && (n == 0 || memcmp(path->functions, selection, n * sizeof *selection) == 0);
}

static void viewer_tree_page_show_selection(ViewerListPage *page)
{
  ViewerTreePage *self = VIEWER_TREE_PAGE(page);
  guint n;

  if (!get_document(self) || !viewer_tree_model_get_weights(get_model(self)) ||
      !gtk_widget_get_mapped(GTK_WIDGET(self)))
    return;
  const guint32 *selection = viewer_document_get_selection(get_document(self), &n);
  if (shows_selection(self, selection, n))
    return;
  if (n == 0)
    viewer_tree_view_select(self->tree, VIEWER_TREE_NO_NODE);
  else if (!is_inverted(self))
    viewer_tree_model_reveal_path(get_model(self), selection, n);
  else if (self->upside_down && self->upside_down->functions[self->upside_down->n - 1] == selection[n - 1])
    viewer_tree_model_reveal_path(get_model(self), self->upside_down->functions, self->upside_down->n);
  else
    viewer_tree_model_reveal_path(get_model(self), selection + n - 1, 1);
}

/* Upside down a row says who called what was sampled, not from where that was called: of all ways to the
 * function the document gets the heaviest. */
static void select_upside_down(ViewerTreePage *self, ProfilePath *path)
{
  ProfileWeights *weights = viewer_tree_model_get_weights(get_model(self));
  guint32 function = path->functions[path->n - 1];
  g_autofree ProfilePath *heaviest = profile_path_find(weights, function);

  set_upside_down(self, path);
  if (heaviest)
    viewer_document_select(get_document(self), heaviest->functions, heaviest->n);
}

static void select_in_document(ViewerTreePage *self)
{
  guint32 node = viewer_tree_view_get_selected(self->tree);

  if (!get_document(self) || node == VIEWER_TREE_NO_NODE)
    return;
  g_autofree ProfilePath *path = viewer_tree_model_get_path(get_model(self), node);
  if (path->n > 0 && is_inverted(self)) {
    select_upside_down(self, g_steal_pointer(&path));
    return;
  }
  set_upside_down(self, NULL);
  viewer_document_select(get_document(self), path->functions, path->n);
}

static void tree_page_find(ViewerListPage *page)
{
  ViewerTreeModel *model = get_model(VIEWER_TREE_PAGE(page));

  viewer_finder_find(viewer_list_page_get_finder(page), viewer_tree_model_get_weights(model),
                     viewer_list_page_get_search(page));
}

static void viewer_tree_page_find(ViewerListPage *page)
{
  VIEWER_TREE_PAGE(page)->next_match = 0;
  tree_page_find(page);
}

static void viewer_tree_page_found(ViewerListPage *page)
{
  viewer_tree_model_set_search(get_model(VIEWER_TREE_PAGE(page)),
                               viewer_finder_get(viewer_list_page_get_finder(page)));
}

static void handle_shown(ViewerListPage *page)
{
  viewer_tree_page_show_selection(page);
  tree_page_find(page);
}

static gboolean go_to_place(ViewerTreePage *self, int direction)
{
  ViewerTreeModel *model = get_model(self);
  guint32 node = viewer_tree_model_get_place(model, viewer_tree_view_get_selected(self->tree), direction);

  if (node == VIEWER_TREE_NO_NODE)
    return FALSE;
  viewer_tree_view_select(self->tree, node);
  select_in_document(self);
  return TRUE;
}

static void handle_places(ViewerTreePage *self)
{
  if (self->next_match && go_to_place(self, self->next_match))
    self->next_match = 0;
}

static void handle_activated(ViewerTreePage *self, guint node)
{
  if (node == 0)
    viewer_tree_view_toggle(self->tree, node);
  else
    gtk_widget_activate_action(GTK_WIDGET(self), "win.show-page", "s", "source");
}

static void handle_menu(ViewerTreePage *self, double x, double y)
{
  viewer_list_page_popup(VIEWER_LIST_PAGE(self), GTK_WIDGET(self->tree), x, y, self->rows_menu);
}

static void handle_open_below(GtkWidget *widget, const char *name, GVariant *parameter)
{
  ViewerTreePage *self = VIEWER_TREE_PAGE(widget);
  guint32 node = viewer_tree_view_get_selected(self->tree);

  if (node != VIEWER_TREE_NO_NODE)
    viewer_tree_model_open_below(get_model(self), node);
}

static gboolean copy_rows(ViewerTreePage *self, guint position, guint n)
{
  const ViewerCopyRows rows = viewer_tree_text_get_rows(get_model(self), position, n);

  return viewer_copy_rows(GTK_WIDGET(self), &rows);
}

static void handle_copy_all(GtkWidget *widget, const char *name, GVariant *parameter)
{
  if (!copy_rows(VIEWER_TREE_PAGE(widget), 0, G_MAXUINT))
    gtk_widget_error_bell(widget);
}

static void set_document(ViewerPage *page, ViewerDocument *document)
{
  g_clear_pointer(&VIEWER_TREE_PAGE(page)->upside_down, g_free);
  parent_interface->set_document(page, document);
}

/* Places come later than what was found: who asks too early gets there then. */
static gboolean next_match(ViewerPage *page, int direction)
{
  ViewerTreePage *self = VIEWER_TREE_PAGE(page);

  self->next_match = 0;
  if (go_to_place(self, direction))
    return TRUE;
  if (viewer_finder_is_busy(viewer_list_page_get_finder(VIEWER_LIST_PAGE(page))) ||
      viewer_tree_model_is_busy(get_model(self)))
    self->next_match = direction;
  return self->next_match != 0;
}

static gboolean tree_page_copy(ViewerPage *page)
{
  ViewerTreePage *self = VIEWER_TREE_PAGE(page);
  guint32 node = viewer_tree_view_get_selected(self->tree);

  if (node == VIEWER_TREE_NO_NODE)
    return copy_rows(self, 0, G_MAXUINT);
  return copy_rows(self, viewer_tree_model_get_position(get_model(self), node), 1);
}

static void get_report(ViewerPage *page, ProfileReportBy *ret_by, ProfileReportTree *ret_tree)
{
  if (gtk_toggle_button_get_active(VIEWER_TREE_PAGE(page)->inverted))
    *ret_tree = PROFILE_REPORT_BOTTOM_UP;
}

static void init_page(ViewerPageInterface *interface)
{
  parent_interface = g_type_interface_peek_parent(interface);
  interface->get_report = get_report;
  interface->set_document = set_document;
  interface->next_match = next_match;
  interface->copy = tree_page_copy;
}

/* The tree still tells what it does without its rows. */
static void viewer_tree_page_dispose(GObject *object)
{
  if (viewer_list_page_get_finder(VIEWER_LIST_PAGE(object)))
    g_signal_handlers_disconnect_by_data(get_model(VIEWER_TREE_PAGE(object)), object);
  G_OBJECT_CLASS(viewer_tree_page_parent_class)->dispose(object);
}

static void viewer_tree_page_finalize(GObject *object)
{
  g_free(VIEWER_TREE_PAGE(object)->upside_down);
  G_OBJECT_CLASS(viewer_tree_page_parent_class)->finalize(object);
}

static void bind_template(GtkWidgetClass *class)
{
  gtk_widget_class_set_template_from_resource(class, "/org/capturectl/Viewer/pages/tree/tree-page.ui");
  gtk_widget_class_bind_template_child(class, ViewerTreePage, stack);
  gtk_widget_class_bind_template_child(class, ViewerTreePage, box);
  gtk_widget_class_bind_template_child(class, ViewerTreePage, empty);
  gtk_widget_class_bind_template_child(class, ViewerTreePage, top_down);
  gtk_widget_class_bind_template_child(class, ViewerTreePage, inverted);
  gtk_widget_class_bind_template_child(class, ViewerTreePage, rows_menu);
  gtk_widget_class_bind_template_callback(class, toggle_inverted);
}

static gboolean viewer_tree_page_grab_focus(GtkWidget *widget)
{
  return gtk_widget_grab_focus(GTK_WIDGET(VIEWER_TREE_PAGE(widget)->tree));
}

static void viewer_tree_page_class_init(ViewerTreePageClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
  ViewerListPageClass *page_class = VIEWER_LIST_PAGE_CLASS(class);

  page_class->show = viewer_tree_page_show;
  page_class->show_selection = viewer_tree_page_show_selection;
  page_class->find = viewer_tree_page_find;
  page_class->found = viewer_tree_page_found;
  G_OBJECT_CLASS(class)->dispose = viewer_tree_page_dispose;
  widget_class->grab_focus = viewer_tree_page_grab_focus;
  G_OBJECT_CLASS(class)->finalize = viewer_tree_page_finalize;
  bind_template(widget_class);
  gtk_widget_class_install_action(widget_class, "tree.open-below", NULL, handle_open_below);
  gtk_widget_class_install_action(widget_class, "tree.copy-all", NULL, handle_copy_all);
  gtk_widget_class_add_binding_action(widget_class, GDK_KEY_c, GDK_CONTROL_MASK | GDK_SHIFT_MASK,
                                      "tree.copy-all", NULL);
}

static void viewer_tree_page_init(ViewerTreePage *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  self->tree = VIEWER_TREE_VIEW(viewer_tree_view_new(FALSE));
  viewer_tree_view_set_name(self->tree, _("Call tree"));
  gtk_box_append(self->box, GTK_WIDGET(self->tree));
  g_signal_connect_object(self->tree, "selected", G_CALLBACK(select_in_document), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->tree, "activated", G_CALLBACK(handle_activated), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->tree, "menu", G_CALLBACK(handle_menu), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(get_model(self), "shown", G_CALLBACK(handle_shown), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(get_model(self), "places-changed", G_CALLBACK(handle_places), self,
                          G_CONNECT_SWAPPED);
}

GtkWidget *viewer_tree_page_new(void)
{
  return g_object_new(VIEWER_TYPE_TREE_PAGE, NULL);
}
