/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/document/list-page.h"

#include "profile/views/path.h"
#include "viewer/document/empty.h"

typedef struct {
  ViewerTransforms *transforms; /* the widget's */
  ViewerDocument *document;
  ViewerFinder *finder;
  char *search;
  gboolean is_stale; /* what is shown is not what the document says */
} ViewerListPagePrivate;

static void init_page(ViewerPageInterface *interface);

G_DEFINE_ABSTRACT_TYPE_WITH_CODE(ViewerListPage, viewer_list_page, ADW_TYPE_BIN,
                                 G_ADD_PRIVATE(ViewerListPage)
                                     G_IMPLEMENT_INTERFACE(VIEWER_TYPE_PAGE, init_page))

static ViewerListPagePrivate *get_private(ViewerListPage *self)
{
  return viewer_list_page_get_instance_private(self);
}

static void show_if_stale(ViewerListPage *self)
{
  ViewerListPagePrivate *private = get_private(self);

  if (!private->is_stale || !gtk_widget_get_mapped(GTK_WIDGET(self)))
    return;
  private->is_stale = FALSE;
  VIEWER_LIST_PAGE_GET_CLASS(self)->show(self);
}

void viewer_list_page_update(ViewerListPage *self)
{
  get_private(self)->is_stale = TRUE;
  show_if_stale(self);
}

static void handle_selection(ViewerListPage *self)
{
  ViewerListPagePrivate *private = get_private(self);

  private->is_stale = private->is_stale || !gtk_widget_get_mapped(GTK_WIDGET(self));
  if (!private->is_stale)
    VIEWER_LIST_PAGE_GET_CLASS(self)->show_selection(self);
}

static void handle_found(ViewerListPage *self)
{
  VIEWER_LIST_PAGE_GET_CLASS(self)->found(self);
  g_signal_emit_by_name(self, "search-changed");
}

static void set_document(ViewerPage *page, ViewerDocument *document)
{
  ViewerListPage *self = VIEWER_LIST_PAGE(page);
  ViewerListPagePrivate *private = get_private(self);

  if (private->document)
    g_signal_handlers_disconnect_by_data(private->document, self);
  g_set_object(&private->document, document);
  viewer_transforms_set_document(private->transforms, document);
  if (document) {
    g_signal_connect_object(document, "weights-changed", G_CALLBACK(viewer_list_page_update), self,
                            G_CONNECT_SWAPPED);
    g_signal_connect_object(document, "selection-changed", G_CALLBACK(handle_selection), self,
                            G_CONNECT_SWAPPED);
  }
  viewer_list_page_update(self);
}

static void set_search(ViewerPage *page, const char *text)
{
  ViewerListPage *self = VIEWER_LIST_PAGE(page);
  ViewerListPagePrivate *private = get_private(self);

  if (g_strcmp0(private->search, text) == 0)
    return;
  g_free(private->search);
  private->search = g_strdup(text);
  if (!private->is_stale)
    VIEWER_LIST_PAGE_GET_CLASS(self)->find(self);
}

static char *describe_search(ViewerPage *page)
{
  return viewer_finder_describe(get_private(VIEWER_LIST_PAGE(page))->finder);
}

static void init_page(ViewerPageInterface *interface)
{
  interface->set_document = set_document;
  interface->set_search = set_search;
  interface->describe_search = describe_search;
}

static void viewer_list_page_map(GtkWidget *widget)
{
  GTK_WIDGET_CLASS(viewer_list_page_parent_class)->map(widget);
  show_if_stale(VIEWER_LIST_PAGE(widget));
}

static void viewer_list_page_dispose(GObject *object)
{
  ViewerListPagePrivate *private = get_private(VIEWER_LIST_PAGE(object));

  if (private->document)
    g_signal_handlers_disconnect_by_data(private->document, object);
  g_clear_object(&private->document);
  g_clear_object(&private->finder);
  G_OBJECT_CLASS(viewer_list_page_parent_class)->dispose(object);
}

static void viewer_list_page_finalize(GObject *object)
{
  g_free(get_private(VIEWER_LIST_PAGE(object))->search);
  G_OBJECT_CLASS(viewer_list_page_parent_class)->finalize(object);
}

static void viewer_list_page_class_init(ViewerListPageClass *class)
{
  G_OBJECT_CLASS(class)->dispose = viewer_list_page_dispose;
  G_OBJECT_CLASS(class)->finalize = viewer_list_page_finalize;
  GTK_WIDGET_CLASS(class)->map = viewer_list_page_map;
}

static void viewer_list_page_init(ViewerListPage *self)
{
  ViewerListPagePrivate *private = get_private(self);

  private->transforms = viewer_transforms_install(GTK_WIDGET(self));
  private->finder = viewer_finder_new();
  g_signal_connect_object(private->finder, "found", G_CALLBACK(handle_found), self, G_CONNECT_SWAPPED);
}

ViewerDocument *viewer_list_page_get_document(ViewerListPage *self)
{
  return get_private(self)->document;
}

ProfileWeights *viewer_list_page_get_weights(ViewerListPage *self)
{
  ViewerDocument *document = get_private(self)->document;
  ProfileWeights *weights = document ? viewer_document_get_weights(document) : NULL;

  return weights && !viewer_empty_is(document) ? weights : NULL;
}

guint32 viewer_list_page_get_function(ViewerListPage *self)
{
  ProfileWeights *weights = viewer_list_page_get_weights(self);
  ViewerDocument *document = get_private(self)->document;
  guint n = 0;
  const guint32 *path = document ? viewer_document_get_selection(document, &n) : NULL;

  if (n == 0 || !weights ||
      path[n - 1] >= profile_stacks_get_n_functions(profile_weights_get_stacks(weights)))
    return G_MAXUINT32;
  return path[n - 1];
}

gboolean viewer_list_page_select_function(ViewerListPage *self, guint32 function)
{
  ProfileWeights *weights = viewer_list_page_get_weights(self);
  g_autofree ProfilePath *path = weights ? profile_path_find(weights, function) : NULL;

  if (path)
    viewer_document_select(get_private(self)->document, path->functions, path->n);
  return path != NULL;
}

ViewerTransforms *viewer_list_page_get_transforms(ViewerListPage *self)
{
  return get_private(self)->transforms;
}

ViewerFinder *viewer_list_page_get_finder(ViewerListPage *self)
{
  return get_private(self)->finder;
}

const char *viewer_list_page_get_search(ViewerListPage *self)
{
  return get_private(self)->search;
}

void viewer_list_page_popup(ViewerListPage *self, GtkWidget *view, double x, double y, GMenuModel *further)
{
  double page_x, page_y;

  if (gtk_widget_translate_coordinates(view, GTK_WIDGET(self), x, y, &page_x, &page_y))
    viewer_transforms_popup(get_private(self)->transforms, page_x, page_y, further);
}
