/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/timeline/track-row.h"

#include <glib/gi18n.h>

#include "viewer/pages/timeline/track-canvas.h"
#include "viewer/pages/timeline/track-kind.h"

enum { INDENT = 16, EXPANDER_WIDTH = 24 };

struct _ViewerTrackRow {
  GtkWidget parent;
  GtkWidget *header, *expander, *texts, *title, *detail, *canvas;
  ViewerTimeline *timeline;
  ViewerTrack *track;
  GSignalGroup *of_track;
};

G_DEFINE_FINAL_TYPE(ViewerTrackRow, viewer_track_row, GTK_TYPE_WIDGET)

ViewerTrack *viewer_track_row_get_track(ViewerTrackRow *self)
{
  return self->track;
}

static void track_row_toggle(ViewerTrackRow *self)
{
  viewer_timeline_set_expanded(self->timeline, self->track, !viewer_track_get_expanded(self->track));
}

/* What stands alone has its texts where those of others stand that can be expanded. */
static void show_expander(ViewerTrackRow *self)
{
  gboolean expanded = viewer_track_get_expanded(self->track);
  gboolean can_expand = viewer_track_get_n_children(self->track) > 0;

  gtk_button_set_icon_name(GTK_BUTTON(self->expander), expanded ? "pan-down-symbolic" : "pan-end-symbolic");
  gtk_widget_set_direction(gtk_button_get_child(GTK_BUTTON(self->expander)), GTK_TEXT_DIR_LTR);
  gtk_widget_set_visible(self->expander, can_expand);
  gtk_widget_set_margin_start(self->texts, can_expand ? 0 : EXPANDER_WIDTH + 2);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->expander), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 expanded ? _("Hide What Belongs to It") : _("Show What Belongs to It"), -1);
  gtk_accessible_update_state(GTK_ACCESSIBLE(self->expander), GTK_ACCESSIBLE_STATE_EXPANDED, expanded, -1);
}

static void show_texts(ViewerTrackRow *self)
{
  const char *title = viewer_track_get_title(self->track), *detail = viewer_track_get_detail(self->track);

  gtk_label_set_text(GTK_LABEL(self->title), title);
  gtk_label_set_text(GTK_LABEL(self->detail), detail);
  gtk_widget_set_visible(self->detail, *detail && !viewer_track_get_kind(self->track)->one_line);
  g_autofree char *both = *detail ? g_strdup_printf("%s\n%s", title, detail) : g_strdup(title);
  gtk_widget_set_tooltip_text(self->texts, both);
}

/* A screen reader reads the list's item, whose child this is: GTK 4.8 gives that no name by itself. */
static void tell_accessible(ViewerTrackRow *self)
{
  GtkWidget *item = gtk_widget_get_parent(GTK_WIDGET(self));

  if (!item || !self->track || !gtk_widget_get_mapped(GTK_WIDGET(self)))
    return;
  g_autofree char *what = viewer_track_describe(viewer_timeline_get_scene(self->timeline), self->track);
  g_autofree char *text =
      /* TRANSLATORS: The name of a thread, a process or a counter, and what is drawn of it. */
      g_strdup_printf(_("%s: %s"), viewer_track_get_title(self->track), what ? what : _("Loading"));
  gtk_accessible_update_property(GTK_ACCESSIBLE(item), GTK_ACCESSIBLE_PROPERTY_LABEL, text,
                                 GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, viewer_track_get_detail(self->track),
                                 -1);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->canvas), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
}

static void viewer_track_row_map(GtkWidget *widget)
{
  GTK_WIDGET_CLASS(viewer_track_row_parent_class)->map(widget);
  tell_accessible(VIEWER_TRACK_ROW(widget));
}

void viewer_track_row_set_track(ViewerTrackRow *self, ViewerTrack *track)
{
  g_set_object(&self->track, track);
  g_signal_group_set_target(self->of_track, track);
  viewer_track_canvas_set_track(VIEWER_TRACK_CANVAS(self->canvas), track);
  if (!track)
    return;
  gtk_widget_set_margin_start(self->header, (int)viewer_track_get_depth(track) * INDENT);
  show_expander(self);
  show_texts(self);
  tell_accessible(self);
}

