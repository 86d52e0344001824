/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What transforms of stacks cost, and what is looked at costs after them: the transform itself, counting for
 * a changed time or thread, a chart of stacks in time; and the same without any.
 *
 * bench-transforms FILE [ROUNDS]: the best of the rounds, milliseconds of processor time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "profile/views/chart.h"
#include "profile/views/flame.h"
#include "profile/views/rows.h"
#include "profile/views/tree.h"

enum { COLUMNS = 1600 };

typedef struct {
  ProfileCapture *capture;
  ProfileFilter *filter; /* what is counted */
  const ProfileEvent *event;
  ProfileStacks *stacks; /* that are transformed */
  ProfileTransform transform;
  ProfileWeights *weights;
  ProfileSequence *sequence;
  guint32 thread; /* the busiest one */
  guint rounds;
} Bench;

typedef void (*Step)(Bench *bench);

/* Of the processor, which says more than the clock when others want it, too; nothing here runs in parallel.
 */
static double get_time(void)
{
  struct timespec time;

  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static double measure(Bench *bench, Step step)
{
  double best = G_MAXDOUBLE;

  for (guint i = 0; i < bench->rounds; i++) {
    double begin = get_time();
    step(bench);
    best = MIN(best, get_time() - begin);
  }
  return best;
}

static void transform(Bench *bench)
{
  profile_stacks_unref(profile_stacks_transform(bench->stacks, &bench->transform));
}

static void count(Bench *bench)
{
  g_clear_pointer(&bench->weights, profile_weights_unref);
  bench->weights = profile_weights_new(bench->filter);
}

static void lay_out(Bench *bench)
{
  ProfileFlameOptions options = {.min_share = 0.5 / COLUMNS};

  profile_flame_unref(profile_flame_new(bench->weights, &options));
}

static void count_and_lay_out(Bench *bench)
{
  count(bench);
  lay_out(bench);
}

static void order(Bench *bench)
{
  g_clear_pointer(&bench->sequence, profile_sequence_unref);
  bench->sequence = profile_sequence_new(bench->filter, bench->thread);
}

static void draw(Bench *bench)
{
  const guint64 *time = bench->event->time;

  profile_chart_unref(
      profile_chart_new(bench->sequence, time[0], time[bench->event->n_samples - 1] + 1, COLUMNS));
}

static void print(Bench *bench, const char *name, Step step)
{
  printf("  %s %.2f", name, measure(bench, step));
}

/* Everything, half of the time, one thread: to count, and to count and lay out a flame graph. */
static void measure_filters(Bench *bench)
{
  const guint64 *time = bench->event->time;
  gsize n = bench->event->n_samples;

  print(bench, "all", count);
  print(bench, "+ flame", count_and_lay_out);
  profile_filter_set_time(bench->filter, time[n / 4], time[n / 4 * 3]);
  print(bench, "half the time", count);
  print(bench, "+ flame", count_and_lay_out);
  profile_filter_set_time(bench->filter, 0, G_MAXUINT64);
  profile_filter_add_thread(bench->filter, bench->thread);
  print(bench, "a thread", count);
  print(bench, "+ flame", count_and_lay_out);
  profile_filter_clear_threads(bench->filter);
  print(bench, "sequence", order);
  print(bench, "+ chart", draw);
  printf("\n");
}

static void measure_transform(Bench *bench, ProfileTransformKind kind)
{
  bench->transform.kind = kind;
  double cost = measure(bench, transform);
  g_autoptr(ProfileStacks) after = profile_stacks_transform(bench->stacks, &bench->transform);

  printf("%s: %.2f ms, %" G_GSIZE_FORMAT " nodes\n", profile_transform_kind_to_string(kind), cost,
         profile_stacks_get_n_nodes(after));
  profile_filter_set_stacks(bench->filter, after);
  measure_filters(bench);
  profile_filter_set_stacks(bench->filter, NULL);
}

static void choose_event(Bench *bench)
{
  guint n, most = 0;
  const ProfileEvent *events = profile_capture_get_events(bench->capture, &n);

  for (guint i = 1; i < n; i++)
    if (events[i].n_samples > events[most].n_samples)
      most = i;
  profile_filter_set_event(bench->filter, most);
  bench->event = &events[most];
}

/* The heaviest function that is called by another, its path and its binary are what is transformed. */
static void choose_target(Bench *bench)
{
  g_autoptr(ProfileTree) tree = profile_tree_new(bench->weights);
  g_autoptr(ProfileRows) threads = profile_rows_new(bench->weights, PROFILE_ROWS_THREAD);
  guint32 *path = g_new(guint32, 3), node = 0, n;

  for (node = profile_tree_expand(tree, 0, &n); n > 0 && bench->transform.n_path < 3;
       node = profile_tree_expand(tree, node, &n))
    path[bench->transform.n_path++] = profile_tree_get_node(tree, node)->function;
  bench->transform.path = path;
  bench->transform.function = path[bench->transform.n_path - 1];
  bench->transform.binary = profile_stacks_get_function(bench->stacks, bench->transform.function)->binary;
  bench->thread = profile_rows_get(threads, 0).item;
}

static void clear(Bench *bench)
{
  g_free(bench->transform.path);
  g_clear_pointer(&bench->weights, profile_weights_unref);
  g_clear_pointer(&bench->sequence, profile_sequence_unref);
  profile_stacks_unref(bench->stacks);
  profile_filter_free(bench->filter);
  g_object_unref(bench->capture);
}

int main(int argc, char **argv)
{
  g_autoptr(GError) error = NULL;
  Bench bench = {.rounds = argc > 2 ? (guint)atoi(argv[2]) : 5};

  if (argc < 2)
    return 2;
  bench.capture = profile_capture_load(argv[1], PROFILE_LOAD_DEFAULT, NULL, &error);
  if (!bench.capture) {
    fprintf(stderr, "%s\n", error->message);
    return 1;
  }
  bench.filter = profile_filter_new(bench.capture);
  bench.stacks = profile_stacks_new(bench.capture);
  choose_event(&bench);
  count(&bench);
  if (bench.event->n_samples < 4 || profile_stacks_get_n_nodes(bench.stacks) < 2)
    return 1;
  choose_target(&bench);
  printf("%" G_GSIZE_FORMAT " samples, %" G_GSIZE_FORMAT " nodes, %" G_GSIZE_FORMAT
         " functions; milliseconds of processor time, best of %u\nno transform:\n",
         bench.event->n_samples, profile_stacks_get_n_nodes(bench.stacks),
         profile_stacks_get_n_functions(bench.stacks), bench.rounds);
  measure_filters(&bench);
  for (guint kind = 0; kind <= PROFILE_TRANSFORM_COLLAPSE_RECURSION; kind++)
    measure_transform(&bench, (ProfileTransformKind)kind);
  clear(&bench);
  return 0;
}
