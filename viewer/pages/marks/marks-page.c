/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/marks/marks-page.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "profile/capture/span.h"
#include "viewer/document/empty.h"
#include "viewer/document/follower.h"
#include "viewer/kit/format.h"
#include "viewer/kit/latest.h"
#include "viewer/pages/marks/marks-private.h"
#include "viewer/table/column.h"
#include "viewer/table/list.h"
#include "viewer/table/table.h"

/* Around something that happened at an instant, nanoseconds. */
#define INSTANT_SPAN G_GUINT64_CONSTANT(10000000)
/* Rows among which a chosen one is looked for to show it chosen. */
#define ROWS_MAX 1000
/* Characters of what is searched for. */
#define CHARS_SHOWN 60
/* Pixels of the table of names, as long as nobody wants it otherwise. */
#define ROWS_LEAST_HEIGHT 100
#define ROWS_MOST_HEIGHT  240

struct _ViewerMarksPage {
  GtkWidget parent_instance;

  GtkWidget *stack, *paned, *rows, *lists, *switcher, *heading, *show_all;
  int fitted; /* where the divider was put for the rows; elsewhere the user put it */
  AdwStatusPage *empty;
  ViewerList *rows_view, *marks_view, *log_view;
  GtkSingleSelection *rows_selection, *marks_selection, *log_selection;
  ViewerTable *rows_table, *marks_table, *log_table;
  ViewerFollower *follower;
  ViewerLatest *making;
  ViewerMarks *marks; /* that are shown, which is what was made last; NULL: none yet */
  char *text;         /* searched for; NULL: nothing */
  char *category;     /* of the one name that is shown, with name; NULL: all are */
  char *name;
  guint64 own_first, own_end; /* the preview that this page made; first ≥ end: none */
  gboolean is_showing;        /* selections change because rows do */
  guint rows_turn;            /* counts what may change the rows by name */
  guint shown_turn;           /* of those that are shown; 0: none are */
};

static void viewer_marks_page_interface_init(ViewerPageInterface *interface);

G_DEFINE_FINAL_TYPE_WITH_CODE(ViewerMarksPage, viewer_marks_page, GTK_TYPE_WIDGET,
                              G_IMPLEMENT_INTERFACE(VIEWER_TYPE_PAGE, viewer_marks_page_interface_init))

/* What a thread makes ViewerMarks of. */
typedef struct {
  ProfileFilter *filter;
  char *text, *category, *name;
  guint rows_turn;
} Input;

static void free_input(gpointer data)
{
  Input *input = data;

  profile_filter_free(input->filter);
  g_free(input->text);
  g_free(input->category);
  g_free(input->name);
  g_free(input);
}

static GArray *choose_rows(const ProfileMarkRows *rows, const char *text)
{
  GArray *shown = g_array_new(FALSE, FALSE, sizeof(guint32));
  gsize n;
  const ProfileMarkRow *all = profile_mark_rows_get(rows, &n);

  for (guint32 i = 0; i < n; i++)
    if (!text || profile_told_holds(all[i].name, text) || profile_told_holds(all[i].category, text))
      g_array_append_val(shown, i);
  return shown;
}

static gboolean find_message(ProfileCapture *capture)
{
  gsize n, i = 0;
  const ProfileMark *marks = profile_capture_get_marks(capture, &n);

  while (i < n && (!marks[i].message || !*marks[i].message))
    i++;
  return i < n;
}

static gpointer marks_page_make(gpointer data)
{
  const Input *input = data;
  const ProfileToldOptions options = {input->text, input->category, input->name};
  ViewerMarks *marks = g_new0(ViewerMarks, 1);
  guint64 end;

  marks->capture = g_object_ref(profile_filter_get_capture(input->filter));
  profile_span_get(marks->capture, &marks->begin, &end);
  marks->rows_turn = input->rows_turn;
  marks->has_messages = find_message(marks->capture);
  marks->rows = profile_mark_rows_new(input->filter);
  marks->shown = choose_rows(marks->rows, input->text);
  marks->told = profile_told_list_new(input->filter, &options);
  return marks;
}

static ViewerQuery *get_query(const ViewerMarksPage *self)
{
  ViewerDocument *document = viewer_follower_get_document(self->follower);

  return document ? viewer_document_get_query(document) : NULL;
}

static void apply_preview(const ViewerMarksPage *self, ProfileFilter *filter)
{
  guint64 first, end, preview_first, preview_end;

  if (!viewer_query_get_preview(get_query(self), &preview_first, &preview_end) ||
      (preview_first == self->own_first && preview_end == self->own_end))
    return;
  profile_filter_get_time(filter, &first, &end);
  profile_filter_set_time(filter, MAX(first, preview_first), MIN(end, preview_end));
}

