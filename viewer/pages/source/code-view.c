/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/source/code-view.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "viewer/document/empty.h"
#include "viewer/kit/latest.h"
#include "viewer/kit/toast.h"
#include "viewer/pages/source/jump-cell.h"
#include "viewer/pages/source/source-maps.h"
#include "viewer/table/cell.h"
#include "viewer/table/column.h"
#include "viewer/table/table.h"

/* Of what stands above instructions, which it must not outshine: it is still read. */
enum { TITLE_ALPHA = 49152 };

struct _ViewerCodeView {
  GtkWidget parent;
  GtkStack *stack;
  AdwStatusPage *empty;
  GtkLabel *notice;
  ViewerList *view;
  ViewerTable *table;
  GtkFilter *titles; /* lets titles pass while rows stand in their order */
  GtkSingleSelection *selection;
  ViewerCellKind kind; /* of the instructions' cells */
  PangoAttrList *of_titles;

  ViewerLatest *making;
  const ViewerCode *code; /* that is shown; NULL: none */
  ProfileFilter *filter;  /* what was asked for last; NULL: nothing */
  guint32 function;
  char *file;
  ViewerSourceFetcher *fetcher;
  guint32 line;
  gboolean is_stale; /* it was not in sight since */
  gboolean is_selecting;
};

G_DEFINE_FINAL_TYPE(ViewerCodeView, viewer_code_view, GTK_TYPE_WIDGET)

enum { LINE_CHOSEN, FUNCTION_CHOSEN, N_SIGNALS };
static guint signals[N_SIGNALS];

static const ViewerCodeRow *get_row(gpointer item, gpointer self)
{
  return &VIEWER_CODE_VIEW(self)->code->rows[viewer_table_item_get_index(item)];
}

static const ProfileInstruction *get_instruction(gpointer item, gpointer self)
{
  return &VIEWER_CODE_VIEW(self)->code->instructions[get_row(item, self)->instruction];
}

/* Titles have no numbers. */
static char *format_weight(gpointer item, gpointer self, ProfileWeight weight)
{
  return get_row(item, self)->title ? g_strdup("")
                                    : viewer_code_format_share(VIEWER_CODE_VIEW(self)->code, weight);
}

static char *get_self(gpointer item, gpointer self)
{
  return format_weight(item, self, get_instruction(item, self)->self);
}

static char *get_total(gpointer item, gpointer self)
{
  return format_weight(item, self, get_instruction(item, self)->total);
}

static char *get_address(gpointer item, gpointer self)
{
  return get_row(item, self)->title
             ? g_strdup("")
             : g_strdup_printf("%" G_GINT64_MODIFIER "x", get_instruction(item, self)->address);
}

static char *get_text(gpointer item, gpointer self)
{
  const ViewerCodeRow *row = get_row(item, self);

  return row->title ? g_strdup(row->title)
                    : viewer_code_format(VIEWER_CODE_VIEW(self)->code, row->instruction);
}

static int compare_weights(gpointer self, ProfileWeight a, ProfileWeight b)
{
  const ProfileDisassembly *disassembly = VIEWER_CODE_VIEW(self)->code->disassembly;
  guint64 left = profile_disassembly_measure(disassembly, a);
  guint64 right = profile_disassembly_measure(disassembly, b);

  return left < right ? -1 : left > right;
}

static int compare_selfs(gpointer a, gpointer b, gpointer self)
{
  return compare_weights(self, get_instruction(a, self)->self, get_instruction(b, self)->self);
}

static int compare_totals(gpointer a, gpointer b, gpointer self)
{
  return compare_weights(self, get_instruction(a, self)->total, get_instruction(b, self)->total);
}

static gboolean is_sorted(ViewerCodeView *self)
{
  GtkSorter *sorter = gtk_column_view_get_sorter(viewer_list_get_titles(self->view));

  return gtk_sorter_get_order(sorter) != GTK_SORTER_ORDER_NONE;
}

static gboolean is_wanted(gpointer item, gpointer self)
{
  return !get_row(item, self)->title || !is_sorted(self);
}

