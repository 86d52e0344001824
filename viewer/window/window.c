/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/window/window.h"

#include <glib/gi18n.h>

#include "viewer/document/progress.h"
#include "viewer/kit/accessible.h"
#include "viewer/kit/open-dialog.h"
#include "viewer/kit/settings.h"
#include "viewer/pages/health/health-badge.h"
#include "viewer/recents/recents.h"
#include "viewer/recents/recordings.h"
#include "viewer/recents/save.h"
#include "viewer/record/record-page.h"
#include "viewer/record/start-page.h"
#include "viewer/time/overview.h"
#include "viewer/window/application.h"
#include "viewer/window/crumbs.h"
#include "viewer/window/export-dialog.h"
#include "viewer/window/failed-page.h"
#include "viewer/window/pages.h"
#include "viewer/window/panes.h"
#include "viewer/window/search.h"
#include "viewer/window/sidebar.h"
#include "viewer/window/subtitle.h"

#define WORKING_SHOWN_AFTER 500 /* milliseconds: what is done by then needs no bar */

struct _ViewerWindow {
  AdwApplicationWindow parent;

  AdwToastOverlay *toasts;
  AdwWindowTitle *heading;
  GtkWidget *sidebar_button, *record;
  GtkStack *content;
  ViewerRecordPage *recording;
  AdwStatusPage *loading;
  ViewerProgress *loading_progress;
  ViewerFailedPage *failed;
  ViewerOverview *overview;
  ViewerCrumbs *crumbs;
  ViewerSearch *search;
  ViewerHealthBadge *badge;
  ViewerPanes *panes;
  ViewerSidebar *sidebar;
  AdwViewStack *pages;
  ViewerSave *save;
  GtkRevealer *working;
  ViewerProgress *working_progress;

  ViewerDocument *document;
  GSignalGroup *document_signals;
  guint working_delay;
  gboolean is_remembered;
  const char *page; /* the last that showed more than a selection; interned */
};

G_DEFINE_FINAL_TYPE(ViewerWindow, viewer_window, ADW_TYPE_APPLICATION_WINDOW)

ViewerWindow *viewer_window_new(AdwApplication *application)
{
  ViewerWindow *self = g_object_new(VIEWER_TYPE_WINDOW, "application", application, NULL);
  g_autoptr(GtkWindowGroup) group = gtk_window_group_new();

  gtk_window_group_add_window(group, GTK_WINDOW(self));
  return self;
}

ViewerDocument *viewer_window_get_document(ViewerWindow *self)
{
  g_return_val_if_fail(VIEWER_IS_WINDOW(self), NULL);
  return self->document;
}

void viewer_window_toast(ViewerWindow *self, const char *text)
{
  g_autofree char *title = g_markup_escape_text(text, -1);

  g_return_if_fail(VIEWER_IS_WINDOW(self));
  adw_toast_overlay_add_toast(self->toasts, adw_toast_new(title));
}

static gboolean window_shows(ViewerWindow *self, const char *name)
{
  return g_strcmp0(gtk_stack_get_visible_child_name(self->content), name) == 0;
}

gboolean viewer_window_is_free(ViewerWindow *self)
{
  g_return_val_if_fail(VIEWER_IS_WINDOW(self), FALSE);
  return window_shows(self, "start") || window_shows(self, "failed");
}

static ViewerPage *get_page(ViewerWindow *self)
{
  GtkWidget *page = adw_view_stack_get_visible_child(self->pages);

  return page && window_shows(self, "document") ? VIEWER_PAGE(page) : NULL;
}

/* Into what the page says is its own, else nowhere, so that keys are the window's. What nobody sees would
 * swallow the keys: a page that has nothing to show may still focus it. */
static void focus_page(ViewerWindow *self)
{
  ViewerPage *page = get_page(self);
  gboolean has_focus = page && gtk_widget_grab_focus(GTK_WIDGET(page));
  GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(self));

  if (page && (!has_focus || !focus || !gtk_widget_get_mapped(focus)))
    gtk_window_set_focus(GTK_WINDOW(self), NULL);
}

static void show_page(ViewerWindow *self)
{
  ViewerPage *page = get_page(self);

  viewer_search_set_page(self->search, page);
  viewer_crumbs_set_page(self->crumbs, page);
  if (page && !viewer_page_is_of_selection(page))
    self->page = g_intern_string(adw_view_stack_get_visible_child_name(self->pages));
}

