/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/source/source-page.h"

#include <glib/gi18n.h>

#include "viewer/document/empty.h"
#include "viewer/document/list-page.h"
#include "viewer/kit/accessible.h"
#include "viewer/kit/format.h"
#include "viewer/kit/latest.h"
#include "viewer/kit/settings.h"
#include "viewer/kit/split.h"
#include "viewer/pages/source/editor.h"
#include "viewer/pages/source/inlined-bar.h"
#include "viewer/pages/source/source-folders.h"
#include "viewer/pages/source/source-maps.h"
#include "viewer/pages/source/source-notice.h"
#include "viewer/pages/source/source-side.h"
#include "viewer/pages/source/source-text.h"
#include "viewer/pages/source/source.h"

enum {
  NARROW = 700, /* pixels: text and lists are below each other */
  NAME_CHARS = 300,
  TOOLTIP_CHARS = 2000
};

#define TEXT_SHARE 0.54 /* of the room for text and lists */

#define VIEWER_TYPE_SOURCE_PAGE (viewer_source_page_get_type())
G_DECLARE_FINAL_TYPE(ViewerSourcePage, viewer_source_page, VIEWER, SOURCE_PAGE, ViewerListPage)

struct _ViewerSourcePage {
  ViewerListPage parent;
  GtkStack *stack;
  AdwStatusPage *empty;
  GtkLabel *name, *share, *path;
  ViewerSourceNotice *notice;
  GtkWidget *text_side;
  AdwSplitButton *editor;
  GtkPaned *paned;
  GtkDropDown *files;
  ViewerSourceText *text;
  ViewerInlinedBar *bar;
  ViewerSourceSide *side;

  ViewerLatest *making;
  ViewerSource *source; /* that is shown, which is what was made last; NULL: none */
  char *shown;          /* whose source that is: name of the function, and the file */
  char *wanted;         /* path of the file of it that is wanted; NULL: the one with most samples */
  guint32 function;     /* that was asked for last */
  GArray *history;      /* guint32: functions from which others were opened here */
  gboolean is_opening;  /* the selection is changed here */
  gboolean is_showing;  /* widgets are changed here */
};

static void init_page(ViewerPageInterface *interface);

G_DEFINE_FINAL_TYPE_WITH_CODE(ViewerSourcePage, viewer_source_page, VIEWER_TYPE_LIST_PAGE,
                              G_IMPLEMENT_INTERFACE(VIEWER_TYPE_PAGE, init_page))

static ProfileStacks *get_stacks(ViewerSourcePage *self)
{
  return profile_filter_get_stacks(self->source->filter);
}

/* What is shown. */

static void show_name(ViewerSourcePage *self)
{
  const char *name = profile_stacks_get_function_name(get_stacks(self), self->source->function);
  g_autofree char *shown = viewer_format_function(name, NAME_CHARS);
  g_autofree char *whole = viewer_format_name(name, TOOLTIP_CHARS);
  g_autofree char *binary =
      viewer_format_binary(profile_stacks_get_function_binary(get_stacks(self), self->source->function));
  g_autofree char *own =
      viewer_source_format_share(self->source, profile_annotation_get_self(self->source->annotation));
  g_autofree char *total =
      viewer_source_format_share(self->source, profile_annotation_get_total(self->source->annotation));
  /* TRANSLATORS: A function's share with what was inlined into it, its total share, its binary. */
  g_autofree char *share =
      g_strdup_printf(_("self %s with what was inlined, total %s, in %s"), own, total, binary);

  gtk_label_set_text(self->name, shown);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->name), whole);
  gtk_label_set_text(self->share, share);
}

/* "mix.c, 34.5 %" */
static char *describe_file(ViewerSourcePage *self, const ProfileAnnotationFile *file)
{
  g_autofree char *base = viewer_format_binary(file->path);
  g_autofree char *share = viewer_source_format_share(self->source, file->self);

  return g_strdup_printf("%s, %s", base, share);
}

