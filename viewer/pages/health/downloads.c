/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/health/downloads.h"

#include <glib/gi18n.h>

#include "profile/fetch/fetch.h"
#include "viewer/document/fetching.h"
#include "viewer/kit/accessible.h"
#include "viewer/kit/format.h"
#include "viewer/kit/servers-dialog.h"

/* Files with a row of their own, and sentences that are shown. */
enum { FILES_MAX = 30, SENTENCES_MAX = 5 };

#define INDEX_KEY "viewer-downloads-index"

struct _ViewerDownloads {
  AdwPreferencesGroup parent_instance;

  GtkWidget *all, *progress, *bar;
  GPtrArray *rows;    /* of files; borrowed */
  GPtrArray *buttons; /* theirs, likewise */
  ViewerDocument *document;
  ViewerFetching *fetching; /* the document's */
  ProfileHealth *health;
  char *servers; /* that are known */
  guint asked;   /* which entry is wanted; G_MAXUINT: all */
};

G_DEFINE_FINAL_TYPE(ViewerDownloads, viewer_downloads, ADW_TYPE_PREFERENCES_GROUP)

static void on_allowed(GtkWidget *widget)
{
  ViewerDownloads *self = VIEWER_DOWNLOADS(widget);

  if (self->fetching && self->health && self->servers && !viewer_fetching_is_busy(self->fetching))
    viewer_fetching_start(self->fetching, self->health, self->asked, self->servers);
}

static void downloads_want(ViewerDownloads *self, guint index)
{
  self->asked = index;
  viewer_servers_dialog_want(GTK_WIDGET(self), self->servers, on_allowed);
}

static void on_all_clicked(ViewerDownloads *self)
{
  downloads_want(self, G_MAXUINT);
}

static void on_cancel_clicked(ViewerDownloads *self)
{
  viewer_fetching_cancel(self->fetching);
}

static void on_file_clicked(ViewerDownloads *self, GtkWidget *button)
{
  downloads_want(self, GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(button), INDEX_KEY)));
}

static void remove_files(ViewerDownloads *self)
{
  for (guint i = 0; i < self->rows->len; i++)
    adw_preferences_group_remove(ADW_PREFERENCES_GROUP(self), self->rows->pdata[i]);
  g_ptr_array_set_size(self->rows, 0);
  g_ptr_array_set_size(self->buttons, 0);
}

static void add_file(ViewerDownloads *self, const ProfileMissingEntry *entry, guint index)
{
  ProfileCapture *capture = profile_health_get_capture(self->health);
  g_autofree char *base = viewer_format_binary(profile_missing_names_get_binary(capture, entry));
  g_autofree char *share = viewer_format_share(entry->samples, profile_health_get_n_samples(self->health));
  g_autofree char *cost = g_strdup_printf(_("%s of samples"), share);
  g_autofree char *what = g_strdup_printf(_("Download for %s"), base);
  GtkWidget *row = adw_action_row_new(), *button = gtk_button_new_with_mnemonic(_("_Download"));

  adw_preferences_row_set_use_markup(ADW_PREFERENCES_ROW(row), FALSE);
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), base);
  adw_action_row_set_subtitle(ADW_ACTION_ROW(row), cost);
  gtk_widget_set_valign(button, GTK_ALIGN_CENTER);
  viewer_accessible_set_name(button, what);
  g_object_set_data(G_OBJECT(button), INDEX_KEY, GUINT_TO_POINTER(index));
  g_signal_connect_object(button, "clicked", G_CALLBACK(on_file_clicked), self, G_CONNECT_SWAPPED);
  adw_action_row_add_suffix(ADW_ACTION_ROW(row), button);
  adw_preferences_group_add(ADW_PREFERENCES_GROUP(self), row);
  g_ptr_array_add(self->rows, row);
  g_ptr_array_add(self->buttons, button);
}

/* Nobody else may write the file, which gets the names; and other names may come. */
static gboolean is_at_rest(const ViewerDownloads *self)
{
  return self->document && viewer_document_get_state(self->document) == VIEWER_DOCUMENT_READY;
}

static void show_files(ViewerDownloads *self)
{
  guint n = 0;
  const ProfileMissingEntry *entries = NULL;

  remove_files(self);
  if (self->health && self->servers && is_at_rest(self))
    entries = profile_missing_names_get_entries(profile_health_get_missing_names(self->health), &n);
  for (guint i = 0; i < n && self->rows->len < FILES_MAX; i++)
    if (profile_fetch_may_help(profile_health_get_capture(self->health), &entries[i]))
      add_file(self, &entries[i], i);
}

