/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/kit/swatch.h"

#include <adwaita.h>

enum { SIZE = 12 };

struct _ViewerSwatch {
  GtkWidget parent_instance;
  ProfileKind kind;
};

G_DEFINE_FINAL_TYPE(ViewerSwatch, viewer_swatch, GTK_TYPE_WIDGET)

static void swatch_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  ViewerScheme scheme = viewer_scheme_get_current();
  ViewerColor color = viewer_palette_of_kind(VIEWER_SWATCH(widget)->kind, scheme);
  graphene_rect_t square =
      GRAPHENE_RECT_INIT(0, (float)((gtk_widget_get_height(widget) - SIZE) / 2), SIZE, SIZE);

  if (scheme.high_contrast) {
    gtk_snapshot_append_color(snapshot, &color.text, &square);
    graphene_rect_inset(&square, 1, 1);
  }
  gtk_snapshot_append_color(snapshot, &color.fill, &square);
}

static void swatch_measure(GtkWidget *widget, GtkOrientation orientation, int size, int *minimum,
                           int *natural, int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural = SIZE;
}

static void viewer_swatch_class_init(ViewerSwatchClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  widget_class->snapshot = swatch_snapshot;
  widget_class->measure = swatch_measure;
  gtk_widget_class_set_css_name(widget_class, "swatch");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void viewer_swatch_init(ViewerSwatch *self)
{
  AdwStyleManager *style = adw_style_manager_get_default();

  g_signal_connect_object(style, "notify::dark", G_CALLBACK(gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(style, "notify::high-contrast", G_CALLBACK(gtk_widget_queue_draw), self,
                          G_CONNECT_SWAPPED);
}

GtkWidget *viewer_swatch_new(ProfileKind kind)
{
  ViewerSwatch *self = g_object_new(VIEWER_TYPE_SWATCH, NULL);

  self->kind = kind;
  return GTK_WIDGET(self);
}
