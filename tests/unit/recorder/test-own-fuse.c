/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs on a file system that the caller serves himself: stacks of these, too, and no way to hold up the
 * recorder. */
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuse-file.h"
#include "trust-fixture.h"

static void record(gboolean hangs, struct recorder_ended *ret, gint *ret_flushes)
{
  struct recorder_client client;
  struct fuse_file file;
  int socket;
  g_autofree char *program = trust_target_program();
  g_autofree struct recorder_configure *configure =
      recorder_client_configuration(RECORDER_USER_STACKS | RECORDER_OWN, "cpu-clock", 1000);
  configure->unwind = RECORDER_UNWIND_BPF;
  fuse_file_mount(&file, TRUST_CALLER, program, hangs);
  pid_t target = trust_target(TRUST_CALLER, file.path, "spin", "60", NULL);
  pid_t opener = trust_opener(TRUST_CALLER, "ipc_lock", &socket);
  trust_begin_own(&client, configure, target, socket);
  close(socket);
  trust_collect(&client, 500);
  g_assert_cmpint(recorder_client_stop(&client), ==, 0);
  *ret = client.ended;
  recorder_client_clear(&client);
  *ret_flushes = g_atomic_int_get(&file.flushes);
  trust_end(target);
  fuse_file_unmount(&file);
  g_assert_cmpint(waitpid(opener, NULL, 0), ==, opener);
}

/* As an AppImage is one. */
static void test_answering(void)
{
  struct recorder_ended ended;
  gint flushes;
  record(FALSE, &ended, &flushes);
  g_assert_cmpint(ended.error, ==, 0);
  g_assert_cmpuint(ended.status.samples, >, 100);
  g_assert_cmpuint(ended.status.outcomes[CAPTURE_OUTCOME_COMPLETE], >, ended.status.samples / 2);
}

/* The opener waits for ever; the recorder ends when it is told to. */
static void test_hanging(void)
{
  struct recorder_ended ended;
  gint flushes;
  record(TRUE, &ended, &flushes);
  g_assert_cmpint(ended.error, ==, 0);
  g_assert_cmpuint(ended.status.samples, >, 100);
  g_assert_cmpint(flushes, >, 0);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/recorder/own/fuse/answering", test_answering);
  g_test_add_func("/recorder/own/fuse/hanging", test_hanging);
  return g_test_run();
}
