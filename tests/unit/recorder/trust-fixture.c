/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trust-fixture.h"

#include <grp.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "tests/unit/socket-in-child.h"

static char *built(const char *directory, const char *name)
{
  return g_build_filename(g_getenv("CAPTURE_BUILDDIR"), directory, name, NULL);
}

char *trust_target_program(void)
{
  return built("tests/unit/recorder", "recorder-target");
}

static pid_t spawn(char **argv, GSpawnChildSetupFunc prepare, gpointer data)
{
  GPid pid;
  g_autoptr(GError) error = NULL;
  g_spawn_async("/", argv, NULL,
                G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_LEAVE_DESCRIPTORS_OPEN | G_SPAWN_SEARCH_PATH, prepare,
                data, &pid, &error);
  g_assert_no_error(error);
  return pid;
}

/* As a login does it: nothing of root's is left when the program is executed. */
static void become_user(gpointer data)
{
  guint user = GPOINTER_TO_UINT(data);
  if (setgroups(0, NULL) < 0 || setresgid(user, user, user) < 0 || setresuid(user, user, user) < 0)
    _exit(1);
}

pid_t trust_target(guint user, const char *program, const char *word, const char *argument, const char *more)
{
  g_autofree char *usual = trust_target_program();
  const char *path = program != NULL ? program : usual;
  char *argv[] = {(char *)path, (char *)word, (char *)argument, (char *)more, NULL};
  pid_t pid = spawn(argv, become_user, GUINT_TO_POINTER(user));
  g_autofree char *name = g_path_get_basename(path);
  trust_await_name(pid, name);
  return pid;
}

void trust_await_name(pid_t pid, const char *name)
{
  g_autofree char *wanted = g_strndup(name, 15);
  for (;;) {
    g_autofree char *is = trust_status(pid, "Name");
    g_assert_nonnull(is);
    if (strcmp(is, wanted) == 0)
      return;
    g_usleep(1000);
  }
}

void trust_await_hidden(pid_t pid)
{
  g_autofree char *path = g_strdup_printf("/proc/%d/status", pid);
  GStatBuf status;
  do {
    g_usleep(1000);
    g_assert_cmpint(g_stat(path, &status), ==, 0);
  } while (status.st_uid != 0);
}

void trust_end(pid_t pid)
{
  kill(pid, SIGKILL);
  g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
}

pid_t trust_opener(guint user, const char *capabilities, int *ret_socket)
{
  int pair[2];
  g_autofree char *program = built("helpers/opener", "capture-opener");
  g_auto(GStrv) argv = recorder_client_command_as(user, capabilities, program, "3");
  g_assert_cmpint(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), ==, 0);
  pid_t pid = spawn(argv, move_socket, GINT_TO_POINTER(pair[1]));
  close(pair[1]);
  *ret_socket = pair[0];
  return pid;
}

char *trust_copy(const char *source, guint owner, guint mode)
{
  g_autofree char *directory = g_dir_make_tmp("capture-trust-XXXXXX", NULL);
  g_autofree char *bytes = NULL;
  gsize size;
  g_assert_cmpint(chmod(directory, 0755), ==, 0);
  char *path = g_build_filename(directory, "trusted-copy", NULL);
  g_assert_true(g_file_get_contents(source, &bytes, &size, NULL));
  g_assert_true(g_file_set_contents(path, bytes, (gssize)size, NULL));
  g_assert_cmpint(chown(path, owner, owner), ==, 0);
  g_assert_cmpint(chmod(path, mode), ==, 0);
  return path;
}

void trust_remove(const char *copy)
{
  g_autofree char *directory = g_path_get_dirname(copy);
  g_unlink(copy);
  g_assert_cmpint(g_rmdir(directory), ==, 0);
}

void trust_begin_own(struct recorder_client *client, struct recorder_configure *configure, pid_t target,
                     int opener)
{
  recorder_client_start_as(client, TRUST_SERVICE, TRUST_OWN_RIGHTS, NULL);
  if (!recorder_client_configure_own(client, configure, &target, 1, opener))
    g_error("%s", client->ended.text);
  recorder_client_begin(client);
}

void trust_collect(struct recorder_client *client, guint samples)
{
  while (!client->has_ended && client->status.samples < samples)
    recorder_client_collect(client, 100);
}

char *trust_status(pid_t pid, const char *field)
{
  g_autofree char *path = g_strdup_printf("/proc/%d/status", pid), *text = NULL;
  if (!g_file_get_contents(path, &text, NULL, NULL))
    return NULL;
  g_autofree char *begin = g_strdup_printf("%s:", field);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    if (g_str_has_prefix(lines[i], begin))
      return g_strdup(g_strstrip(lines[i] + strlen(begin)));
  return NULL;
}

/* Not those of the last page: small negative numbers. */
static gboolean is_kernel_word(guint64 word)
{
  return word >= G_GUINT64_CONSTANT(0xffff800000000000) && word < G_GUINT64_CONSTANT(0xffffffffff000000);
}

guint trust_count_kernel_words(const struct loaded *loaded)
{
  guint count = 0;
  for (guint i = 0; i < loaded->records->len; i++) {
    const struct capture_record *record = g_array_index(loaded->records, struct loaded_record, i).record;
    for (guint at = 0; record->type != CAPTURE_RECORD_STRING && at + 8 <= record->size; at += 8)
      count += is_kernel_word(*(const guint64 *)(const void *)((const char *)record + at));
  }
  return count;
}

gboolean trust_knows_binary(const struct loaded *loaded, const char *suffix)
{
  for (guint i = 0; i < loaded->records->len; i++) {
    const struct loaded_record *noted = &g_array_index(loaded->records, struct loaded_record, i);
    const struct capture_record_binary *binary = (const struct capture_record_binary *)noted->record;
    if (noted->record->type == CAPTURE_RECORD_BINARY &&
        g_str_has_suffix(loaded_string(loaded, noted->epoch, binary->path), suffix))
      return TRUE;
  }
  return FALSE;
}
