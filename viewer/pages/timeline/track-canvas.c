/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/timeline/track-canvas.h"

#include "viewer/pages/timeline/mark-walk.h"
#include "viewer/pages/timeline/track-kind.h"

struct _ViewerTrackCanvas {
  GtkWidget parent;
  ViewerTimeline *timeline;
  ViewerTrack *track;
  ViewerMarkWalk *walk;
  GtkWidget *viewport;  /* the scrolled window around it; NULL: none */
  gboolean is_left_out; /* was too far from what is seen to be drawn */
  int height;           /* last asked for */
};

G_DEFINE_FINAL_TYPE(ViewerTrackCanvas, viewer_track_canvas, GTK_TYPE_WIDGET)

static void track_canvas_update(ViewerTrackCanvas *self)
{
  int height =
      self->track ? viewer_track_get_height(viewer_timeline_get_scene(self->timeline), self->track) : 0;

  if (height != self->height)
    gtk_widget_queue_resize(GTK_WIDGET(self));
  gtk_widget_queue_draw(GTK_WIDGET(self));
  viewer_mark_walk_update(self->walk);
}

void viewer_track_canvas_set_track(ViewerTrackCanvas *self, ViewerTrack *track)
{
  if (!g_set_object(&self->track, track))
    return;
  viewer_mark_walk_set_track(self->walk, track);
  track_canvas_update(self);
}

/* Lists have more rows than are seen: those within a page of it are drawn, so that scrolling shows no gaps.
 */
static gboolean is_near(ViewerTrackCanvas *self)
{
  graphene_rect_t bounds;

  if (!self->viewport || !gtk_widget_compute_bounds(GTK_WIDGET(self), self->viewport, &bounds))
    return TRUE;
  float page = (float)gtk_widget_get_height(self->viewport);
  return bounds.origin.y < 2 * page && bounds.origin.y + bounds.size.height > -page;
}

static void notice_scroll(ViewerTrackCanvas *self)
{
  if (self->is_left_out && is_near(self))
    gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void viewer_track_canvas_map(GtkWidget *widget)
{
  ViewerTrackCanvas *self = VIEWER_TRACK_CANVAS(widget);

  GTK_WIDGET_CLASS(viewer_track_canvas_parent_class)->map(widget);
  self->viewport = gtk_widget_get_ancestor(widget, GTK_TYPE_SCROLLED_WINDOW);
  if (self->viewport)
    g_signal_connect_object(gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(self->viewport)),
                            "value-changed", G_CALLBACK(notice_scroll), self, G_CONNECT_SWAPPED);
}

static void viewer_track_canvas_unmap(GtkWidget *widget)
{
  ViewerTrackCanvas *self = VIEWER_TRACK_CANVAS(widget);

  if (self->viewport)
    g_signal_handlers_disconnect_by_func(
        gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(self->viewport)), notice_scroll, self);
  self->viewport = NULL;
  GTK_WIDGET_CLASS(viewer_track_canvas_parent_class)->unmap(widget);
}

static void viewer_track_canvas_measure(GtkWidget *widget, GtkOrientation orientation, int for_size,
                                        int *minimum, int *natural, int *minimum_baseline,
                                        int *natural_baseline)
{
  ViewerTrackCanvas *self = VIEWER_TRACK_CANVAS(widget);

  *minimum = *natural = 100;
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    return;
  self->height =
      self->track ? viewer_track_get_height(viewer_timeline_get_scene(self->timeline), self->track) : 0;
  *minimum = *natural = self->height;
}

static void viewer_track_canvas_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  ViewerTrackCanvas *self = VIEWER_TRACK_CANVAS(widget);
  graphene_rect_t area =
      GRAPHENE_RECT_INIT(0, 0, (float)gtk_widget_get_width(widget), (float)gtk_widget_get_height(widget));

  self->is_left_out = !is_near(self);
  if (!self->track || self->is_left_out)
    return;
  gtk_snapshot_push_clip(snapshot, &area);
  viewer_track_draw(viewer_timeline_get_scene(self->timeline), self->track, widget, snapshot, &area);
  viewer_mark_walk_snapshot(self->walk, snapshot);
  gtk_snapshot_pop(snapshot);
}

static void viewer_track_canvas_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  viewer_mark_walk_allocate(VIEWER_TRACK_CANVAS(widget)->walk);
}

static gboolean viewer_track_canvas_focus(GtkWidget *widget, GtkDirectionType direction)
{
  return viewer_mark_walk_focus(VIEWER_TRACK_CANVAS(widget)->walk);
}

static gboolean viewer_track_canvas_grab_focus(GtkWidget *widget)
{
  return viewer_mark_walk_grab_focus(VIEWER_TRACK_CANVAS(widget)->walk);
}

static gboolean viewer_track_canvas_query_tooltip(GtkWidget *widget, int x, int y, gboolean keyboard,
                                                  GtkTooltip *tooltip)
{
  ViewerTrackCanvas *self = VIEWER_TRACK_CANVAS(widget);
  g_autofree char *text = NULL;

  if (self->track && !keyboard)
    text = viewer_track_describe_place(viewer_timeline_get_scene(self->timeline), self->track, x, y);
  gtk_tooltip_set_text(tooltip, text);
  return text != NULL;
}

static void viewer_track_canvas_dispose(GObject *object)
{
  ViewerTrackCanvas *self = VIEWER_TRACK_CANVAS(object);

  if (self->walk)
    g_object_run_dispose(G_OBJECT(self->walk));
  g_clear_object(&self->walk);
  g_clear_object(&self->track);
  g_clear_object(&self->timeline);
  G_OBJECT_CLASS(viewer_track_canvas_parent_class)->dispose(object);
}

static void viewer_track_canvas_class_init(ViewerTrackCanvasClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  G_OBJECT_CLASS(class)->dispose = viewer_track_canvas_dispose;
  widget_class->map = viewer_track_canvas_map;
  widget_class->unmap = viewer_track_canvas_unmap;
  widget_class->measure = viewer_track_canvas_measure;
  widget_class->size_allocate = viewer_track_canvas_size_allocate;
  widget_class->focus = viewer_track_canvas_focus;
  widget_class->grab_focus = viewer_track_canvas_grab_focus;
  widget_class->snapshot = viewer_track_canvas_snapshot;
  widget_class->query_tooltip = viewer_track_canvas_query_tooltip;
  gtk_widget_class_set_css_name(widget_class, "trackcanvas");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void viewer_track_canvas_init(ViewerTrackCanvas *self)
{
  gtk_widget_set_hexpand(GTK_WIDGET(self), TRUE);
  gtk_widget_set_has_tooltip(GTK_WIDGET(self), TRUE);
}

GtkWidget *viewer_track_canvas_new(ViewerTimeline *timeline)
{
  ViewerTrackCanvas *self = g_object_new(VIEWER_TYPE_TRACK_CANVAS, NULL);

  self->timeline = g_object_ref(timeline);
  self->walk = viewer_mark_walk_new(GTK_WIDGET(self), timeline);
  g_signal_connect_object(timeline, "changed", G_CALLBACK(track_canvas_update), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET(self);
}
