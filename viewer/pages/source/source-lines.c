/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/source/source-lines.h"

#include <glib/gi18n.h>

#include "viewer/table/column.h"
#include "viewer/table/table.h"

struct _ViewerSourceLines {
  GtkWidget parent;
  GtkWidget *scrolled;
  ViewerList *view;
  ViewerTable *table;
  GtkSingleSelection *selection;
  const ViewerSource *source; /* NULL: none */
  gboolean is_selecting;
};

G_DEFINE_FINAL_TYPE(ViewerSourceLines, viewer_source_lines, GTK_TYPE_WIDGET)

enum { CHOSEN, ACTIVATED, N_SIGNALS };
static guint signals[N_SIGNALS];

static const ProfileAnnotationLine *get_line(gpointer item, gpointer self)
{
  return VIEWER_SOURCE_LINES(self)->source->ranked[viewer_table_item_get_index(item)];
}

static char *get_self(gpointer item, gpointer self)
{
  return viewer_source_format_share(VIEWER_SOURCE_LINES(self)->source, get_line(item, self)->self);
}

static char *get_total(gpointer item, gpointer self)
{
  return viewer_source_format_share(VIEWER_SOURCE_LINES(self)->source, get_line(item, self)->total);
}

static double get_self_share(gpointer item, gpointer self)
{
  return viewer_source_get_share(VIEWER_SOURCE_LINES(self)->source, get_line(item, self)->self);
}

static double get_total_share(gpointer item, gpointer self)
{
  return viewer_source_get_share(VIEWER_SOURCE_LINES(self)->source, get_line(item, self)->total);
}

static char *get_number(gpointer item, gpointer self)
{
  return g_strdup_printf("%u", get_line(item, self)->line);
}

static char *get_code(gpointer item, gpointer self)
{
  return viewer_source_get_code(VIEWER_SOURCE_LINES(self)->source, get_line(item, self)->line);
}

static int compare_weights(gpointer self, ProfileWeight a, ProfileWeight b)
{
  const ProfileAnnotation *annotation = VIEWER_SOURCE_LINES(self)->source->annotation;
  guint64 left = profile_annotation_measure(annotation, a), right = profile_annotation_measure(annotation, b);

  return left < right ? -1 : left > right;
}

static int compare_selfs(gpointer a, gpointer b, gpointer self)
{
  return compare_weights(self, get_line(a, self)->self, get_line(b, self)->self);
}

static int compare_totals(gpointer a, gpointer b, gpointer self)
{
  return compare_weights(self, get_line(a, self)->total, get_line(b, self)->total);
}

static int compare_numbers(gpointer a, gpointer b, gpointer self)
{
  return get_line(a, self)->line < get_line(b, self)->line ? -1 : 1;
}

static void add_columns(ViewerSourceLines *self)
{
  const ViewerColumn columns[] = {{_("Self"), VIEWER_COLUMN_NUMBER, 7, get_self, compare_selfs},
                                  {_("Total"), VIEWER_COLUMN_NUMBER, 7, get_total, compare_totals},
                                  {_("Line"), VIEWER_COLUMN_NUMBER, 5, get_number, compare_numbers},
                                  {_("Code"), VIEWER_COLUMN_EXPAND, 0, get_code, NULL}};

  viewer_column_set_bar(viewer_column_append(self->view, &columns[0], self), get_self_share);
  viewer_column_set_bar(viewer_column_append(self->view, &columns[1], self), get_total_share);
  for (guint i = 2; i < G_N_ELEMENTS(columns); i++)
    viewer_column_append(self->view, &columns[i], self);
}

/* 0: there is none in that row. */
static guint32 get_line_at(ViewerSourceLines *self, guint position)
{
  g_autoptr(GObject) item = g_list_model_get_item(G_LIST_MODEL(self->selection), position);

  return item ? get_line(item, self)->line : 0;
}

