/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sessions of the caller's own processes: what is recorded, what is refused, what never gets into the stream.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "trust-fixture.h"

#define OWN (RECORDER_USER_STACKS | RECORDER_CHILDREN | RECORDER_OWN)

struct own {
  struct recorder_client client;
  struct loaded loaded;
  pid_t target;
  pid_t opener;
  int socket;
};

static const struct loaded_sample *sample_at(const struct loaded *loaded, guint index)
{
  return &g_array_index(loaded->samples, struct loaded_sample, index);
}

static void own_begin(struct own *own, uint32_t flags, uint32_t unwind, const char *word,
                      const char *argument, const char *more)
{
  g_autofree struct recorder_configure *configure = recorder_client_configuration(flags, "cpu-clock", 1000);
  configure->unwind = unwind;
  own->target = trust_target(TRUST_CALLER, NULL, word, argument, more);
  own->opener = trust_opener(TRUST_CALLER, "ipc_lock", &own->socket);
  trust_begin_own(&own->client, configure, own->target, own->socket);
  close(own->socket);
}

static void own_finish(struct own *own)
{
  g_assert_cmpint(recorder_client_stop(&own->client), ==, 0);
  g_assert_cmpint(own->client.ended.error, ==, 0);
  loaded_read(&own->loaded, own->client.file_fd);
  recorder_client_clear(&own->client);
  trust_end(own->target);
  /* Nobody holds the other end any more. */
  int status;
  g_assert_cmpint(waitpid(own->opener, &status, 0), ==, own->opener);
}

/* Whether by frame pointers or not. */
static guint count_outcome(const struct loaded *loaded, guint outcome)
{
  guint count = 0;
  for (guint i = 0; i < loaded->samples->len; i++)
    count += (sample_at(loaded, i)->outcome & ~CAPTURE_OUTCOME_BY_FRAME_POINTERS) == outcome;
  return count;
}

static void assert_outcomes_told(const struct own *own)
{
  const struct recorder_status *status = &own->client.ended.status;
  guint64 sum = 0;
  for (guint i = 0; i < RECORDER_OUTCOMES; i++) {
    g_assert_cmpuint(status->outcomes[i], ==, count_outcome(&own->loaded, i));
    sum += status->outcomes[i];
  }
  g_assert_cmpuint(sum, ==, status->samples);
}

static void assert_named(const struct own *own)
{
  const struct loaded_sample *sample = sample_at(&own->loaded, 0);
  const struct capture_record_process *process = loaded_process(&own->loaded, sample);
  const struct capture_record_thread *thread = loaded_thread(&own->loaded, sample);
  g_assert_cmpstr(loaded_string(&own->loaded, sample->epoch, process->name), ==, "recorder-target");
  g_assert_cmpstr(loaded_string(&own->loaded, sample->epoch, thread->name), ==, "recorder-target");
  g_assert_true(g_str_has_suffix(loaded_string(&own->loaded, sample->epoch, process->command_line),
                                 "recorder-target spin 60"));
}

/* Also run where /proc hides others' processes. */
static void test_spin(gconstpointer data)
{
  struct own own;
  guint unwind = GPOINTER_TO_UINT(data);
  own_begin(&own, OWN, unwind, "spin", "60", NULL);
  g_assert_cmpuint(own.client.ready.unwind, ==, unwind);
  g_assert_cmpstr(own.client.ready.notes, ==, "");
  trust_collect(&own.client, 300);
  g_assert_cmpuint(own.client.status.samples, >, 0);
  g_assert_cmpuint(own.client.status.outcomes[CAPTURE_OUTCOME_COMPLETE] +
                       own.client.status.outcomes[CAPTURE_OUTCOME_FRAME_POINTERS],
                   >, 0);
  own_finish(&own);
  g_assert_cmpuint(own.loaded.samples->len, >, 100);
  g_assert_cmpuint(loaded_count_pid(&own.loaded, own.target), ==, own.loaded.samples->len);
  g_assert_true(trust_knows_binary(&own.loaded, "recorder-target"));
  assert_named(&own);
  guint best =
      unwind == RECORDER_UNWIND_FRAME_POINTERS ? CAPTURE_OUTCOME_FRAME_POINTERS : CAPTURE_OUTCOME_COMPLETE;
  g_assert_cmpuint(count_outcome(&own.loaded, best), >=, own.loaded.samples->len * 95 / 100);
  assert_outcomes_told(&own);
  loaded_clear(&own.loaded);
}

