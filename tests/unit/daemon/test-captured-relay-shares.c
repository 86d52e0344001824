/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What senders have while there is too much to do. */
#include "daemon/captured-relay-shares.h"

#define NOW  (10 * G_USEC_PER_SEC)
#define HALF (CAPTURED_RELAY_SHARES_BYTES / 2)

static CapturedRelayShares *make_busy(void)
{
  CapturedRelayShares *shares = g_new0(CapturedRelayShares, 1);

  captured_relay_shares_wait(shares, 100 * G_USEC_PER_SEC, NOW);
  return shares;
}

static gboolean is_busy(CapturedRelayShares *shares, gint64 now)
{
  return !captured_relay_shares_take(shares, ":1.9", G_MAXSIZE, now);
}

/* Waits add up, and are forgotten eight times as slowly, however long they were. */
static void test_patience(void)
{
  g_autofree CapturedRelayShares *shares = g_new0(CapturedRelayShares, 1);

  g_assert_false(is_busy(shares, NOW));
  captured_relay_shares_wait(shares, CAPTURED_RELAY_SHARES_PATIENCE, NOW);
  g_assert_false(is_busy(shares, NOW));
  captured_relay_shares_wait(shares, 1000, NOW);
  g_assert_true(is_busy(shares, NOW));
  g_assert_true(is_busy(shares, NOW + 7000));
  g_assert_false(is_busy(shares, NOW + 8000));
  captured_relay_shares_wait(shares, G_MAXINT32, NOW + 8000);
  g_assert_true(is_busy(shares, NOW + 9000));
  g_assert_false(is_busy(shares, NOW + 2 * G_USEC_PER_SEC));
}

static void test_shares(void)
{
  g_autofree CapturedRelayShares *shares = make_busy();

  g_assert_true(captured_relay_shares_take(shares, ":1.1", HALF, NOW));
  g_assert_true(captured_relay_shares_take(shares, ":1.1", HALF, NOW));
  g_assert_false(captured_relay_shares_take(shares, ":1.1", 1, NOW));
  g_assert_true(captured_relay_shares_take(shares, ":1.2", HALF, NOW));
  /* Who asked for too much has not lost what he has. */
  g_assert_false(captured_relay_shares_take(shares, ":1.2", G_MAXSIZE, NOW));
  g_assert_true(captured_relay_shares_take(shares, ":1.2", HALF, NOW + G_USEC_PER_SEC - 1));
  g_assert_false(captured_relay_shares_take(shares, ":1.1", 1, NOW + G_USEC_PER_SEC - 1));
  g_assert_true(captured_relay_shares_take(shares, ":1.1", 1, NOW + G_USEC_PER_SEC));
}

static void test_many_senders(void)
{
  g_autofree CapturedRelayShares *shares = make_busy();

  for (guint round = 0; round < 2; round++)
    for (guint i = 0; i < CAPTURED_RELAY_SHARES_SENDERS; i++) {
      g_autofree char *name = g_strdup_printf(":1.%u", i);
      g_assert_true(captured_relay_shares_take(shares, name, HALF, NOW));
    }
  g_assert_false(captured_relay_shares_take(shares, ":1.5", 1, NOW));
  g_assert_false(captured_relay_shares_take(shares, "another", 1, NOW));
}

static void test_long_names(void)
{
  g_autofree CapturedRelayShares *shares = make_busy();
  g_autofree char *name = g_strnfill(255, 'a');

  g_assert_true(captured_relay_shares_take(shares, name, 2 * HALF, NOW));
  g_assert_false(captured_relay_shares_take(shares, name, 1, NOW));
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/captured/relay-shares/patience", test_patience);
  g_test_add_func("/captured/relay-shares/shares", test_shares);
  g_test_add_func("/captured/relay-shares/many-senders", test_many_senders);
  g_test_add_func("/captured/relay-shares/long-names", test_long_names);
  return g_test_run();
}