static void viewer_track_row_measure(GtkWidget *widget, GtkOrientation orientation, int for_size,
                                     int *minimum, int *natural, int *minimum_baseline, int *natural_baseline)
{
  ViewerTrackRow *self = VIEWER_TRACK_ROW(widget);
  int header, canvas;

  gtk_widget_measure(self->canvas, orientation, -1, &canvas, NULL, NULL, NULL);
  if (orientation == GTK_ORIENTATION_HORIZONTAL) {
    *minimum = *natural = VIEWER_TRACK_ROW_HEADER + canvas;
    return;
  }
  gtk_widget_measure(self->header, orientation, VIEWER_TRACK_ROW_HEADER, &header, NULL, NULL, NULL);
  *minimum = *natural = MAX(header, canvas);
}

/* Time goes from left to right in every language, and the axis begins at the same pixel in every row. */
static void viewer_track_row_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  ViewerTrackRow *self = VIEWER_TRACK_ROW(widget);

  gtk_widget_size_allocate(self->header, &(GtkAllocation){0, 0, VIEWER_TRACK_ROW_HEADER, height}, -1);
  gtk_widget_size_allocate(
      self->canvas,
      &(GtkAllocation){VIEWER_TRACK_ROW_HEADER, 0, MAX(width - VIEWER_TRACK_ROW_HEADER, 1), height}, -1);
}

static void viewer_track_row_dispose(GObject *object)
{
  ViewerTrackRow *self = VIEWER_TRACK_ROW(object);

  g_clear_object(&self->of_track);
  g_clear_object(&self->track);
  g_clear_object(&self->timeline);
  g_clear_pointer(&self->header, gtk_widget_unparent);
  g_clear_pointer(&self->canvas, gtk_widget_unparent);
  G_OBJECT_CLASS(viewer_track_row_parent_class)->dispose(object);
}

static void viewer_track_row_class_init(ViewerTrackRowClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  G_OBJECT_CLASS(class)->dispose = viewer_track_row_dispose;
  widget_class->map = viewer_track_row_map;
  widget_class->measure = viewer_track_row_measure;
  widget_class->size_allocate = viewer_track_row_size_allocate;
  gtk_widget_class_set_css_name(widget_class, "trackrow");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/org/capturectl/Viewer/pages/timeline/track-row.ui");
  gtk_widget_class_bind_template_child(widget_class, ViewerTrackRow, header);
  gtk_widget_class_bind_template_child(widget_class, ViewerTrackRow, expander);
  gtk_widget_class_bind_template_child(widget_class, ViewerTrackRow, texts);
  gtk_widget_class_bind_template_child(widget_class, ViewerTrackRow, title);
  gtk_widget_class_bind_template_child(widget_class, ViewerTrackRow, detail);
  gtk_widget_class_bind_template_callback(widget_class, track_row_toggle);
}

static void viewer_track_row_init(ViewerTrackRow *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  gtk_widget_set_direction(self->header, GTK_TEXT_DIR_LTR);
  gtk_widget_set_direction(self->texts, GTK_TEXT_DIR_LTR);
  gtk_widget_set_direction(GTK_WIDGET(self->title), GTK_TEXT_DIR_LTR);
  gtk_widget_set_direction(GTK_WIDGET(self->detail), GTK_TEXT_DIR_LTR);
  self->of_track = g_signal_group_new(VIEWER_TYPE_TRACK);
  g_signal_group_connect_swapped(self->of_track, "notify::title", G_CALLBACK(show_texts), self);
  g_signal_group_connect_swapped(self->of_track, "notify::expanded", G_CALLBACK(show_expander), self);
}

GtkWidget *viewer_track_row_new(ViewerTimeline *timeline)
{
  ViewerTrackRow *self = g_object_new(VIEWER_TYPE_TRACK_ROW, NULL);

  self->timeline = g_object_ref(timeline);
  self->canvas = viewer_track_canvas_new(timeline);
  gtk_widget_set_parent(self->canvas, GTK_WIDGET(self));
  g_signal_connect_object(timeline, "changed", G_CALLBACK(tell_accessible), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET(self);
}