/* What a document is doing beside what is shown of it. */
static gboolean show_working(gpointer data)
{
  ViewerWindow *self = data;

  self->working_delay = 0;
  gtk_revealer_set_reveal_child(self->working, TRUE);
  return G_SOURCE_REMOVE;
}

static void update_working(ViewerWindow *self)
{
  gboolean is_working = self->document && window_shows(self, "document") &&
                        viewer_document_get_state(self->document) == VIEWER_DOCUMENT_NAMING;

  if (is_working && !self->working_delay && !gtk_revealer_get_reveal_child(self->working))
    self->working_delay = g_timeout_add(WORKING_SHOWN_AFTER, show_working, self);
  if (!is_working) {
    g_clear_handle_id(&self->working_delay, g_source_remove);
    gtk_revealer_set_reveal_child(self->working, FALSE);
  }
}

static gboolean is_unsaved(ViewerWindow *self)
{
  return self->document && viewer_recordings_is_unsaved(viewer_document_get_file(self->document));
}

/* What has no meaning for what is shown cannot be chosen. */
static void enable_actions(ViewerWindow *self)
{
  static const char *const for_documents[] = {"win.search", "win.find", "win.undo",
                                              "win.redo",   "win.copy", "win.export"};
  GtkWidget *widget = GTK_WIDGET(self);

  for (guint i = 0; i < G_N_ELEMENTS(for_documents); i++)
    gtk_widget_action_set_enabled(widget, for_documents[i], window_shows(self, "document"));
  gtk_widget_action_set_enabled(widget, "win.save", window_shows(self, "document") && is_unsaved(self));
  gtk_widget_action_set_enabled(widget, "win.new-recording", !window_shows(self, "start"));
  gtk_widget_set_visible(self->record, !window_shows(self, "start") && !window_shows(self, "recording"));
}

/* Where the sidebar is not in sight of itself. */
static void show_sidebar_button(ViewerWindow *self)
{
  ViewerPanesLayout layout = viewer_panes_get_layout(self->panes);
  gboolean is_page = layout == VIEWER_PANES_ONE && viewer_panes_is_open(self->panes);

  gtk_button_set_icon_name(GTK_BUTTON(self->sidebar_button),
                           layout == VIEWER_PANES_ONE ? "go-previous-symbolic" : "sidebar-show-symbolic");
  gtk_widget_set_visible(self->sidebar_button,
                         window_shows(self, "document") && layout != VIEWER_PANES_BESIDE && !is_page);
}

static void show_content(ViewerWindow *self, const char *name)
{
  gboolean is_document = g_str_equal(name, "document");
  gboolean at_once = is_document && window_shows(self, "loading");

  if (window_shows(self, name))
    return;
  gtk_stack_set_visible_child_full(
      self->content, name, at_once ? GTK_STACK_TRANSITION_TYPE_NONE : GTK_STACK_TRANSITION_TYPE_CROSSFADE);
  enable_actions(self);
  show_sidebar_button(self);
  show_page(self);
  if (is_document)
    focus_page(self);
}

static const char *get_title(ViewerWindow *self)
{
  if (window_shows(self, "recording"))
    return viewer_record_page_get_title(self->recording);
  return self->document ? viewer_document_get_title(self->document) : NULL;
}

static void show_title(ViewerWindow *self)
{
  const char *title = get_title(self);
  ProfileCapture *capture = self->document ? viewer_document_get_capture(self->document) : NULL;
  g_autofree char *subtitle = capture ? viewer_subtitle_make(capture) : NULL;
  g_autofree char *loading = title ? g_strdup_printf(_("Opening “%s”"), title) : NULL;

  gtk_window_set_title(GTK_WINDOW(self), title ? title : _("Capture"));
  adw_status_page_set_title(self->loading, loading ? loading : "");
  adw_window_title_set_subtitle(self->heading, subtitle ? subtitle : "");
}

static void show_failure(ViewerWindow *self)
{
  const GError *error = viewer_document_get_error(self->document);

  if (!viewer_document_get_capture(self->document)) {
    viewer_failed_page_explain(self->failed, viewer_document_get_file(self->document), error);
    show_content(self, "failed");
  } else if (!g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
    viewer_window_toast(self, error->message);
  }
}

/* Once a document, when all its names are there and its samples are counted with them. */
static void window_remember(ViewerWindow *self)
{
  ProfileWeights *weights = viewer_document_get_weights(self->document);

  if (self->is_remembered || viewer_document_get_state(self->document) != VIEWER_DOCUMENT_READY || !weights ||
      profile_weights_get_capture(weights) != viewer_document_get_capture(self->document))
    return;
  self->is_remembered = TRUE;
  viewer_recents_add_capture(viewer_recents_get_default(), viewer_document_get_file(self->document),
                             viewer_document_get_title(self->document), weights);
}