static void handle_sorted(ViewerCodeView *self)
{
  gtk_filter_changed(self->titles, GTK_FILTER_CHANGE_DIFFERENT);
}

/* Columns of their own. */

static GtkWidget *make_jumps(gpointer self)
{
  return viewer_jump_cell_new();
}

static void bind_jumps(GtkWidget *child, gpointer item, gpointer self)
{
  const ViewerCodeRow *row = item ? get_row(item, self) : NULL;
  double heat = row && !row->title ? viewer_code_get_heat(VIEWER_CODE_VIEW(self)->code, row->instruction) : 0;

  viewer_jump_cell_set(VIEWER_JUMP_CELL(child), heat,
                       row && !is_sorted(self) ? row->lanes : (ViewerCodeLanes){0});
}

static GtkWidget *make_text(gpointer self)
{
  GtkWidget *cell = viewer_cell_new(&VIEWER_CODE_VIEW(self)->kind);

  gtk_widget_add_css_class(cell, "monospace");
  gtk_widget_set_direction(cell, GTK_TEXT_DIR_LTR);
  return cell;
}

static void bind_text(GtkWidget *child, gpointer item, gpointer self)
{
  gboolean is_title = item && get_row(item, self)->title;

  viewer_cell_set_attributes(VIEWER_CELL(child), is_title ? VIEWER_CODE_VIEW(self)->of_titles : NULL);
  viewer_cell_set_item(VIEWER_CELL(child), item);
}

static void add_columns(ViewerCodeView *self)
{
  const ViewerColumn own = {_("Self"), VIEWER_COLUMN_NUMBER, 6, get_self, compare_selfs};
  const ViewerColumn total = {_("Total"), VIEWER_COLUMN_NUMBER, 6, get_total, compare_totals};
  const ViewerColumn address = {_("Address"), VIEWER_COLUMN_NUMBER | VIEWER_COLUMN_DIM, 6, get_address, NULL};

  viewer_column_append(self->view, &own, self);
  viewer_column_append(self->view, &total, self);
  viewer_column_append(self->view, &address, self);
  viewer_list_add_cells(self->view, _("Jumps"), FALSE, &(ViewerRowsColumn){make_jumps, bind_jumps, self});
  gtk_column_view_column_set_expand(viewer_list_add_cells(self->view, _("Instruction"), FALSE,
                                                          &(ViewerRowsColumn){make_text, bind_text, self}),
                                    TRUE);
}

/* Rows. */

static ViewerTableItem *get_item(ViewerCodeView *self, guint position)
{
  return g_list_model_get_item(G_LIST_MODEL(self->selection), position);
}

static void select_instruction(ViewerCodeView *self, guint32 instruction)
{
  guint32 wanted = viewer_code_get_row(self->code, instruction);
  guint n = g_list_model_get_n_items(G_LIST_MODEL(self->selection)), position = 0;

  for (gboolean found = FALSE; position < n && !found; position += !found) {
    g_autoptr(ViewerTableItem) item = get_item(self, position);
    found = viewer_table_item_get_index(item) == wanted;
  }
  if (position == n)
    return;
  gtk_single_selection_set_selected(self->selection, position);
  viewer_list_show(self->view, position, FALSE);
}

void viewer_code_view_select(ViewerCodeView *self, guint32 line)
{
  guint32 found = PROFILE_DISASSEMBLY_NOWHERE;

  self->line = line;
  if (self->code && self->file)
    found = viewer_code_find(self->code, self->file, line);
  if (found == PROFILE_DISASSEMBLY_NOWHERE || self->is_selecting)
    return;
  self->is_selecting = TRUE;
  select_instruction(self, found);
  self->is_selecting = FALSE;
}

static void handle_selected(ViewerCodeView *self)
{
  if (self->is_selecting)
    return;
  g_autoptr(ViewerTableItem) item = get_item(self, gtk_single_selection_get_selected(self->selection));
  guint32 line =
      item && self->file ? viewer_code_get_line(self->code, get_row(item, self)->instruction, self->file) : 0;
  if (line == 0)
    return;
  self->is_selecting = TRUE;
  g_signal_emit(self, signals[LINE_CHOSEN], 0, line);
  self->is_selecting = FALSE;
}

