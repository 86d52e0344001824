/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ledger of stacks against counting by hand. */
#include "profile/capture/ledger.h"

#include "tests/unit/profile/capture-fixture.h"

typedef struct {
  TestCapture made;
  ProfileLedger *ledger;
} Fixture;

static const TestPlan plans[] = {
    {.n_samples = 3000, .n_streams = 1, .epochs = 1, .seed = 21},
    {.n_samples = 3000, .n_streams = 3, .epochs = 2, .compress = TRUE, .seed = 22},
};

static void set_up(Fixture *fixture, gconstpointer plan)
{
  test_capture_set_up(&fixture->made, plan);
  fixture->ledger = profile_ledger_new(fixture->made.capture);
}

static void tear_down(Fixture *fixture, gconstpointer plan)
{
  profile_ledger_free(fixture->ledger);
  test_capture_tear_down(&fixture->made, plan);
}

/* Of samples with that outcome, those whose user stack ends in that binary, or of any stack when it is "". */
static guint64 count(const Fixture *fixture, guint outcome, const char *end)
{
  guint64 n = 0;

  for (guint i = 0; i < fixture->made.samples->len; i++) {
    const TestSample *sample = test_capture_get_sample(&fixture->made, i);
    guint said = sample->outcome & ~CAPTURE_OUTCOME_BY_FRAME_POINTERS;
    guint known = said < PROFILE_OUTCOMES ? said : CAPTURE_OUTCOME_UNKNOWN;
    n += known == outcome && (g_strcmp0(end, "") == 0 || g_strcmp0(end, sample->end) == 0);
  }
  return n;
}

static void test_outcomes(Fixture *fixture, gconstpointer plan)
{
  static const guint with_stack[] = {CAPTURE_OUTCOME_COMPLETE,   CAPTURE_OUTCOME_FRAME_POINTERS,
                                     CAPTURE_OUTCOME_TRUNCATED,  CAPTURE_OUTCOME_NO_TABLE,
                                     CAPTURE_OUTCOME_UNREADABLE, CAPTURE_OUTCOME_NOT_RESIDENT,
                                     CAPTURE_OUTCOME_BAD_FRAME,  CAPTURE_OUTCOME_UNSUPPORTED,
                                     CAPTURE_OUTCOME_LOST,       CAPTURE_OUTCOME_LATE};
  guint64 stacks = 0;

  for (guint i = 0; i < PROFILE_OUTCOMES; i++)
    g_assert_cmpuint(profile_ledger_get_samples(fixture->ledger, i), ==, count(fixture, i, ""));
  for (guint i = 0; i < G_N_ELEMENTS(with_stack); i++)
    stacks += count(fixture, with_stack[i], "");
  g_assert_cmpuint(profile_ledger_get_stacks(fixture->ledger), ==, stacks);
}

/* They are complete, but not proven throughout. */
static void test_by_frame_pointers(Fixture *fixture, gconstpointer plan)
{
  guint64 partly = 0;

  for (guint i = 0; i < fixture->made.samples->len; i++)
    partly += test_capture_get_sample(&fixture->made, i)->outcome ==
              (CAPTURE_OUTCOME_COMPLETE | CAPTURE_OUTCOME_BY_FRAME_POINTERS);
  g_assert_cmpuint(partly, >, 0);
  g_assert_cmpuint(profile_ledger_get_by_frame_pointers(fixture->ledger), ==, partly);
}

static const char *get_end(const Fixture *fixture, const ProfileLedgerEntry *entry)
{
  guint n;

  g_assert_cmpuint(entry->binary, !=, PROFILE_LEDGER_NO_FILE);
  if (entry->binary == PROFILE_LEDGER_NO_FRAME)
    return NULL;
  const ProfileBinary *binaries = profile_capture_get_binaries(fixture->made.capture, &n);
  g_assert_cmpuint(entry->binary, <, n);
  return binaries[entry->binary].path;
}

static void test_entries(Fixture *fixture, gconstpointer plan)
{
  guint64 most = G_MAXUINT64, sum = 0;
  gsize n;
  const ProfileLedgerEntry *entries = profile_ledger_get_entries(fixture->ledger, &n);

  /* Nine outcomes are not complete; stacks end in either binary or are none. */
  g_assert_cmpuint(n, ==, 9 * 3);
  for (gsize i = 0; i < n; i++) {
    g_assert_cmpuint(entries[i].samples, ==,
                     count(fixture, entries[i].outcome, get_end(fixture, &entries[i])));
    g_assert_cmpuint(entries[i].samples, <=, most);
    most = entries[i].samples;
    sum += most;
  }
  g_assert_cmpuint(sum + count(fixture, CAPTURE_OUTCOME_COMPLETE, ""), ==,
                   profile_ledger_get_stacks(fixture->ledger));
}

static void test_names(void)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

  for (guint i = 0; i < PROFILE_OUTCOMES; i++)
    g_assert_true(g_hash_table_add(seen, (gpointer)profile_outcome_get_name(i)));
  g_assert_cmpstr(profile_outcome_get_name(CAPTURE_OUTCOME_LOST), ==, "lost");
  g_assert_cmpstr(profile_outcome_get_name(CAPTURE_OUTCOME_NO_TABLE), ==, "no-table");
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS(plans); i++) {
    g_autofree char *outcomes = g_strdup_printf("/ledger/outcomes/%u", i);
    g_autofree char *entries = g_strdup_printf("/ledger/entries/%u", i);
    g_test_add(outcomes, Fixture, &plans[i], set_up, test_outcomes, tear_down);
    g_autofree char *partly = g_strdup_printf("/ledger/by-frame-pointers/%u", i);
    g_test_add(entries, Fixture, &plans[i], set_up, test_entries, tear_down);
    g_test_add(partly, Fixture, &plans[i], set_up, test_by_frame_pointers, tear_down);
  }
  g_test_add_func("/ledger/names", test_names);
  return g_test_run();
}