static void show_state(ViewerWindow *self)
{
  ProfileCapture *capture = viewer_document_get_capture(self->document);

  if (capture)
    viewer_pages_set_capture(self->pages, capture);
  show_title(self);
  if (viewer_document_get_state(self->document) == VIEWER_DOCUMENT_FAILED)
    show_failure(self);
  else
    show_content(self, capture ? "document" : "loading");
  window_remember(self);
  update_working(self);
}

static void show_file(ViewerWindow *self)
{
  show_title(self);
  enable_actions(self);
}

static void set_document(ViewerWindow *self, ViewerDocument *document)
{
  g_signal_group_set_target(self->document_signals, document);
  if (self->document)
    viewer_document_cancel(self->document);
  g_set_object(&self->document, document);
  self->is_remembered = FALSE;
  viewer_pages_set_document(self->pages, document);
  viewer_overview_set_document(self->overview, document);
  viewer_crumbs_set_document(self->crumbs, document);
  viewer_health_badge_set_document(self->badge, document);
  viewer_progress_set_document(self->loading_progress, document);
  viewer_progress_set_document(self->working_progress, document);
}

void viewer_window_show_document(ViewerWindow *self, ViewerDocument *document)
{
  g_return_if_fail(VIEWER_IS_WINDOW(self));
  viewer_pages_show(self->pages, "summary");
  set_document(self, document);
  show_state(self);
}

/* Before there is a document. */

static void show_start(ViewerWindow *self)
{
  set_document(self, NULL);
  show_content(self, "start");
  show_title(self);
}

static void begin_recording(ViewerWindow *self, gpointer options)
{
  viewer_record_page_start(self->recording, options);
  show_content(self, "recording");
  show_title(self);
}

static void show_recorded(ViewerWindow *self, GFile *file)
{
  g_autoptr(ViewerDocument) document = viewer_document_new(file);

  viewer_document_open(document);
  viewer_window_show_document(self, document);
}

/* Actions. */

static void open_file(ViewerWindow *self, GFile *file)
{
  viewer_application_open_file(VIEWER_APPLICATION(gtk_window_get_application(GTK_WINDOW(self))), file,
                               GTK_WINDOW(self));
}

static void open_chosen(GFile *file, gpointer data)
{
  open_file(data, file);
}

static void act_open(GtkWidget *widget, const char *action, GVariant *parameter)
{
  viewer_open_dialog_show(GTK_WINDOW(widget), open_chosen, widget);
}

static void act_open_file(GtkWidget *widget, const char *action, GVariant *parameter)
{
  g_autoptr(GFile) file = g_file_new_for_uri(g_variant_get_string(parameter, NULL));

  open_file(VIEWER_WINDOW(widget), file);
}

static void act_new_recording(GtkWidget *widget, const char *action, GVariant *parameter)
{
  ViewerWindow *self = VIEWER_WINDOW(widget);
  GApplication *application = G_APPLICATION(gtk_window_get_application(GTK_WINDOW(self)));

  if (window_shows(self, "failed"))
    show_start(self);
  else if (!window_shows(self, "start"))
    g_action_group_activate_action(G_ACTION_GROUP(application), "new-window", NULL);
}

static void act_show_page(GtkWidget *widget, const char *action, GVariant *parameter)
{
  ViewerWindow *self = VIEWER_WINDOW(widget);

  if (!self->document)
    return;
  viewer_pages_show(self->pages, g_variant_get_string(parameter, NULL));
  focus_page(self);
}

static void act_show_nth_page(GtkWidget *widget, const char *action, GVariant *parameter)
{
  ViewerWindow *self = VIEWER_WINDOW(widget);

  if (!self->document)
    return;
  viewer_pages_show_nth(self->pages, g_variant_get_int32(parameter));
  focus_page(self);
}

static void act_leave_page(GtkWidget *widget, const char *action, GVariant *parameter)
{
  ViewerWindow *self = VIEWER_WINDOW(widget);

  if (self->page)
    gtk_widget_activate_action(widget, "win.show-page", "s", self->page);
}

static void act_sidebar(GtkWidget *widget, const char *action, GVariant *parameter)
{
  ViewerWindow *self = VIEWER_WINDOW(widget);

  if (!window_shows(self, "document"))
    return;
  viewer_panes_set_open(self->panes, !viewer_panes_is_open(self->panes));
  if (viewer_panes_is_open(self->panes))
    gtk_widget_grab_focus(GTK_WIDGET(self->sidebar));
  else
    focus_page(self);
}

