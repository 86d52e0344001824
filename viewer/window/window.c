/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/window/window-private.h"

#include <glib/gi18n.h>

#include "viewer/kit/accessible.h"
#include "viewer/kit/settings.h"
#include "viewer/recents/recents.h"
#include "viewer/recents/recordings.h"
#include "viewer/record/start-page.h"
#include "viewer/window/application.h"
#include "viewer/window/pages.h"
#include "viewer/window/subtitle.h"

#define WORKING_SHOWN_AFTER 500 /* milliseconds: what is done by then needs no bar */

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

gboolean viewer_window_shows(ViewerWindow *self, const char *name)
{
  return g_strcmp0(gtk_stack_get_visible_child_name(self->content), name) == 0;
}

gboolean viewer_window_is_free(ViewerWindow *self)
{
  g_return_val_if_fail(VIEWER_IS_WINDOW(self), FALSE);
  return viewer_window_shows(self, "start") || viewer_window_shows(self, "failed");
}

ViewerPage *viewer_window_get_page(ViewerWindow *self)
{
  GtkWidget *page = adw_view_stack_get_visible_child(self->pages);

  return page && viewer_window_shows(self, "document") ? VIEWER_PAGE(page) : NULL;
}

/* Into what the page says is its own, else nowhere, so that keys are the window's. What nobody sees would
 * swallow the keys: a page that has nothing to show may still focus it. */
void viewer_window_focus_page(ViewerWindow *self)
{
  ViewerPage *page = viewer_window_get_page(self);
  gboolean has_focus = page && gtk_widget_grab_focus(GTK_WIDGET(page));
  GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(self));

  if (page && (!has_focus || !focus || !gtk_widget_get_mapped(focus)))
    gtk_window_set_focus(GTK_WINDOW(self), NULL);
}

static void show_page(ViewerWindow *self)
{
  ViewerPage *page = viewer_window_get_page(self);

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
  gboolean is_working = self->document && viewer_window_shows(self, "document") &&
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
  static const char *const for_documents[] = {"win.search", "win.find", "win.copy", "win.export",
                                              "win.record-again"};
  GtkWidget *widget = GTK_WIDGET(self);
  gboolean is_document = viewer_window_shows(self, "document");
  ViewerQuery *query = is_document && self->document ? viewer_document_get_query(self->document) : NULL;

  for (guint i = 0; i < G_N_ELEMENTS(for_documents); i++)
    gtk_widget_action_set_enabled(widget, for_documents[i], is_document);
  gtk_widget_action_set_enabled(widget, "win.undo",
                                query && g_list_model_get_n_items(G_LIST_MODEL(query)) > 0);
  gtk_widget_action_set_enabled(widget, "win.redo", query && viewer_query_can_redo(query));
  gtk_widget_action_set_enabled(widget, "win.save", is_document && is_unsaved(self));
  gtk_widget_action_set_enabled(widget, "win.new-recording", !viewer_window_shows(self, "start"));
  gtk_widget_set_visible(self->record,
                         !viewer_window_shows(self, "start") && !viewer_window_shows(self, "recording"));
}

/* Where the sidebar is not in sight of itself. */
static void show_sidebar_button(ViewerWindow *self)
{
  ViewerPanesLayout layout = viewer_panes_get_layout(self->panes);
  gboolean is_page = layout == VIEWER_PANES_ONE && viewer_panes_is_open(self->panes);

  gtk_button_set_icon_name(GTK_BUTTON(self->sidebar_button),
                           layout == VIEWER_PANES_ONE ? "go-previous-symbolic" : "sidebar-show-symbolic");
  gtk_widget_set_visible(self->sidebar_button,
                         viewer_window_shows(self, "document") && layout != VIEWER_PANES_BESIDE && !is_page);
}

static void show_content(ViewerWindow *self, const char *name)
{
  gboolean is_document = g_str_equal(name, "document");
  gboolean at_once = is_document && viewer_window_shows(self, "loading");

  if (viewer_window_shows(self, name))
    return;
  gtk_stack_set_visible_child_full(
      self->content, name, at_once ? GTK_STACK_TRANSITION_TYPE_NONE : GTK_STACK_TRANSITION_TYPE_CROSSFADE);
  enable_actions(self);
  show_sidebar_button(self);
  show_page(self);
  if (is_document)
    viewer_window_focus_page(self);
}

static const char *get_title(ViewerWindow *self)
{
  if (viewer_window_shows(self, "recording"))
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

void viewer_window_set_document(ViewerWindow *self, ViewerDocument *document)
{
  g_signal_group_set_target(self->document_signals, document);
  g_signal_group_set_target(self->query_signals, document ? viewer_document_get_query(document) : NULL);
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
  g_clear_pointer(&self->options, recording_options_free);
  viewer_pages_show(self->pages, "summary");
  viewer_window_set_document(self, document);
  show_state(self);
}

/* Before there is a document. */

void viewer_window_show_start(ViewerWindow *self)
{
  viewer_window_set_document(self, NULL);
  show_content(self, "start");
  show_title(self);
}

void viewer_window_begin_recording(ViewerWindow *self, gpointer options)
{
  g_autoptr(RecordingOptions) before = self->options;

  self->options = recording_options_copy(options);
  viewer_record_page_start(self->recording, options);
  show_content(self, "recording");
  show_title(self);
}

static void show_recorded(ViewerWindow *self, GFile *file)
{
  g_autoptr(ViewerDocument) document = viewer_document_new(file);
  RecordingOptions *options = g_steal_pointer(&self->options);

  viewer_document_open(document);
  viewer_window_show_document(self, document);
  self->options = options;
  enable_actions(self);
}

void viewer_window_open_file(ViewerWindow *self, GFile *file)
{
  viewer_application_open_file(VIEWER_APPLICATION(gtk_window_get_application(GTK_WINDOW(self))), file,
                               GTK_WINDOW(self));
}

static void leave_sidebar(ViewerWindow *self)
{
  viewer_panes_set_open(self->panes, FALSE);
  viewer_window_focus_page(self);
}

static gboolean window_drop(GtkDropTarget *target, const GValue *value, double x, double y,
                            ViewerWindow *self)
{
  GSList *files = g_value_get_boxed(value);

  for (GSList *l = files; l; l = l->next)
    viewer_window_open_file(self, l->data);
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
  g_clear_pointer(&self->options, recording_options_free);
  if (self->document)
    viewer_window_set_document(self, NULL);
  g_clear_object(&self->document_signals);
  g_clear_object(&self->query_signals);
  G_OBJECT_CLASS(viewer_window_parent_class)->dispose(object);
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
  gtk_widget_class_bind_template_callback(class, viewer_window_begin_recording);
  gtk_widget_class_bind_template_callback(class, show_recorded);
  gtk_widget_class_bind_template_callback(class, viewer_window_show_start);
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
  viewer_window_install_actions(GTK_WIDGET_CLASS(class));
}

static void viewer_window_init(ViewerWindow *self)
{
  GtkDropTarget *target = gtk_drop_target_new(GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);

  gtk_widget_init_template(GTK_WIDGET(self));
  self->document_signals = g_signal_group_new(VIEWER_TYPE_DOCUMENT);
  self->query_signals = g_signal_group_new(VIEWER_TYPE_QUERY);
  g_signal_group_connect_swapped(self->query_signals, "changed", G_CALLBACK(enable_actions), self);
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
