/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the lines of functions cost, with functions that were inlined, called, or both. */
#include "profile/views/annotation.h"
#include "tests/unit/profile/made-capture.h"
#include "tests/unit/profile/told-capture.h"

static const MadeSample samples[] = {{.path = "ab"}, {.path = "abc"}, {.path = "abb"},
                                     {.path = "ae"}, {.path = "a1"},  {.path = "d", .thread = 2},
                                     {.path = "ad"}, {.path = "abbb"}};

static void add_place(ProfilePlaces *places, char function, guint64 first, guint64 end,
                      const ProfilePlaceFrame *frames, guint n)
{
  profile_places_add(places, (guint64)function * TEST_FUNCTION_SIZE + first,
                     (guint64)function * TEST_FUNCTION_SIZE + end, frames, n);
}

/* Samples are taken at offset 0, callers stand behind it. b has x inlined in one line when it is sampled and
 * another line where it calls; d is inlined in a and in itself; e has a line of a file that it includes. Of
 * c nothing is known, of 1 no line. */
static void add_places(ProfileCapture *capture)
{
  static const ProfilePlaceFrame
      in_b[] = {{.name = "y", .file = "y.h", .line = 1, .declared_file = "z.h", .declared_line = 5},
                {.name = "x", .file = "x.h", .line = 7, .declared_file = "x.h", .declared_line = 5},
                {.name = "b", .file = "b.c", .line = 9}},
      calls_of_b[] = {{.name = "b", .file = "b.c", .line = 10}},
      in_a[] = {{.name = "d", .file = "d.c", .line = 3}, {.name = "a", .file = "a.c", .line = 4}},
      in_d[] = {{.name = "d", .file = "d.c", .line = 5}, {.name = "d", .file = "d.c", .line = 3}},
      in_e[] = {{.name = "e", .file = "e.inc", .line = 2}}, in_1[] = {{.name = "1", .file = "1.c"}};
  g_autoptr(ProfilePlaces) program = profile_places_new(), kernel = profile_places_new();

  add_place(program, 'b', 0, 1, in_b, G_N_ELEMENTS(in_b));
  add_place(program, 'b', 1, TEST_FUNCTION_SIZE, calls_of_b, G_N_ELEMENTS(calls_of_b));
  add_place(program, 'a', 0, TEST_FUNCTION_SIZE, in_a, G_N_ELEMENTS(in_a));
  add_place(program, 'd', 0, TEST_FUNCTION_SIZE, in_d, G_N_ELEMENTS(in_d));
  add_place(program, 'e', 0, TEST_FUNCTION_SIZE, in_e, G_N_ELEMENTS(in_e));
  profile_places_seal(program);
  profile_places_add(kernel, TEST_KERNEL_BASE + '1' * TEST_FUNCTION_SIZE,
                     TEST_KERNEL_BASE + '2' * TEST_FUNCTION_SIZE, in_1, G_N_ELEMENTS(in_1));
  profile_places_seal(kernel);
  profile_capture_set_places(capture, 0, program);
  profile_capture_set_places(capture, G_MAXUINT32, kernel);
  profile_capture_update_functions(capture);
}

static ProfileCapture *new_capture(void)
{
  ProfileCapture *capture = made_capture_new(&(MadePlan){.samples = samples, .n = G_N_ELEMENTS(samples)});

  add_places(capture);
  return capture;
}

static void append_costs(GString *text, ProfileWeight self, ProfileWeight total)
{
  g_string_append_printf(text, " %" G_GUINT64_FORMAT "/%" G_GUINT64_FORMAT, self.count, total.count);
}

static void append_line(const ProfileFilter *filter, const ProfileAnnotation *annotation,
                        const ProfileAnnotationLine *line, GString *text)
{
  ProfileCapture *capture = profile_filter_get_capture(filter);
  const ProfileAnnotationInlined *inlined = profile_annotation_get_inlined(annotation, line);

  g_string_append_printf(text, " :%u", line->line);
  append_costs(text, line->self, line->total);
  for (guint32 i = 0; i < line->n_inlined; i++) {
    g_string_append_printf(text, " (%s", inlined[i].name);
    if (inlined[i].function != G_MAXUINT32)
      g_assert_cmpstr(profile_capture_get_function_name(capture, inlined[i].function), ==, inlined[i].name);
    append_costs(text, inlined[i].self, inlined[i].total);
    g_string_append_c(text, ')');
  }
}

