/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What time lines have in common in how they look. Areas are in the widget's coordinates; the axis begins at
 * their left edge. Main thread only. */
#pragma once

#include <gtk/gtk.h>

#include "profile/views/density.h"
#include "viewer/time/time-axis.h"

G_BEGIN_DECLS

/* The named colour of the theme, "accent_color"; `fallback` where the theme has none. */
GdkRGBA viewer_time_draw_get_color(GtkWidget *widget, const char *name, const char *fallback);

/* Ticks and their times, as a ruler. */
void viewer_time_draw_ticks(GtkWidget *widget, GtkSnapshot *snapshot, const ViewerTimeAxis *axis,
                            const graphene_rect_t *area);
/* Thin lines where those ticks are. */
void viewer_time_draw_grid(GtkWidget *widget, GtkSnapshot *snapshot, const ViewerTimeAxis *axis,
                           const graphene_rect_t *area);

/* How the bins of a thread, a process or all rise and fall; `top` is the share at the area's upper edge. bins
 * NULL: draws nothing. */
void viewer_time_draw_density(GtkSnapshot *snapshot, const ViewerTimeAxis *axis,
                              const ProfileDensity *density, const guint64 *bins, double top,
                              const GdkRGBA *color, const graphene_rect_t *area);
/* n steps, filled down to the area's lower edge. y are 0 (below) … 1 (above), NAN where there is none; step i
 * goes from edge i to edge i + 1, which are pixels of the axis, ascending. */
void viewer_time_draw_steps(GtkSnapshot *snapshot, const double *edges, const double *y, guint n,
                            const GdkRGBA *color, const graphene_rect_t *area);

/* Text of one line in the widget's font, but small; cut at width with "…". y is its upper edge. */
void viewer_time_draw_text(GtkWidget *widget, GtkSnapshot *snapshot, const char *text, double x, double y,
                           double width, const GdkRGBA *color);

/* A frame around a widget that has the keyboard's focus. */
void viewer_time_draw_focus(GtkWidget *widget, GtkSnapshot *snapshot);

G_END_DECLS
