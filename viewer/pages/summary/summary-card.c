/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/summary/summary-card.h"

#include <glib/gi18n.h>

#include "viewer/kit/format.h"

enum { SHOWN = 5, NAME_CHARS = 40 };

struct _ViewerSummaryCard {
  AdwBin parent;

  GtkWidget *grid;
};

G_DEFINE_FINAL_TYPE(ViewerSummaryCard, viewer_summary_card, ADW_TYPE_BIN)

static char *format_thread(const ProfileThread *thread)
{
  g_autofree char *name = viewer_format_name(thread->name, NAME_CHARS);

  /* TRANSLATORS: A thread's name and its number. */
  return g_strdup_printf(_("%s (%d)"), name, thread->tid);
}

static char *format_item(ProfileCapture *capture, ProfileRowsBy by, guint32 item)
{
  guint n;

  if (by == PROFILE_ROWS_THREAD)
    return item == 0 ? g_strdup(_("Not known"))
                     : format_thread(&profile_capture_get_threads(capture, &n)[item]);
  if (item == PROFILE_ROWS_KERNEL)
    return viewer_format_binary("[kernel]");
  if (item == PROFILE_ROWS_NO_BINARY)
    return viewer_format_binary("[unknown]");
  return viewer_format_binary(profile_capture_get_binaries(capture, &n)[item].path);
}

static void add_row(ViewerSummaryCard *self, int at, ProfileWeights *weights, ProfileRowsBy by,
                    ProfileRow row)
{
  g_autofree char *name = format_item(profile_weights_get_capture(weights), by, row.item);
  g_autofree char *share = viewer_format_weight_share(weights, row.self);
  GtkWidget *label = gtk_label_new(name), *bar = gtk_progress_bar_new(), *number = gtk_label_new(share);

  gtk_label_set_xalign(GTK_LABEL(label), 0);
  gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_width_chars(GTK_LABEL(label), 12);
  gtk_widget_set_hexpand(label, TRUE);
  gtk_widget_set_tooltip_text(label, name);
  gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(bar), profile_weights_get_share(weights, row.self));
  gtk_widget_set_valign(bar, GTK_ALIGN_CENTER);
  gtk_widget_set_size_request(bar, 80, -1);
  gtk_accessible_update_property(GTK_ACCESSIBLE(bar), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  gtk_label_set_xalign(GTK_LABEL(number), 1);
  gtk_widget_add_css_class(number, "numeric");
  gtk_grid_attach(GTK_GRID(self->grid), label, 0, at, 1, 1);
  gtk_grid_attach(GTK_GRID(self->grid), bar, 1, at, 1, 1);
  gtk_grid_attach(GTK_GRID(self->grid), number, 2, at, 1, 1);
}

static void clear_rows(ViewerSummaryCard *self)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child(self->grid)))
    gtk_grid_remove(GTK_GRID(self->grid), child);
}

void viewer_summary_card_show(ViewerSummaryCard *self, ProfileSummary *summary, ProfileRowsBy by)
{
  ProfileWeights *weights = profile_summary_get_weights(summary);
  const ProfileRows *rows = by == PROFILE_ROWS_THREAD ? profile_summary_get_threads(summary)
                                                      : profile_summary_get_binaries(summary);
  gsize n = profile_rows_get_n(rows);

  g_return_if_fail(VIEWER_IS_SUMMARY_CARD(self));
  clear_rows(self);
  for (gsize i = 0; i < MIN(n, SHOWN); i++) {
    ProfileRow row = profile_rows_get(rows, i);
    if (row.self.count > 0)
      add_row(self, (int)i, weights, by, row);
  }
  gtk_widget_set_visible(GTK_WIDGET(self), n > 1);
}

static void viewer_summary_card_class_init(ViewerSummaryCardClass *class)
{
}

static void viewer_summary_card_init(ViewerSummaryCard *self)
{
  self->grid = gtk_grid_new();
  gtk_grid_set_row_spacing(GTK_GRID(self->grid), 6);
  gtk_grid_set_column_spacing(GTK_GRID(self->grid), 12);
  gtk_widget_add_css_class(self->grid, "summary-card");
  gtk_widget_add_css_class(GTK_WIDGET(self), "card");
  adw_bin_set_child(ADW_BIN(self), self->grid);
}
