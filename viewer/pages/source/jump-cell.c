/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/source/jump-cell.h"

#include "viewer/kit/heat.h"

enum { HEAT = 6, GAP = 4, LANE = 5, ARROW = 4, HEIGHT = 16, BLEED = 4 };

struct _ViewerJumpCell {
  GtkWidget parent;
  double heat;
  ViewerCodeLanes lanes;
};

G_DEFINE_FINAL_TYPE(ViewerJumpCell, viewer_jump_cell, GTK_TYPE_WIDGET)

static void viewer_jump_cell_measure(GtkWidget *widget, GtkOrientation orientation, int for_size,
                                     int *minimum, int *natural, int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural =
      orientation == GTK_ORIENTATION_HORIZONTAL ? HEAT + GAP + VIEWER_CODE_LANES * LANE + ARROW : HEIGHT;
}

/* To what lines lead. */
static void draw_arrow(GtkSnapshot *snapshot, const GdkRGBA *color, float x, float y)
{
  for (int i = 0; i < ARROW; i++)
    gtk_snapshot_append_color(snapshot, color,
                              &GRAPHENE_RECT_INIT(x - (float)i, y - (float)i, 1, (float)(2 * i + 1)));
}

/* Lines go on between rows: a cell is lower than they are. */
static void draw_lane(const ViewerJumpCell *self, GtkSnapshot *snapshot, const GdkRGBA *color, guint lane)
{
  GtkWidget *widget = GTK_WIDGET((ViewerJumpCell *)self);
  float width = (float)gtk_widget_get_width(widget), height = (float)gtk_widget_get_height(widget);
  float x = width - ARROW - 1 - (float)(lane + 1) * LANE, middle = (float)(int)(height / 2);
  guint8 bit = (guint8)(1u << lane);

  if (self->lanes.above & bit)
    gtk_snapshot_append_color(snapshot, color, &GRAPHENE_RECT_INIT(x, -BLEED, 1, middle + BLEED + 1));
  if (self->lanes.below & bit)
    gtk_snapshot_append_color(snapshot, color, &GRAPHENE_RECT_INIT(x, middle, 1, height - middle + BLEED));
  if ((self->lanes.leaving | self->lanes.arriving) & bit)
    gtk_snapshot_append_color(snapshot, color, &GRAPHENE_RECT_INIT(x, middle, width - 1 - x, 1));
}

static void viewer_jump_cell_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  ViewerJumpCell *self = VIEWER_JUMP_CELL(widget);
  float height = (float)gtk_widget_get_height(widget);
  GdkRGBA heat = viewer_heat_get_mark(self->heat, viewer_scheme_get_current()), color;

  if (self->heat > 0)
    gtk_snapshot_append_color(snapshot, &heat, &GRAPHENE_RECT_INIT(0, -1, HEAT, height + 2));
  gtk_style_context_get_color(gtk_widget_get_style_context(widget), &color);
  for (guint lane = 0; lane < VIEWER_CODE_LANES; lane++)
    draw_lane(self, snapshot, &color, lane);
  if (self->lanes.arriving)
    draw_arrow(snapshot, &color, (float)gtk_widget_get_width(widget) - 1, (float)(int)(height / 2));
}

static void viewer_jump_cell_class_init(ViewerJumpCellClass *class)
{
  GTK_WIDGET_CLASS(class)->measure = viewer_jump_cell_measure;
  GTK_WIDGET_CLASS(class)->snapshot = viewer_jump_cell_snapshot;
  gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(class), "cell");
}

/* Lanes are on the left of the instructions, which read from there in every language. */
static void viewer_jump_cell_init(ViewerJumpCell *self)
{
  gtk_widget_set_direction(GTK_WIDGET(self), GTK_TEXT_DIR_LTR);
}

/* What jumps where stands in the instructions, too. */
GtkWidget *viewer_jump_cell_new(void)
{
  return g_object_new(VIEWER_TYPE_JUMP_CELL, "accessible-role", GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);
}

void viewer_jump_cell_set(ViewerJumpCell *self, double heat, ViewerCodeLanes lanes)
{
  self->heat = heat;
  self->lanes = lanes;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}