/* Of what is asked for only that which marks have: times and threads. The span of the mark that was
 * activated leaves the others in sight. */
static ProfileFilter *make_filter(const ViewerMarksPage *self, ProfileCapture *capture)
{
  ProfileFilter *filter = profile_filter_new(capture);
  GListModel *steps = G_LIST_MODEL(get_query(self));

  for (guint i = 0; i < g_list_model_get_n_items(steps); i++) {
    g_autoptr(ViewerStep) step = g_list_model_get_item(steps, i);
    ViewerStepKind kind = viewer_step_get_kind(step);
    if (kind == VIEWER_STEP_TIME || kind == VIEWER_STEP_THREADS || kind == VIEWER_STEP_PROCESSES)
      viewer_step_apply(step, filter);
  }
  apply_preview(self, filter);
  return filter;
}

static void marks_page_look(ViewerMarksPage *self)
{
  ProfileCapture *capture = viewer_follower_get_capture(self->follower);
  Input *input;

  if (!capture)
    return;
  input = g_new0(Input, 1);
  input->filter = make_filter(self, capture);
  input->text = g_strdup(self->text);
  input->category = g_strdup(self->category);
  input->name = g_strdup(self->name);
  input->rows_turn = self->rows_turn;
  viewer_latest_request(self->making, input);
}

static void show_heading(ViewerMarksPage *self)
{
  gboolean log = g_strcmp0(gtk_stack_get_visible_child_name(GTK_STACK(self->lists)), "log") == 0;
  guint n = g_list_model_get_n_items(G_LIST_MODEL(log ? self->log_table : self->marks_table));
  g_autofree char *count = viewer_format_count(n), *text = NULL, *name = NULL;

  if (log) {
    text = g_strdup_printf(ngettext("%s log line", "%s log lines", n), count);
  } else if (self->name) {
    g_autofree char *whole = viewer_marks_format_name(self->category, self->name);
    name = viewer_format_name(whole, 60);
    text = g_strdup_printf(ngettext("%s mark “%s”", "%s marks “%s”", n), count, name);
  } else {
    text = g_strdup_printf(ngettext("%s mark", "%s marks", n), count);
  }
  gtk_label_set_text(GTK_LABEL(self->heading), text);
  gtk_widget_set_visible(self->show_all, self->name && !log);
}

/* A chosen row stays chosen when there are other rows. */
static void show_chosen(ViewerMarksPage *self)
{
  GListModel *model = G_LIST_MODEL(self->rows_selection);
  guint n = self->name ? MIN(g_list_model_get_n_items(model), ROWS_MAX) : 0;

  for (guint i = 0; i < n; i++) {
    g_autoptr(ViewerTableItem) item = g_list_model_get_item(model, i);
    const ProfileMarkRow *row = viewer_marks_get_row(self->marks, item);
    if (g_strcmp0(row->name, self->name) == 0 && g_strcmp0(row->category, self->category) == 0) {
      gtk_single_selection_set_selected(self->rows_selection, i);
      return;
    }
  }
}

static void reset_tables(ViewerMarksPage *self, gboolean rows)
{
  guint n_marks = 0, n_log = 0;

  if (self->marks) {
    profile_told_list_get_marks(self->marks->told, &n_marks);
    profile_told_list_get_log(self->marks->told, &n_log);
  }
  self->is_showing = TRUE;
  if (rows) {
    viewer_table_reset(self->rows_table, self->marks ? self->marks->shown->len : 0);
    show_chosen(self);
  }
  viewer_table_reset(self->marks_table, n_marks);
  viewer_table_reset(self->log_table, n_log);
  self->is_showing = FALSE;
}

/* Whether nothing is left of what there is. */
static gboolean is_empty(ViewerMarksPage *self)
{
  guint n_marks, n_log;

  profile_told_list_get_marks(self->marks->told, &n_marks);
  profile_told_list_get_log(self->marks->told, &n_log);
  return self->marks->shown->len == 0 && n_marks == 0 && n_log == 0;
}

static void marks_page_explain(ViewerMarksPage *self)
{
  if (!self->text) {
    viewer_empty_say(self->empty, _("No Marks Left"),
                     _("No mark of the recording is left after the steps that were taken. Take one back to "
                       "see more."),
                     viewer_follower_get_document(self->follower));
    return;
  }
  g_autofree char *shown = viewer_format_name(self->text, CHARS_SHOWN);
  g_autofree char *why = g_strdup_printf(_("No mark and no log line here holds “%s”."), shown);
  viewer_empty_say(self->empty, _("No Mark Found"), why, NULL);
}

