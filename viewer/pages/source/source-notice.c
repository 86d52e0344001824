/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/source/source-notice.h"

#include <glib/gi18n.h>

#include "profile/fetch/debug-servers.h"
#include "viewer/kit/servers-dialog.h"

struct _ViewerSourceNotice {
  GtkBox parent_instance;
  GtkLabel *label;
  GtkWidget *ask_servers, *choose_folder;

  ViewerSourceFetcher *fetcher;
  char *text;              /* of the source; NULL: it is fine */
  ProfileCapture *capture; /* of a file that servers may have; NULL: there is none, or it came */
  guint32 binary;
  char *path, *servers; /* servers NULL: none is known */
};

G_DEFINE_FINAL_TYPE(ViewerSourceNotice, viewer_source_notice, GTK_TYPE_BOX)

enum { FETCHED, N_SIGNALS };
static guint signals[N_SIGNALS];

/* How it stands with servers; NULL: nothing is to be said. */
static char *describe_fetching(ViewerSourceNotice *self)
{
  if (!self->capture)
    return NULL;
  if (viewer_source_fetcher_is_busy(self->fetcher))
    return g_strdup(_("Servers are being asked for it…"));
  return viewer_source_fetcher_explain(self->fetcher, self->capture, self->binary, self->path);
}

static void notice_describe(ViewerSourceNotice *self)
{
  g_autofree char *fetching = describe_fetching(self);
  const char *text = self->text ? self->text : "";
  g_autofree char *both = fetching ? g_strdup_printf("%s\n%s", text, fetching) : g_strdup(text);

  gtk_label_set_text(self->label, both);
  gtk_widget_set_visible(self->ask_servers, self->capture && self->servers && !fetching);
}

/* What came need not be what is shown by now. */
static void notice_update(ViewerSourceNotice *self)
{
  g_autoptr(GBytes) text =
      self->capture ? viewer_source_fetcher_lookup(self->fetcher, self->capture, self->binary, self->path)
                    : NULL;

  notice_describe(self);
  if (text)
    g_signal_emit(self, signals[FETCHED], 0);
}

/* Nobody is asked for what nobody sees. */
static void notice_fetch(GtkWidget *widget)
{
  ViewerSourceNotice *self = VIEWER_SOURCE_NOTICE(widget);

  if (self->capture && self->servers && gtk_widget_get_mapped(widget) &&
      profile_debug_servers_are_allowed(self->servers))
    viewer_source_fetcher_start(self->fetcher, self->capture, self->binary, self->path, self->servers);
  else
    viewer_source_fetcher_cancel(self->fetcher);
  notice_update(self);
}

static void notice_forget(ViewerSourceNotice *self)
{
  g_clear_object(&self->capture);
  g_clear_pointer(&self->text, g_free);
  g_clear_pointer(&self->path, g_free);
  g_clear_pointer(&self->servers, g_free);
}

void viewer_source_notice_show(ViewerSourceNotice *self, const ViewerSource *source)
{
  notice_forget(self);
  self->text = source ? g_strdup(source->notice) : NULL;
  if (source && source->is_fetchable) {
    self->capture = g_object_ref(profile_filter_get_capture(source->filter));
    self->binary = source->binary;
    self->path = g_strdup(source->file->path);
    self->servers = profile_debug_servers_get();
  }
  gtk_widget_set_visible(self->choose_folder, source && source->is_missing);
  gtk_widget_set_visible(GTK_WIDGET(self), self->text != NULL);
  notice_fetch(GTK_WIDGET(self));
}

ViewerSourceFetcher *viewer_source_notice_get_fetcher(ViewerSourceNotice *self)
{
  return self->fetcher;
}

static void on_ask_servers_clicked(ViewerSourceNotice *self)
{
  viewer_servers_dialog_want(GTK_WIDGET(self), self->servers, notice_fetch);
}

static void viewer_source_notice_map(GtkWidget *widget)
{
  GTK_WIDGET_CLASS(viewer_source_notice_parent_class)->map(widget);
  notice_fetch(widget);
}

static void viewer_source_notice_unmap(GtkWidget *widget)
{
  GTK_WIDGET_CLASS(viewer_source_notice_parent_class)->unmap(widget);
  notice_fetch(widget);
}

static void viewer_source_notice_finalize(GObject *object)
{
  ViewerSourceNotice *self = VIEWER_SOURCE_NOTICE(object);

  notice_forget(self);
  viewer_source_fetcher_cancel(self->fetcher);
  g_object_unref(self->fetcher);
  G_OBJECT_CLASS(viewer_source_notice_parent_class)->finalize(object);
}

static void viewer_source_notice_class_init(ViewerSourceNoticeClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  G_OBJECT_CLASS(class)->finalize = viewer_source_notice_finalize;
  widget_class->map = viewer_source_notice_map;
  widget_class->unmap = viewer_source_notice_unmap;
  signals[FETCHED] = g_signal_new("fetched", G_TYPE_FROM_CLASS(class), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 0);
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/org/capturectl/Viewer/pages/source/source-notice.ui");
  gtk_widget_class_bind_template_child(widget_class, ViewerSourceNotice, label);
  gtk_widget_class_bind_template_child(widget_class, ViewerSourceNotice, ask_servers);
  gtk_widget_class_bind_template_child(widget_class, ViewerSourceNotice, choose_folder);
  gtk_widget_class_bind_template_callback(widget_class, on_ask_servers_clicked);
}

static void viewer_source_notice_init(ViewerSourceNotice *self)
{
  self->fetcher = viewer_source_fetcher_new();
  gtk_widget_init_template(GTK_WIDGET(self));
  g_signal_connect_object(self->fetcher, "changed", G_CALLBACK(notice_update), self, G_CONNECT_SWAPPED);
}
