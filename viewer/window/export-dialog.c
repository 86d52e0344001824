/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/window/export-dialog.h"

#include <glib/gi18n.h>

#include "viewer/kit/toast.h"
#include "viewer/window/export.h"

enum { PULSE = 100 }; /* milliseconds */

struct _ViewerExportDialog {
  AdwWindow parent_instance;

  GtkWidget *state, *description, *progress, *failure; /* the first shows one of the others */
  GtkWidget *formats, *export_button;
  GtkCheckButton **checks;     /* one per format */
  ViewerExportContent content; /* its own; no picture: none could be taken */
  char *name;                  /* of the file, without what it ends with */
  GtkWidget *page;             /* until its picture was taken */
  GCancellable *cancellable;   /* while it is written */
  guint pulse;
};

G_DEFINE_FINAL_TYPE(ViewerExportDialog, viewer_export_dialog, ADW_TYPE_WINDOW)

/* What the page shows, on the window's background. NULL: nothing yet. */
static GskRenderNode *export_dialog_draw(GtkWidget *page, int width, int height)
{
  g_autoptr(GdkPaintable) paintable = gtk_widget_paintable_new(page);
  GtkSnapshot *snapshot = gtk_snapshot_new();
  GdkRGBA background = {1, 1, 1, 1};

  gtk_style_context_lookup_color(gtk_widget_get_style_context(page), "window_bg_color", &background);
  gtk_snapshot_append_color(snapshot, &background, &GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height));
  gdk_paintable_snapshot(paintable, snapshot, width, height);
  return gtk_snapshot_free_to_node(snapshot);
}

/* In memory, so that a thread may look at it: textures of OpenGL are the main thread's. */
static GdkTexture *export_dialog_download(GdkTexture *texture)
{
  int width = gdk_texture_get_width(texture), height = gdk_texture_get_height(texture);
  gsize stride = (gsize)width * 4;
  guchar *pixels = g_malloc_n(stride, (gsize)height);
  g_autoptr(GBytes) bytes = g_bytes_new_take(pixels, stride * (gsize)height);

  gdk_texture_download(texture, pixels, stride);
  return gdk_memory_texture_new(width, height, GDK_MEMORY_DEFAULT, bytes, stride);
}

static GdkTexture *take_picture(GtkWidget *page)
{
  int width = gtk_widget_get_width(page), height = gtk_widget_get_height(page);
  GtkNative *native = gtk_widget_get_native(page);
  g_autoptr(GskRenderNode) node = NULL;
  g_autoptr(GdkTexture) texture = NULL;

  if (width <= 0 || height <= 0 || !native || !gtk_native_get_renderer(native))
    return NULL;
  node = export_dialog_draw(page, width, height);
  texture = gsk_renderer_render_texture(gtk_native_get_renderer(native), node,
                                        &GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height));
  return export_dialog_download(texture);
}

static guint get_format(const ViewerExportDialog *self)
{
  guint format = 0;

  while (!gtk_check_button_get_active(self->checks[format]))
    format++;
  return format;
}

static gboolean export_dialog_pulse(gpointer dialog)
{
  gtk_progress_bar_pulse(GTK_PROGRESS_BAR(((ViewerExportDialog *)dialog)->progress));
  return G_SOURCE_CONTINUE;
}

static void show_busy(ViewerExportDialog *self, gboolean busy)
{
  gtk_widget_set_sensitive(self->formats, !busy);
  gtk_widget_set_sensitive(self->export_button, !busy);
  gtk_stack_set_visible_child(GTK_STACK(self->state), busy ? self->progress : self->description);
  g_clear_handle_id(&self->pulse, g_source_remove);
  /* A bar that has pulsed asks for each frame until it has a fraction again. */
  gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(self->progress), 0);
  if (busy)
    self->pulse = g_timeout_add(PULSE, export_dialog_pulse, self);
}

static void show_failure(ViewerExportDialog *self, const char *message)
{
  gtk_label_set_text(GTK_LABEL(self->failure), message);
  gtk_stack_set_visible_child(GTK_STACK(self->state), self->failure);
}

/* Whoever writes holds no dialog that was closed: it would outlive the window that it belongs to, which GTK
 * does not expect. */
static gpointer make_weak(ViewerExportDialog *self)
{
  GWeakRef *weak = g_new0(GWeakRef, 1);

  g_weak_ref_init(weak, self);
  return weak;
}