static void leave_sidebar(ViewerWindow *self)
{
  viewer_panes_set_open(self->panes, FALSE);
  focus_page(self);
}

static void act_toast(GtkWidget *widget, const char *action, GVariant *parameter)
{
  viewer_window_toast(VIEWER_WINDOW(widget), g_variant_get_string(parameter, NULL));
}

static void act_search(GtkWidget *widget, const char *action, GVariant *parameter)
{
  viewer_search_begin(VIEWER_WINDOW(widget)->search);
}

static void act_find(GtkWidget *widget, const char *action, GVariant *parameter)
{
  viewer_search_set_text(VIEWER_WINDOW(widget)->search, g_variant_get_string(parameter, NULL));
}

static void act_go_to_match(GtkWidget *widget, const char *action, GVariant *parameter)
{
  viewer_search_go(VIEWER_WINDOW(widget)->search, g_variant_get_int32(parameter));
}

static void act_undo(GtkWidget *widget, const char *action, GVariant *parameter)
{
  ViewerWindow *self = VIEWER_WINDOW(widget);

  if (!self->document || !viewer_query_undo(viewer_document_get_query(self->document)))
    gtk_widget_error_bell(widget);
}

static void act_redo(GtkWidget *widget, const char *action, GVariant *parameter)
{
  ViewerWindow *self = VIEWER_WINDOW(widget);

  if (!self->document || !viewer_query_redo(viewer_document_get_query(self->document)))
    gtk_widget_error_bell(widget);
}

static void act_copy(GtkWidget *widget, const char *action, GVariant *parameter)
{
  ViewerPage *page = get_page(VIEWER_WINDOW(widget));

  if (!page || !viewer_page_copy(page))
    gtk_widget_error_bell(widget);
}

static gboolean window_drop(GtkDropTarget *target, const GValue *value, double x, double y,
                            ViewerWindow *self)
{
  GSList *files = g_value_get_boxed(value);

  for (GSList *l = files; l; l = l->next)
    open_file(self, l->data);
  return files != NULL;
}

/* Settings. */

static void restore_size(ViewerWindow *self)
{
  GSettings *settings = viewer_settings_get();
  int width, height;

  g_settings_get(settings, "window-size", "(ii)", &width, &height);
  gtk_window_set_default_size(GTK_WINDOW(self), CLAMP(width, 360, 16384), CLAMP(height, 294, 16384));
  if (g_settings_get_boolean(settings, "window-maximized"))
    gtk_window_maximize(GTK_WINDOW(self));
}

static void end_recording(ViewerWindow *self, const char *answer)
{
  if (g_str_equal(answer, "stop"))
    gtk_widget_activate_action(GTK_WIDGET(self->recording), "recording.stop", NULL);
}

