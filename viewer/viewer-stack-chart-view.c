/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which part of the time is shown: asking for layouts, and the way from one part to the next. */
#include <math.h>

#include "viewer/viewer-stack-chart-private.h"

#define ANIMATION_TIME 150

void viewer_stack_chart_request_layout(ViewerStackChart *self, gboolean always)
{
  int width = gtk_widget_get_width(GTK_WIDGET(self));
  double shown = viewer_viewport_get_width(self->target), asked = viewer_viewport_get_width(self->asked);

  if (!self->weights || width == 0 || self->end <= self->first)
    return;
  if (!always && width == self->asked_width && asked < shown * 4 &&
      viewer_viewport_contains(self->asked, self->target))
    return;
  self->asked = viewer_viewport_with_margin(self->target);
  self->asked_width = width;
  double columns = width * viewer_viewport_get_width(self->asked) / shown;
  viewer_chart_layouter_request(self->layouter, profile_weights_get_filter(self->weights), self->generation,
                                self->thread, viewer_stack_chart_get_time(self, self->asked.first),
                                viewer_stack_chart_get_time(self, self->asked.end), (guint)ceil(columns));
}

static void animate(double value, gpointer data)
{
  ViewerStackChart *self = data;

  self->view = viewer_viewport_mix(self->animated_from, self->target, value);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void end_animation(ViewerStackChart *self)
{
  self->animating = FALSE;
  self->view = self->target;
  if (self->layout_waits)
    viewer_stack_chart_take_layout(self);
  viewer_stack_chart_redraw(self);
}

static void stop_animation(ViewerStackChart *self)
{
  if (self->animating)
    adw_animation_pause(self->animation);
  self->animating = FALSE;
}

/* On the way into a part its layout would lack what is seen around it still. */
static void ready(ViewerStackChart *self)
{
  self->layout_waits = self->animating && !viewer_viewport_contains(self->asked, self->view);
  if (!self->layout_waits)
    viewer_stack_chart_take_layout(self);
}

/* Where animations are not wanted it ends before this returns. */
void viewer_stack_chart_set_view(ViewerStackChart *self, ViewerViewport view, gboolean smoothly)
{
  stop_animation(self);
  self->target = view;
  viewer_stack_chart_request_layout(self, FALSE);
  if (!smoothly) {
    end_animation(self);
    return;
  }
  self->animated_from = self->view;
  self->animating = TRUE;
  adw_animation_reset(self->animation);
  adw_animation_play(self->animation);
}

void viewer_stack_chart_forget_view(ViewerStackChart *self)
{
  stop_animation(self);
  self->layout_waits = FALSE;
  self->target = self->view = VIEWER_VIEWPORT_ALL;
}

void viewer_stack_chart_zoom_to(ViewerStackChart *self, guint64 first, guint64 end)
{
  double from = viewer_stack_chart_get_place(self, first), to = viewer_stack_chart_get_place(self, end);
  ViewerViewport narrowest = {from, from + VIEWER_VIEWPORT_MIN};

  viewer_stack_chart_set_view(self, viewer_viewport_show(narrowest, from, to), TRUE);
}

void viewer_stack_chart_zoom_by(ViewerStackChart *self, double factor)
{
  viewer_stack_chart_set_view(self, viewer_viewport_zoom(self->target, 0.5, factor), TRUE);
}

void viewer_stack_chart_zoom_reset(ViewerStackChart *self)
{
  viewer_stack_chart_set_view(self, VIEWER_VIEWPORT_ALL, TRUE);
}

void viewer_stack_chart_add_view(ViewerStackChart *self)
{
  AdwAnimationTarget *target = adw_callback_animation_target_new(animate, self, NULL);

  self->target = self->view = VIEWER_VIEWPORT_ALL;
  self->layouter = viewer_chart_layouter_new();
  self->animation = adw_timed_animation_new(GTK_WIDGET(self), 0, 1, ANIMATION_TIME, target);
  g_signal_connect_swapped(self->animation, "done", G_CALLBACK(end_animation), self);
  g_signal_connect_swapped(self->layouter, "ready", G_CALLBACK(ready), self);
}

void viewer_stack_chart_remove_view(ViewerStackChart *self)
{
  stop_animation(self);
  if (self->layouter)
    g_signal_handlers_disconnect_by_data(self->layouter, self);
  g_clear_object(&self->layouter);
  g_clear_object(&self->animation);
}