static ViewerExportDialog *take_weak(gpointer data)
{
  GWeakRef *weak = data;
  ViewerExportDialog *self = g_weak_ref_get(weak);

  g_weak_ref_clear(weak);
  g_free(weak);
  return self;
}

static void export_dialog_finish(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(ViewerExportDialog) self = take_weak(data);
  g_autoptr(GError) error = NULL;
  gboolean done = viewer_export_write_finish(result, &error);

  g_application_release(g_application_get_default());
  if (!self || !gtk_widget_get_visible(GTK_WIDGET(self))) /* cancelled by closing it */
    return;
  g_clear_object(&self->cancellable);
  show_busy(self, FALSE);
  if (!done) {
    show_failure(self, error->message);
    return;
  }
  GtkWindow *parent = gtk_window_get_transient_for(GTK_WINDOW(self));
  if (parent)
    viewer_toast(GTK_WIDGET(parent), _("Exported"));
  gtk_window_close(GTK_WINDOW(self));
}

static void write_to(ViewerExportDialog *self, GFile *file)
{
  guint format = get_format(self);

  /* Whoever quits meanwhile shall not leave half a file. */
  g_application_hold(g_application_get_default());
  self->cancellable = g_cancellable_new();
  show_busy(self, TRUE);
  viewer_export_write_async(format, &self->content, file, self->cancellable, export_dialog_finish,
                            make_weak(self));
}

static void export_dialog_respond(GtkNativeDialog *chooser, int response, ViewerExportDialog *self)
{
  g_autoptr(GFile) file =
      response == GTK_RESPONSE_ACCEPT ? gtk_file_chooser_get_file(GTK_FILE_CHOOSER(chooser)) : NULL;

  gtk_native_dialog_destroy(chooser);
  g_object_unref(chooser);
  if (file && gtk_widget_get_visible(GTK_WIDGET(self)))
    write_to(self, file);
}

static void choose_file(ViewerExportDialog *self)
{
  guint format = get_format(self);
  GtkFileChooserNative *chooser =
      gtk_file_chooser_native_new(viewer_export_get_title(format), GTK_WINDOW(self),
                                  GTK_FILE_CHOOSER_ACTION_SAVE, _("_Export"), _("_Cancel"));
  g_autoptr(GtkFileFilter) filter = gtk_file_filter_new();
  g_autofree char *name = g_strconcat(self->name, viewer_export_get_suffix(format), NULL);
  g_autofree char *pattern = g_strconcat("*", viewer_export_get_suffix(format), NULL);

  gtk_file_filter_set_name(filter, viewer_export_get_title(format));
  gtk_file_filter_add_pattern(filter, pattern);
  gtk_file_chooser_add_filter(GTK_FILE_CHOOSER(chooser), filter);
  gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(chooser), name);
  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(chooser), TRUE);
  g_signal_connect_object(chooser, "response", G_CALLBACK(export_dialog_respond), self, 0);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(chooser));
}

static void add_format(ViewerExportDialog *self, guint format)
{
  GtkWidget *row = adw_action_row_new(), *check = gtk_check_button_new();

  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), viewer_export_get_title(format));
  adw_action_row_set_subtitle(ADW_ACTION_ROW(row), viewer_export_get_description(format));
  gtk_widget_set_valign(check, GTK_ALIGN_CENTER);
  adw_action_row_add_prefix(ADW_ACTION_ROW(row), check);
  adw_action_row_set_activatable_widget(ADW_ACTION_ROW(row), check);
  self->checks[format] = GTK_CHECK_BUTTON(check);
  if (format > 0)
    gtk_check_button_set_group(self->checks[format], self->checks[0]);
  adw_preferences_group_add(ADW_PREFERENCES_GROUP(self->formats), row);
}

/* Closing it ends what is under way. */
static gboolean viewer_export_dialog_close_request(GtkWindow *window)
{
  ViewerExportDialog *self = VIEWER_EXPORT_DIALOG(window);

  if (self->cancellable)
    g_cancellable_cancel(self->cancellable);
  return GTK_WINDOW_CLASS(viewer_export_dialog_parent_class)->close_request(window);
}

static void viewer_export_dialog_dispose(GObject *object)
{
  ViewerExportDialog *self = VIEWER_EXPORT_DIALOG(object);

  g_clear_handle_id(&self->pulse, g_source_remove);
  if (self->cancellable)
    g_cancellable_cancel(self->cancellable);
  g_clear_pointer(&self->content.weights, profile_weights_unref);
  g_clear_object(&self->content.picture);
  g_clear_object(&self->page);
  G_OBJECT_CLASS(viewer_export_dialog_parent_class)->dispose(object);
}