static void show_files(ViewerSourcePage *self)
{
  const ViewerSource *source = self->source;
  const char *path = source->source ? profile_source_file_get_path(source->source) : "";
  g_autofree char *shown = viewer_format_name(path, TOOLTIP_CHARS);
  g_autoptr(GtkStringList) names = gtk_string_list_new(NULL);

  gtk_label_set_text(self->path, shown);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->path), shown);
  gtk_widget_set_visible(GTK_WIDGET(self->files), source->n_files > 1);
  for (gsize i = 0; i < source->n_files; i++)
    gtk_string_list_take(names, describe_file(self, &source->files[i]));
  gtk_drop_down_set_model(self->files, G_LIST_MODEL(names));
  if (source->file)
    gtk_drop_down_set_selected(self->files, (guint)(source->file - source->files));
}

static void show_line(ViewerSourcePage *self)
{
  viewer_inlined_bar_show(self->bar, self->source, viewer_source_text_get_line(self->text));
  viewer_source_text_describe(self->text, viewer_inlined_bar_get_text(self->bar));
}

static void enable_source_actions(ViewerSourcePage *self)
{
  GtkWidget *widget = GTK_WIDGET(self);
  gboolean has_lines = self->source && self->source->n_ranked > 0;
  gboolean has_file = self->source && self->source->text &&
                      profile_source_file_get_origin(self->source->source) == PROFILE_SOURCE_FILE_HERE;

  gtk_widget_action_set_enabled(widget, "source.open-editor", has_file);
  gtk_widget_action_set_enabled(widget, "source.open-with", has_file);
  gtk_widget_action_set_enabled(widget, "source.choose-folder", self->source && self->source->is_missing);
  gtk_widget_action_set_enabled(widget, "source.next-line", has_lines);
  gtk_widget_action_set_enabled(widget, "source.previous-line", has_lines);
}

static void go_to_line(ViewerSourcePage *self, guint line)
{
  if (self->source && self->source->text)
    viewer_source_text_go_to(self->text, line);
}

static void go_to_hottest(ViewerSourcePage *self)
{
  guint32 line = self->source->n_ranked > 0 ? self->source->ranked[0]->line : 0;

  if (line == 0)
    return;
  go_to_line(self, line);
  viewer_source_side_select(self->side, line);
}

/* Whether it is another file, or another function's; then the hot line comes into sight, else nothing moves.
 */
static gboolean note_shown(ViewerSourcePage *self)
{
  const char *name = profile_stacks_get_function_name(get_stacks(self), self->source->function);
  char *shown = g_strdup_printf("%s\n%s\n%d", name, self->source->file ? self->source->file->path : "",
                                self->source->text != NULL);

  if (g_strcmp0(shown, self->shown) == 0) {
    g_free(shown);
    return FALSE;
  }
  g_free(self->shown);
  self->shown = shown;
  return TRUE;
}

static void show_source(ViewerSourcePage *self)
{
  self->is_showing = TRUE;
  show_name(self);
  viewer_source_notice_show(self->notice, self->source);
  show_files(self);
  gtk_widget_set_visible(self->text_side, self->source->text != NULL);
  viewer_source_text_show(self->text, self->source->text ? self->source : NULL);
  viewer_source_side_show(self->side, self->source, viewer_source_text_get_line(self->text));
  if (note_shown(self))
    go_to_hottest(self);
  show_line(self);
  self->is_showing = FALSE;
  gtk_stack_set_visible_child_name(self->stack, "source");
  enable_source_actions(self);
  viewer_page_take_focus(VIEWER_PAGE(self));
}

static void handle_ready(ViewerSourcePage *self)
{
  self->source = viewer_latest_get(self->making);
  show_source(self);
}

