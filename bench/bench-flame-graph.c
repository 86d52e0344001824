/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the flame graph costs: weights and layout of a capture, and our part of each frame while one zooms and
 * scrolls, drawn by the cairo renderer.
 *
 * bench-flame-graph FILE   needs a display; GSK_RENDERER=cairo, which bench-flame-graph.py sees to
 */
#include <adwaita.h>

#include "profile/naming/naming.h"
#include "viewer/pages/flame/flame-graph.h"

enum { WIDTH = 1600, HEIGHT = 1000, ROUNDS = 21, STEPS = 400 };

typedef struct {
  ViewerFlameGraph *graph;
  GtkAdjustment *vertical;
  GMainLoop *loop;
  guint step;
} Drive;

static gint compare_times(gconstpointer a, gconstpointer b)
{
  const gint64 *left = a, *right = b;

  return (*left > *right) - (*left < *right);
}

static void measure_layout(ProfileFilter *filter, gboolean inverted)
{
  gint64 weigh[ROUNDS], lay_out[ROUNDS];
  guint n = 0, rows = 0;

  for (guint i = 0; i < ROUNDS; i++) {
    gint64 begin = g_get_monotonic_time();
    g_autoptr(ProfileWeights) weights = profile_weights_new(filter);
    gint64 middle = g_get_monotonic_time();
    ProfileFlameOptions options = {.inverted = inverted, .min_share = 1.0 / WIDTH};
    g_autoptr(ProfileFlame) flame = profile_flame_new(weights, &options);
    weigh[i] = middle - begin;
    lay_out[i] = g_get_monotonic_time() - middle;
    profile_flame_get_boxes(flame, &n);
    rows = profile_flame_get_n_rows(flame);
  }
  qsort(weigh, ROUNDS, sizeof *weigh, compare_times);
  qsort(lay_out, ROUNDS, sizeof *lay_out, compare_times);
  g_print("%s: weights %.1f ms, layout %.1f ms (median of %d), %u boxes in %u rows\n",
          inverted ? "bottom-up" : "top-down", weigh[ROUNDS / 2] / 1000.0, lay_out[ROUNDS / 2] / 1000.0,
          ROUNDS, n, rows);
}

/* As fast as frames come: zooms in and out about a wandering place, and scrolls up and down. */
static gboolean drive(GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  Drive *self = data;
  guint step = self->step++;
  double room = gtk_adjustment_get_upper(self->vertical) - gtk_adjustment_get_page_size(self->vertical);

  if (step == STEPS) {
    g_main_loop_quit(self->loop);
    return G_SOURCE_REMOVE;
  }
  viewer_flame_graph_zoom_by(self->graph, (step * 37 % 100) / 100.0, step % 40 < 20 ? 1.25 : 0.8);
  gtk_adjustment_set_value(self->vertical, room * (step % 50) / 50);
  return G_SOURCE_CONTINUE;
}

static void print_frames(ViewerFlameGraph *graph)
{
  guint n;
  const guint32 *times = viewer_flame_graph_get_frame_times(graph, &n);
  g_autofree gint64 *sorted = g_new(gint64, n + 1);

  for (guint i = 0; i < n; i++)
    sorted[i] = times[i];
  qsort(sorted, n, sizeof *sorted, compare_times);
  if (n > 0)
    g_print("%u frames of %d×%d: median %.2f ms, 99 %% below %.2f ms, longest %.2f ms\n", n, WIDTH, HEIGHT,
            sorted[n / 2] / 1000.0, sorted[n * 99 / 100] / 1000.0, sorted[n - 1] / 1000.0);
}

static void measure_frames(ProfileFilter *filter)
{
  g_autoptr(ProfileWeights) weights = profile_weights_new(filter);
  GtkWidget *window = gtk_window_new(), *scroller = gtk_scrolled_window_new();
  GtkWidget *graph = viewer_flame_graph_new();
  Drive self = {.graph = VIEWER_FLAME_GRAPH(graph), .loop = g_main_loop_new(NULL, FALSE)};

  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), graph);
  gtk_window_set_child(GTK_WINDOW(window), scroller);
  gtk_window_set_default_size(GTK_WINDOW(window), WIDTH, HEIGHT);
  self.vertical = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scroller));
  viewer_flame_graph_set_weights(self.graph, weights);
  gtk_window_present(GTK_WINDOW(window));
  gtk_widget_add_tick_callback(graph, drive, &self, NULL);
  g_main_loop_run(self.loop);
  print_frames(self.graph);
  gtk_window_destroy(GTK_WINDOW(window));
  g_main_loop_unref(self.loop);
}

int main(int argc, char **argv)
{
  g_autoptr(GError) error = NULL;

  adw_init();
  g_autoptr(ProfileCapture) capture =
      argc == 2 ? profile_capture_load(argv[1], PROFILE_LOAD_DEFAULT, NULL, &error) : NULL;
  if (!capture) {
    g_printerr("bench-flame-graph: %s\n", error ? error->message : "name one capture");
    return 1;
  }
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  g_print("%zu samples, %zu nodes, %zu functions\n", (gsize)profile_capture_get_event(capture, 0)->n_samples,
          profile_stacks_get_n_nodes(profile_filter_get_stacks(filter)),
          profile_stacks_get_n_functions(profile_filter_get_stacks(filter)));
  measure_layout(filter, FALSE);
  measure_layout(filter, TRUE);
  measure_frames(filter);
  return 0;
}