/* Half of its samples are taken in the kernel: they are there, with their user stack, and nothing else. */
static void test_kernel(gconstpointer data)
{
  struct own own;
  guint in_kernel = 0, with_stack = 0;
  own_begin(&own, OWN | RECORDER_KERNEL_STACKS, GPOINTER_TO_UINT(data), "system", "60", NULL);
  trust_collect(&own.client, 300);
  own_finish(&own);
  for (guint i = 0; i < own.loaded.samples->len; i++) {
    g_autoptr(GArray) stack = loaded_stack(&own.loaded, sample_at(&own.loaded, i));
    for (guint frame = 0; frame < stack->len; frame++)
      g_assert_cmpuint(g_array_index(stack, struct loaded_frame, frame).kind, !=, CAPTURE_SPACE_KERNEL);
    in_kernel += sample_at(&own.loaded, i)->mode == CAPTURE_MODE_KERNEL;
    with_stack += sample_at(&own.loaded, i)->mode == CAPTURE_MODE_KERNEL && stack->len != 0;
  }
  g_assert_cmpuint(in_kernel, >, own.loaded.samples->len / 4);
  g_assert_cmpuint(with_stack, >=, in_kernel * 95 / 100);
  g_assert_cmpuint(trust_count_kernel_words(&own.loaded), ==, 0);
  g_assert_cmpuint(loaded_count(&own.loaded, CAPTURE_RECORD_KERNEL_SYMBOL), ==, 0);
  assert_outcomes_told(&own);
  loaded_clear(&own.loaded);
}

/* The same looks into a recording that may have them: it would find them. */
static void test_kernel_words_are_found(void)
{
  struct recorder_client client;
  struct loaded loaded;
  g_autofree struct recorder_configure *configure =
      recorder_client_configuration(RECORDER_USER_STACKS | RECORDER_KERNEL_STACKS, "cpu-clock", 1000);
  pid_t target = trust_target(TRUST_CALLER, NULL, "system", "60", NULL);
  recorder_client_start(&client);
  if (!recorder_client_configure(&client, configure, &target, 1))
    g_error("%s", client.ended.text);
  recorder_client_begin(&client);
  trust_collect(&client, 200);
  g_assert_cmpint(recorder_client_stop(&client), ==, 0);
  loaded_read(&loaded, client.file_fd);
  recorder_client_clear(&client);
  trust_end(target);
  g_assert_cmpuint(trust_count_kernel_words(&loaded), >, 0);
  loaded_clear(&loaded);
}

/* What is recorded of a program that the target becomes; mode 04755 makes it set-uid. It waits at a gate
 * until it is recorded. */
static void record_become(struct own *own, uint32_t flags, const char *word, guint mode)
{
  int gate[2];
  g_autofree char *program = trust_target_program();
  g_autofree char *copy = trust_copy(program, 0, mode);
  g_assert_cmpint(pipe2(gate, O_CLOEXEC), ==, 0);
  g_assert_cmpint(fcntl(gate[0], F_SETFD, 0), ==, 0);
  g_autofree char *number = g_strdup_printf("%d", gate[0]);
  g_setenv("GATE", number, TRUE);
  own_begin(own, OWN | flags, RECORDER_UNWIND_BPF, word, "0.3", copy);
  g_unsetenv("GATE");
  close(gate[0]);
  close(gate[1]);
  recorder_client_collect(&own->client, 60000);
  g_assert_cmpint(own->client.ended.reason, ==, RECORDER_END_TARGETS_GONE);
  own_finish(own);
  trust_remove(copy);
}

