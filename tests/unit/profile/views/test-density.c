/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Densities against counting the columns, sample by sample. */
#include <glib/gstdio.h>

#include "profile/capture/weights.h"
#include "profile/views/density.h"
#include "tests/unit/profile/capture-fixture.h"

static const TestPlan plan = {.n_samples = 3000, .n_streams = 3, .epochs = 2, .seed = 7};
static const TestPlan weighed = {.n_samples = 3000, .n_streams = 1, .epochs = 1, .weights = TRUE, .seed = 8};
static const TestPlan longer = {.n_samples = 6000, .n_streams = 1, .epochs = 1, .seed = 9};

static ProfileCapture *make_capture(const TestPlan *of)
{
  g_autoptr(GArray) samples = g_array_new(FALSE, TRUE, sizeof(TestSample));
  g_autofree char *path = test_capture_write(of, samples);
  ProfileCapture *capture = test_capture_load(path);

  g_remove(path);
  return capture;
}

static gboolean passes(const ProfileFilter *filter, const ProfileEvent *event, gsize i)
{
  const guint32 *map = profile_stacks_get_map(profile_filter_get_stacks(filter));
  const guint8 *threads = profile_filter_get_threads(filter),
               *functions = profile_filter_get_functions(filter);
  const guint32 *of_node = profile_capture_get_node_functions(profile_filter_get_capture(filter));

  return (!map || map[event->leaf[i]] != PROFILE_STACKS_DROPPED) && (!threads || threads[event->thread[i]]) &&
         (!functions || functions[of_node[event->leaf[i]]]);
}

/* Samples of a thread (G_MAXUINT32: of all) between two edges. */
static guint64 count(const ProfileFilter *filter, guint32 thread, guint64 first, guint64 end)
{
  const ProfileEvent *event = profile_capture_get_event(profile_filter_get_capture(filter), 0);
  guint64 n = 0;

  for (gsize i = 0; i < event->n_samples; i++)
    n += event->time[i] >= first && event->time[i] < end && passes(filter, event, i) &&
         (thread == G_MAXUINT32 || event->thread[i] == thread);
  return n;
}

/* Each time of a bin leads to it, and no other does. */
static void check_bin(const ProfileDensity *density, guint bin)
{
  guint64 from = profile_density_get_edge(density, bin), to = profile_density_get_edge(density, bin + 1);
  guint found;

  if (from == to)
    return;
  g_assert_true(profile_density_find_bin(density, from, &found));
  g_assert_cmpuint(found, ==, bin);
  g_assert_true(profile_density_find_bin(density, to - 1, &found));
  g_assert_cmpuint(found, ==, bin);
}

static void check(const ProfileFilter *filter, guint64 first, guint64 end, guint n_bins)
{
  g_autoptr(ProfileDensity) density = profile_density_new(filter, first, end, n_bins);
  guint n_all, n_found, n_expected = 0;

  profile_capture_get_threads(profile_filter_get_capture(filter), &n_all);
  g_assert_cmpuint(profile_density_get_n_bins(density), ==, n_bins);
  g_assert_cmpuint(profile_density_get_edge(density, 0), ==, first);
  g_assert_cmpuint(profile_density_get_edge(density, n_bins), ==, end);
  for (guint bin = 0; bin < n_bins; bin++) {
    guint64 from = profile_density_get_edge(density, bin), to = profile_density_get_edge(density, bin + 1);
    check_bin(density, bin);
    g_assert_cmpuint(profile_density_get_sum(density)[bin], ==, count(filter, G_MAXUINT32, from, to));
    g_assert_cmpuint(profile_density_get_busy(density)[bin], ==, profile_density_get_sum(density)[bin]);
    for (guint32 thread = 0; thread < n_all; thread++) {
      const guint64 *bins = profile_density_get_bins(density, thread);
      g_assert_cmpuint(bins ? bins[bin] : 0, ==, count(filter, thread, from, to));
    }
  }
  for (guint32 thread = 0; thread < n_all; thread++) {
    guint64 n = count(filter, thread, first, end);
    g_assert_cmpuint(profile_density_get_total(density, thread), ==, n);
    g_assert_true((profile_density_get_bins(density, thread) != NULL) == (n > 0));
    n_expected += n > 0;
  }
  profile_density_get_threads(density, &n_found);
  g_assert_cmpuint(n_found, ==, n_expected);
}

static void test_everything(void)
{
  g_autoptr(ProfileCapture) capture = make_capture(&plan);
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  guint64 first, last;

  g_assert_true(profile_capture_get_time_range(capture, &first, &last));
  check(filter, first, last + 1, 1);
  check(filter, first, last + 1, 40);
  check(filter, first + (last - first) / 3, first + (last - first) / 2, 7);
  check(filter, 0, first, 3);
  /* More bins than nanoseconds. */
  check(filter, first, first + 5, 9);
}