/* What there is, whatever the query leaves of it, decides what is offered. */
static void show_what_there_is(ViewerMarksPage *self)
{
  gsize n_marks = 0, n_log = 0;

  if (self->marks) {
    profile_capture_get_marks(self->marks->capture, &n_marks);
    profile_capture_get_log(self->marks->capture, &n_log);
  }
  gtk_widget_set_visible(self->rows, n_marks > 0);
  gtk_widget_set_visible(self->switcher, n_marks > 0 && n_log > 0);
  if (n_marks == 0 || n_log == 0)
    gtk_stack_set_visible_child_name(GTK_STACK(self->lists), n_log > 0 ? "log" : "marks");
  if (n_marks + n_log > 0 && is_empty(self))
    marks_page_explain(self);
  gtk_stack_set_visible_child_name(GTK_STACK(self->stack), n_marks + n_log == 0 ? "none"
                                                           : is_empty(self)     ? "empty"
                                                                                : "marks");
}

/* Few names leave the room to the marks. */
static void fit_rows(ViewerMarksPage *self)
{
  int height = viewer_column_get_height(self->rows_view, self->marks->shown->len);

  if (self->text || gtk_paned_get_position(GTK_PANED(self->paned)) != self->fitted)
    return;
  self->fitted = CLAMP(height, ROWS_LEAST_HEIGHT, ROWS_MOST_HEIGHT);
  gtk_paned_set_position(GTK_PANED(self->paned), self->fitted);
}

/* Nothing may look into what was shown before: it is gone. */
static void set_marks(ViewerMarksPage *self, ViewerMarks *marks)
{
  gboolean other_rows = !marks || marks->rows_turn != self->shown_turn;

  self->marks = marks;
  self->shown_turn = marks ? marks->rows_turn : 0;
  reset_tables(self, other_rows);
  if (marks) {
    viewer_marks_show_messages(self->marks_view, marks->has_messages);
    fit_rows(self);
  }
  show_what_there_is(self);
  show_heading(self);
  viewer_page_take_focus(VIEWER_PAGE(self));
  g_signal_emit_by_name(self, "search-changed");
}

static void on_ready(ViewerLatest *making, ViewerMarksPage *self)
{
  set_marks(self, viewer_latest_get(making));
}

static void on_followed(GtkWidget *widget, ViewerFollowFlags what)
{
  ViewerMarksPage *self = VIEWER_MARKS_PAGE(widget);

  self->rows_turn++;
  if (viewer_follower_get_capture(self->follower)) {
    marks_page_look(self);
    return;
  }
  set_marks(self, NULL);
  viewer_latest_clear(self->making);
}

static void choose_name(ViewerMarksPage *self, const ProfileMarkRow *row)
{
  g_free(self->category);
  g_free(self->name);
  self->category = row ? g_strdup(row->category) : NULL;
  self->name = row ? g_strdup(row->name) : NULL;
  marks_page_look(self);
}

static void on_row_chosen(GtkSingleSelection *selection, GParamSpec *pspec, ViewerMarksPage *self)
{
  gpointer item = gtk_single_selection_get_selected_item(selection);

  if (self->is_showing || !self->marks)
    return;
  choose_name(self, item ? viewer_marks_get_row(self->marks, item) : NULL);
}

/* Which shows all of them. */
static void on_show_all(ViewerMarksPage *self)
{
  gtk_single_selection_set_selected(self->rows_selection, GTK_INVALID_LIST_POSITION);
  if (self->name)
    choose_name(self, NULL);
}

static void on_list_switched(ViewerMarksPage *self)
{
  show_heading(self);
}

static void marks_page_preview(ViewerMarksPage *self, guint64 first, guint64 end)
{
  self->own_first = first;
  self->own_end = end;
  viewer_query_set_preview(get_query(self), first, end);
}

static void preview_instant(ViewerMarksPage *self, guint64 time)
{
  marks_page_preview(self, time - MIN(time, INSTANT_SPAN / 2), time + INSTANT_SPAN / 2);
}

static void on_mark_activated(ViewerMarksPage *self, guint position)
{
  g_autoptr(ViewerTableItem) item = g_list_model_get_item(G_LIST_MODEL(self->marks_table), position);
  const ProfileMark *mark;

  if (!item || !get_query(self))
    return;
  mark = viewer_marks_get_mark(self->marks, item);
  if (mark->duration > 0)
    marks_page_preview(self, mark->time, mark->time + mark->duration);
  else
    preview_instant(self, mark->time);
}

