/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/kit/split.h"

enum { INTERVAL = 20 }; /* ms between two looks whether it has a size */

typedef struct {
  GtkPaned *paned; /* owns it */
  int least;
  double share;
  int divider;   /* where it was put here; elsewhere the user put it */
  guint turning; /* source id; 0: none */
} Split;

static void split_free(gpointer data)
{
  Split *split = data;

  g_clear_handle_id(&split->turning, g_source_remove);
  g_free(split);
}

static gboolean is_narrow(const Split *split)
{
  return gtk_widget_get_width(GTK_WIDGET(split->paned)) < split->least;
}

static void place_divider(Split *split)
{
  GtkWidget *widget = GTK_WIDGET(split->paned);
  int size = is_narrow(split) ? gtk_widget_get_height(widget) : gtk_widget_get_width(widget);

  if (size <= 0 || (split->divider > 0 && split->divider != gtk_paned_get_position(split->paned)))
    return;
  gtk_paned_set_position(split->paned, (int)(size * split->share));
  split->divider = gtk_paned_get_position(split->paned);
}

static gboolean split_turn(gpointer data)
{
  Split *split = data;
  gboolean has_size = gtk_widget_get_width(GTK_WIDGET(split->paned)) > 0;

  split->turning = 0;
  if (!has_size && gtk_widget_get_mapped(GTK_WIDGET(split->paned)))
    split->turning = g_timeout_add(INTERVAL, split_turn, split);
  if (!has_size)
    return G_SOURCE_REMOVE;
  gtk_orientable_set_orientation(GTK_ORIENTABLE(split->paned),
                                 is_narrow(split) ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL);
  place_divider(split);
  return G_SOURCE_REMOVE;
}

/* Not while sizes are given out. */
static void turn_later(Split *split)
{
  if (!split->turning)
    split->turning = g_idle_add(split_turn, split);
}

/* A paned changes its width when its window does. */
static void handle_width(GdkSurface *surface, GParamSpec *property, GtkWidget *paned)
{
  turn_later(g_object_get_data(G_OBJECT(paned), "viewer-split"));
}

static void handle_realize(GtkWidget *paned)
{
  g_signal_connect_object(gtk_native_get_surface(gtk_widget_get_native(paned)), "notify::width",
                          G_CALLBACK(handle_width), paned, 0);
}

void viewer_split_follow(GtkPaned *paned, int least, double share)
{
  Split *split = g_new0(Split, 1);

  g_return_if_fail(GTK_IS_PANED(paned));
  *split = (Split){.paned = paned, .least = least, .share = share};
  g_object_set_data_full(G_OBJECT(paned), "viewer-split", split, split_free);
  g_signal_connect(paned, "realize", G_CALLBACK(handle_realize), NULL);
  g_signal_connect_swapped(paned, "map", G_CALLBACK(turn_later), split);
}
