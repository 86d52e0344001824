/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/viewer-tree-page.h"

#include <glib/gi18n.h>

#include "viewer/viewer-empty.h"
#include "viewer/viewer-finder.h"
#include "viewer/viewer-page.h"
#include "viewer/viewer-transforms.h"
#include "viewer/viewer-tree-text.h"
#include "viewer/viewer-tree-view.h"

struct _ViewerTreePage {
  AdwBin parent;
  GtkStack *stack;
  GtkBox *box;
  AdwStatusPage *empty;
  GtkToggleButton *top_down, *inverted;
  GMenuModel *rows_menu;
  ViewerTreeView *tree;
  ViewerTransforms *transforms; /* the widget's */
  ViewerDocument *document;
  ViewerFinder *finder;
  char *search;
  int next_match;           /* a place is to be gone to when they are there: 1, -1; or 0 */
  gboolean is_stale;        /* what is shown is not what the document says */
  ProfilePath *upside_down; /* what is selected in a tree of callers; NULL: nothing is */
};

static void init_page(ViewerPageInterface *interface);

G_DEFINE_TYPE_WITH_CODE(ViewerTreePage, viewer_tree_page, ADW_TYPE_BIN,
                        G_IMPLEMENT_INTERFACE(VIEWER_TYPE_PAGE, init_page))

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
  viewer_transforms_set_inverted_path(self->transforms, path ? path->functions : NULL, path ? path->n : 0);
}

static void show_document(ViewerTreePage *self)
{
  ProfileWeights *weights = self->document ? viewer_document_get_weights(self->document) : NULL;
  gboolean inverted = gtk_toggle_button_get_active(self->inverted);

  self->is_stale = FALSE;
  if (self->document && viewer_empty_is(self->document)) {
    viewer_empty_explain(self->empty, self->document);
    weights = NULL;
  }
  gtk_stack_set_visible_child_name(self->stack,
                                   self->document && viewer_empty_is(self->document) ? "empty" : "tree");
  viewer_tree_model_show(get_model(self), weights, inverted ? VIEWER_TREE_INVERTED : VIEWER_TREE_TOP_DOWN, 0);
}

static void update(ViewerTreePage *self)
{
  self->is_stale = TRUE;
  if (gtk_widget_get_mapped(GTK_WIDGET(self)))
    show_document(self);
}

static void show_if_stale(ViewerTreePage *self)
{
  if (self->is_stale)
    show_document(self);
}

