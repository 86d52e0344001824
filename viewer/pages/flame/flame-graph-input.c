/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/flame/flame-graph-private.h"
#include "viewer/pages/flame/flame-text.h"

#define KEY_ZOOM 1.5

guint viewer_flame_graph_get_current(ViewerBoxCanvas *canvas)
{
  ViewerFlameGraph *self = VIEWER_FLAME_GRAPH(canvas);

  if (!self->flame)
    return VIEWER_NO_BOX;
  return canvas->selected != VIEWER_NO_BOX ? canvas->selected : profile_flame_get_n_focus(self->flame);
}

static guint get_heaviest_child(ViewerFlameGraph *self, guint box)
{
  guint n, first = profile_flame_get_children(self->flame, box, &n), heaviest = first;

  for (guint i = first; i < first + n; i++) {
    const ProfileFlameBox *item = viewer_flame_graph_get_box(self, i);
    const ProfileFlameBox *best = viewer_flame_graph_get_box(self, heaviest);
    if (item->end - item->start > best->end - best->start)
      heaviest = i;
  }
  return n > 0 ? heaviest : VIEWER_NO_BOX;
}

static guint get_heaviest_leaf(ViewerFlameGraph *self, guint box)
{
  for (guint child; (child = get_heaviest_child(self, box)) != VIEWER_NO_BOX;)
    box = child;
  return box;
}

guint viewer_flame_graph_get_next(ViewerBoxCanvas *canvas, guint box, ViewerBoxWay way)
{
  ViewerFlameGraph *self = VIEWER_FLAME_GRAPH(canvas);
  const ProfileFlameBox *item = viewer_flame_graph_get_box(self, box);
  guint n, first = profile_flame_get_row(self->flame, item->depth, &n);

  switch (way) {
  case VIEWER_BOX_CALLER:
    return box > 0 ? item->parent : VIEWER_NO_BOX;
  case VIEWER_BOX_CALLEE:
    return get_heaviest_child(self, box);
  case VIEWER_BOX_BEFORE:
    return box > first ? box - 1 : VIEWER_NO_BOX;
  case VIEWER_BOX_AFTER:
  default:
    return box + 1 < first + n ? box + 1 : VIEWER_NO_BOX;
  }
}

/* About the selected box where it is seen, else about the middle. */
static void zoom_about_selected(ViewerFlameGraph *self, double factor)
{
  ViewerBoxCanvas *canvas = &self->canvas;
  double at = 0.5;

  if (canvas->selected != VIEWER_NO_BOX && self->settled) {
    const ProfileFlameBox *box = viewer_flame_graph_get_box(self, canvas->selected);
    double middle = ((double)box->start + box->end) / 2;
    double place = (middle - canvas->target.first) / viewer_viewport_get_width(canvas->target);
    at = place >= 0 && place <= 1 ? place : at;
  }
  viewer_flame_graph_set_view(canvas, viewer_viewport_zoom(canvas->target, at, factor), TRUE);
}

gboolean viewer_flame_graph_press(ViewerBoxCanvas *canvas, guint key)
{
  ViewerFlameGraph *self = VIEWER_FLAME_GRAPH(canvas);

  switch (key) {
  case GDK_KEY_Menu:
    viewer_box_canvas_open_menu(canvas, viewer_flame_graph_get_current(canvas));
    return TRUE;
  case GDK_KEY_Home:
  case GDK_KEY_KP_Home:
    viewer_flame_graph_choose(self, 0);
    return TRUE;
  case GDK_KEY_End:
  case GDK_KEY_KP_End:
    viewer_flame_graph_choose(self, get_heaviest_leaf(self, viewer_flame_graph_get_current(canvas)));
    return TRUE;
  case GDK_KEY_BackSpace:
  case GDK_KEY_Escape:
    return viewer_flame_graph_zoom_back(self);
  case GDK_KEY_plus:
  case GDK_KEY_equal:
  case GDK_KEY_KP_Add:
    zoom_about_selected(self, KEY_ZOOM);
    return TRUE;
  case GDK_KEY_minus:
  case GDK_KEY_KP_Subtract:
    zoom_about_selected(self, 1 / KEY_ZOOM);
    return TRUE;
  case GDK_KEY_0:
  case GDK_KEY_KP_0:
    viewer_flame_graph_zoom_reset(self);
    return TRUE;
  default:
    return FALSE;
  }
}

gboolean viewer_flame_graph_query_tooltip(GtkWidget *widget, int x, int y, gboolean keyboard,
                                          GtkTooltip *tooltip)
{
  ViewerBoxCanvas *canvas = VIEWER_BOX_CANVAS(widget);
  guint box = viewer_flame_graph_get_current(canvas);

  if (box == VIEWER_NO_BOX || (!keyboard && !viewer_box_canvas_get_box_at(canvas, x, y, &box)))
    return FALSE;
  g_autofree char *text = viewer_flame_text_get_tooltip(VIEWER_FLAME_GRAPH(widget)->flame, box);
  graphene_rect_t at = viewer_box_canvas_get_bounds(canvas, box);
  GdkRectangle area = {(int)at.origin.x, (int)at.origin.y, MAX(1, (int)at.size.width), (int)at.size.height};
  gtk_tooltip_set_markup(tooltip, text);
  gtk_tooltip_set_tip_area(tooltip, &area);
  return TRUE;
}