static void show_nothing(ViewerSourcePage *self)
{
  ViewerDocument *document = viewer_list_page_get_document(VIEWER_LIST_PAGE(self));

  self->source = NULL;
  self->is_showing = TRUE;
  viewer_source_text_show(self->text, NULL);
  viewer_source_side_show(self->side, NULL, 0);
  viewer_source_notice_show(self->notice, NULL);
  self->is_showing = FALSE;
  viewer_latest_clear(self->making);
  if (document && viewer_empty_is(document))
    viewer_empty_explain(self->empty, document);
  else
    viewer_empty_say(self->empty, _("No Function Selected"),
                     _("Select a function on another page; a double click or the Enter key leads here."),
                     NULL);
  gtk_stack_set_visible_child_name(self->stack, "empty");
  enable_source_actions(self);
}

static void request_source(ViewerSourcePage *self)
{
  ProfileWeights *weights = viewer_list_page_get_weights(VIEWER_LIST_PAGE(self));
  guint32 function = viewer_list_page_get_function(VIEWER_LIST_PAGE(self));

  self->function = function;
  if (function == G_MAXUINT32) {
    show_nothing(self);
    return;
  }
  viewer_latest_request(self->making,
                        viewer_source_request_new(profile_weights_get_filter(weights), function, self->wanted,
                                                  viewer_source_maps_get(),
                                                  viewer_source_notice_get_fetcher(self->notice)));
}

static void viewer_source_page_show(ViewerListPage *page)
{
  request_source(VIEWER_SOURCE_PAGE(page));
}

static void viewer_source_page_show_selection(ViewerListPage *page)
{
  request_source(VIEWER_SOURCE_PAGE(page));
}

/* What people do. */

static void open_function(ViewerSourcePage *self, guint function)
{
  ViewerListPage *page = VIEWER_LIST_PAGE(self);
  guint32 own = function;

  if (function == G_MAXUINT32)
    return;
  if (self->function != G_MAXUINT32)
    g_array_append_val(self->history, self->function);
  self->is_opening = TRUE;
  if (!viewer_list_page_select_function(page, function))
    viewer_document_select(viewer_list_page_get_document(page), &own, 1);
  self->is_opening = FALSE;
}

static void open_first_inlined(ViewerSourcePage *self)
{
  open_function(self, viewer_inlined_bar_get_first(self->bar));
}

static void handle_moved(ViewerSourcePage *self)
{
  if (self->is_showing)
    return;
  show_line(self);
  viewer_source_side_select(self->side, viewer_source_text_get_line(self->text));
}

static void enter_line(ViewerSourcePage *self, guint line)
{
  go_to_line(self, line);
  gtk_widget_grab_focus(GTK_WIDGET(self->text));
}

static void choose_file(ViewerSourcePage *self)
{
  guint selected = gtk_drop_down_get_selected(self->files);

  if (self->is_showing || !self->source || selected >= self->source->n_files)
    return;
  g_free(self->wanted);
  self->wanted = g_strdup(self->source->files[selected].path);
  request_source(self);
}

static void go_by(ViewerSourcePage *self, int direction)
{
  guint32 line = viewer_source_side_get_next(self->side, direction);

  if (line == 0) {
    gtk_widget_error_bell(GTK_WIDGET(self));
    return;
  }
  go_to_line(self, line);
  viewer_source_side_select(self->side, line);
}

static void act_next_line(GtkWidget *widget, const char *name, GVariant *parameter)
{
  go_by(VIEWER_SOURCE_PAGE(widget), 1);
}

static void act_previous_line(GtkWidget *widget, const char *name, GVariant *parameter)
{
  go_by(VIEWER_SOURCE_PAGE(widget), -1);
}

/* To the function from which this one was opened, else to the page that was shown before. */
static void act_back(GtkWidget *widget, const char *name, GVariant *parameter)
{
  ViewerSourcePage *self = VIEWER_SOURCE_PAGE(widget);
  guint n = self->history->len;

  if (n > 0) {
    guint32 function = g_array_index(self->history, guint32, n - 1);
    open_function(self, function);
    g_array_set_size(self->history, n - 1);
    return;
  }
  gtk_widget_activate_action(widget, "win.leave-page", NULL);
}

