/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the steps of `report` cost on a capture: loading, counting for a filter, building the tree; and
 * beside the counting what merely reading the same column of memory takes.
 *
 * bench-report FILE [ROUNDS]: JSON on standard output, the best of the rounds, in microseconds.
 */
#include <stdio.h>
#include <stdlib.h>

#include "profile/views/rows.h"
#include "profile/views/tree.h"

typedef struct {
  ProfileCapture *capture;
  ProfileFilter *filter;
  const ProfileEvent *event;
  ProfileWeights *weights;
  guint32 *counts; /* one a node */
  guint64 sink;    /* keeps the compiler from leaving reads out */
} Bench;

typedef void (*Step)(Bench *bench);

static double measure(Bench *bench, Step step, guint rounds)
{
  gint64 best = G_MAXINT64;

  for (guint i = 0; i < rounds; i++) {
    gint64 begin = g_get_monotonic_time();
    step(bench);
    best = MIN(best, g_get_monotonic_time() - begin);
  }
  return (double)best;
}

static void count(Bench *bench)
{
  g_clear_pointer(&bench->weights, profile_weights_unref);
  bench->weights = profile_weights_new(bench->filter);
}

static void build_tree(Bench *bench)
{
  g_autoptr(ProfileTree) tree = profile_tree_new(bench->weights);

  profile_tree_set_minimum(tree, profile_weights_get_sum(bench->weights).count / 200);
  profile_tree_expand_all(tree);
  bench->sink += profile_tree_get_n_nodes(tree);
}

static void build_rows(Bench *bench)
{
  g_autoptr(ProfileRows) rows = profile_rows_new(bench->weights, PROFILE_ROWS_FUNCTION);

  bench->sink += profile_rows_get_n(rows);
}

static void read_column(Bench *bench)
{
  const guint32 *leaf = bench->event->leaf;

  for (gsize i = 0; i < bench->event->n_samples; i++)
    bench->sink += leaf[i];
}

/* The pass over the samples alone, as counting does it, without adding up the nodes. */
static void pass_samples(Bench *bench)
{
  const guint32 *leaf = bench->event->leaf;

  for (gsize i = 0; i < bench->event->n_samples; i++)
    bench->counts[leaf[i]]++;
}

static double measure_load(const char *path, guint rounds)
{
  gint64 best = G_MAXINT64;

  for (guint i = 0; i < rounds; i++) {
    gint64 begin = g_get_monotonic_time();
    g_autoptr(ProfileCapture) capture = profile_capture_load(path, PROFILE_LOAD_DEFAULT, NULL, NULL);
    best = MIN(best, g_get_monotonic_time() - begin);
  }
  return (double)best;
}

static const ProfileEvent *choose_event(Bench *bench)
{
  guint n, most = 0;
  const ProfileEvent *events = profile_capture_get_events(bench->capture, &n);

  for (guint i = 1; i < n; i++)
    if (events[i].n_samples > events[most].n_samples)
      most = i;
  profile_filter_set_event(bench->filter, most);
  return &events[most];
}

static guint32 find_busiest_thread(Bench *bench)
{
  g_autoptr(ProfileRows) rows = profile_rows_new(bench->weights, PROFILE_ROWS_THREAD);

  return profile_rows_get(rows, 0).item;
}

static void print(const char *name, double value)
{
  printf("  \"%s\": %.1f,\n", name, value);
}

/* A filter is changed, everything is counted anew, and the tree or the list is built: what a click costs. */
static void measure_changes(Bench *bench, guint rounds)
{
  const guint64 *time = bench->event->time;
  gsize n = bench->event->n_samples;

  profile_filter_set_time(bench->filter, time[n / 4], time[n / 4 * 3]);
  print("time_range_us", measure(bench, count, rounds));
  print("time_range_tree_us", measure(bench, build_tree, rounds));
  print("time_range_rows_us", measure(bench, build_rows, rounds));
  profile_filter_set_time(bench->filter, 0, G_MAXUINT64);
  count(bench);
  profile_filter_add_thread(bench->filter, find_busiest_thread(bench));
  print("thread_us", measure(bench, count, rounds));
  print("thread_tree_us", measure(bench, build_tree, rounds));
  print("thread_rows_us", measure(bench, build_rows, rounds));
}

int main(int argc, char **argv)
{
  g_autoptr(GError) error = NULL;
  guint rounds = argc > 2 ? (guint)atoi(argv[2]) : 5;
  Bench bench = {0};

  if (argc < 2)
    return 2;
  bench.capture = profile_capture_load(argv[1], PROFILE_LOAD_DEFAULT, NULL, &error);
  if (!bench.capture) {
    fprintf(stderr, "%s\n", error->message);
    return 1;
  }
  const guint32 *parent, *frame;
  gsize n_nodes, n_frames;
  profile_capture_get_nodes(bench.capture, &parent, &frame, &n_nodes);
  profile_capture_get_frames(bench.capture, &n_frames);
  bench.filter = profile_filter_new(bench.capture);
  bench.event = choose_event(&bench);
  printf("{\n");
  print("samples", (double)bench.event->n_samples);
  print("nodes", (double)n_nodes);
  print("frames", (double)n_frames);
  print("load_us", measure_load(argv[1], rounds));
  print("count_us", measure(&bench, count, rounds));
  print("tree_us", measure(&bench, build_tree, rounds));
  build_rows(&bench);
  print("rows_us", measure(&bench, build_rows, rounds));
  measure_changes(&bench, rounds);
  bench.counts = g_new0(guint32, n_nodes);
  print("sample_pass_us", measure(&bench, pass_samples, rounds * 4));
  print("column_bytes", 4.0 * (double)bench.event->n_samples);
  printf("  \"read_column_us\": %.1f\n}\n", measure(&bench, read_column, rounds * 4));
  g_free(bench.counts);
  profile_weights_unref(bench.weights);
  profile_filter_free(bench.filter);
  g_object_unref(bench.capture);
  return bench.sink == 0;
}