static gboolean is_of_copy(const struct loaded *loaded, const struct loaded_sample *sample)
{
  return g_str_equal(loaded_string(loaded, sample->epoch, loaded_thread(loaded, sample)->name),
                     "trusted-copy");
}

static guint count_samples_of_copy(const struct loaded *loaded)
{
  guint count = 0;
  for (guint i = 0; i < loaded->samples->len; i++)
    count += is_of_copy(loaded, sample_at(loaded, i));
  return count;
}

/* The kernel gives the thread its new name in the exec, and ends its events a moment later: a sample in
 * between has the name, and nothing of the program. */
static void assert_within_exec(const struct loaded *loaded)
{
  g_assert_cmpuint(count_samples_of_copy(loaded), <=, 1);
  for (guint i = 0; i < loaded->samples->len; i++) {
    const struct loaded_sample *sample = sample_at(loaded, i);
    if (!is_of_copy(loaded, sample))
      continue;
    g_autoptr(GArray) stack = loaded_stack(loaded, sample);
    g_assert_cmpint(sample->mode, ==, CAPTURE_MODE_KERNEL);
    g_assert_cmpuint(stack->len, ==, 0);
  }
}

/* Its own program is recorded, the set-uid one is not: no sample, no mapping, whoever of the family executes
 * it. */
static void test_becomes_set_uid(gconstpointer data)
{
  struct own own;
  record_become(&own, 0, data, 04755);
  g_assert_cmpuint(own.loaded.samples->len, >, 100);
  assert_within_exec(&own.loaded);
  g_assert_false(trust_knows_binary(&own.loaded, "trusted-copy"));
  loaded_clear(&own.loaded);
}

/* An ordinary program is recorded, so that the test above could find what it looks for. */
static void test_becomes_another(gconstpointer data)
{
  struct own own;
  record_become(&own, 0, data, 0755);
  g_assert_cmpuint(count_samples_of_copy(&own.loaded), >, 100);
  g_assert_true(trust_knows_binary(&own.loaded, "trusted-copy"));
  loaded_clear(&own.loaded);
}

/* Events that wait for an exec: nothing counts before it, nor after it when the program is set-uid. */
static void test_enabled_by_exec(void)
{
  struct own own;
  record_become(&own, RECORDER_ENABLE_ON_EXEC, "become", 0755);
  g_assert_cmpuint(count_samples_of_copy(&own.loaded), >, 100);
  loaded_clear(&own.loaded);
  record_become(&own, RECORDER_ENABLE_ON_EXEC, "become", 04755);
  g_assert_cmpuint(own.loaded.samples->len, <=, 1); /* within the exec itself */
  g_assert_false(trust_knows_binary(&own.loaded, "trusted-copy"));
  loaded_clear(&own.loaded);
}

static void assert_refused(struct recorder_configure *configure, const pid_t *target, int opener, int code,
                           const char *word)
{
  struct recorder_client client;
  recorder_client_start_as(&client, TRUST_SERVICE, TRUST_OWN_RIGHTS, NULL);
  g_assert_false(recorder_client_configure_own(&client, configure, target, target != NULL, opener));
  g_test_message("%s", client.ended.text);
  g_assert_true(client.has_ended);
  g_assert_cmpint(client.ended.error, ==, code);
  g_assert_nonnull(strstr(client.ended.text, word));
  g_assert_true(g_str_has_suffix(client.ended.text, "."));
  recorder_client_wait(&client);
  recorder_client_clear(&client);
}

static void refuse_target(pid_t target, guint opener_user, const char *opener_capabilities, int code,
                          const char *word)
{
  g_autofree struct recorder_configure *configure = recorder_client_configuration(OWN, "cpu-clock", 1000);
  int socket;
  pid_t opener = trust_opener(opener_user, opener_capabilities, &socket);
  assert_refused(configure, &target, socket, code, word);
  close(socket);
  waitpid(opener, NULL, 0);
}