static void handle_selected(ViewerSourceLines *self)
{
  guint32 line =
      self->is_selecting ? 0 : get_line_at(self, gtk_single_selection_get_selected(self->selection));

  if (line > 0)
    g_signal_emit(self, signals[CHOSEN], 0, line);
}

static void handle_activated(ViewerSourceLines *self, guint position)
{
  g_signal_emit(self, signals[ACTIVATED], 0, get_line_at(self, position));
}

void viewer_source_lines_show(ViewerSourceLines *self, const ViewerSource *source)
{
  self->is_selecting = TRUE;
  self->source = source;
  viewer_table_reset(self->table, source ? source->n_ranked : 0);
  gtk_single_selection_set_selected(self->selection, GTK_INVALID_LIST_POSITION);
  self->is_selecting = FALSE;
}

void viewer_source_lines_select(ViewerSourceLines *self, guint32 line)
{
  guint n = g_list_model_get_n_items(G_LIST_MODEL(self->selection)), position = 0;

  while (position < n && get_line_at(self, position) != line)
    position++;
  self->is_selecting = TRUE;
  gtk_single_selection_set_selected(self->selection, position < n ? position : GTK_INVALID_LIST_POSITION);
  self->is_selecting = FALSE;
  if (position < n)
    viewer_list_show(self->view, position, FALSE);
}

guint32 viewer_source_lines_get_next(ViewerSourceLines *self, int direction)
{
  guint n = g_list_model_get_n_items(G_LIST_MODEL(self->selection));
  guint selected = gtk_single_selection_get_selected(self->selection);

  if (n == 0)
    return 0;
  if (selected == GTK_INVALID_LIST_POSITION)
    return get_line_at(self, direction > 0 ? 0 : n - 1);
  if (direction < 0 && selected == 0)
    return 0;
  return get_line_at(self, selected + (guint)direction);
}

ViewerCopyRows viewer_source_lines_get_copied(ViewerSourceLines *self)
{
  return viewer_column_get_copied(self->view);
}

static gboolean viewer_source_lines_grab_focus(GtkWidget *widget)
{
  return gtk_widget_grab_focus(GTK_WIDGET(VIEWER_SOURCE_LINES(widget)->view));
}

static void viewer_source_lines_dispose(GObject *object)
{
  ViewerSourceLines *self = VIEWER_SOURCE_LINES(object);

  self->is_selecting = TRUE;
  g_clear_pointer(&self->scrolled, gtk_widget_unparent);
  g_clear_object(&self->table);
  G_OBJECT_CLASS(viewer_source_lines_parent_class)->dispose(object);
}

static void viewer_source_lines_class_init(ViewerSourceLinesClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
  GType type = G_TYPE_FROM_CLASS(class);

  G_OBJECT_CLASS(class)->dispose = viewer_source_lines_dispose;
  widget_class->grab_focus = viewer_source_lines_grab_focus;
  signals[CHOSEN] =
      g_signal_new("chosen", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
  signals[ACTIVATED] =
      g_signal_new("activated", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
  gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
}

static void viewer_source_lines_init(ViewerSourceLines *self)
{
  self->table = viewer_table_new();
  self->view = VIEWER_LIST(viewer_list_new());
  self->scrolled = gtk_scrolled_window_new();
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(self->scrolled), GTK_WIDGET(self->view));
  gtk_widget_set_parent(self->scrolled, GTK_WIDGET(self));
  add_columns(self);
  GtkSorter *sorter = gtk_column_view_get_sorter(viewer_list_get_titles(self->view));
  g_autoptr(GtkSortListModel) sorted =
      gtk_sort_list_model_new(g_object_ref(G_LIST_MODEL(self->table)), g_object_ref(sorter));
  self->selection = viewer_list_set_model(self->view, G_LIST_MODEL(sorted));
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Hottest lines"), -1);
  g_signal_connect_object(self->selection, "notify::selected", G_CALLBACK(handle_selected), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self->view, "activate", G_CALLBACK(handle_activated), self, G_CONNECT_SWAPPED);
}