/* Below the title. */
static void show_sentences(ViewerDownloads *self)
{
  const GPtrArray *sentences = self->fetching ? viewer_fetching_get_sentences(self->fetching) : NULL;
  g_autoptr(GString) all = g_string_new(NULL);

  for (guint i = 0; sentences && i < sentences->len && i < SENTENCES_MAX; i++) {
    g_autofree char *sentence = viewer_format_name(sentences->pdata[i], 1000);
    g_autofree char *escaped = g_markup_escape_text(sentence, -1);
    g_string_append_printf(all, "%s%s", i > 0 ? "\n" : "", escaped);
  }
  adw_preferences_group_set_description(ADW_PREFERENCES_GROUP(self), all->str);
}

/* Nothing moves where nobody sees it: a bar that has pulsed asks for each frame, seen or not, until it has a
 * fraction again. */
static void show_share(ViewerDownloads *self, double share)
{
  if (share < 0 && gtk_widget_get_mapped(self->bar))
    gtk_progress_bar_pulse(GTK_PROGRESS_BAR(self->bar));
  else
    gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(self->bar), CLAMP(share, 0, 1));
}

static void show_progress(ViewerDownloads *self)
{
  double share;
  g_autofree char *amount = NULL, *what = viewer_fetching_describe(self->fetching, &amount, &share);

  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(self->progress), what);
  adw_action_row_set_subtitle(ADW_ACTION_ROW(self->progress), amount);
  show_share(self, share);
}

static void downloads_update(ViewerDownloads *self)
{
  gboolean busy = self->fetching && viewer_fetching_is_busy(self->fetching);

  if (busy) {
    show_progress(self);
  } else {
    show_share(self, 0);
    show_sentences(self);
  }
  gtk_widget_set_visible(self->progress, busy);
  gtk_widget_set_sensitive(self->all, !busy);
  for (guint i = 0; i < self->buttons->len; i++)
    gtk_widget_set_sensitive(self->buttons->pdata[i], !busy);
  gtk_widget_set_visible(GTK_WIDGET(self), busy || self->rows->len > 0);
  gtk_widget_set_visible(self->all, self->rows->len > 1);
}

static void downloads_show(ViewerDownloads *self)
{
  show_files(self);
  downloads_update(self);
}

static void set_document(ViewerDownloads *self, ViewerDocument *document)
{
  if (document == self->document)
    return;
  if (self->document) {
    g_signal_handlers_disconnect_by_data(self->document, self);
    g_signal_handlers_disconnect_by_data(self->fetching, self);
  }
  g_set_object(&self->document, document);
  self->fetching = document ? viewer_fetching_of(document) : NULL;
  if (!document)
    return;
  g_signal_connect_object(document, "state-changed", G_CALLBACK(downloads_show), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->fetching, "changed", G_CALLBACK(downloads_update), self, G_CONNECT_SWAPPED);
}

void viewer_downloads_show(ViewerDownloads *self, ViewerDocument *document, ProfileHealth *health)
{
  g_autoptr(ProfileHealth) before = g_steal_pointer(&self->health);

  set_document(self, document);
  self->health = health ? profile_health_ref(health) : NULL;
  g_free(self->servers);
  self->servers = health ? profile_debug_servers_get() : NULL;
  downloads_show(self);
}

static void viewer_downloads_dispose(GObject *object)
{
  ViewerDownloads *self = VIEWER_DOWNLOADS(object);

  set_document(self, NULL);
  g_clear_pointer(&self->health, profile_health_unref);
  g_clear_pointer(&self->servers, g_free);
  G_OBJECT_CLASS(viewer_downloads_parent_class)->dispose(object);
}

static void viewer_downloads_finalize(GObject *object)
{
  ViewerDownloads *self = VIEWER_DOWNLOADS(object);

  g_ptr_array_unref(self->rows);
  g_ptr_array_unref(self->buttons);
  G_OBJECT_CLASS(viewer_downloads_parent_class)->finalize(object);
}

static void viewer_downloads_class_init(ViewerDownloadsClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  G_OBJECT_CLASS(class)->dispose = viewer_downloads_dispose;
  G_OBJECT_CLASS(class)->finalize = viewer_downloads_finalize;
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/org/capturectl/Viewer/pages/health/downloads.ui");
  gtk_widget_class_bind_template_child(widget_class, ViewerDownloads, all);
  gtk_widget_class_bind_template_child(widget_class, ViewerDownloads, progress);
  gtk_widget_class_bind_template_child(widget_class, ViewerDownloads, bar);
  gtk_widget_class_bind_template_callback(widget_class, on_all_clicked);
  gtk_widget_class_bind_template_callback(widget_class, on_cancel_clicked);
}

static void viewer_downloads_init(ViewerDownloads *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  self->rows = g_ptr_array_new();
  self->buttons = g_ptr_array_new();
}
