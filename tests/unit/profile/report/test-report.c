/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports as text, each line of them. */
#include "profile/report/report.h"

#include <locale.h>
#include <string.h>

#include "profile/views/function-name.h"
#include "tests/unit/profile/made-capture.h"

static const MadeSample samples[] = {
    {.path = "ab"}, {.path = "abc1"}, {.path = "abc1"}, {.path = "aD"}, {.path = "xbc"}, {.path = ""},
};

static ProfileCapture *make(gboolean off_cpu)
{
  const MadePlan plan = {.samples = samples, .n = G_N_ELEMENTS(samples), .off_cpu = off_cpu};

  return made_capture_new(&plan);
}

/* What is written of the capture; NULL with *error set. */
static char *write_report(ProfileCapture *capture, ProfileReport report, GError **error)
{
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  g_autoptr(GOutputStream) stream = g_memory_output_stream_new_resizable();
  GMemoryOutputStream *memory = G_MEMORY_OUTPUT_STREAM(stream);

  report.path = "some\x1b[31m.capture";
  report.filter = filter;
  if (!profile_report_write(&report, stream, NULL, error)) {
    g_assert_cmpuint(g_memory_output_stream_get_data_size(memory), ==, 0);
    return NULL;
  }
  return g_strndup(g_memory_output_stream_get_data(memory), g_memory_output_stream_get_data_size(memory));
}

/* The report ends with that. */
static void assert_end(ProfileReport report, const char *end)
{
  g_autoptr(ProfileCapture) capture = make(FALSE);
  g_autoptr(GError) error = NULL;
  g_autofree char *text = write_report(capture, report, &error);

  g_assert_no_error(error);
  g_assert_true(g_str_has_prefix(text, "Capture   some\357\277\275[31m.capture\n"));
  g_assert_cmpuint(strlen(text), >, strlen(end));
  g_assert_cmpstr(text + strlen(text) - strlen(end), ==, end);
}

static void test_list(void)
{
  assert_end((ProfileReport){.limit = 30}, "    Self   Samples   Total   Samples  Binary    Function\n"
                                           "  33.33%         2  33.33%         2  [kernel]  [k] 1\n"
                                           "  16.67%         1  66.67%         4  program   b\n"
                                           "  16.67%         1  50.00%         3  program   c\n"
                                           "   0.00%         0  66.67%         4  program   a\n"
                                           "3 rows below the limit are left out; --limit=0 shows all.\n");
}

static void test_tree(void)
{
  assert_end((ProfileReport){.limit = -1, .tree = PROFILE_REPORT_TOP_DOWN},
             "   Total   Samples    Self  Call tree\n"
             " 100.00%         6  16.67%  all\n"
             "  66.67%         4   0.00%  ├─ a  (program)\n"
             "  50.00%         3  16.67%  │  ├─ b\n"
             "  33.33%         2   0.00%  │  │  └─ c\n"
             "  33.33%         2  33.33%  │  │     └─ [k] 1  ([kernel])\n"
             "  16.67%         1  16.67%  │  └─ D  (libsome.so.1)\n"
             "  16.67%         1   0.00%  └─ x  (program)\n"
             "  16.67%         1   0.00%     └─ b\n"
             "  16.67%         1  16.67%        └─ c\n");
}

static void test_bottom_up(void)
{
  assert_end((ProfileReport){.limit = 30, .tree = PROFILE_REPORT_BOTTOM_UP},
             "   Total   Samples    Self  Call tree, bottom-up\n"
             " 100.00%         6  16.67%  all\n"
             "  33.33%         2   0.00%  └─ [k] 1  ([kernel])\n"
             "  33.33%         2   0.00%     └─ c  (program)\n"
             "  33.33%         2   0.00%        └─ b\n"
             "  33.33%         2  33.33%           └─ a\n");
}

static void test_callers(void)
{
  assert_end((ProfileReport){.limit = -1, .tree = PROFILE_REPORT_CALLERS, .function = "c"},
             "   Total   Samples    Self  Callers\n"
             "  50.00%         3   0.00%  c  (program)\n"
             "  50.00%         3   0.00%  └─ b\n"
             "  33.33%         2  33.33%     ├─ a\n"
             "  16.67%         1  16.67%     └─ x\n");
}

static void test_events(void)
{
  assert_end((ProfileReport){.limit = -1, .by = PROFILE_REPORT_EVENT}, "   Samples    Weight  Event\n"
                                                                       "         6      6 ns  cpu-clock\n");
}

/* Nothing is written of a report that cannot be had. */
static void test_no_such_function(void)
{
  g_autoptr(ProfileCapture) capture = make(FALSE);
  g_autoptr(GError) error = NULL;
  g_autofree char *text =
      write_report(capture, (ProfileReport){.tree = PROFILE_REPORT_CALLEES, .function = "none"}, &error);

  g_assert_null(text);
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
  g_assert_nonnull(strstr(error->message, "“none”"));
}

/* Time off the CPU is told as time. */
static void test_time(void)
{
  g_autoptr(ProfileCapture) capture = make(TRUE);
  g_autofree char *text = write_report(capture, (ProfileReport){.limit = -1}, NULL);

  g_assert_nonnull(strstr(text, "\n    Self      Time   Total      Time  Binary"));
  g_assert_nonnull(strstr(text, "2 ns"));
}

static void test_cancelled(void)
{
  g_autoptr(ProfileCapture) capture = make(FALSE);
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  g_autoptr(GOutputStream) stream = g_memory_output_stream_new_resizable();
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_autoptr(GError) error = NULL;
  const ProfileReport report = {.path = "some", .filter = filter, .tree = PROFILE_REPORT_TOP_DOWN};

  g_cancellable_cancel(cancellable);
  g_assert_false(profile_report_write(&report, stream, cancellable, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static void test_names(void)
{
  g_autoptr(ProfileCapture) capture = make(FALSE);
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  g_autoptr(ProfileWeights) weights = profile_weights_new(filter);
  ProfileStacks *stacks = profile_weights_get_stacks(weights);
  guint32 kernel = made_capture_find(stacks, "1");

  g_assert_cmpuint(profile_function_name_find(weights, "b"), ==, made_capture_find(stacks, "b"));
  g_assert_cmpuint(profile_function_name_find(weights, "1_[k]"), ==, kernel);
  g_assert_cmpuint(profile_function_name_find(weights, "b_[k]"), ==, G_MAXUINT32);
  g_assert_cmpuint(profile_function_name_find(weights, "none"), ==, G_MAXUINT32);
  g_assert_true(profile_function_name_matches(stacks, kernel, "1"));
  g_assert_false(profile_function_name_matches(stacks, kernel, ""));
}

int main(int argc, char **argv)
{
  setlocale(LC_ALL, "C.UTF-8");
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/profile/report/list", test_list);
  g_test_add_func("/profile/report/tree", test_tree);
  g_test_add_func("/profile/report/bottom-up", test_bottom_up);
  g_test_add_func("/profile/report/callers", test_callers);
  g_test_add_func("/profile/report/events", test_events);
  g_test_add_func("/profile/report/no-such-function", test_no_such_function);
  g_test_add_func("/profile/report/time", test_time);
  g_test_add_func("/profile/report/cancelled", test_cancelled);
  g_test_add_func("/profile/report/names", test_names);
  return g_test_run();
}