static void on_line_activated(ViewerMarksPage *self, guint position)
{
  g_autoptr(ViewerTableItem) item = g_list_model_get_item(G_LIST_MODEL(self->log_table), position);

  if (item && get_query(self))
    preview_instant(self, viewer_marks_get_line(self->marks, item)->time);
}

static void viewer_marks_page_set_document(ViewerPage *page, ViewerDocument *document)
{
  ViewerMarksPage *self = VIEWER_MARKS_PAGE(page);

  g_clear_pointer(&self->category, g_free);
  g_clear_pointer(&self->name, g_free);
  self->own_first = self->own_end = 0;
  viewer_follower_set_document(self->follower, document);
}

static void viewer_marks_page_set_search(ViewerPage *page, const char *text)
{
  ViewerMarksPage *self = VIEWER_MARKS_PAGE(page);
  const char *wanted = text && *text ? text : NULL;

  if (g_strcmp0(self->text, wanted) == 0)
    return;
  g_free(self->text);
  self->text = g_strdup(wanted);
  self->rows_turn++;
  marks_page_look(self);
}

/* As long as nothing is known, there may be marks. */
static gboolean viewer_marks_page_can_search(ViewerPage *page)
{
  ViewerMarksPage *self = VIEWER_MARKS_PAGE(page);

  return !self->marks || g_strcmp0(gtk_stack_get_visible_child_name(GTK_STACK(self->stack)), "none") != 0;
}

static char *viewer_marks_page_describe_search(ViewerPage *page)
{
  ViewerMarksPage *self = VIEWER_MARKS_PAGE(page);
  guint n = g_list_model_get_n_items(G_LIST_MODEL(self->marks_table));
  g_autofree char *count = viewer_format_count(n);

  if (!self->text)
    return NULL;
  return n > 0 ? g_strdup_printf(ngettext("%s mark", "%s marks", n), count) : g_strdup(_("Nothing found"));
}

/* The lists hold nothing but what was found. */
static gboolean viewer_marks_page_next_match(ViewerPage *page, int direction)
{
  ViewerMarksPage *self = VIEWER_MARKS_PAGE(page);
  guint n = g_list_model_get_n_items(G_LIST_MODEL(self->marks_table));
  guint selected = gtk_single_selection_get_selected(self->marks_selection);

  if (!self->text || n == 0)
    return FALSE;
  if (selected == GTK_INVALID_LIST_POSITION)
    selected = direction > 0 ? 0 : n - 1;
  else
    selected = (selected + (direction > 0 ? 1 : n - 1)) % n;
  gtk_single_selection_set_selected(self->marks_selection, selected);
  viewer_list_show(self->marks_view, selected, FALSE);
  return TRUE;
}

static gboolean viewer_marks_page_copy(ViewerPage *page)
{
  ViewerMarksPage *self = VIEWER_MARKS_PAGE(page);
  gboolean log = g_strcmp0(gtk_stack_get_visible_child_name(GTK_STACK(self->lists)), "log") == 0;
  const ViewerCopyRows rows = viewer_column_get_copied(log ? self->log_view : self->rows_view);

  return self->marks && viewer_copy_rows(GTK_WIDGET(self), &rows);
}

/* Without marks there is no table of them. */
static void viewer_marks_page_get_report(ViewerPage *page, ProfileReportBy *ret_by,
                                         ProfileReportTree *ret_tree)
{
  ViewerMarksPage *self = VIEWER_MARKS_PAGE(page);

  if (!gtk_widget_get_visible(self->rows))
    return;
  *ret_by = PROFILE_REPORT_MARK;
  *ret_tree = PROFILE_REPORT_LIST;
}

static void viewer_marks_page_interface_init(ViewerPageInterface *interface)
{
  interface->get_report = viewer_marks_page_get_report;
  interface->set_document = viewer_marks_page_set_document;
  interface->search_label = N_("Search Marks");
  interface->set_search = viewer_marks_page_set_search;
  interface->can_search = viewer_marks_page_can_search;
  interface->describe_search = viewer_marks_page_describe_search;
  interface->next_match = viewer_marks_page_next_match;
  interface->copy = viewer_marks_page_copy;
}

/* What is not in sight must not have the focus: no key would reach anybody. */
static gboolean viewer_marks_page_grab_focus(GtkWidget *widget)
{
  ViewerMarksPage *self = VIEWER_MARKS_PAGE(widget);
  gboolean log = g_strcmp0(gtk_stack_get_visible_child_name(GTK_STACK(self->lists)), "log") == 0;

  return g_strcmp0(gtk_stack_get_visible_child_name(GTK_STACK(self->stack)), "marks") == 0 &&
         gtk_widget_grab_focus(GTK_WIDGET(log ? self->log_view : self->rows_view));
}