/* The filter's own time does not count, all else does. */
static void test_filters(void)
{
  g_autoptr(ProfileCapture) capture = make_capture(&plan);
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  guint64 first, last;

  g_assert_true(profile_capture_get_time_range(capture, &first, &last));
  profile_filter_set_time(filter, first, first + 1);
  profile_filter_add_thread(filter, 2);
  check(filter, first, last + 1, 20);
  profile_filter_add_binary(filter, 0);
  check(filter, first, last + 1, 20);
  profile_filter_clear_threads(filter);
  check(filter, first, last + 1, 20);
  profile_filter_set_event(filter, 5);
  g_autoptr(ProfileDensity) none = profile_density_new(filter, first, last + 1, 4);
  guint n;
  profile_density_get_threads(none, &n);
  g_assert_cmpuint(n, ==, 0);
  g_assert_cmpfloat(profile_density_get_share(none, 1), ==, 0);
}

/* Samples that a transform dropped are not counted. */
static void test_dropped(void)
{
  g_autoptr(ProfileCapture) capture = make_capture(&plan);
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  ProfileTransform drop = {.kind = PROFILE_TRANSFORM_DROP_FUNCTION};
  guint64 first, last;

  while (strcmp(profile_capture_get_function_name(capture, drop.function), "main") != 0)
    drop.function++;
  g_assert_true(profile_capture_get_time_range(capture, &first, &last));
  guint64 before = count(filter, G_MAXUINT32, first, last + 1);
  g_autoptr(ProfileStacks) dropped = profile_stacks_transform(profile_filter_get_stacks(filter), &drop);
  profile_filter_set_stacks(filter, dropped);
  g_assert_cmpuint(count(filter, G_MAXUINT32, first, last + 1), <, before);
  check(filter, first, last + 1, 20);
}

static void test_empty_span(void)
{
  g_autoptr(ProfileCapture) capture = make_capture(&plan);
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  g_autoptr(ProfileDensity) density = profile_density_new(filter, 5000, 4000, 0);

  g_assert_cmpuint(profile_density_get_n_bins(density), ==, 1);
  g_assert_cmpuint(profile_density_get_sum(density)[0], ==, 0);
  g_assert_cmpfloat(profile_density_get_share(density, 1), ==, 0);
  g_assert_false(profile_density_find_bin(density, 5000, &(guint){0}));
  g_assert_null(profile_density_get_bins(density, 1));
  g_assert_null(profile_density_get_bins(density, G_MAXUINT32));
}

/* Processes are their threads together, bin by bin, and stand in the order of their sums. */
static void test_processes(void)
{
  g_autoptr(ProfileCapture) capture = make_capture(&plan);
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  g_autoptr(ProfileDensity) density = profile_density_new(filter, 0, G_MAXUINT64, 10);
  guint n, n_threads;
  const guint32 *processes = profile_density_get_processes(density, &n);
  const ProfileThread *threads = profile_capture_get_threads(capture, &n_threads);

  g_assert_cmpuint(n, ==, 2);
  for (guint i = 0; i < n; i++) {
    guint64 total = 0;
    for (guint bin = 0; bin < 10; bin++) {
      guint64 sum = 0;
      for (guint32 thread = 0; thread < n_threads; thread++)
        if (threads[thread].process == processes[i] && profile_density_get_bins(density, thread))
          sum += profile_density_get_bins(density, thread)[bin];
      g_assert_cmpuint(profile_density_get_process_bins(density, processes[i])[bin], ==, sum);
      total += sum;
    }
    g_assert_cmpuint(profile_density_get_process_total(density, processes[i]), ==, total);
    g_assert_true(i == 0 || profile_density_get_process_total(density, processes[i - 1]) >= total);
  }
  g_assert_null(profile_density_get_process_bins(density, 0));
  g_assert_null(profile_density_get_process_bins(density, G_MAXUINT32));
}

static void test_order(void)
{
  g_autoptr(ProfileCapture) capture = make_capture(&plan);
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  g_autoptr(ProfileDensity) density = profile_density_new(filter, 0, G_MAXUINT64, 10);
  guint n, n_processes, n_all, process = 0;
  const guint32 *order = profile_density_get_threads(density, &n);
  const guint32 *processes = profile_density_get_processes(density, &n_processes);
  const ProfileThread *threads = profile_capture_get_threads(capture, &n_all);

  g_assert_cmpuint(n, ==, 3);
  for (guint i = 0; i < n; i++) {
    if (threads[order[i]].process != processes[process]) {
      process++;
      g_assert_cmpuint(threads[order[i]].process, ==, processes[process]);
    } else if (i > 0) {
      g_assert_cmpuint(profile_density_get_total(density, order[i - 1]), >=,
                       profile_density_get_total(density, order[i]));
    }
  }
  g_assert_cmpuint(process + 1, ==, n_processes);
}