static void toggle_inverted(ViewerTreePage *self)
{
  set_upside_down(self, NULL);
  update(self);
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

static void show_selection(ViewerTreePage *self)
{
  guint n;

  if (!self->document || !viewer_tree_model_get_weights(get_model(self)) ||
      !gtk_widget_get_mapped(GTK_WIDGET(self)))
    return;
  const guint32 *selection = viewer_document_get_selection(self->document, &n);
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
    viewer_document_select(self->document, heaviest->functions, heaviest->n);
}

static void select_in_document(ViewerTreePage *self)
{
  guint32 node = viewer_tree_view_get_selected(self->tree);

  if (!self->document || node == VIEWER_TREE_NO_NODE)
    return;
  g_autofree ProfilePath *path = viewer_tree_model_get_path(get_model(self), node);
  if (path->n > 0 && is_inverted(self)) {
    select_upside_down(self, g_steal_pointer(&path));
    return;
  }
  set_upside_down(self, NULL);
  viewer_document_select(self->document, path->functions, path->n);
}

static void find(ViewerTreePage *self)
{
  viewer_finder_find(self->finder, viewer_tree_model_get_weights(get_model(self)), self->search);
}

static void handle_shown(ViewerTreePage *self)
{
  show_selection(self);
  find(self);
}

static void handle_found(ViewerTreePage *self)
{
  viewer_tree_model_set_search(get_model(self), viewer_finder_get(self->finder));
  g_signal_emit_by_name(self, "search-changed");
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
  viewer_tree_view_toggle(self->tree, node);
}

static void handle_menu(ViewerTreePage *self, double x, double y)
{
  double page_x, page_y;

  if (gtk_widget_translate_coordinates(GTK_WIDGET(self->tree), GTK_WIDGET(self), x, y, &page_x, &page_y))
    viewer_transforms_popup(self->transforms, page_x, page_y, self->rows_menu);
}

static void handle_open_below(GtkWidget *widget, const char *name, GVariant *parameter)
{
  ViewerTreePage *self = VIEWER_TREE_PAGE(widget);
  guint32 node = viewer_tree_view_get_selected(self->tree);

  if (node != VIEWER_TREE_NO_NODE)
    viewer_tree_model_open_below(get_model(self), node);
}

static void handle_copy_all(GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_autofree char *text = viewer_tree_text_new(get_model(VIEWER_TREE_PAGE(widget)), 0, G_MAXUINT);

  if (text)
    gdk_clipboard_set_text(gtk_widget_get_clipboard(widget), text);
}

static void set_document(ViewerPage *page, ViewerDocument *document)
{
  ViewerTreePage *self = VIEWER_TREE_PAGE(page);

  if (self->document)
    g_signal_handlers_disconnect_by_data(self->document, self);
  g_set_object(&self->document, document);
  viewer_transforms_set_document(self->transforms, document);
  g_clear_pointer(&self->upside_down, g_free);
  if (document) {
    g_signal_connect_object(document, "weights-changed", G_CALLBACK(update), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(document, "selection-changed", G_CALLBACK(show_selection), self,
                            G_CONNECT_SWAPPED);
  }
  update(self);
}

static void set_search(ViewerPage *page, const char *text)
{
  ViewerTreePage *self = VIEWER_TREE_PAGE(page);

  g_free(self->search);
  self->search = g_strdup(text);
  self->next_match = 0;
  find(self);
}

static char *describe_search(ViewerPage *page)
{
  return viewer_finder_describe(VIEWER_TREE_PAGE(page)->finder);
}

/* Places come later than what was found: who asks too early gets there then. */
static gboolean next_match(ViewerPage *page, int direction)
{
  ViewerTreePage *self = VIEWER_TREE_PAGE(page);

  self->next_match = 0;
  if (go_to_place(self, direction))
    return TRUE;
  if (viewer_finder_is_busy(self->finder) || viewer_tree_model_is_busy(get_model(self)))
    self->next_match = direction;
  return self->next_match != 0;
}

static char *copy_text(ViewerPage *page)
{
  ViewerTreePage *self = VIEWER_TREE_PAGE(page);
  guint32 node = viewer_tree_view_get_selected(self->tree);

  if (node == VIEWER_TREE_NO_NODE)
    return viewer_tree_text_new(get_model(self), 0, G_MAXUINT);
  return viewer_tree_text_new(get_model(self), viewer_tree_model_get_position(get_model(self), node), 1);
}

static void get_report(ViewerPage *page, ProfileReportBy *ret_by, ProfileReportTree *ret_tree)
{
  if (gtk_toggle_button_get_active(VIEWER_TREE_PAGE(page)->inverted))
    *ret_tree = PROFILE_REPORT_BOTTOM_UP;
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

static void viewer_tree_page_dispose(GObject *object)
{
  ViewerTreePage *self = VIEWER_TREE_PAGE(object);

  if (self->document)
    g_signal_handlers_disconnect_by_data(self->document, self);
  g_clear_object(&self->document);
  /* The tree still tells what it does without its rows. */
  if (self->finder)
    g_signal_handlers_disconnect_by_data(get_model(self), self);
  g_clear_object(&self->finder);
  G_OBJECT_CLASS(viewer_tree_page_parent_class)->dispose(object);
}

static void viewer_tree_page_finalize(GObject *object)
{
  ViewerTreePage *self = VIEWER_TREE_PAGE(object);

  g_free(self->search);
  g_free(self->upside_down);
  G_OBJECT_CLASS(viewer_tree_page_parent_class)->finalize(object);
}

static void bind_template(GtkWidgetClass *class)
{
  gtk_widget_class_set_template_from_resource(class, "/org/capturectl/Viewer/viewer-tree-page.ui");
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
  self->transforms = viewer_transforms_install(GTK_WIDGET(self));
  self->finder = viewer_finder_new();
  self->tree = VIEWER_TREE_VIEW(viewer_tree_view_new(FALSE));
  viewer_tree_view_set_name(self->tree, _("Call tree"));
  gtk_box_append(self->box, GTK_WIDGET(self->tree));
  g_signal_connect(self, "map", G_CALLBACK(show_if_stale), NULL);
  g_signal_connect_object(self->finder, "found", G_CALLBACK(handle_found), self, G_CONNECT_SWAPPED);
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
