/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where names are missing, against walking up the stack of each sample. */
#include "profile/naming/missing-names.h"

#include "tests/unit/profile/capture-fixture.h"

static const TestPlan plan = {.n_samples = 3000, .n_streams = 2, .epochs = 2, .seed = 31};

static void forget_names(const TestCapture *fixture, guint32 binary, enum capture_naming status)
{
  g_autoptr(ProfileFunctionTable) table = profile_function_table_new(status);

  profile_function_table_seal(table);
  profile_capture_set_table(fixture->capture, binary, table);
  profile_capture_update_functions(fixture->capture);
}

/* Samples whose stack holds a function in that binary (G_MAXUINT32: in the kernel), named or not. */
static guint64 count_functions(const TestCapture *fixture, guint32 binary, gboolean named)
{
  const guint32 *parent, *frame, *functions = profile_capture_get_node_functions(fixture->capture);
  gsize n, n_functions;
  const ProfileFunction *all = profile_capture_get_functions(fixture->capture, &n_functions);
  const ProfileEvent *event = profile_capture_get_event(fixture->capture, 0);
  guint64 found = 0;

  profile_capture_get_nodes(fixture->capture, &parent, &frame, &n);
  for (gsize i = 0; i < event->n_samples; i++)
    for (guint32 node = event->leaf[i]; node; node = parent[node])
      if ((named || !all[functions[node]].range) && all[functions[node]].binary == binary &&
          (!named || all[functions[node]].kind == CAPTURE_SPACE_BINARY)) {
        found++;
        break;
      }
  return found;
}

static guint64 count(const TestCapture *fixture, guint32 binary)
{
  return count_functions(fixture, binary, FALSE);
}

static void test_none(TestCapture *fixture, gconstpointer data)
{
  g_autoptr(ProfileMissingNames) missing = profile_missing_names_new(fixture->capture);
  guint n;

  profile_missing_names_get_entries(missing, &n);
  g_assert_cmpuint(n, ==, 0);
}

static void test_reasons(TestCapture *fixture, gconstpointer data)
{
  static const struct {
    enum capture_naming status;
    ProfileMissingReason reason;
  } cases[] = {{CAPTURE_NAMING_SYMBOLS, PROFILE_MISSING_UNCOVERED},
               {CAPTURE_NAMING_DYNAMIC, PROFILE_MISSING_STRIPPED},
               {CAPTURE_NAMING_NONE, PROFILE_MISSING_SYMBOLS},
               {CAPTURE_NAMING_UNREADABLE, PROFILE_MISSING_UNREADABLE},
               {CAPTURE_NAMING_HIDDEN, PROFILE_MISSING_HIDDEN}};

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    guint n;
    forget_names(fixture, 1, cases[i].status);
    g_autoptr(ProfileMissingNames) missing = profile_missing_names_new(fixture->capture);
    const ProfileMissingEntry *entries = profile_missing_names_get_entries(missing, &n);
    g_assert_cmpuint(n, ==, 1);
    g_assert_cmpuint(entries->binary, ==, 1);
    g_assert_cmpint(entries->reason, ==, cases[i].reason);
    g_assert_cmpuint(entries->samples, >, 0);
    g_assert_cmpuint(entries->samples, ==, count(fixture, 1));
  }
}

static void test_all(TestCapture *fixture, gconstpointer data)
{
  guint64 most = G_MAXUINT64;
  guint n;

  forget_names(fixture, 0, CAPTURE_NAMING_DYNAMIC);
  forget_names(fixture, 1, CAPTURE_NAMING_NONE);
  forget_names(fixture, G_MAXUINT32, CAPTURE_NAMING_HIDDEN);
  g_autoptr(ProfileMissingNames) missing = profile_missing_names_new(fixture->capture);
  const ProfileMissingEntry *entries = profile_missing_names_get_entries(missing, &n);
  g_assert_cmpuint(n, ==, 3);
  for (guint i = 0; i < n; i++) {
    g_assert_cmpuint(entries[i].samples, ==, count(fixture, entries[i].binary));
    g_assert_cmpuint(entries[i].samples, <=, most);
    most = entries[i].samples;
    if (entries[i].binary == PROFILE_MISSING_KERNEL)
      g_assert_cmpstr(profile_missing_names_get_binary(fixture->capture, &entries[i]), ==, "[kernel]");
  }
}

/* Until something is known of one binary each has none. */
static void test_lines(TestCapture *fixture, gconstpointer data)
{
  const ProfilePlaceFrame frame = {.name = "some", .file = "some.c", .line = 1};
  guint n, n_binaries;

  profile_capture_get_binaries(fixture->capture, &n_binaries);
  g_autoptr(ProfileMissingNames) before = profile_missing_lines_new(fixture->capture);
  const ProfileMissingEntry *entries = profile_missing_names_get_entries(before, &n);
  g_assert_cmpuint(n, ==, n_binaries);
  for (guint i = 0; i < n; i++) {
    g_assert_cmpint(entries[i].reason, ==, PROFILE_MISSING_LINES);
    g_assert_cmpuint(entries[i].samples, ==, count_functions(fixture, entries[i].binary, TRUE));
  }
  g_autoptr(ProfilePlaces) places = profile_places_new();
  profile_places_add(places, 0, 1, &frame, 1);
  profile_places_seal(places);
  profile_capture_set_places(fixture->capture, 1, places);
  profile_capture_update_functions(fixture->capture);
  g_autoptr(ProfileMissingNames) after = profile_missing_lines_new(fixture->capture);
  entries = profile_missing_names_get_entries(after, &n);
  g_assert_cmpuint(n, ==, n_binaries - 1);
  for (guint i = 0; i < n; i++)
    g_assert_cmpuint(entries[i].binary, !=, 1);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add("/missing-names/none", TestCapture, &plan, test_capture_set_up, test_none,
             test_capture_tear_down);
  g_test_add("/missing-names/reasons", TestCapture, &plan, test_capture_set_up, test_reasons,
             test_capture_tear_down);
  g_test_add("/missing-names/all", TestCapture, &plan, test_capture_set_up, test_all, test_capture_tear_down);
  g_test_add("/missing-names/lines", TestCapture, &plan, test_capture_set_up, test_lines,
             test_capture_tear_down);
  return g_test_run();
}