static void viewer_export_dialog_finalize(GObject *object)
{
  ViewerExportDialog *self = VIEWER_EXPORT_DIALOG(object);

  g_clear_object(&self->cancellable);
  g_free((char *)self->content.title);
  g_free((char *)self->content.path);
  g_free(self->name);
  g_free(self->checks);
  G_OBJECT_CLASS(viewer_export_dialog_parent_class)->finalize(object);
}

static void viewer_export_dialog_class_init(ViewerExportDialogClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  G_OBJECT_CLASS(class)->dispose = viewer_export_dialog_dispose;
  G_OBJECT_CLASS(class)->finalize = viewer_export_dialog_finalize;
  GTK_WINDOW_CLASS(class)->close_request = viewer_export_dialog_close_request;
  gtk_widget_class_set_template_from_resource(widget_class, "/org/capturectl/Viewer/window/export-dialog.ui");
  gtk_widget_class_bind_template_child(widget_class, ViewerExportDialog, state);
  gtk_widget_class_bind_template_child(widget_class, ViewerExportDialog, description);
  gtk_widget_class_bind_template_child(widget_class, ViewerExportDialog, formats);
  gtk_widget_class_bind_template_child(widget_class, ViewerExportDialog, progress);
  gtk_widget_class_bind_template_child(widget_class, ViewerExportDialog, failure);
  gtk_widget_class_bind_template_child(widget_class, ViewerExportDialog, export_button);
  gtk_widget_class_bind_template_callback(widget_class, choose_file);
}

static void viewer_export_dialog_init(ViewerExportDialog *self)
{
  guint n = viewer_export_count_formats();

  gtk_widget_init_template(GTK_WIDGET(self));
  self->checks = g_new(GtkCheckButton *, n);
  for (guint i = 0; i < n; i++)
    add_format(self, i);
  gtk_check_button_set_active(self->checks[0], TRUE);
}

/* "some" of "some.capture". Free it. */
static char *get_name(ViewerDocument *document)
{
  g_autofree char *name = g_file_get_basename(viewer_document_get_file(document));
  char *dot = strrchr(name, '.');

  if (dot && dot > name)
    *dot = '\0';
  return g_utf8_make_valid(name, -1);
}

/* But the picture. */
static void take_content(ViewerExportContent *content, ViewerDocument *document, ViewerPage *page)
{
  GFile *file = viewer_document_get_file(document);

  content->weights = profile_weights_ref(viewer_document_get_weights(document));
  content->title = g_strdup(viewer_document_get_title(document));
  content->path = g_file_peek_path(file) ? g_strdup(g_file_peek_path(file)) : g_file_get_uri(file);
  viewer_page_get_report(page, &content->report_by, &content->report_tree);
}

static void export_dialog_present(ViewerExportDialog *self)
{
  for (guint i = 0; i < viewer_export_count_formats(); i++)
    gtk_widget_set_sensitive(GTK_WIDGET(self->checks[i]), viewer_export_is_possible(i, &self->content));
  gtk_window_set_focus(GTK_WINDOW(self), GTK_WIDGET(self->checks[0]));
  gtk_window_present(GTK_WINDOW(self));
}

static void take_picture_of_page(ViewerExportDialog *self, GdkFrameClock *clock)
{
  g_signal_handlers_disconnect_by_func(clock, take_picture_of_page, self);
  self->content.picture = take_picture(self->page);
  g_clear_object(&self->page);
  export_dialog_present(self);
}

void viewer_export_dialog_show(GtkWindow *parent, ViewerDocument *document, ViewerPage *page)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock(GTK_WIDGET(page));
  ViewerExportDialog *self;

  if (!viewer_document_get_weights(document))
    return;
  self = g_object_new(VIEWER_TYPE_EXPORT_DIALOG, "transient-for", parent, NULL);
  take_content(&self->content, document, page);
  self->name = get_name(document);
  if (!clock) {
    export_dialog_present(self);
    return;
  }
  /* Only then everything has its place. Before the dialog is there, for that dims the window. */
  self->page = g_object_ref(GTK_WIDGET(page));
  g_signal_connect_object(clock, "after-paint", G_CALLBACK(take_picture_of_page), self, G_CONNECT_SWAPPED);
  gdk_frame_clock_request_phase(clock, GDK_FRAME_CLOCK_PHASE_PAINT);
}