/* Follows a jump or a call. */
static void handle_activated(ViewerCodeView *self, guint position)
{
  g_autoptr(ViewerTableItem) item = get_item(self, position);
  guint32 number = get_row(item, self)->instruction;
  const ProfileInstruction *instruction = &self->code->instructions[number];
  guint32 target;

  if (get_row(item, self)->title)
    return;
  if (instruction->jump != PROFILE_DISASSEMBLY_NOWHERE) {
    select_instruction(self, instruction->jump);
  } else if ((target = viewer_code_find_target(self->code, number)) != G_MAXUINT32) {
    g_signal_emit(self, signals[FUNCTION_CHOSEN], 0, target);
  } else if (instruction->target) {
    g_autofree char *text = g_strdup_printf(_("No sample leads through “%s”"), instruction->target);
    viewer_toast(GTK_WIDGET(self), text);
  }
}

static void show_code(ViewerCodeView *self, const ViewerCode *code)
{
  self->is_selecting = TRUE;
  self->code = code;
  viewer_table_reset(self->table, code ? code->n_rows : 0);
  gtk_single_selection_set_selected(self->selection, GTK_INVALID_LIST_POSITION);
  if (code && code->hottest != PROFILE_DISASSEMBLY_NOWHERE)
    select_instruction(self, code->hottest);
  self->is_selecting = FALSE;
  if (!code)
    return;
  viewer_code_view_select(self, self->line);
  gtk_label_set_text(self->notice, code->notice ? code->notice
                                                : _("A processor says a little late where it was: what took "
                                                    "the time may be the instruction before."));
  viewer_empty_say(self->empty, _("No Machine Code"), code->notice ? code->notice : "", NULL);
  gtk_stack_set_visible_child_name(self->stack, code->n_instructions > 0 ? "code" : "empty");
}

static void handle_ready(ViewerCodeView *self)
{
  show_code(self, viewer_latest_get(self->making));
}

static void request_code(ViewerCodeView *self)
{
  if (!self->is_stale || !gtk_widget_get_mapped(GTK_WIDGET(self)))
    return;
  ViewerSourceRequest *request =
      viewer_source_request_new(self->filter, self->function, NULL, viewer_source_maps_get(), self->fetcher);
  self->is_stale = FALSE;
  viewer_code_help(self->code, request);
  viewer_latest_request(self->making, request);
}

void viewer_code_view_show(ViewerCodeView *self, const ViewerSource *source, guint32 line)
{
  g_clear_pointer(&self->filter, profile_filter_free);
  g_free(self->file);
  self->filter = source ? profile_filter_copy(source->filter) : NULL;
  self->function = source ? source->function : 0;
  self->file = source && source->file ? g_strdup(source->file->path) : NULL;
  self->line = line;
  self->is_stale = source != NULL;
  g_clear_object(&self->fetcher);
  if (source) {
    self->fetcher = g_object_ref(source->fetcher);
    request_code(self);
    return;
  }
  show_code(self, NULL);
  viewer_latest_clear(self->making);
}

/* Copying. */

static void append_titles(GString *text, gpointer data)
{
  g_string_append_printf(text, "%s\t%s\t%s\t%s\n", _("Self"), _("Total"), _("Address"), _("Instruction"));
}

static void append_row(GString *text, guint position, gpointer self)
{
  g_autoptr(ViewerTableItem) item = get_item(self, position);
  g_autofree char *own = get_self(item, self), *total = get_total(item, self);
  g_autofree char *address = get_address(item, self), *shown = get_text(item, self);

  g_string_append_printf(text, "%s\t%s\t%s\t%s\n", own, total, address, shown);
}

ViewerCopyRows viewer_code_view_get_copied(ViewerCodeView *self)
{
  return (ViewerCopyRows){.model = G_LIST_MODEL(self->selection),
                          .n = G_MAXUINT,
                          .append_titles = append_titles,
                          .append_row = append_row,
                          .data = self};
}

