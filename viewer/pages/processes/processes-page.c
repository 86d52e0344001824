/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/processes/processes-page.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "profile/capture/span.h"
#include "profile/views/process-tree.h"
#include "viewer/document/follower.h"
#include "viewer/kit/format.h"
#include "viewer/kit/latest.h"
#include "viewer/table/column.h"
#include "viewer/table/table.h"

enum {
  ROWS_LOOKED_AT = 40, /* the first ones, when a tree is shown for the first time: */
  ROWS_OPENED = 40,    /* heavy families among them are opened until so many rows were added, */
  THREADS_OPENED = 20, /* but none of more threads, which would push the others out of sight */
  CHARS_SHOWN = 2000   /* of a command line below the table */
};
/* Times are told to the millisecond. */
#define TIME_STEP G_GUINT64_CONSTANT(1000000)

struct _ViewerProcessesPage {
  GtkWidget parent_instance;

  GtkWidget *stack, *chosen, *command_line, *show_only, *menu;
  ViewerList *view;
  GtkColumnViewColumn *by_share, *starts, *ends;
  GtkSingleSelection *selection;
  GtkTreeListModel *rows; /* the selection's, before it is sorted */
  ViewerTable *table;     /* of those at the root */
  ViewerFollower *follower;
  ViewerLatest *making;
  ProfileProcessTree *tree; /* that is shown, which is what was made last; NULL: none yet */
  guint shown;              /* nodes of the tree whose rows are shown; 0: none are */
  guint64 begin;            /* of the recording */
};

static void viewer_processes_page_interface_init(ViewerPageInterface *interface);

G_DEFINE_FINAL_TYPE_WITH_CODE(ViewerProcessesPage, viewer_processes_page, GTK_TYPE_WIDGET,
                              G_IMPLEMENT_INTERFACE(VIEWER_TYPE_PAGE, viewer_processes_page_interface_init))

static const ProfileProcessNode *get_nodes(const ViewerProcessesPage *self)
{
  guint n;

  return profile_process_tree_get_nodes(self->tree, &n);
}

static const ProfileProcessNode *get_node(gpointer item, gpointer page)
{
  return &get_nodes(page)[viewer_table_item_get_index(item)];
}

static ProfileWeights *get_weights(const ViewerProcessesPage *self)
{
  return profile_process_tree_get_weights(self->tree);
}

static char *get_name(gpointer item, gpointer page)
{
  const ProfileProcessNode *node = get_node(item, page);

  return g_strdup(node->id == -1 ? _("Not Known") : node->name);
}

static char *get_id(gpointer item, gpointer page)
{
  const ProfileProcessNode *node = get_node(item, page);

  return node->id == -1 ? g_strdup("") : g_strdup_printf("%d", node->id);
}

/* other: of the same life. Where that is known alone this one was before the recording, or after. */
static char *format_time(const ViewerProcessesPage *self, guint64 time, guint64 other)
{
  if (time == 0)
    return g_strdup(other ? "–" : "");
  return viewer_format_time(time > self->begin ? time - self->begin : 0, TIME_STEP);
}

static char *get_start(gpointer item, gpointer page)
{
  const ProfileProcessNode *node = get_node(item, page);

  return format_time(page, node->start, node->end);
}

static char *get_end(gpointer item, gpointer page)
{
  const ProfileProcessNode *node = get_node(item, page);

  return format_time(page, node->end, node->start);
}

static char *get_self(gpointer item, gpointer page)
{
  return viewer_format_weight(get_weights(page), get_node(item, page)->self);
}

static char *get_self_share(gpointer item, gpointer page)
{
  return viewer_format_weight_share(get_weights(page), get_node(item, page)->self);
}

static char *get_total_share(gpointer item, gpointer page)
{
  return viewer_format_weight_share(get_weights(page), get_node(item, page)->total);
}

static double get_self_part(gpointer item, gpointer page)
{
  return profile_weights_get_share(get_weights(page), get_node(item, page)->self);
}

static double get_total_part(gpointer item, gpointer page)
{
  return profile_weights_get_share(get_weights(page), get_node(item, page)->total);
}

