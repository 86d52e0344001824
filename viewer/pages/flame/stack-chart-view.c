/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which part of the time is shown: asking for layouts, the way from one part to the next, and the keys. */
#include <math.h>

#include "viewer/pages/flame/stack-chart-private.h"

#define KEY_ZOOM (1.25 * 1.25)

void viewer_stack_chart_request_layout(ViewerStackChart *self, gboolean always)
{
  int width = gtk_widget_get_width(GTK_WIDGET(self));
  double shown = viewer_viewport_get_width(self->canvas.target),
         asked = viewer_viewport_get_width(self->asked);

  if (!self->weights || width == 0 || self->end <= self->first)
    return;
  if (!always && width == self->asked_width && asked < shown * 4 &&
      viewer_viewport_contains(self->asked, self->canvas.target))
    return;
  self->asked = viewer_viewport_with_margin(self->canvas.target);
  self->asked_width = width;
  double columns = width * viewer_viewport_get_width(self->asked) / shown;
  viewer_chart_layouter_request(self->layouter, profile_weights_get_filter(self->weights), self->generation,
                                self->thread, viewer_stack_chart_get_time(self, self->asked.first),
                                viewer_stack_chart_get_time(self, self->asked.end), (guint)ceil(columns));
}

void viewer_stack_chart_arrived(ViewerBoxCanvas *canvas)
{
  if (VIEWER_STACK_CHART(canvas)->layout_waits)
    viewer_stack_chart_take_layout(VIEWER_STACK_CHART(canvas));
  viewer_box_canvas_redraw(canvas);
}

/* On the way into a part its layout would lack what is seen around it still. */
static void stack_chart_view_ready(ViewerStackChart *self)
{
  self->layout_waits = self->canvas.animating && !viewer_viewport_contains(self->asked, self->canvas.view);
  if (!self->layout_waits)
    viewer_stack_chart_take_layout(self);
}

void viewer_stack_chart_set_view(ViewerBoxCanvas *canvas, ViewerViewport view, gboolean smoothly)
{
  viewer_box_canvas_stop_animation(canvas);
  canvas->target = view;
  viewer_stack_chart_request_layout(VIEWER_STACK_CHART(canvas), FALSE);
  viewer_stack_chart_shown(VIEWER_STACK_CHART(canvas));
  if (smoothly) {
    viewer_box_canvas_animate(canvas, canvas->view, view);
    return;
  }
  canvas->view = view;
  viewer_stack_chart_arrived(canvas);
}

void viewer_stack_chart_forget_view(ViewerStackChart *self)
{
  viewer_box_canvas_stop_animation(&self->canvas);
  self->layout_waits = FALSE;
  self->canvas.target = self->canvas.view = VIEWER_VIEWPORT_ALL;
}

void viewer_stack_chart_zoom_to_box(ViewerBoxCanvas *canvas, guint box)
{
  ViewerBoxPlace place = VIEWER_BOX_CANVAS_GET_CLASS(canvas)->get_place(canvas, box);
  ViewerViewport narrowest = {place.first, place.first + VIEWER_VIEWPORT_MIN};

  viewer_stack_chart_set_view(canvas, viewer_viewport_show(narrowest, place.first, place.end), TRUE);
}

void viewer_stack_chart_zoom_by(ViewerStackChart *self, double factor)
{
  viewer_stack_chart_set_view(&self->canvas, viewer_viewport_zoom(self->canvas.target, 0.5, factor), TRUE);
}

void viewer_stack_chart_zoom_reset(ViewerStackChart *self)
{
  viewer_stack_chart_set_view(&self->canvas, VIEWER_VIEWPORT_ALL, TRUE);
}

gboolean viewer_stack_chart_shows_all(ViewerStackChart *self)
{
  return viewer_viewport_is_all(self->canvas.target);
}

static gboolean open_menu(ViewerBoxCanvas *canvas)
{
  guint current = viewer_stack_chart_get_current(canvas);

  if (current == VIEWER_NO_BOX)
    return FALSE;
  viewer_stack_chart_choose(canvas, current);
  viewer_box_canvas_open_menu(canvas, current);
  return TRUE;
}

gboolean viewer_stack_chart_press(ViewerBoxCanvas *canvas, guint key)
{
  ViewerStackChart *self = VIEWER_STACK_CHART(canvas);

  switch (key) {
  case GDK_KEY_Menu:
    return open_menu(canvas);
  case GDK_KEY_plus:
  case GDK_KEY_equal:
  case GDK_KEY_KP_Add:
    viewer_stack_chart_zoom_by(self, KEY_ZOOM);
    return TRUE;
  case GDK_KEY_minus:
  case GDK_KEY_KP_Subtract:
    viewer_stack_chart_zoom_by(self, 1 / KEY_ZOOM);
    return TRUE;
  case GDK_KEY_BackSpace:
  case GDK_KEY_Escape:
    if (viewer_viewport_is_all(canvas->target))
      return FALSE;
    viewer_stack_chart_zoom_reset(self);
    return TRUE;
  case GDK_KEY_0:
  case GDK_KEY_KP_0:
    viewer_stack_chart_zoom_reset(self);
    return TRUE;
  case GDK_KEY_Page_Up:
    viewer_stack_chart_set_view(canvas, viewer_viewport_move(canvas->target, -0.9), TRUE);
    return TRUE;
  case GDK_KEY_Page_Down:
    viewer_stack_chart_set_view(canvas, viewer_viewport_move(canvas->target, 0.9), TRUE);
    return TRUE;
  default:
    return FALSE;
  }
}

void viewer_stack_chart_add_layouter(ViewerStackChart *self)
{
  self->layouter = viewer_chart_layouter_new();
  g_signal_connect_swapped(self->layouter, "ready", G_CALLBACK(stack_chart_view_ready), self);
}

void viewer_stack_chart_remove_layouter(ViewerStackChart *self)
{
  if (self->layouter)
    g_signal_handlers_disconnect_by_data(self->layouter, self);
  g_clear_object(&self->layouter);
}