static void act_open_editor(GtkWidget *widget, const char *name, GVariant *parameter)
{
  ViewerSourcePage *self = VIEWER_SOURCE_PAGE(widget);

  if (self->source)
    viewer_editor_open(viewer_editor_get_chosen(), widget, profile_source_file_get_path(self->source->source),
                       viewer_source_text_get_line(self->text));
}

static void show_editor(ViewerSourcePage *self)
{
  g_autofree char *text =
      g_strdup_printf(_("Open in %s"), viewer_editor_get_name(viewer_editor_get_chosen()));

  gtk_widget_set_tooltip_text(GTK_WIDGET(self->editor), text);
  for (GtkWidget *part = gtk_widget_get_first_child(GTK_WIDGET(self->editor)); part;
       part = gtk_widget_get_next_sibling(part))
    viewer_accessible_set_name(part, GTK_IS_MENU_BUTTON(part) ? _("Other Editors") : text);
}

static void act_open_with(GtkWidget *widget, const char *name, GVariant *parameter)
{
  viewer_editor_set_chosen(g_variant_get_string(parameter, NULL));
  act_open_editor(widget, name, NULL);
}

static void act_folders(GtkWidget *widget, const char *name, GVariant *parameter)
{
  viewer_source_folders_show(GTK_WINDOW(gtk_widget_get_root(widget)));
}

static void act_choose_folder(GtkWidget *widget, const char *name, GVariant *parameter)
{
  ViewerSourcePage *self = VIEWER_SOURCE_PAGE(widget);

  if (self->source && self->source->file)
    viewer_source_folders_choose(widget, self->source->file->path);
}

/* As a page. */

/* Not where the same function only got another number: when names came. */
static void handle_selection(ViewerSourcePage *self)
{
  if (viewer_list_page_get_function(VIEWER_LIST_PAGE(self)) != self->function)
    g_clear_pointer(&self->wanted, g_free);
  if (!self->is_opening)
    g_array_set_size(self->history, 0);
}

static void handle_capture(ViewerSourcePage *self)
{
  g_array_set_size(self->history, 0);
}

static ViewerPageInterface *parent_interface;

static void set_document(ViewerPage *page, ViewerDocument *document)
{
  ViewerSourcePage *self = VIEWER_SOURCE_PAGE(page);

  if (document) {
    g_signal_connect_object(document, "selection-changed", G_CALLBACK(handle_selection), self,
                            G_CONNECT_SWAPPED);
    g_signal_connect_object(document, "capture-changed", G_CALLBACK(handle_capture), self, G_CONNECT_SWAPPED);
  }
  show_nothing(self);
  g_clear_pointer(&self->shown, g_free);
  g_clear_pointer(&self->wanted, g_free);
  parent_interface->set_document(page, document);
}

static void viewer_source_page_find(ViewerListPage *page)
{
  viewer_source_text_find(VIEWER_SOURCE_PAGE(page)->text, viewer_list_page_get_search(page));
}

static void handle_text_found(ViewerSourcePage *self)
{
  g_signal_emit_by_name(self, "search-changed");
}

static char *describe_search(ViewerPage *page)
{
  const char *text = viewer_list_page_get_search(VIEWER_LIST_PAGE(page));
  int n = viewer_source_text_get_n_found(VIEWER_SOURCE_PAGE(page)->text);

  if (!text || !*text || n < 0)
    return NULL;
  return n == 0 ? g_strdup(_("Nothing found")) : g_strdup_printf(ngettext("%d match", "%d matches", n), n);
}

static gboolean next_match(ViewerPage *page, int direction)
{
  return viewer_source_text_next_match(VIEWER_SOURCE_PAGE(page)->text, direction);
}