static char *get_command_line(gpointer item, gpointer page)
{
  const char *line = get_node(item, page)->command_line;

  return g_strdup(line ? line : "");
}

static int compare_numbers(guint64 a, guint64 b)
{
  return a < b ? -1 : a > b;
}

static int compare_names(gpointer a, gpointer b, gpointer page)
{
  return g_strcmp0(get_node(a, page)->name, get_node(b, page)->name);
}

static int compare_ids(gpointer a, gpointer b, gpointer page)
{
  gint32 left = get_node(a, page)->id, right = get_node(b, page)->id;

  return left < right ? -1 : left > right;
}

static int compare_starts(gpointer a, gpointer b, gpointer page)
{
  return compare_numbers(get_node(a, page)->start, get_node(b, page)->start);
}

/* What has not ended ends last. */
static int compare_ends(gpointer a, gpointer b, gpointer page)
{
  return compare_numbers(get_node(a, page)->end - 1, get_node(b, page)->end - 1);
}

static int compare_weights(gpointer page, ProfileWeight a, ProfileWeight b)
{
  return compare_numbers(profile_weights_measure(get_weights(page), a),
                         profile_weights_measure(get_weights(page), b));
}

static int compare_selves(gpointer a, gpointer b, gpointer page)
{
  return compare_weights(page, get_node(a, page)->self, get_node(b, page)->self);
}

static int compare_totals(gpointer a, gpointer b, gpointer page)
{
  return compare_weights(page, get_node(a, page)->total, get_node(b, page)->total);
}

static int compare_command_lines(gpointer a, gpointer b, gpointer page)
{
  return g_strcmp0(get_node(a, page)->command_line, get_node(b, page)->command_line);
}

static void add_columns(ViewerProcessesPage *self)
{
  enum { START = 2, END = 3, OWN = 5, TOTAL = 6, N = 8 };
  const ViewerColumn columns[N] = {{_("Process"), VIEWER_COLUMN_EXPANDER, 22, get_name, compare_names},
                                   {_("ID"), VIEWER_COLUMN_NUMBER, 7, get_id, compare_ids},
                                   {_("Start"), VIEWER_COLUMN_NUMBER, 8, get_start, compare_starts},
                                   {_("End"), VIEWER_COLUMN_NUMBER, 8, get_end, compare_ends},
                                   {_("Self"), VIEWER_COLUMN_NUMBER, 8, get_self, compare_selves},
                                   {_("Self %"), VIEWER_COLUMN_NUMBER, 7, get_self_share, compare_selves},
                                   {_("Total %"), VIEWER_COLUMN_NUMBER, 7, get_total_share, compare_totals},
                                   {_("Command Line"), VIEWER_COLUMN_EXPAND | VIEWER_COLUMN_DIM, 0,
                                    get_command_line, compare_command_lines}};
  GtkColumnViewColumn *made[N];

  for (guint i = 0; i < N; i++)
    made[i] = viewer_column_append(self->view, &columns[i], self);
  self->starts = made[START];
  self->ends = made[END];
  self->by_share = made[TOTAL];
  viewer_column_set_bar(made[OWN], get_self_part);
  viewer_column_set_bar(made[TOTAL], get_total_part);
}

/* A column of times is there when any is known. */
static void choose_columns(ViewerProcessesPage *self)
{
  gboolean has_starts = FALSE, has_ends = FALSE;
  guint n;
  const ProfileProcessNode *nodes = profile_process_tree_get_nodes(self->tree, &n);

  for (guint i = 0; i < n; i++) {
    has_starts |= nodes[i].start != 0;
    has_ends |= nodes[i].end != 0;
  }
  gtk_column_view_column_set_visible(self->starts, has_starts);
  gtk_column_view_column_set_visible(self->ends, has_ends);
}

/* What a thread makes the tree of. */
static gpointer processes_page_make(gpointer weights)
{
  return profile_process_tree_new(weights);
}

static GListModel *make_children(gpointer item, gpointer page)
{
  const ProfileProcessNode *node = get_node(item, page);

  return node->n_children ? G_LIST_MODEL(viewer_table_new_part(node->first_child, node->n_children)) : NULL;
}

