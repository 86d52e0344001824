/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stacks in the order of time: what a chart of them draws. */
#include "profile/views/chart.h"
#include "tests/unit/profile/made-capture.h"

enum { PERIOD = 1000, MANY = 10000 };

static ProfileCapture *new_capture(const MadeSample *samples, guint n, gboolean off_cpu)
{
  return made_capture_new(
      &(MadePlan){.samples = samples, .n = n, .frequency = 1000000000 / PERIOD, .off_cpu = off_cpu});
}

static ProfileChart *draw(const ProfileFilter *filter, guint32 thread, guint64 first, guint64 end, guint n)
{
  g_autoptr(ProfileSequence) sequence = profile_sequence_new(filter, thread);

  return profile_chart_new(sequence, first, end, n);
}

/* "a 1000-4000, b 1000-3000": box by box. Free it. */
static char *describe(const ProfileChart *chart)
{
  const ProfileStacks *stacks =
      profile_filter_get_stacks(profile_sequence_get_filter(profile_chart_get_sequence(chart)));
  GString *text = g_string_new(NULL);
  guint n;
  const ProfileChartBox *boxes = profile_chart_get_boxes(chart, &n);

  for (guint i = 0; i < n; i++)
    g_string_append_printf(text, "%s%u%s %" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT, i > 0 ? ", " : "",
                           boxes[i].depth, profile_stacks_get_function_name(stacks, boxes[i].function),
                           boxes[i].start, boxes[i].end);
  return g_string_free(text, FALSE);
}

static void assert_chart(const ProfileFilter *filter, guint32 thread, guint64 first, guint64 end, guint n,
                         const char *expected)
{
  g_autoptr(ProfileChart) chart = draw(filter, thread, first, end, n);
  g_autofree char *text = describe(chart);

  g_assert_cmpstr(text, ==, expected);
}

static void test_joined(void)
{
  static const MadeSample samples[] = {{1000, 0, "abc"}, {2000, 0, "abd"}, {3000, 0, "ae"},
                                       {4000, 0, ""},    {5000, 0, "a"},   {6000, 0, "abc"}};
  g_autoptr(ProfileCapture) capture = new_capture(samples, G_N_ELEMENTS(samples), FALSE);
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);

  assert_chart(filter, 1, 0, 10000, 100,
               "0a 1000-4000, 0a 5000-7000, 1b 1000-3000, 1e 3000-4000, 1b 6000-7000, "
               "2c 1000-2000, 2d 2000-3000, 2c 6000-7000");
  /* What is not shown is cut off. */
  assert_chart(filter, 1, 1500, 3500, 100,
               "0a 1500-3500, 1b 1500-3000, 1e 3000-3500, 2c 1500-2000, 2d 2000-3000");
  profile_filter_set_time(filter, 3000, 6000);
  assert_chart(filter, 1, 0, 10000, 100, "0a 3000-4000, 0a 5000-6000, 1e 3000-4000");
}

static void test_gaps(void)
{
  static const MadeSample samples[] = {{10000, 0, "ab"}, {11000, 0, "ab"}, {14000, 0, "ab"},
                                       {30000, 0, "ab"}, {31000, 1, "c"},  {32000, 0, "ab"}};
  g_autoptr(ProfileCapture) capture = new_capture(samples, G_N_ELEMENTS(samples), FALSE);
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);

  /* Three periods are no gap, sixteen are. */
  assert_chart(filter, 1, 0, 100000, 100, "0a 10000-15000, 0a 30000-33000, 1b 10000-15000, 1b 30000-33000");
  assert_chart(filter, 2, 0, 100000, 100, "0c 31000-32000");
  assert_chart(filter, 3, 0, 100000, 100, "");
  assert_chart(filter, PROFILE_SEQUENCE_ALL, 20000, 100000, 100,
               "0a 30000-31000, 0c 31000-32000, 0a 32000-33000, 1b 30000-31000, 1b 32000-33000");
  assert_chart(filter, 1, 15000, 30000, 100, "");
  profile_filter_add_thread(filter, 2);
  assert_chart(filter, PROFILE_SEQUENCE_ALL, 0, 100000, 100, "0c 31000-32000");
}