/* A sample every 250 µs: four of them fill a millisecond of one processor. */
static void test_share(void)
{
  g_autoptr(ProfileCapture) capture = make_capture(&plan);
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  g_autoptr(ProfileDensity) density = profile_density_new(filter, 0, 10000000, 10);

  g_assert_cmpfloat(profile_density_get_interval(density), ==, 250000);
  g_assert_cmpfloat_with_epsilon(profile_density_get_share(density, 4), 1, 1e-9);
  g_assert_cmpfloat_with_epsilon(profile_density_get_share(density, 10), 2.5, 1e-9);
}

static void test_readable(void)
{
  g_autoptr(ProfileCapture) capture = make_capture(&plan);
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  g_autoptr(ProfileDensity) few = profile_density_new_readable(filter, 0, 10000000, 1000, 4);
  g_autoptr(ProfileDensity) many = profile_density_new_readable(filter, 0, 10000000, 10, 4);
  g_autoptr(ProfileDensity) none = profile_density_new_readable(filter, 0, 10, 1000, 4);

  g_assert_cmpuint(profile_density_get_n_bins(few), ==, 10);
  g_assert_cmpuint(profile_density_get_n_bins(many), ==, 10);
  g_assert_cmpuint(profile_density_get_n_bins(none), ==, 1);
}

/* How much of the time that samples stand for lies in a bin, in samples. */
static double add_parts(const ProfileEvent *event, const ProfileDensity *density, guint bin)
{
  double from = (double)profile_density_get_edge(density, bin),
         to = (double)profile_density_get_edge(density, bin + 1),
         interval = profile_density_get_interval(density), sum = 0;

  for (gsize i = 0; i < event->n_samples; i++) {
    double end = (double)event->time[i];
    sum += MAX((MIN(end, to) - MAX(end - interval, from)) / interval, 0);
  }
  return sum;
}

/* What lies after the time asked for stands for a part of it too. */
static void test_spread(void)
{
  g_autoptr(ProfileCapture) capture = make_capture(&longer);
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  const ProfileEvent *event = profile_capture_get_event(capture, 0);
  guint64 first = event->time[0], end = event->time[event->n_samples * 3 / 4];
  g_autoptr(ProfileDensity) density = profile_density_new_readable(filter, first, end, 1000, 1);
  guint n_bins = profile_density_get_n_bins(density), n;
  const guint32 *threads = profile_density_get_threads(density, &n);
  double lasts = (double)(end - first) / n_bins;
  guint64 total = 0;

  g_assert_cmpuint(n_bins, >, 5);
  for (guint bin = 0; bin < n_bins; bin++) {
    double found = profile_density_get_share(density, profile_density_get_sum(density)[bin]);
    double wanted = add_parts(event, density, bin) * profile_density_get_interval(density) / lasts;
    g_assert_cmpfloat_with_epsilon(found, wanted, wanted / 100);
  }
  for (guint i = 0; i < n; i++)
    total += profile_density_get_total(density, threads[i]);
  g_assert_cmpuint(total, ==, count(filter, G_MAXUINT32, first, end));
  g_assert_cmpfloat_with_epsilon(
      profile_density_get_average(density, total),
      (double)total * profile_density_get_interval(density) / (double)(end - first), 1e-6);
}

/* Samples of a clock that weigh differently: counted all the same, and each stands for their average. */
static void test_weights(void)
{
  g_autoptr(ProfileCapture) capture = make_capture(&weighed);
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  g_autoptr(ProfileWeights) weights = profile_weights_new(filter);
  g_autoptr(ProfileDensity) density = profile_density_new(filter, 0, G_MAXUINT64, 1);
  ProfileWeight sum = profile_weights_get_sum(weights);

  g_assert_cmpuint(profile_density_get_sum(density)[0], ==, profile_weights_measure(weights, sum));
  g_assert_cmpfloat_with_epsilon(profile_density_get_interval(density),
                                 (double)sum.weight / (double)sum.count, 1e-6);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/profile/density/everything", test_everything);
  g_test_add_func("/profile/density/filters", test_filters);
  g_test_add_func("/profile/density/dropped", test_dropped);
  g_test_add_func("/profile/density/empty-span", test_empty_span);
  g_test_add_func("/profile/density/processes", test_processes);
  g_test_add_func("/profile/density/order", test_order);
  g_test_add_func("/profile/density/share", test_share);
  g_test_add_func("/profile/density/readable", test_readable);
  g_test_add_func("/profile/density/spread", test_spread);
  g_test_add_func("/profile/density/weights", test_weights);
  return g_test_run();
}