static void viewer_marks_page_dispose(GObject *object)
{
  ViewerMarksPage *self = VIEWER_MARKS_PAGE(object);

  g_clear_pointer(&self->follower, viewer_follower_free);
  g_clear_pointer(&self->stack, gtk_widget_unparent);
  g_clear_object(&self->rows_table);
  g_clear_object(&self->marks_table);
  g_clear_object(&self->log_table);
  self->marks = NULL;
  g_clear_object(&self->making);
  g_clear_pointer(&self->text, g_free);
  g_clear_pointer(&self->category, g_free);
  g_clear_pointer(&self->name, g_free);
  G_OBJECT_CLASS(viewer_marks_page_parent_class)->dispose(object);
}

static void viewer_marks_page_class_init(ViewerMarksPageClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  G_OBJECT_CLASS(class)->dispose = viewer_marks_page_dispose;
  widget_class->grab_focus = viewer_marks_page_grab_focus;
  g_type_ensure(VIEWER_TYPE_LIST);
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/org/capturectl/Viewer/pages/marks/marks-page.ui");
  gtk_widget_class_bind_template_child(widget_class, ViewerMarksPage, stack);
  gtk_widget_class_bind_template_child(widget_class, ViewerMarksPage, empty);
  gtk_widget_class_bind_template_child(widget_class, ViewerMarksPage, paned);
  gtk_widget_class_bind_template_child(widget_class, ViewerMarksPage, rows);
  gtk_widget_class_bind_template_child(widget_class, ViewerMarksPage, rows_view);
  gtk_widget_class_bind_template_child(widget_class, ViewerMarksPage, lists);
  gtk_widget_class_bind_template_child(widget_class, ViewerMarksPage, marks_view);
  gtk_widget_class_bind_template_child(widget_class, ViewerMarksPage, log_view);
  gtk_widget_class_bind_template_child(widget_class, ViewerMarksPage, switcher);
  gtk_widget_class_bind_template_child(widget_class, ViewerMarksPage, heading);
  gtk_widget_class_bind_template_child(widget_class, ViewerMarksPage, show_all);
  gtk_widget_class_bind_template_callback(widget_class, on_show_all);
  gtk_widget_class_bind_template_callback(widget_class, on_list_switched);
  gtk_widget_class_bind_template_callback(widget_class, on_mark_activated);
  gtk_widget_class_bind_template_callback(widget_class, on_line_activated);
}

static void viewer_marks_page_init(ViewerMarksPage *self)
{
  g_autoptr(GtkSortListModel) sorted = NULL;

  gtk_widget_init_template(GTK_WIDGET(self));
  self->follower =
      viewer_follower_new(GTK_WIDGET(self), VIEWER_FOLLOW_CAPTURE | VIEWER_FOLLOW_QUERY, on_followed);
  self->making = viewer_latest_new(marks_page_make, free_input, (GDestroyNotify)viewer_marks_free);
  g_signal_connect_object(self->making, "ready", G_CALLBACK(on_ready), self, 0);
  self->fitted = gtk_paned_get_position(GTK_PANED(self->paned));
  self->rows_table = viewer_table_new();
  self->marks_table = viewer_table_new();
  self->log_table = viewer_table_new();
  viewer_marks_add_row_columns(self->rows_view, &self->marks);
  viewer_marks_add_mark_columns(self->marks_view, &self->marks);
  viewer_marks_add_log_columns(self->log_view, &self->marks);
  sorted = gtk_sort_list_model_new(
      g_object_ref(G_LIST_MODEL(self->rows_table)),
      g_object_ref(gtk_column_view_get_sorter(viewer_list_get_titles(self->rows_view))));
  gtk_sort_list_model_set_incremental(sorted, TRUE);
  self->rows_selection = viewer_list_set_model(self->rows_view, G_LIST_MODEL(sorted));
  self->marks_selection = viewer_list_set_model(self->marks_view, G_LIST_MODEL(self->marks_table));
  self->log_selection = viewer_list_set_model(self->log_view, G_LIST_MODEL(self->log_table));
  g_signal_connect(self->rows_selection, "notify::selected-item", G_CALLBACK(on_row_chosen), self);
}

GtkWidget *viewer_marks_page_new(void)
{
  return g_object_new(VIEWER_TYPE_MARKS_PAGE, NULL);
}
