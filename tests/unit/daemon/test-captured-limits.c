/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-error.h"
#include "daemon/captured-limits.h"

static CapturedClaim *claim_for(CapturedLimits *limits, const char *sender, uid_t user)
{
  g_autoptr(CapturedClaim) claim = captured_limits_claim(limits, sender, NULL);

  g_assert_nonnull(claim);
  g_assert_true(captured_claim_assign(claim, user, NULL));
  return g_steal_pointer(&claim);
}

static void assert_refused(CapturedLimits *limits, const char *sender, uid_t user)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(CapturedClaim) claim = captured_limits_claim(limits, sender, &error);

  if (claim)
    g_assert_false(captured_claim_assign(claim, user, &error));
  g_assert_error(error, CAPTURED_ERROR, CAPTURED_ERROR_LIMIT_EXCEEDED);
}

/* Before anybody knows whose a name is, it has no more than a user has. */
static void test_sender(void)
{
  g_autoptr(CapturedLimits) limits = captured_limits_new();
  g_autoptr(GPtrArray) claims = g_ptr_array_new_with_free_func((GDestroyNotify)captured_claim_free);

  for (guint i = 0; i < CAPTURED_SESSIONS_PER_USER_MAX; i++)
    g_ptr_array_add(claims, captured_limits_claim(limits, ":1.1", NULL));
  assert_refused(limits, ":1.1", 1000);
  captured_claim_free(claim_for(limits, ":1.2", 1000));
  g_ptr_array_remove_index(claims, 0);
  captured_claim_free(claim_for(limits, ":1.1", 1000));
}

static void test_user(void)
{
  g_autoptr(CapturedLimits) limits = captured_limits_new();
  g_autoptr(GPtrArray) claims = g_ptr_array_new_with_free_func((GDestroyNotify)captured_claim_free);

  for (guint i = 0; i < CAPTURED_SESSIONS_PER_USER_MAX; i++) {
    g_autofree char *sender = g_strdup_printf(":1.%u", i);
    g_ptr_array_add(claims, claim_for(limits, sender, 1000));
  }
  assert_refused(limits, ":1.99", 1000);
  captured_claim_free(claim_for(limits, ":1.99", 1001));
  g_ptr_array_remove_index(claims, 0);
  captured_claim_free(claim_for(limits, ":1.99", 1000));
}

static void test_all(void)
{
  g_autoptr(CapturedLimits) limits = captured_limits_new();
  g_autoptr(GPtrArray) claims = g_ptr_array_new_with_free_func((GDestroyNotify)captured_claim_free);

  for (guint i = 0; i < CAPTURED_SESSIONS_MAX; i++) {
    g_autofree char *sender = g_strdup_printf(":1.%u", i);
    g_ptr_array_add(claims, claim_for(limits, sender, i));
  }
  assert_refused(limits, ":1.99", 1000);
  g_ptr_array_remove_index(claims, 0);
  captured_claim_free(claim_for(limits, ":1.99", 1000));
}

/* Four users who take all they get leave places for others. */
static void test_share(void)
{
  g_autoptr(CapturedLimits) limits = captured_limits_new();
  g_autoptr(GPtrArray) claims = g_ptr_array_new_with_free_func((GDestroyNotify)captured_claim_free);

  for (guint i = 0; i < 4 * CAPTURED_SESSIONS_PER_USER_MAX; i++) {
    g_autofree char *sender = g_strdup_printf(":1.%u", i);
    g_autoptr(CapturedClaim) claim = captured_limits_claim(limits, sender, NULL);

    if (captured_claim_assign(claim, i / CAPTURED_SESSIONS_PER_USER_MAX, NULL))
      g_ptr_array_add(claims, g_steal_pointer(&claim));
  }
  assert_refused(limits, ":1.99", 3);
  captured_claim_free(claim_for(limits, ":1.99", 1000));
}

/* A refused claim is worth nothing, and gives nothing back that it did not have. */
static void test_thousand(void)
{
  g_autoptr(CapturedLimits) limits = captured_limits_new();
  g_autoptr(GPtrArray) claims = g_ptr_array_new_with_free_func((GDestroyNotify)captured_claim_free);

  for (guint i = 0; i < 1000; i++) {
    g_autofree char *sender = g_strdup_printf(":1.%u", i % 250);
    g_autoptr(CapturedClaim) claim = captured_limits_claim(limits, sender, NULL);

    if (claim && captured_claim_assign(claim, i % 3, NULL))
      g_ptr_array_add(claims, g_steal_pointer(&claim));
  }
  g_assert_cmpuint(claims->len, ==, 3 * CAPTURED_SESSIONS_PER_USER_MAX);
}

static void test_description(void)
{
  g_autoptr(GVariant) described = g_variant_ref_sink(captured_limits_describe());
  guint64 value;

  g_assert_cmpstr(g_variant_get_type_string(described), ==, "a{st}");
  g_assert_true(g_variant_lookup(described, "sessions-per-user", "t", &value));
  g_assert_cmpuint(value, ==, 4);
  g_assert_true(g_variant_lookup(described, "window-bytes", "t", &value));
  g_assert_cmpuint(value, ==, 64 << 20);
  g_assert_true(g_variant_lookup(described, "window-bytes-in-all", "t", &value));
  g_assert_cmpuint(value, ==, 256 << 20);
  g_assert_cmpuint(g_variant_n_children(described), ==, 6);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/captured/limits/sender", test_sender);
  g_test_add_func("/captured/limits/user", test_user);
  g_test_add_func("/captured/limits/all", test_all);
  g_test_add_func("/captured/limits/share", test_share);
  g_test_add_func("/captured/limits/thousand", test_thousand);
  g_test_add_func("/captured/limits/description", test_description);
  return g_test_run();
}