static gboolean source_page_copy(ViewerPage *page)
{
  ViewerSourcePage *self = VIEWER_SOURCE_PAGE(page);
  ViewerCopyRows rows = viewer_source_side_get_copied(self->side);

  return (viewer_source_text_has_focus(self->text) && viewer_source_text_copy(self->text)) ||
         viewer_copy_rows(GTK_WIDGET(self), &rows);
}

static void get_report(ViewerPage *page, ProfileReportBy *ret_by, ProfileReportTree *ret_tree)
{
  *ret_tree = PROFILE_REPORT_LIST;
}

static void init_page(ViewerPageInterface *interface)
{
  parent_interface = g_type_interface_peek_parent(interface);
  interface->search_label = N_("Search Source");
  interface->is_of_selection = TRUE;
  interface->set_document = set_document;
  interface->describe_search = describe_search;
  interface->next_match = next_match;
  interface->copy = source_page_copy;
  interface->get_report = get_report;
}

static gboolean viewer_source_page_grab_focus(GtkWidget *widget)
{
  ViewerSourcePage *self = VIEWER_SOURCE_PAGE(widget);

  if (!self->source)
    return FALSE;
  return gtk_widget_grab_focus(self->source->text ? GTK_WIDGET(self->text) : GTK_WIDGET(self->side));
}

/* Programs come and go. */
static void viewer_source_page_map(GtkWidget *widget)
{
  ViewerSourcePage *self = VIEWER_SOURCE_PAGE(widget);
  g_autoptr(GMenu) menu = g_menu_new(), more = g_menu_new();
  g_autoptr(GMenuModel) editors = viewer_editors_make_menu("source.open-with");

  g_menu_append(more, _("Source _Folders…"), "source.folders");
  g_menu_append_section(menu, NULL, editors);
  g_menu_append_section(menu, NULL, G_MENU_MODEL(more));
  adw_split_button_set_menu_model(self->editor, G_MENU_MODEL(menu));
  viewer_source_text_set_menu(self->text, G_MENU_MODEL(menu));
  show_editor(self);
  GTK_WIDGET_CLASS(viewer_source_page_parent_class)->map(widget);
}

static void viewer_source_page_dispose(GObject *object)
{
  ViewerSourcePage *self = VIEWER_SOURCE_PAGE(object);

  self->is_showing = TRUE;
  g_clear_object(&self->making);
  self->source = NULL;
  G_OBJECT_CLASS(viewer_source_page_parent_class)->dispose(object);
}

static void viewer_source_page_finalize(GObject *object)
{
  ViewerSourcePage *self = VIEWER_SOURCE_PAGE(object);

  g_free(self->shown);
  g_free(self->wanted);
  g_array_unref(self->history);
  G_OBJECT_CLASS(viewer_source_page_parent_class)->finalize(object);
}

static void bind_template(GtkWidgetClass *class)
{
  g_type_ensure(VIEWER_TYPE_INLINED_BAR);
  g_type_ensure(VIEWER_TYPE_SOURCE_NOTICE);
  g_type_ensure(VIEWER_TYPE_SOURCE_SIDE);
  g_type_ensure(VIEWER_TYPE_SOURCE_TEXT);
  gtk_widget_class_set_template_from_resource(class, "/org/capturectl/Viewer/pages/source/source-page.ui");
  gtk_widget_class_bind_template_child(class, ViewerSourcePage, stack);
  gtk_widget_class_bind_template_child(class, ViewerSourcePage, empty);
  gtk_widget_class_bind_template_child(class, ViewerSourcePage, name);
  gtk_widget_class_bind_template_child(class, ViewerSourcePage, share);
  gtk_widget_class_bind_template_child(class, ViewerSourcePage, notice);
  gtk_widget_class_bind_template_child(class, ViewerSourcePage, editor);
  gtk_widget_class_bind_template_child(class, ViewerSourcePage, paned);
  gtk_widget_class_bind_template_child(class, ViewerSourcePage, text_side);
  gtk_widget_class_bind_template_child(class, ViewerSourcePage, path);
  gtk_widget_class_bind_template_child(class, ViewerSourcePage, files);
  gtk_widget_class_bind_template_child(class, ViewerSourcePage, text);
  gtk_widget_class_bind_template_child(class, ViewerSourcePage, bar);
  gtk_widget_class_bind_template_child(class, ViewerSourcePage, side);
  gtk_widget_class_bind_template_callback(class, choose_file);
  gtk_widget_class_bind_template_callback(class, enter_line);
  gtk_widget_class_bind_template_callback(class, go_to_line);
  gtk_widget_class_bind_template_callback(class, handle_moved);
  gtk_widget_class_bind_template_callback(class, handle_text_found);
  gtk_widget_class_bind_template_callback(class, open_first_inlined);
  gtk_widget_class_bind_template_callback(class, open_function);
  gtk_widget_class_bind_template_callback(class, viewer_list_page_update);
}