/* What is known of nobody is listed only when something is. */
static guint count_at_root(const ViewerProcessesPage *self)
{
  const ProfileProcessNode *nodes = get_nodes(self), *root = nodes;
  const ProfileProcessNode *nobody = &nodes[root->first_child + root->n_children - 1];

  return root->n_children - (nobody->total.count == 0);
}

/* Threads come first among children. */
static gboolean has_many_threads(ViewerProcessesPage *self, const ProfileProcessNode *node)
{
  return node->n_children > THREADS_OPENED && get_nodes(self)[node->first_child + THREADS_OPENED].is_thread;
}

static gboolean is_worth_opening(ViewerProcessesPage *self, GtkTreeListRow *row)
{
  g_autoptr(ViewerTableItem) item = gtk_tree_list_row_get_item(row);
  const ProfileProcessNode *node = get_node(item, self);
  guint64 all = profile_weights_measure(get_weights(self), get_nodes(self)->total);

  return !node->is_thread && !has_many_threads(self, node) &&
         profile_weights_measure(get_weights(self), node->total) >= MAX(all / 50, 1);
}

/* The heaviest come first. */
static void open_families(ViewerProcessesPage *self)
{
  GListModel *rows = G_LIST_MODEL(self->selection);
  guint before = g_list_model_get_n_items(rows);

  for (guint i = 0; i < MIN(g_list_model_get_n_items(rows), ROWS_LOOKED_AT); i++) {
    g_autoptr(GtkTreeListRow) row = g_list_model_get_item(rows, i);
    if (is_worth_opening(self, row) && g_list_model_get_n_items(rows) - before < ROWS_OPENED)
      gtk_tree_list_row_set_expanded(row, TRUE);
  }
}

static ViewerTableItem *get_selected(const ViewerProcessesPage *self)
{
  GtkTreeListRow *row = gtk_single_selection_get_selected_item(self->selection);

  return row ? gtk_tree_list_row_get_item(row) : NULL;
}

static void show_selected(ViewerProcessesPage *self)
{
  g_autoptr(ViewerTableItem) item = self->tree ? get_selected(self) : NULL;
  const ProfileProcessNode *node = item ? get_node(item, self) : NULL;
  g_autofree char *line =
      viewer_format_name(node ? (node->command_line ? node->command_line : node->name) : "", CHARS_SHOWN);

  gtk_widget_action_set_enabled(GTK_WIDGET(self), "processes.show-only", node != NULL);
  gtk_revealer_set_reveal_child(GTK_REVEALER(self->chosen), node != NULL);
  if (!node)
    return;
  gtk_label_set_text(GTK_LABEL(self->command_line), line);
  gtk_button_set_label(GTK_BUTTON(self->show_only),
                       node->is_thread ? _("Show Only This Thread") : _("Show Only This Process"));
}

static void show_rows(ViewerProcessesPage *self)
{
  viewer_table_reset(self->table, self->tree ? count_at_root(self) : 0);
  if (self->tree)
    open_families(self);
}

/* Where there are as many nodes they are the same ones, since a recording only grows: their rows keep their
 * places, and who is open stays open. */
static void set_tree(ViewerProcessesPage *self, ProfileProcessTree *tree)
{
  guint64 end;
  guint n = 0, before = self->shown;

  self->tree = tree;
  if (tree) {
    profile_process_tree_get_nodes(tree, &n);
    profile_span_get(profile_weights_get_capture(get_weights(self)), &self->begin, &end);
  }
  self->shown = n;
  if (tree)
    choose_columns(self);
  if (tree && n == before && g_list_model_get_n_items(G_LIST_MODEL(self->table)) == count_at_root(self))
    viewer_column_update_all(self->view);
  else
    show_rows(self);
  show_selected(self);
  gtk_stack_set_visible_child_name(GTK_STACK(self->stack),
                                   tree && count_at_root(self) > 0 ? "processes" : "none");
  viewer_page_take_focus(VIEWER_PAGE(self));
}