static void test_off_cpu(void)
{
  static const MadeSample samples[] = {
      {10000, 0, "ab", 4000}, {20000, 0, "ac", 10000}, {21000, 1, "d", 20000}, {50000, 0, "ab", 5000}};
  g_autoptr(ProfileCapture) capture = new_capture(samples, G_N_ELEMENTS(samples), TRUE);
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);

  assert_chart(filter, 1, 0, 100000, 100,
               "0a 6000-20000, 0a 45000-50000, 1b 6000-10000, 1c 10000-20000, 1b 45000-50000");
  /* What ends later reaches in. */
  assert_chart(filter, 1, 11000, 12000, 100, "0a 11000-12000, 1c 11000-12000");
  assert_chart(filter, 2, 0, 5000, 100, "0d 1000-5000");
  assert_chart(filter, PROFILE_SEQUENCE_ALL, 15000, 48000, 100,
               "0a 15000-20000, 0d 20000-21000, 0a 45000-48000, 1c 15000-20000, 1b 45000-48000");
}

static void test_stacks(void)
{
  static const MadeSample samples[] = {{1000, 0, "abc"}, {2000, 0, "adc"}, {3000, 0, "aec"}};
  g_autoptr(ProfileCapture) capture = new_capture(samples, G_N_ELEMENTS(samples), FALSE);
  g_autoptr(ProfileStacks) own = profile_stacks_new(capture);
  ProfileTransform merge = {.kind = PROFILE_TRANSFORM_MERGE_FUNCTION,
                            .function = made_capture_find(own, "b")};
  ProfileTransform drop = {.kind = PROFILE_TRANSFORM_DROP_FUNCTION, .function = made_capture_find(own, "e")};
  g_autoptr(ProfileStacks) merged = profile_stacks_transform(own, &merge);
  g_autoptr(ProfileStacks) dropped = profile_stacks_transform(merged, &drop);
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);

  profile_filter_set_stacks(filter, dropped);
  assert_chart(filter, 1, 0, 10000, 100, "0a 1000-3000, 1c 1000-2000, 1d 2000-3000, 2c 2000-3000");
}

static void test_nothing(void)
{
  static const MadeSample samples[] = {{1000, 0, "abc"}};
  g_autoptr(ProfileCapture) capture = new_capture(samples, 1, FALSE);
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);

  assert_chart(filter, 1, 5000, 5000, 100, "");
  assert_chart(filter, 1, 5000, 1000, 100, "");
  assert_chart(filter, 1, 0, 10000, 0, "");
  assert_chart(filter, 77, 0, 10000, 10, "");
  assert_chart(filter, 1, 0, G_MAXUINT64, 1, "0a 1000-2000, 1b 1000-2000, 2c 1000-2000");
  profile_filter_set_event(filter, 5);
  assert_chart(filter, PROFILE_SEQUENCE_ALL, 0, 10000, 10, "");
}

static MadeSample *make_many(GRand *random)
{
  static const char *const paths[] = {"abcd", "abce", "abf", "abfg", "ah", "i", ""};
  MadeSample *samples = g_new0(MadeSample, MANY);

  for (guint i = 0; i < MANY; i++) {
    guint step = g_rand_int_range(random, 0, 50) == 0 ? 50 : 1;
    samples[i].time = (i > 0 ? samples[i - 1].time : 0) + PERIOD * step;
    samples[i].path = paths[g_rand_int_range(random, 0, G_N_ELEMENTS(paths))];
  }
  return samples;
}