/* "1/2; b.c 1: :9 1/1 (x 1/1) :10 0/1; - 0/1": self and total of the function, of each line of each file with
 * what was inlined there, and of what has no line. */
static char *describe(const ProfileFilter *filter, guint32 function)
{
  g_autoptr(ProfileAnnotation) annotation = profile_annotation_new(filter, function);
  GString *text = g_string_new(NULL);
  gsize n;
  const ProfileAnnotationFile *files = profile_annotation_get_files(annotation, &n);

  append_costs(text, profile_annotation_get_self(annotation), profile_annotation_get_total(annotation));
  for (gsize i = 0; i < n; i++) {
    const ProfileAnnotationLine *lines = profile_annotation_get_lines(annotation, &files[i]);
    g_string_append_printf(text, "; %s %" G_GUINT64_FORMAT ":", files[i].path, files[i].self.count);
    if (files[i].declared_line > 0)
      g_string_append_printf(text, " from %u", files[i].declared_line);
    for (guint32 k = 0; k < files[i].n_lines; k++)
      append_line(filter, annotation, &lines[k], text);
  }
  g_string_append(text, "; -");
  append_costs(text, profile_annotation_get_self_without_line(annotation),
               profile_annotation_get_total_without_line(annotation));
  return g_string_free(text, FALSE);
}

static void assert_lines(const ProfileFilter *filter, const char *function, const char *expected)
{
  g_autofree char *found = describe(filter, made_capture_find(profile_filter_get_stacks(filter), function));

  g_assert_cmpstr(found, ==, expected);
}

/* A line that is on a stack twice counts once there. What was inlined into b counts where b has it. */
static void test_called(void)
{
  g_autoptr(ProfileCapture) capture = new_capture();
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);

  assert_lines(filter, "b", " 3/4; b.c 3: :9 3/3 (x 3/3) :10 0/3; - 0/0");
  assert_lines(filter, "a", " 0/7; a.c 0: :4 0/7 (d 0/7); - 0/0");
  assert_lines(filter, "e", " 1/1; e.inc 1: :2 1/1; - 0/0");
}

/* Where a function was inlined its lines count as well; inlined in itself, samples count at the inner line.
 */
static void test_inlined(void)
{
  g_autoptr(ProfileCapture) capture = new_capture();
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);

  assert_lines(filter, "x", " 3/3; x.h 3: from 5 :7 3/3 (y 3/3); - 0/0");
  assert_lines(filter, "y", " 3/3; y.h 3: :1 3/3; - 0/0");
  assert_lines(filter, "d", " 2/8; d.c 2: :3 0/8 (d 0/2) :5 2/2; - 0/0");
}

static void test_without_lines(void)
{
  g_autoptr(ProfileCapture) capture = new_capture();
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);

  assert_lines(filter, "c", " 1/1; - 1/1");
  assert_lines(filter, "1", " 1/1; - 1/1");
}

/* The filter and the stacks choose samples; lines are those that were recorded. */
static void test_chosen(void)
{
  g_autoptr(ProfileCapture) capture = new_capture();
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  g_autoptr(ProfileStacks) stacks = profile_stacks_new(capture),
                           recorded = profile_stacks_new_without_inlined(capture);
  ProfileTransform drop = {.kind = PROFILE_TRANSFORM_DROP_FUNCTION,
                           .function = made_capture_find(stacks, "c")};
  ProfileTransform merge = {.kind = PROFILE_TRANSFORM_MERGE_FUNCTION,
                            .function = made_capture_find(stacks, "x")};
  g_autoptr(ProfileStacks) dropped = profile_stacks_transform(stacks, &drop),
                           merged = profile_stacks_transform(stacks, &merge);

  profile_filter_set_stacks(filter, recorded);
  assert_lines(filter, "b", " 3/4; b.c 3: :9 3/3 (x 3/3) :10 0/3; - 0/0");
  profile_filter_set_stacks(filter, merged);
  assert_lines(filter, "b", " 3/4; b.c 3: :9 3/3 (x 3/3) :10 0/3; - 0/0");
  profile_filter_set_stacks(filter, dropped);
  assert_lines(filter, "b", " 3/3; b.c 3: :9 3/3 (x 3/3) :10 0/2; - 0/0");
  profile_filter_add_thread(filter, profile_capture_get_event(capture, 0)->thread[5]);
  assert_lines(filter, "d", " 1/1; d.c 1: :3 0/1 (d 0/1) :5 1/1; - 0/0");
  assert_lines(filter, "b", " 0/0; - 0/0");
}

