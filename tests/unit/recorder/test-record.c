/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the recorder records of real programs. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder-client.h"
#include "recorder-loaded.h"

#define STACKS (RECORDER_KERNEL_STACKS | RECORDER_USER_STACKS)

/* A program of recorder-target that waits at its gate. */
struct target {
  GPid pid;
  int gate;
};

static void target_start(struct target *target, const char *word, const char *argument, const char *more)
{
  int gate[2];
  g_autoptr(GError) error = NULL;
  g_autofree char *program =
      g_build_filename(g_getenv("CAPTURE_BUILDDIR"), "tests", "unit", "recorder", "recorder-target", NULL);
  char *argv[] = {program, (char *)word, (char *)argument, (char *)more, NULL};
  g_assert_cmpint(pipe(gate), ==, 0);
  g_autofree char *number = g_strdup_printf("%d", gate[0]);
  g_auto(GStrv) environment = g_environ_setenv(g_get_environ(), "GATE", number, TRUE);
  g_spawn_async(NULL, argv, environment, G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_LEAVE_DESCRIPTORS_OPEN, NULL,
                NULL, &target->pid, &error);
  g_assert_no_error(error);
  close(gate[0]);
  target->gate = gate[1];
}

static void target_open_gate(struct target *target)
{
  g_assert_cmpint(write(target->gate, "x", 1), ==, 1);
}

static void target_let_go(struct target *target)
{
  target_open_gate(target);
  close(target->gate);
}

static void target_wait(struct target *target)
{
  int status;
  g_assert_cmpint(waitpid(target->pid, &status, 0), ==, target->pid);
  g_assert_cmpint(status, ==, 0);
}

/* Records the target from its gate until it and all it begot are gone. */
static void record_target(struct loaded *loaded, struct target *target, uint32_t flags, uint64_t frequency)
{
  struct recorder_client client;
  g_autofree struct recorder_configure *configure =
      recorder_client_configuration(flags, "cpu-clock", frequency);
  recorder_client_start(&client);
  g_assert_true(recorder_client_configure(&client, configure, &target->pid, 1));
  recorder_client_begin(&client);
  target_let_go(target);
  recorder_client_collect(&client, 60000);
  g_assert_true(client.has_ended);
  g_assert_cmpint(client.ended.reason, ==, RECORDER_END_TARGETS_GONE);
  g_assert_cmpint(recorder_client_stop(&client), ==, 0);
  target_wait(target);
  loaded_read(loaded, client.file_fd);
  g_assert_cmpuint(loaded->samples->len, ==, client.ended.status.samples);
  g_assert_cmpuint(loaded_lost(loaded), ==, client.ended.status.lost);
  recorder_client_clear(&client);
}

static const struct loaded_sample *sample_at(const struct loaded *loaded, guint index)
{
  return &g_array_index(loaded->samples, struct loaded_sample, index);
}

static guint count_thread_name(const struct loaded *loaded, const char *name)
{
  guint count = 0;
  for (guint i = 0; i < loaded->samples->len; i++) {
    const struct loaded_sample *sample = sample_at(loaded, i);
    count += strcmp(loaded_string(loaded, sample->epoch, loaded_thread(loaded, sample)->name), name) == 0;
  }
  return count;
}

/* Samples whose leaf stands in a binary of that name. */
static guint count_leaf_binary(const struct loaded *loaded, const char *name)
{
  guint count = 0;
  for (guint i = 0; i < loaded->samples->len; i++) {
    g_autoptr(GArray) stack = loaded_stack(loaded, sample_at(loaded, i));
    const char *path = stack->len == 0 ? NULL
                                       : loaded_frame_path(loaded, sample_at(loaded, i)->epoch,
                                                           &g_array_index(stack, struct loaded_frame, 0));
    count += path != NULL && g_str_has_suffix(path, name);
  }
  return count;
}

/* One second of CPU time is a thousand samples at 1000 Hz: within 5 %, and each of them weighs a millisecond.
 */
static void test_spin(void)
{
  struct target target;
  struct loaded loaded;
  target_start(&target, "spin", "1", NULL);
  record_target(&loaded, &target, STACKS, 1000);
  guint64 weight = 0;
  for (guint i = 0; i < loaded.samples->len; i++)
    weight += sample_at(&loaded, i)->weight;
  g_assert_cmpuint(loaded_lost(&loaded), ==, 0);
  g_assert_cmpfloat_with_epsilon((double)weight / 1e9, 1.0, 0.05);
  g_assert_cmpuint(loaded_count_pid(&loaded, target.pid), ==, loaded.samples->len);
  g_assert_cmpuint(count_leaf_binary(&loaded, "recorder-target"), >, loaded.samples->len * 8 / 10);
  loaded_clear(&loaded);
}