static void on_ready(ViewerLatest *making, ViewerProcessesPage *self)
{
  set_tree(self, viewer_latest_get(making));
}

static void on_followed(GtkWidget *widget, ViewerFollowFlags what)
{
  ViewerProcessesPage *self = VIEWER_PROCESSES_PAGE(widget);
  ViewerDocument *document = viewer_follower_get_document(self->follower);
  ProfileWeights *weights = document ? viewer_document_get_weights(document) : NULL;

  if (weights) {
    viewer_latest_request(self->making, profile_weights_ref(weights));
    return;
  }
  set_tree(self, NULL);
  viewer_latest_clear(self->making);
}

/* TRANSLATORS: A process or thread and its number. */
static char *make_step_label(const ProfileProcessNode *node)
{
  g_autofree char *name = viewer_format_name(node->name, 30);

  return g_strdup_printf(_("%s (%d)"), name, node->id);
}

static void show_only(GtkWidget *widget, const char *action, GVariant *parameter)
{
  ViewerProcessesPage *self = VIEWER_PROCESSES_PAGE(widget);
  ViewerDocument *document = viewer_follower_get_document(self->follower);
  g_autoptr(ViewerTableItem) item = self->tree ? get_selected(self) : NULL;

  if (!item || !document)
    return;
  const ProfileProcessNode *node = get_node(item, self);
  g_autofree char *label = make_step_label(node);
  g_autoptr(ViewerStep) step =
      viewer_step_new_items(node->is_thread ? VIEWER_STEP_THREADS : VIEWER_STEP_PROCESSES,
                            profile_process_tree_get_items(self->tree, node), node->n_items, label);
  viewer_query_push(viewer_document_get_query(document), step);
}

static void copy_command_line(GtkWidget *widget, const char *action, GVariant *parameter)
{
  ViewerProcessesPage *self = VIEWER_PROCESSES_PAGE(widget);
  g_autoptr(ViewerTableItem) item = self->tree ? get_selected(self) : NULL;
  g_autofree char *line = item ? get_command_line(item, self) : NULL;
  g_autofree char *valid = line ? g_utf8_make_valid(line, -1) : NULL;

  if (valid)
    gdk_clipboard_set_text(gtk_widget_get_clipboard(widget), valid);
}

static void on_activated(ViewerProcessesPage *self, guint position)
{
  gtk_single_selection_set_selected(self->selection, position);
  gtk_widget_activate_action(GTK_WIDGET(self), "processes.show-only", NULL);
}

static void select_parent(ViewerProcessesPage *self, GtkTreeListRow *row)
{
  g_autoptr(GtkTreeListRow) parent = gtk_tree_list_row_get_parent(row);
  GListModel *model = G_LIST_MODEL(self->selection);
  guint at = gtk_single_selection_get_selected(self->selection);

  while (parent && at-- > 0) {
    g_autoptr(GtkTreeListRow) above = g_list_model_get_item(model, at);
    if (above != parent)
      continue;
    gtk_single_selection_set_selected(self->selection, at);
    viewer_list_show(self->view, at, FALSE);
    return;
  }
}

/* Right opens a row, left closes it or goes to the one it is in; the other way round where one reads so. */
static gboolean on_key(GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state,
                       ViewerProcessesPage *self)
{
  GtkTreeListRow *row = gtk_single_selection_get_selected_item(self->selection);
  gboolean reversed = gtk_widget_get_direction(GTK_WIDGET(self)) == GTK_TEXT_DIR_RTL;

  if (!row || (key != GDK_KEY_Right && key != GDK_KEY_Left) ||
      (state & gtk_accelerator_get_default_mod_mask()))
    return FALSE;
  if ((key == GDK_KEY_Right) != reversed)
    gtk_tree_list_row_set_expanded(row, TRUE);
  else if (gtk_tree_list_row_get_expanded(row))
    gtk_tree_list_row_set_expanded(row, FALSE);
  else
    select_parent(self, row);
  return TRUE;
}

static void on_selected(GtkSingleSelection *selection, GParamSpec *pspec, ViewerProcessesPage *self)
{
  show_selected(self);
}