/* The functions of a chart's boxes at a time, "abc". Free it. */
static char *get_path_at(const ProfileChart *chart, guint64 time)
{
  const ProfileStacks *stacks =
      profile_filter_get_stacks(profile_sequence_get_filter(profile_chart_get_sequence(chart)));
  guint n, box;
  const ProfileChartBox *boxes = profile_chart_get_boxes(chart, &n);
  GString *path = g_string_new(NULL);

  for (guint depth = 0; profile_chart_find(chart, depth, time, &box); depth++) {
    g_assert_cmpuint(boxes[box].depth, ==, depth);
    g_string_append(path, profile_stacks_get_function_name(stacks, boxes[box].function));
  }
  return g_string_free(path, FALSE);
}

/* With as many columns as samples, each is drawn as it is. */
static void test_every_sample(void)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(1);
  g_autofree MadeSample *samples = make_many(random);
  g_autoptr(ProfileCapture) capture = new_capture(samples, MANY, FALSE);
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  g_autoptr(ProfileChart) chart = draw(filter, 1, 0, G_MAXUINT64, MANY);

  for (guint i = 0; i < MANY; i++) {
    g_autofree char *path = get_path_at(chart, samples[i].time);
    g_autofree char *same = get_path_at(chart, samples[i].time + PERIOD - 1);
    g_autofree char *before = get_path_at(chart, samples[i].time - 1);
    g_assert_cmpstr(path, ==, samples[i].path);
    g_assert_cmpstr(same, ==, samples[i].path);
    gboolean gap = i > 0 && samples[i].time - samples[i - 1].time > PERIOD;
    g_assert_true(!gap || *before == '\0');
  }
}

static void check_columns(const ProfileChart *chart, const MadeSample *samples, guint64 width)
{
  guint64 first, end;
  guint n;

  profile_chart_get_time(chart, &first, &end);
  for (guint depth = 0; depth < profile_chart_get_n_rows(chart); depth++) {
    profile_chart_get_row(chart, depth, &n);
    g_assert_cmpuint(n, <=, (end - first) / width + 2);
  }
  for (guint64 from = first - first % width; from < end; from += width) {
    g_autofree char *path = get_path_at(chart, MAX(from, first));
    gboolean any = FALSE, found = FALSE;
    for (guint i = 0; i < MANY; i++) {
      gboolean inside = samples[i].time < from + width && samples[i].time + PERIOD > from;
      any |= inside;
      found |= inside && g_str_equal(samples[i].path, path);
    }
    g_assert_true(found || (!any && *path == '\0'));
  }
}

/* Fewer columns than samples: one of those that fall into a column stands for it, the same one when it moves.
 */
static void test_columns(void)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(2);
  g_autofree MadeSample *samples = make_many(random);
  g_autoptr(ProfileCapture) capture = new_capture(samples, MANY, FALSE);
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  guint64 span = samples[MANY - 1].time / 2, width = (span - 1) / 100 + 1;
  g_autoptr(ProfileChart) still = draw(filter, PROFILE_SEQUENCE_ALL, 100 * PERIOD, 100 * PERIOD + span, 100);

  check_columns(still, samples, width);
  for (guint i = 1; i < 5; i++) {
    guint64 moved = 100 * PERIOD + i * 777;
    g_autoptr(ProfileChart) chart = draw(filter, 1, moved, moved + span, 100);
    check_columns(chart, samples, width);
    for (guint64 time = moved; time < 100 * PERIOD + span; time += width / 3) {
      g_autofree char *before = get_path_at(still, time), *after = get_path_at(chart, time);
      g_assert_cmpstr(before, ==, after);
    }
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/profile/chart/joined", test_joined);
  g_test_add_func("/profile/chart/gaps", test_gaps);
  g_test_add_func("/profile/chart/off-cpu", test_off_cpu);
  g_test_add_func("/profile/chart/stacks", test_stacks);
  g_test_add_func("/profile/chart/nothing", test_nothing);
  g_test_add_func("/profile/chart/every-sample", test_every_sample);
  g_test_add_func("/profile/chart/columns", test_columns);
  return g_test_run();
}