static void test_threads(void)
{
  struct target target;
  struct loaded loaded;
  target_start(&target, "threads", "0.5", NULL);
  record_target(&loaded, &target, STACKS, 1000);
  g_assert_cmpfloat_with_epsilon(count_thread_name(&loaded, "late"), 500, 50);
  g_assert_cmpfloat_with_epsilon(count_thread_name(&loaded, "grandchild"), 500, 50);
  g_assert_cmpfloat_with_epsilon(loaded.samples->len, 2000, 200);
  loaded_clear(&loaded);
}

/* Attached while its threads come and go: no thread is missed, none is counted twice. */
static void test_attach(void)
{
  struct target target;
  struct loaded loaded;
  struct recorder_client client;
  g_autofree struct recorder_configure *configure = recorder_client_configuration(STACKS, "cpu-clock", 1000);
  target_start(&target, "grow", "2", NULL);
  target_open_gate(&target);
  g_usleep(300000);
  recorder_client_start(&client);
  g_assert_true(recorder_client_configure(&client, configure, &target.pid, 1));
  recorder_client_begin(&client);
  target_let_go(&target);
  recorder_client_collect(&client, 60000);
  g_assert_cmpint(client.ended.reason, ==, RECORDER_END_TARGETS_GONE);
  recorder_client_stop(&client);
  target_wait(&target);
  loaded_read(&loaded, client.file_fd);
  recorder_client_clear(&client);
  g_assert_cmpfloat_with_epsilon(count_thread_name(&loaded, "late"), 2000, 200);
  g_assert_cmpuint(count_thread_name(&loaded, "grandchild"), >, 1000);
  g_assert_cmpuint(count_thread_name(&loaded, "grandchild"), <, 2200);
  loaded_clear(&loaded);
}

static guint storm_samples(uint32_t flags, guint *ret_processes, pid_t *ret_pid)
{
  struct target target;
  struct loaded loaded;
  target_start(&target, "storm", "200", NULL);
  record_target(&loaded, &target, flags, 5000);
  guint others = loaded.samples->len - loaded_count_pid(&loaded, target.pid);
  *ret_processes = loaded_count(&loaded, CAPTURE_RECORD_PROCESS);
  *ret_pid = target.pid;
  for (guint i = 0; i < loaded.samples->len; i++) {
    const struct loaded_sample *sample = sample_at(&loaded, i);
    const struct capture_record_process *process = loaded_process(&loaded, sample);
    g_assert_cmpint(process->pid, >, 0);
    g_assert_cmpuint(process->time, <=, sample->time);
    g_assert_cmpstr(loaded_string(&loaded, sample->epoch, process->name), ==, "recorder-target");
  }
  loaded_clear(&loaded);
  return others;
}

/* Every sample of processes that live for a moment has its process, one that began before the sample. */
static void test_storm(void)
{
  guint processes;
  pid_t pid;
  g_assert_cmpuint(storm_samples(STACKS | RECORDER_CHILDREN, &processes, &pid), >, 200);
  g_assert_cmpuint(processes, >, 200);
}

static void test_no_children(void)
{
  guint processes;
  pid_t pid;
  g_assert_cmpuint(storm_samples(STACKS, &processes, &pid), ==, 0);
}

static void test_rename(void)
{
  struct target target;
  struct loaded loaded;
  target_start(&target, "rename", "0.6", NULL);
  record_target(&loaded, &target, STACKS, 1000);
  g_assert_cmpfloat_with_epsilon(count_thread_name(&loaded, "renamed"), 300, 30);
  g_assert_cmpfloat_with_epsilon(count_thread_name(&loaded, "recorder-target"), 300, 30);
  loaded_clear(&loaded);
}

static void test_library(void)
{
  struct target target;
  struct loaded loaded;
  g_autofree char *path = g_build_filename(g_getenv("CAPTURE_BUILDDIR"), "tests", "unit", "recorder",
                                           "librecorder-target.so", NULL);
  target_start(&target, "library", "0.4", path);
  record_target(&loaded, &target, STACKS, 1000);
  g_assert_cmpuint(count_leaf_binary(&loaded, "librecorder-target.so"), >, 300);
  loaded_clear(&loaded);
}

/* The kernel's frames stand on top of the user's. */
static void test_kernel(void)
{
  struct target target;
  struct loaded loaded;
  guint joined = 0;
  target_start(&target, "system", "0.4", NULL);
  record_target(&loaded, &target, STACKS, 1000);
  for (guint i = 0; i < loaded.samples->len; i++) {
    g_autoptr(GArray) stack = loaded_stack(&loaded, sample_at(&loaded, i));
    g_assert_cmpuint(stack->len, >, 0);
    guint first = g_array_index(stack, struct loaded_frame, 0).kind;
    guint last = g_array_index(stack, struct loaded_frame, stack->len - 1).kind;
    g_assert_true((first == CAPTURE_SPACE_KERNEL) == (sample_at(&loaded, i)->mode == CAPTURE_MODE_KERNEL));
    joined += first == CAPTURE_SPACE_KERNEL && last != CAPTURE_SPACE_KERNEL;
  }
  g_assert_cmpuint(joined, >, 200);
  loaded_clear(&loaded);
}