/* What lines are of time off the CPU is told by its duration. */
static void test_weights(void)
{
  static const MadeSample waits[] = {{.path = "ab", .weight = 5}, {.path = "abc", .weight = 100}};
  g_autoptr(ProfileCapture) capture =
      made_capture_new(&(MadePlan){.samples = waits, .n = G_N_ELEMENTS(waits), .off_cpu = TRUE});
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  gsize n;

  add_places(capture);
  g_autoptr(ProfileAnnotation) annotation =
      profile_annotation_new(filter, made_capture_find(profile_filter_get_stacks(filter), "b"));
  const ProfileAnnotationFile *files = profile_annotation_get_files(annotation, &n);
  g_assert_cmpuint(n, ==, 1);
  const ProfileAnnotationLine *lines = profile_annotation_get_lines(annotation, files);
  g_assert_cmpuint(files->n_lines, ==, 2);
  g_assert_cmpuint(profile_annotation_measure(annotation, lines[0].self), ==, 5);
  g_assert_cmpuint(profile_annotation_measure(annotation, lines[1].total), ==, 100);
  g_assert_cmpuint(profile_annotation_measure(annotation, profile_annotation_get_sum(annotation)), ==, 105);
}

/* A program's own function calls itself; where something was inlined, nobody says where it was called. */
static void test_told(void)
{
  struct {
    struct capture_record_code code;
    struct capture_code_range ranges[2];
  } record = {.code = {.record = {sizeof record, CAPTURE_RECORD_CODE, 2}, .start = TOLD_CODE, .length = 64}};
  TestFile file = test_file_open(1, FALSE);
  ToldStream inside = told_open_stream(&file, CAPTURE_STREAM_SAMPLER, "runtime");
  const guint64 inlined[] = {TOLD_CODE + 16, TOLD_CODE + 16}, before[] = {TOLD_CODE + 1};

  told_define_inside(&inside, 50);
  record.code.process = inside.process;
  record.code.name = told_add_string(&inside, "f");
  record.code.file = told_add_string(&inside, "f.js");
  record.code.line = 9;
  record.code.time = 60;
  record.ranges[0] = (struct capture_code_range){.offset = 4, .line = 10};
  record.ranges[1] = (struct capture_code_range){.offset = 16, .line = 20};
  record.ranges[1].file = told_add_string(&inside, "other.js");
  record.ranges[1].function = told_add_string(&inside, "inner");
  told_define(&inside, &record.code);
  told_add_sample(&inside, 100, inlined, G_N_ELEMENTS(inlined));
  told_add_sample(&inside, 101, before, G_N_ELEMENTS(before));
  told_close_stream(&inside);
  g_autoptr(ProfileCapture) capture = test_file_load(&file, 1000);
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  assert_lines(filter, "f", " 2/2; other.js 1: :20 1/1 (inner 1/1); f.js 0: from 9 :10 0/1; - 1/1");
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/annotation/called", test_called);
  g_test_add_func("/annotation/inlined", test_inlined);
  g_test_add_func("/annotation/without-lines", test_without_lines);
  g_test_add_func("/annotation/chosen", test_chosen);
  g_test_add_func("/annotation/weights", test_weights);
  g_test_add_func("/annotation/told", test_told);
  return g_test_run();
}