static void install_actions(GtkWidgetClass *class)
{
  gtk_widget_class_install_action(class, "source.back", NULL, act_back);
  gtk_widget_class_install_action(class, "source.choose-folder", NULL, act_choose_folder);
  gtk_widget_class_install_action(class, "source.folders", NULL, act_folders);
  gtk_widget_class_install_action(class, "source.next-line", NULL, act_next_line);
  gtk_widget_class_install_action(class, "source.open-editor", NULL, act_open_editor);
  gtk_widget_class_install_action(class, "source.open-with", "s", act_open_with);
  gtk_widget_class_install_action(class, "source.previous-line", NULL, act_previous_line);
  gtk_widget_class_add_binding_action(class, GDK_KEY_Escape, 0, "source.back", NULL);
  gtk_widget_class_add_binding_action(class, GDK_KEY_n, 0, "source.next-line", NULL);
  gtk_widget_class_add_binding_action(class, GDK_KEY_p, 0, "source.previous-line", NULL);
  gtk_widget_class_add_binding_action(class, GDK_KEY_e, 0, "source.open-editor", NULL);
}

static void viewer_source_page_class_init(ViewerSourcePageClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
  ViewerListPageClass *page_class = VIEWER_LIST_PAGE_CLASS(class);

  page_class->show = viewer_source_page_show;
  page_class->show_selection = viewer_source_page_show_selection;
  page_class->find = viewer_source_page_find;
  G_OBJECT_CLASS(class)->dispose = viewer_source_page_dispose;
  G_OBJECT_CLASS(class)->finalize = viewer_source_page_finalize;
  widget_class->grab_focus = viewer_source_page_grab_focus;
  widget_class->map = viewer_source_page_map;
  bind_template(widget_class);
  install_actions(widget_class);
}

static void viewer_source_page_init(ViewerSourcePage *self)
{
  GSettings *settings = viewer_settings_get();

  self->function = G_MAXUINT32;
  self->history = g_array_new(FALSE, FALSE, sizeof(guint32));
  self->making =
      viewer_latest_new(viewer_source_new, viewer_source_request_free, (GDestroyNotify)viewer_source_free);
  self->is_showing = TRUE;
  gtk_widget_init_template(GTK_WIDGET(self));
  self->is_showing = FALSE;
  viewer_split_follow(self->paned, NARROW, TEXT_SHARE);
  viewer_accessible_set_name(GTK_WIDGET(self->files), _("File of This Function"));
  viewer_accessible_describe_chosen(self->files);
  g_signal_connect_object(self->making, "ready", G_CALLBACK(handle_ready), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(settings, "changed::source-folders", G_CALLBACK(viewer_list_page_update), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(settings, "changed::source-editor", G_CALLBACK(show_editor), self,
                          G_CONNECT_SWAPPED);
  enable_source_actions(self);
}

GtkWidget *viewer_source_page_new(void)
{
  return g_object_new(VIEWER_TYPE_SOURCE_PAGE, NULL);
}