static void test_another_users(void)
{
  pid_t other = trust_target(TRUST_OTHER, NULL, "spin", "60", NULL);
  pid_t roots = trust_target(0, NULL, "spin", "60", NULL);
  refuse_target(other, TRUST_CALLER, "ipc_lock", EACCES, "administrator");
  refuse_target(roots, TRUST_CALLER, "ipc_lock", EACCES, "administrator");
  trust_end(other);
  trust_end(roots);
}

/* The caller executes a program of root's with that mode. */
static void refuse_program(guint mode)
{
  g_autofree char *program = trust_target_program();
  g_autofree char *copy = trust_copy(program, 0, mode);
  pid_t target = trust_target(TRUST_CALLER, copy, "spin", "60", NULL);
  refuse_target(target, TRUST_CALLER, "ipc_lock", EACCES, "administrator");
  trust_end(target);
  trust_remove(copy);
}

static void test_set_uid_target(void)
{
  refuse_program(04755);
}

/* A program that its user may execute but not read is not his to look into. */
static void test_unreadable_target(void)
{
  refuse_program(0711);
}

static void test_hidden_target(void)
{
  pid_t target = trust_target(TRUST_CALLER, NULL, "hide", "60", NULL);
  trust_await_hidden(target);
  refuse_target(target, TRUST_CALLER, "ipc_lock", EACCES, "administrator");
  trust_end(target);
}

static void test_exposed_opener(void)
{
  pid_t target = trust_target(TRUST_CALLER, NULL, "spin", "60", NULL);
  refuse_target(target, TRUST_CALLER, "", ENOKEY, "proves nothing");
  trust_end(target);
}

static void test_gone_target(void)
{
  pid_t child = fork();
  if (child == 0)
    _exit(0);
  siginfo_t information;
  g_assert_cmpint(waitid(P_PID, (id_t)child, &information, WEXITED | WNOWAIT), ==, 0);
  refuse_target(child, TRUST_CALLER, "ipc_lock", ESRCH, "exist");
  g_assert_cmpint(waitpid(child, NULL, 0), ==, child);
}

static void refuse_event(const char *event, int code, const char *word)
{
  g_autofree struct recorder_configure *configure = recorder_client_configuration(OWN, event, 0);
  int socket;
  pid_t target = trust_target(TRUST_CALLER, NULL, "spin", "60", NULL);
  pid_t opener = trust_opener(TRUST_CALLER, "ipc_lock", &socket);
  assert_refused(configure, &target, socket, code, word);
  close(socket);
  waitpid(opener, NULL, 0);
  trust_end(target);
}

static void test_events(void)
{
  static const char *const events[] = {
      "sched:sched_switch", RECORDER_EVENT_OFF_CPU, "r003c",          "r3c:u",         "bpf-output",
      "cpu/event=0x3c/",    "software/config=1/",   "probe:anything", "no-such-event", "../../etc/passwd"};
  for (guint i = 0; i < G_N_ELEMENTS(events); i++)
    refuse_event(events[i], EPERM, "may not be recorded of one's own processes");
  refuse_event("cpu-clock:x", EINVAL, "modifier");
}

static void test_configurations(void)
{
  int pair[2], memory = memfd_create("no opener", MFD_CLOEXEC);
  pid_t target = trust_target(TRUST_CALLER, NULL, "spin", "60", NULL);
  g_autofree struct recorder_configure *configure = recorder_client_configuration(OWN, "cpu-clock", 1000);
  assert_refused(configure, &target, -1, EPROTO, "targets");
  assert_refused(configure, &target, memory, EPROTO, "opener");
  g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), ==, 0);
  assert_refused(configure, &target, pair[0], EPROTO, "opener");
  assert_refused(configure, NULL, pair[0], EPROTO, "targets");
  configure->flags |= RECORDER_SYSTEM_WIDE;
  assert_refused(configure, &target, pair[0], EPROTO, "whole system");
  close(pair[0]);
  close(pair[1]);
  close(memory);
  trust_end(target);
}