static gboolean viewer_code_view_grab_focus(GtkWidget *widget)
{
  return gtk_widget_grab_focus(GTK_WIDGET(VIEWER_CODE_VIEW(widget)->view));
}

static void viewer_code_view_map(GtkWidget *widget)
{
  GTK_WIDGET_CLASS(viewer_code_view_parent_class)->map(widget);
  request_code(VIEWER_CODE_VIEW(widget));
}

static void viewer_code_view_dispose(GObject *object)
{
  ViewerCodeView *self = VIEWER_CODE_VIEW(object);

  self->is_selecting = TRUE;
  if (self->stack)
    gtk_widget_unparent(GTK_WIDGET(self->stack));
  self->stack = NULL;
  g_clear_object(&self->making);
  g_clear_object(&self->table);
  G_OBJECT_CLASS(viewer_code_view_parent_class)->dispose(object);
}

static void viewer_code_view_finalize(GObject *object)
{
  ViewerCodeView *self = VIEWER_CODE_VIEW(object);

  g_clear_pointer(&self->filter, profile_filter_free);
  g_free(self->file);
  g_clear_object(&self->fetcher);
  g_object_unref(self->titles);
  pango_attr_list_unref(self->of_titles);
  G_OBJECT_CLASS(viewer_code_view_parent_class)->finalize(object);
}

static void viewer_code_view_class_init(ViewerCodeViewClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
  GType type = G_TYPE_FROM_CLASS(class);

  G_OBJECT_CLASS(class)->dispose = viewer_code_view_dispose;
  G_OBJECT_CLASS(class)->finalize = viewer_code_view_finalize;
  widget_class->grab_focus = viewer_code_view_grab_focus;
  widget_class->map = viewer_code_view_map;
  signals[LINE_CHOSEN] =
      g_signal_new("line-chosen", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
  signals[FUNCTION_CHOSEN] = g_signal_new("function-chosen", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                          G_TYPE_NONE, 1, G_TYPE_UINT);
  g_type_ensure(VIEWER_TYPE_LIST);
  gtk_widget_class_set_css_name(widget_class, "codeview");
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/org/capturectl/Viewer/pages/source/code-view.ui");
  gtk_widget_class_bind_template_child(widget_class, ViewerCodeView, stack);
  gtk_widget_class_bind_template_child(widget_class, ViewerCodeView, empty);
  gtk_widget_class_bind_template_child(widget_class, ViewerCodeView, notice);
  gtk_widget_class_bind_template_child(widget_class, ViewerCodeView, view);
  gtk_widget_class_bind_template_callback(widget_class, handle_activated);
}

static void viewer_code_view_init(ViewerCodeView *self)
{
  self->kind = (ViewerCellKind){
      .get_text = get_text, .data = self, .ellipsize = PANGO_ELLIPSIZE_END, .chars = 16, .natural = 40};
  self->of_titles = pango_attr_list_new();
  pango_attr_list_insert(self->of_titles, pango_attr_foreground_alpha_new(TITLE_ALPHA));
  self->table = viewer_table_new();
  self->making =
      viewer_latest_new(viewer_code_new, viewer_source_request_free, (GDestroyNotify)viewer_code_free);
  gtk_widget_init_template(GTK_WIDGET(self));
  add_columns(self);
  GtkSorter *sorter = gtk_column_view_get_sorter(viewer_list_get_titles(self->view));
  self->titles = GTK_FILTER(gtk_custom_filter_new(is_wanted, self, NULL));
  GListModel *wanted = G_LIST_MODEL(
      gtk_filter_list_model_new(g_object_ref(G_LIST_MODEL(self->table)), g_object_ref(self->titles)));
  g_autoptr(GtkSortListModel) sorted = gtk_sort_list_model_new(wanted, g_object_ref(sorter));
  self->selection = viewer_list_set_model(self->view, G_LIST_MODEL(sorted));
  g_signal_connect_object(sorter, "changed", G_CALLBACK(handle_sorted), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->selection, "notify::selected", G_CALLBACK(handle_selected), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self->making, "ready", G_CALLBACK(handle_ready), self, G_CONNECT_SWAPPED);
}