static void pop_up(ViewerProcessesPage *self, double x, double y)
{
  g_autoptr(GMenu) menu = g_menu_new();
  g_autoptr(ViewerTableItem) item = self->tree ? get_selected(self) : NULL;

  if (!item)
    return;
  g_menu_append(menu,
                get_node(item, self)->is_thread ? _("Show Only This _Thread") : _("Show Only This _Process"),
                "processes.show-only");
  g_menu_append(menu, _("Copy Command Line"), "processes.copy-command-line");
  gtk_popover_menu_set_menu_model(GTK_POPOVER_MENU(self->menu), G_MENU_MODEL(menu));
  gtk_popover_set_pointing_to(GTK_POPOVER(self->menu), &(GdkRectangle){(int)x, (int)y, 1, 1});
  gtk_popover_popup(GTK_POPOVER(self->menu));
}

static void on_pressed(GtkGestureClick *gesture, int n_press, double x, double y, ViewerProcessesPage *self)
{
  guint position = viewer_list_get_position_at(self->view, GTK_WIDGET(self), x, y);

  if (position == GTK_INVALID_LIST_POSITION)
    return;
  gtk_single_selection_set_selected(self->selection, position);
  pop_up(self, x, y);
}

/* The menu key, or Shift and F10. */
static gboolean on_menu_key(GtkWidget *widget, GVariant *arguments, gpointer data)
{
  ViewerProcessesPage *self = VIEWER_PROCESSES_PAGE(widget);
  guint position = gtk_single_selection_get_selected(self->selection);
  double x, y;

  if (!viewer_list_get_place_of(self->view, widget, position, &x, &y))
    return FALSE;
  pop_up(self, x, y);
  return TRUE;
}

static void viewer_processes_page_set_document(ViewerPage *page, ViewerDocument *document)
{
  ViewerProcessesPage *self = VIEWER_PROCESSES_PAGE(page);

  set_tree(self, NULL);
  viewer_latest_clear(self->making);
  viewer_follower_set_document(self->follower, document);
}

static gboolean viewer_processes_page_copy(ViewerPage *page)
{
  ViewerProcessesPage *self = VIEWER_PROCESSES_PAGE(page);
  const ViewerCopyRows rows = viewer_column_get_copied(self->view);

  return self->tree && viewer_copy_rows(GTK_WIDGET(self), &rows);
}

static void viewer_processes_page_get_report(ViewerPage *page, ProfileReportBy *ret_by,
                                             ProfileReportTree *ret_tree)
{
  *ret_by = PROFILE_REPORT_PROCESS;
  *ret_tree = PROFILE_REPORT_LIST;
}

static void viewer_processes_page_interface_init(ViewerPageInterface *interface)
{
  interface->get_report = viewer_processes_page_get_report;
  interface->set_document = viewer_processes_page_set_document;
  interface->copy = viewer_processes_page_copy;
}

static gboolean viewer_processes_page_grab_focus(GtkWidget *widget)
{
  ViewerProcessesPage *self = VIEWER_PROCESSES_PAGE(widget);

  return self->tree && gtk_widget_grab_focus(GTK_WIDGET(self->view));
}

static void viewer_processes_page_dispose(GObject *object)
{
  ViewerProcessesPage *self = VIEWER_PROCESSES_PAGE(object);

  g_clear_pointer(&self->follower, viewer_follower_free);
  g_clear_pointer(&self->menu, gtk_widget_unparent);
  g_clear_pointer(&self->stack, gtk_widget_unparent);
  g_clear_object(&self->rows);
  g_clear_object(&self->table);
  self->tree = NULL;
  g_clear_object(&self->making);
  G_OBJECT_CLASS(viewer_processes_page_parent_class)->dispose(object);
}