/* The caller's cache is used, and filled, and belongs to him. */
static void test_cache(void)
{
  struct own own;
  g_autofree char *directory = g_dir_make_tmp("capture-trust-XXXXXX", NULL);
  g_autofree char *tables = g_build_filename(directory, "capture", "unwind", NULL);
  g_autofree char *above = g_build_filename(directory, "capture", NULL);
  g_autofree char *before = g_strdup(g_getenv("XDG_CACHE_HOME"));
  guint counts[2] = {0};
  g_assert_cmpint(chown(directory, TRUST_CALLER, TRUST_CALLER), ==, 0);
  g_setenv("XDG_CACHE_HOME", directory, TRUE);
  for (guint round = 0; round < 2; round++) {
    own_begin(&own, OWN, RECORDER_UNWIND_BPF, "spin", "60", NULL);
    trust_collect(&own.client, 300);
    own_finish(&own);
    g_assert_cmpuint(count_outcome(&own.loaded, CAPTURE_OUTCOME_COMPLETE), >, 50);
    loaded_clear(&own.loaded);
    g_autoptr(GDir) files = g_dir_open(tables, 0, NULL);
    g_assert_nonnull(files);
    while (g_dir_read_name(files) != NULL)
      counts[round]++;
  }
  g_setenv("XDG_CACHE_HOME", before, TRUE);
  g_assert_cmpuint(counts[0], >, 1);
  g_assert_cmpuint(counts[0], ==, counts[1]);
  g_autoptr(GDir) files = g_dir_open(tables, 0, NULL);
  for (const char *name; (name = g_dir_read_name(files)) != NULL;) {
    g_autofree char *path = g_build_filename(tables, name, NULL);
    GStatBuf status;
    g_assert_cmpint(g_stat(path, &status), ==, 0);
    g_assert_cmpuint(status.st_uid, ==, TRUST_CALLER);
    g_unlink(path);
  }
  g_rmdir(tables);
  g_rmdir(above);
  g_assert_cmpint(g_rmdir(directory), ==, 0);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/recorder/own/spin/bpf", GUINT_TO_POINTER(RECORDER_UNWIND_BPF), test_spin);
  g_test_add_data_func("/recorder/own/spin/tables", GUINT_TO_POINTER(RECORDER_UNWIND_TABLES), test_spin);
  g_test_add_data_func("/recorder/own/spin/frame-pointers", GUINT_TO_POINTER(RECORDER_UNWIND_FRAME_POINTERS),
                       test_spin);
  g_test_add_data_func("/recorder/own/kernel/bpf", GUINT_TO_POINTER(RECORDER_UNWIND_BPF), test_kernel);
  g_test_add_data_func("/recorder/own/kernel/tables", GUINT_TO_POINTER(RECORDER_UNWIND_TABLES), test_kernel);
  g_test_add_data_func("/recorder/own/kernel/frame-pointers",
                       GUINT_TO_POINTER(RECORDER_UNWIND_FRAME_POINTERS), test_kernel);
  g_test_add_func("/recorder/own/kernel-words-are-found", test_kernel_words_are_found);
  g_test_add_data_func("/recorder/own/set-uid/target", "become", test_becomes_set_uid);
  g_test_add_data_func("/recorder/own/set-uid/child", "beget", test_becomes_set_uid);
  g_test_add_data_func("/recorder/own/exec/target", "become", test_becomes_another);
  g_test_add_data_func("/recorder/own/exec/child", "beget", test_becomes_another);
  g_test_add_func("/recorder/own/enabled-by-exec", test_enabled_by_exec);
  g_test_add_func("/recorder/own/refused/another-users", test_another_users);
  g_test_add_func("/recorder/own/refused/set-uid", test_set_uid_target);
  g_test_add_func("/recorder/own/refused/unreadable", test_unreadable_target);
  g_test_add_func("/recorder/own/refused/hidden", test_hidden_target);
  g_test_add_func("/recorder/own/refused/exposed-opener", test_exposed_opener);
  g_test_add_func("/recorder/own/refused/gone", test_gone_target);
  g_test_add_func("/recorder/own/refused/events", test_events);
  g_test_add_func("/recorder/own/refused/configurations", test_configurations);
  g_test_add_func("/recorder/own/cache", test_cache);
  return g_test_run();
}
