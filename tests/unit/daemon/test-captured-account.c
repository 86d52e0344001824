/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <pwd.h>

#include "daemon/captured-account.h"
#include "daemon/captured-error.h"

#define NOBODY 65534

typedef struct {
  GMainLoop *loop;
  CapturedAccount *account;
  GError *error;
} Loaded;

static void on_loaded(GObject *source, GAsyncResult *result, gpointer user_data)
{
  Loaded *loaded = user_data;

  loaded->account = captured_account_load_finish(result, &loaded->error);
  g_main_loop_quit(loaded->loop);
}

static Loaded load(uid_t uid)
{
  Loaded loaded = {.loop = g_main_loop_new(NULL, FALSE)};

  captured_account_load_async(uid, NULL, on_loaded, &loaded);
  g_main_loop_run(loaded.loop);
  g_main_loop_unref(loaded.loop);
  return loaded;
}

static void test_known(void)
{
  Loaded loaded = load(NOBODY);
  const struct passwd *entry = getpwuid(NOBODY);

  g_assert_nonnull(entry);
  g_assert_no_error(loaded.error);
  g_assert_cmpuint(loaded.account->uid, ==, NOBODY);
  g_assert_cmpuint(loaded.account->gid, ==, entry->pw_gid);
  g_assert_cmpuint(loaded.account->n_groups, >=, 1);
  g_assert_cmpuint(loaded.account->groups[0], ==, entry->pw_gid);
  captured_account_free(loaded.account);
}

static void assert_refused(uid_t uid)
{
  Loaded loaded = load(uid);

  g_assert_null(loaded.account);
  g_assert_error(loaded.error, CAPTURED_ERROR, CAPTURED_ERROR_NOT_PERMITTED);
  g_error_free(loaded.error);
}

static void test_root(void)
{
  assert_refused(0);
}

static void test_unknown(void)
{
  const uid_t unknown = 3999999999;

  g_assert_null(getpwuid(unknown));
  assert_refused(unknown);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/captured/account/known", test_known);
  g_test_add_func("/captured/account/root", test_root);
  g_test_add_func("/captured/account/unknown", test_unknown);
  return g_test_run();
}