static void ask_to_end_recording(ViewerWindow *self)
{
  GtkWidget *dialog = adw_message_dialog_new(GTK_WINDOW(self), _("Stop the Recording?"), NULL);

  adw_message_dialog_format_body(
      ADW_MESSAGE_DIALOG(dialog),
      _("“%s” is being recorded. Stop the recording and look at it before you close the window."),
      viewer_record_page_get_title(self->recording));
  adw_message_dialog_add_responses(ADW_MESSAGE_DIALOG(dialog), "keep", _("_Keep Recording"), "stop",
                                   _("_Stop"), NULL);
  adw_message_dialog_set_response_appearance(ADW_MESSAGE_DIALOG(dialog), "stop", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response(ADW_MESSAGE_DIALOG(dialog), "stop");
  adw_message_dialog_set_close_response(ADW_MESSAGE_DIALOG(dialog), "keep");
  g_signal_connect_object(dialog, "response", G_CALLBACK(end_recording), self, G_CONNECT_SWAPPED);
  gtk_window_present(GTK_WINDOW(dialog));
}

static gboolean viewer_window_close_request(GtkWindow *window)
{
  ViewerWindow *self = VIEWER_WINDOW(window);
  GSettings *settings = viewer_settings_get();
  int width, height;

  if (viewer_record_page_get_title(self->recording)) {
    ask_to_end_recording(self);
    return TRUE;
  }
  gtk_window_get_default_size(window, &width, &height);
  g_settings_set(settings, "window-size", "(ii)", width, height);
  g_settings_set_boolean(settings, "window-maximized", gtk_window_is_maximized(window));
  return GTK_WINDOW_CLASS(viewer_window_parent_class)->close_request(window);
}

static void viewer_window_dispose(GObject *object)
{
  ViewerWindow *self = VIEWER_WINDOW(object);

  g_clear_handle_id(&self->working_delay, g_source_remove);
  if (self->document)
    set_document(self, NULL);
  g_clear_object(&self->document_signals);
  G_OBJECT_CLASS(viewer_window_parent_class)->dispose(object);
}

static void act_export(GtkWidget *widget, const char *action, GVariant *parameter)
{
  ViewerWindow *self = VIEWER_WINDOW(widget);

  if (window_shows(self, "document"))
    viewer_export_dialog_show(GTK_WINDOW(self), self->document,
                              VIEWER_PAGE(adw_view_stack_get_visible_child(self->pages)));
}

static void act_save(GtkWidget *widget, const char *action, GVariant *parameter)
{
  viewer_save_ask(VIEWER_WINDOW(widget)->save, VIEWER_WINDOW(widget)->document);
}

static void install_actions(GtkWidgetClass *class)
{
  gtk_widget_class_install_action(class, "win.open", NULL, act_open);
  gtk_widget_class_install_action(class, "win.open-file", "s", act_open_file);
  gtk_widget_class_install_action(class, "win.new-recording", NULL, act_new_recording);
  gtk_widget_class_install_action(class, "win.show-page", "s", act_show_page);
  gtk_widget_class_install_action(class, "win.show-nth-page", "i", act_show_nth_page);
  gtk_widget_class_install_action(class, "win.leave-page", NULL, act_leave_page);
  gtk_widget_class_install_action(class, "win.sidebar", NULL, act_sidebar);
  gtk_widget_class_install_action(class, "win.toast", "s", act_toast);
  gtk_widget_class_install_action(class, "win.search", NULL, act_search);
  gtk_widget_class_install_action(class, "win.find", "s", act_find);
  gtk_widget_class_install_action(class, "win.go-to-match", "i", act_go_to_match);
  gtk_widget_class_install_action(class, "win.undo", NULL, act_undo);
  gtk_widget_class_install_action(class, "win.redo", NULL, act_redo);
  gtk_widget_class_install_action(class, "win.copy", NULL, act_copy);
  gtk_widget_class_install_action(class, "win.export", NULL, act_export);
  gtk_widget_class_install_action(class, "win.save", NULL, act_save);
}

/* Keys that entries have a use for: they come here only when the focused widget leaves them. */
static void add_bindings(GtkWidgetClass *class)
{
  GdkModifierType control = GDK_CONTROL_MASK, shift = GDK_SHIFT_MASK;

  gtk_widget_class_add_binding_action(class, GDK_KEY_slash, 0, "win.search", NULL);
  gtk_widget_class_add_binding_action(class, GDK_KEY_g, control, "win.go-to-match", "i", 1);
  gtk_widget_class_add_binding_action(class, GDK_KEY_g, control | shift, "win.go-to-match", "i", -1);
  gtk_widget_class_add_binding_action(class, GDK_KEY_F3, 0, "win.go-to-match", "i", 1);
  gtk_widget_class_add_binding_action(class, GDK_KEY_F3, shift, "win.go-to-match", "i", -1);
  gtk_widget_class_add_binding_action(class, GDK_KEY_z, control, "win.undo", NULL);
  gtk_widget_class_add_binding_action(class, GDK_KEY_z, control | shift, "win.redo", NULL);
  gtk_widget_class_add_binding_action(class, GDK_KEY_Left, GDK_ALT_MASK, "win.undo", NULL);
  gtk_widget_class_add_binding_action(class, GDK_KEY_Right, GDK_ALT_MASK, "win.redo", NULL);
  gtk_widget_class_add_binding_action(class, GDK_KEY_c, control, "win.copy", NULL);
  gtk_widget_class_add_binding_action(class, GDK_KEY_e, control, "win.export", NULL);
  gtk_widget_class_add_binding_action(class, GDK_KEY_s, control, "win.save", NULL);
  gtk_widget_class_add_binding_action(class, GDK_KEY_F9, 0, "win.sidebar", NULL);
  for (guint i = 0; i < VIEWER_PAGES; i++) {
    guint key = GDK_KEY_0 + (i + 1) % 10;
    gtk_widget_class_add_binding_action(class, key, GDK_ALT_MASK, "win.show-nth-page", "i", i);
    if (key != GDK_KEY_0) /* which shows all of a graph */
      gtk_widget_class_add_binding_action(class, key, 0, "win.show-nth-page", "i", i);
  }
}

static void bind_template(GtkWidgetClass *class)
{
  gtk_widget_class_set_template_from_resource(class, "/org/capturectl/Viewer/window/window.ui");
  gtk_widget_class_bind_template_child(class, ViewerWindow, toasts);
  gtk_widget_class_bind_template_child(class, ViewerWindow, heading);
  gtk_widget_class_bind_template_child(class, ViewerWindow, sidebar_button);
  gtk_widget_class_bind_template_child(class, ViewerWindow, content);
  gtk_widget_class_bind_template_child(class, ViewerWindow, record);
  gtk_widget_class_bind_template_child(class, ViewerWindow, recording);
  gtk_widget_class_bind_template_child(class, ViewerWindow, loading);
  gtk_widget_class_bind_template_child(class, ViewerWindow, loading_progress);
  gtk_widget_class_bind_template_child(class, ViewerWindow, failed);
  gtk_widget_class_bind_template_child(class, ViewerWindow, overview);
  gtk_widget_class_bind_template_child(class, ViewerWindow, crumbs);
  gtk_widget_class_bind_template_child(class, ViewerWindow, search);
  gtk_widget_class_bind_template_child(class, ViewerWindow, badge);
  gtk_widget_class_bind_template_child(class, ViewerWindow, panes);
  gtk_widget_class_bind_template_child(class, ViewerWindow, sidebar);
  gtk_widget_class_bind_template_child(class, ViewerWindow, pages);
  gtk_widget_class_bind_template_child(class, ViewerWindow, save);
  gtk_widget_class_bind_template_child(class, ViewerWindow, working);
  gtk_widget_class_bind_template_child(class, ViewerWindow, working_progress);
  gtk_widget_class_bind_template_callback(class, leave_sidebar);
  gtk_widget_class_bind_template_callback(class, show_sidebar_button);
  gtk_widget_class_bind_template_callback(class, show_page);
  gtk_widget_class_bind_template_callback(class, begin_recording);
  gtk_widget_class_bind_template_callback(class, show_recorded);
  gtk_widget_class_bind_template_callback(class, show_start);
}

static void viewer_window_class_init(ViewerWindowClass *class)
{
  G_OBJECT_CLASS(class)->dispose = viewer_window_dispose;
  GTK_WINDOW_CLASS(class)->close_request = viewer_window_close_request;
  g_type_ensure(VIEWER_TYPE_CRUMBS);
  g_type_ensure(VIEWER_TYPE_FAILED_PAGE);
  g_type_ensure(VIEWER_TYPE_OVERVIEW);
  g_type_ensure(VIEWER_TYPE_HEALTH_BADGE);
  g_type_ensure(VIEWER_TYPE_PANES);
  g_type_ensure(VIEWER_TYPE_PROGRESS);
  g_type_ensure(VIEWER_TYPE_RECORD_PAGE);
  g_type_ensure(VIEWER_TYPE_SAVE);
  g_type_ensure(VIEWER_TYPE_SEARCH);
  g_type_ensure(VIEWER_TYPE_SIDEBAR);
  g_type_ensure(VIEWER_TYPE_START_PAGE);
  bind_template(GTK_WIDGET_CLASS(class));
  install_actions(GTK_WIDGET_CLASS(class));
  add_bindings(GTK_WIDGET_CLASS(class));
}

static void viewer_window_init(ViewerWindow *self)
{
  GtkDropTarget *target = gtk_drop_target_new(GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);

  gtk_widget_init_template(GTK_WIDGET(self));
  self->document_signals = g_signal_group_new(VIEWER_TYPE_DOCUMENT);
  g_signal_group_connect_swapped(self->document_signals, "state-changed", G_CALLBACK(show_state), self);
  g_signal_group_connect_swapped(self->document_signals, "capture-changed", G_CALLBACK(show_state), self);
  g_signal_group_connect_swapped(self->document_signals, "file-changed", G_CALLBACK(show_file), self);
  g_signal_group_connect_swapped(self->document_signals, "weights-changed", G_CALLBACK(window_remember),
                                 self);
  viewer_pages_add(self->pages);
  viewer_sidebar_set_stack(self->sidebar, self->pages);
  viewer_accessible_follow_stacks(GTK_WIDGET(self));
  g_signal_connect(target, "drop", G_CALLBACK(window_drop), self);
  gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(target));
  enable_actions(self);
  restore_size(self);
}