static void viewer_processes_page_class_init(ViewerProcessesPageClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  G_OBJECT_CLASS(class)->dispose = viewer_processes_page_dispose;
  widget_class->grab_focus = viewer_processes_page_grab_focus;
  g_type_ensure(VIEWER_TYPE_LIST);
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/org/capturectl/Viewer/pages/processes/processes-page.ui");
  gtk_widget_class_bind_template_child(widget_class, ViewerProcessesPage, stack);
  gtk_widget_class_bind_template_child(widget_class, ViewerProcessesPage, view);
  gtk_widget_class_bind_template_child(widget_class, ViewerProcessesPage, chosen);
  gtk_widget_class_bind_template_child(widget_class, ViewerProcessesPage, command_line);
  gtk_widget_class_bind_template_child(widget_class, ViewerProcessesPage, show_only);
  gtk_widget_class_bind_template_callback(widget_class, on_activated);
  gtk_widget_class_install_action(widget_class, "processes.show-only", NULL, show_only);
  gtk_widget_class_install_action(widget_class, "processes.copy-command-line", NULL, copy_command_line);
  gtk_widget_class_add_binding(widget_class, GDK_KEY_Menu, 0, on_menu_key, NULL);
  gtk_widget_class_add_binding(widget_class, GDK_KEY_F10, GDK_SHIFT_MASK, on_menu_key, NULL);
}

static void set_model(ViewerProcessesPage *self)
{
  GtkSorter *of_columns = g_object_ref(gtk_column_view_get_sorter(viewer_list_get_titles(self->view)));
  GtkSorter *sorter = GTK_SORTER(gtk_tree_list_row_sorter_new(of_columns));
  GtkSortListModel *sorted;

  self->table = viewer_table_new_part(1, 0); /* the root itself is no row */
  self->rows = gtk_tree_list_model_new(g_object_ref(G_LIST_MODEL(self->table)), FALSE, FALSE, make_children,
                                       self, NULL);
  sorted = gtk_sort_list_model_new(g_object_ref(G_LIST_MODEL(self->rows)), sorter);
  self->selection = gtk_single_selection_new(NULL);
  gtk_single_selection_set_autoselect(self->selection, FALSE);
  gtk_single_selection_set_can_unselect(self->selection, TRUE);
  gtk_single_selection_set_model(self->selection, G_LIST_MODEL(sorted));
  viewer_list_set_selection(self->view, GTK_SELECTION_MODEL(self->selection));
  gtk_column_view_sort_by_column(viewer_list_get_titles(self->view), self->by_share, GTK_SORT_DESCENDING);
  g_signal_connect(self->selection, "notify::selected-item", G_CALLBACK(on_selected), self);
  g_object_unref(self->selection);
  g_object_unref(sorted);
}

static void add_menu(ViewerProcessesPage *self)
{
  GtkGesture *click = gtk_gesture_click_new();

  self->menu = gtk_popover_menu_new_from_model(NULL);
  gtk_popover_set_has_arrow(GTK_POPOVER(self->menu), FALSE);
  gtk_widget_set_halign(self->menu, GTK_ALIGN_START);
  gtk_widget_set_parent(self->menu, GTK_WIDGET(self));
  gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(click), GDK_BUTTON_SECONDARY);
  g_signal_connect(click, "pressed", G_CALLBACK(on_pressed), self);
  gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(click));
}

static void add_keys(ViewerProcessesPage *self)
{
  GtkEventController *keys = gtk_event_controller_key_new();

  gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
  g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), self);
  gtk_widget_add_controller(GTK_WIDGET(self->view), keys);
}

static void viewer_processes_page_init(ViewerProcessesPage *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  self->follower =
      viewer_follower_new(GTK_WIDGET(self), VIEWER_FOLLOW_CAPTURE | VIEWER_FOLLOW_WEIGHTS, on_followed);
  self->making = viewer_latest_new(processes_page_make, (GDestroyNotify)profile_weights_unref,
                                   (GDestroyNotify)profile_process_tree_free);
  g_signal_connect_object(self->making, "ready", G_CALLBACK(on_ready), self, 0);
  add_columns(self);
  set_model(self);
  add_menu(self);
  add_keys(self);
  show_selected(self);
}

GtkWidget *viewer_processes_page_new(void)
{
  return g_object_new(VIEWER_TYPE_PROCESSES_PAGE, NULL);
}