static void test_exclude_kernel(void)
{
  struct target target;
  struct loaded loaded;
  target_start(&target, "system", "0.4", NULL);
  record_target(&loaded, &target, STACKS | RECORDER_EXCLUDE_KERNEL, 1000);
  for (guint i = 0; i < loaded.samples->len; i++)
    g_assert_cmpuint(sample_at(&loaded, i)->mode, ==, CAPTURE_MODE_USER);
  loaded_clear(&loaded);
}

static void test_several_events(void)
{
  struct target target;
  struct loaded loaded;
  struct recorder_client client;
  g_autofree struct recorder_configure *configure = recorder_client_configuration(STACKS, "cpu-clock", 1000);
  recorder_client_add_event(configure, "page-faults", 1);
  recorder_client_add_event(configure, "context-switches", 1);
  target_start(&target, "threads", "0.1", NULL);
  recorder_client_start(&client);
  g_assert_true(recorder_client_configure(&client, configure, &target.pid, 1));
  g_assert_cmpstr(client.ready.events[1], ==, "page-faults");
  recorder_client_begin(&client);
  target_let_go(&target);
  recorder_client_collect(&client, 60000);
  recorder_client_stop(&client);
  target_wait(&target);
  loaded_read(&loaded, client.file_fd);
  recorder_client_clear(&client);
  guint counts[4] = {0};
  for (guint i = 0; i < loaded.samples->len; i++)
    counts[sample_at(&loaded, i)->event]++;
  g_assert_cmpuint(loaded_count(&loaded, CAPTURE_RECORD_EVENT), ==, 3);
  for (guint i = 1; i <= 3; i++)
    g_assert_cmpuint(counts[i], >, 2);
  loaded_clear(&loaded);
}

static void test_system_wide(void)
{
  struct target target;
  struct loaded loaded;
  struct recorder_client client;
  g_autofree struct recorder_configure *configure =
      recorder_client_configuration(STACKS | RECORDER_SYSTEM_WIDE, "cpu-clock", 1000);
  recorder_client_start(&client);
  g_assert_true(recorder_client_configure(&client, configure, NULL, 0));
  recorder_client_begin(&client);
  target_start(&target, "spin", "0.5", NULL);
  target_let_go(&target);
  target_wait(&target);
  g_assert_cmpint(recorder_client_stop(&client), ==, 0);
  g_assert_cmpint(client.ended.reason, ==, RECORDER_END_STOPPED);
  loaded_read(&loaded, client.file_fd);
  recorder_client_clear(&client);
  g_assert_cmpfloat_with_epsilon(loaded_count_pid(&loaded, target.pid), 500, 50);
  loaded_clear(&loaded);
}

/* Nobody takes the windows: what does not fit is counted, and nothing else is lost. */
static void test_stalled_consumer(void)
{
  struct target target;
  struct loaded loaded;
  struct recorder_client client;
  g_autofree struct recorder_configure *configure = recorder_client_configuration(STACKS, "cpu-clock", 10000);
  configure->window_size = 4096;
  configure->window_count = 8;
  target_start(&target, "spin", "0.5", NULL);
  recorder_client_start(&client);
  g_assert_true(recorder_client_configure(&client, configure, &target.pid, 1));
  recorder_client_begin(&client);
  target_let_go(&target);
  target_wait(&target);
  recorder_client_stop(&client);
  g_assert_cmpuint(client.ended.status.lost, >, 100);
  g_assert_cmpuint(client.n_wake, >, 0);
  loaded_read(&loaded, client.file_fd);
  recorder_client_clear(&client);
  g_assert_cmpuint(loaded_lost(&loaded), ==, client.ended.status.lost);
  g_assert_cmpuint(loaded.samples->len, ==, client.ended.status.samples);
  g_assert_cmpfloat_with_epsilon((double)(client.ended.status.samples + client.ended.status.lost), 5000, 500);
  loaded_clear(&loaded);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/recorder/record/spin", test_spin);
  g_test_add_func("/recorder/record/threads", test_threads);
  g_test_add_func("/recorder/record/attach", test_attach);
  g_test_add_func("/recorder/record/storm", test_storm);
  g_test_add_func("/recorder/record/no-children", test_no_children);
  g_test_add_func("/recorder/record/rename", test_rename);
  g_test_add_func("/recorder/record/library", test_library);
  g_test_add_func("/recorder/record/kernel", test_kernel);
  g_test_add_func("/recorder/record/exclude-kernel", test_exclude_kernel);
  g_test_add_func("/recorder/record/several-events", test_several_events);
  g_test_add_func("/recorder/record/system-wide", test_system_wide);
  g_test_add_func("/recorder/record/stalled-consumer", test_stalled_consumer);
  return g_test_run();
}
